package team

import (
	"runtime/debug"
	"sync/atomic"
)

// job is a number of tasks that goroutines take one after the other.
type job struct {
	work   func(task int)
	tasks  int32
	next   atomic.Int32
	left   atomic.Int32 // tasks that are not done
	done   chan struct{}
	failed atomic.Pointer[failure]
}

// Share calls work once for every task from 0 to tasks-1, tasks >= 1, in the caller's goroutine
// and in at most helpers others. It returns when all calls have returned. It does not wait for
// a goroutine that has not begun, so without a free processor the caller does all tasks. The
// assignment of tasks is random, so a task's result must not depend on it. Memory faults are
// handled as in the caller's goroutine, see debug.SetPanicOnFault.
//
// If a call panics, no further task begins, and Share panics with the same value.
func Share(helpers, tasks int, work func(task int)) {
	j := &job{work: work, tasks: int32(tasks), done: make(chan struct{})}
	j.left.Store(int32(tasks))
	faults := panicOnFault()
	for range min(helpers, tasks-1) {
		go func() {
			debug.SetPanicOnFault(faults)
			j.take()
		}()
	}
	j.take()
	<-j.done
	if f := j.failed.Load(); f != nil {
		panic(f.value)
	}
}

// take does tasks until there are none.
func (j *job) take() {
	for task := j.next.Add(1) - 1; task < j.tasks; task = j.next.Add(1) - 1 {
		j.do(int(task))
	}
}

func (j *job) do(task int) {
	done := false
	defer func() {
		if !done {
			j.failed.CompareAndSwap(nil, &failure{recover()})
		}
		if j.left.Add(-1) == 0 {
			close(j.done)
		}
	}()
	if j.failed.Load() == nil {
		j.work(task)
	}
	done = true
}
