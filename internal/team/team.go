// Package team runs the phases of a computation on persistent goroutines.
//
// A team is made once and does one phase after the other: a number of tasks, which
// its members share. Handing over a phase costs well under a microsecond, so that a
// pass over a few hundred kilobytes is worth sharing.
//
//	leader    Run(tasks, work) .. shares ........ waits .. Run(tasks, work) ..
//	member 1  spins ............. shares .. spins ........ shares ..
//	member 2  sleeps ... woken .. shares .. spins ........ shares ..
package team

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// Team is a set of persistent goroutines that share the tasks of one phase
// after the other. Handing over a phase costs well under a microsecond while
// the members spin; they spin briefly and then sleep.
//
// Which member does which task is left to chance, so a task's result must not
// depend on it.
//
// A task that panics ends the phase: no task is begun any more, and when all
// members are at rest Run panics with the same value, in the caller's goroutine,
// where it can be recovered; the team goes on to work, or can be closed. Members
// take a fault in memory (a mapped file that has shrunk) as the goroutine that
// made the team does, see debug.SetPanicOnFault.
//
// Who goes to sleep says so first and then looks whether there is something to do;
// who has something to do says so first and then looks who sleeps. Both say it by
// a read-modify-write (Swap, Add): QEMU's arm64 on x86 lets a load pass the store
// before it, although both are atomic, and then neither would see the other.
type Team struct {
	members []member
	phase   atomic.Uint32 // counts the phases handed out
	left    atomic.Int32  // members still busy with the current phase
	resting atomic.Bool   // the leader sleeps until the last member is done
	rested  chan struct{}
	patient bool                    // there is a processor for every member: spin before sleeping
	work    func(member, task int)  // of the current phase; nil ends the team
	failed  atomic.Pointer[failure] // the first panic of the current phase
	pace    pace
}

// failure is a panic that waits for the goroutine that it is meant for.
type failure struct{ value any }

// member is one goroutine's share of the tasks. A member takes its own tasks
// first, then what is left of the others', so that in phase after phase the
// same memory stays with the same processor.
type member struct {
	next   atomic.Int32
	end    int32
	asleep atomic.Bool
	wake   chan struct{}
	_      [64]byte // keep the counters of two members apart
}

// New starts n-1 goroutines, n >= 1; the caller is the n-th member, and leads. Close
// must be called in the end.
func New(n int) *Team {
	t := &Team{members: make([]member, n), rested: make(chan struct{}, 1)}
	t.patient = n <= runtime.GOMAXPROCS(0)
	faults := panicOnFault()
	for i := 1; i < n; i++ {
		t.members[i].wake = make(chan struct{}, 1)
		go func() {
			debug.SetPanicOnFault(faults)
			t.follow(i)
		}()
	}
	return t
}

// panicOnFault returns what debug.SetPanicOnFault has set for this goroutine.
func panicOnFault() bool {
	set := debug.SetPanicOnFault(false)
	debug.SetPanicOnFault(set)
	return set
}

// Size returns the number of members.
func (t *Team) Size() int { return len(t.members) }

// Close ends the goroutines.
func (t *Team) Close() {
	if len(t.members) > 1 {
		t.publish(0, nil)
	}
}

// Run calls work(member, task) for every task from 0 to tasks-1, and returns when
// all are done; member, from 0 to Size()-1, is the one that does the task. Only the
// goroutine that made the team may call it. It allocates nothing.
func (t *Team) Run(tasks int, work func(member, task int)) {
	if len(t.members) == 1 || tasks == 1 || t.pace.alone {
		for task := range tasks {
			work(0, task)
		}
		return
	}
	t.publish(tasks, work)
	t.share(0, work)
	// The last member of the phase before may wake the leader too: look again.
	for !t.spin(func() bool { return t.left.Load() == 0 }) {
		t.resting.Swap(true)
		if t.left.Load() > 0 || !t.resting.CompareAndSwap(true, false) {
			<-t.rested
		}
	}
	if f := t.failed.Swap(nil); f != nil {
		panic(f.value)
	}
}

// spinTime is how long a member waits awake: longer than the leader works alone
// between two phases, and than going to sleep and waking up take.
const spinTime = 200 * time.Microsecond

// spin waits for something to become true, but not long, and reports whether it
// has.
func (t *Team) spin(done func() bool) bool {
	if !t.patient {
		return done()
	}
	for begun := time.Now(); ; {
		for range 100 {
			if done() {
				return true
			}
		}
		if time.Since(begun) > spinTime {
			return false
		}
	}
}

// publish hands out a phase.
func (t *Team) publish(tasks int, work func(member, task int)) {
	n := len(t.members)
	for i := range t.members {
		m := &t.members[i]
		m.next.Store(int32(i * tasks / n))
		m.end = int32((i + 1) * tasks / n)
	}
	t.work = work
	t.left.Store(int32(n - 1))
	t.phase.Add(1)
	for i := 1; i < n; i++ {
		if m := &t.members[i]; m.asleep.CompareAndSwap(true, false) {
			m.wake <- struct{}{}
		}
	}
}

// share does the tasks of member i, then helps the others.
func (t *Team) share(i int, work func(member, task int)) {
	done := false
	defer func() {
		if !done {
			t.failed.CompareAndSwap(nil, &failure{recover()})
		}
	}()
	for v := range t.members {
		m := &t.members[(i+v)%len(t.members)]
		for {
			task := m.next.Add(1) - 1
			if task >= m.end || t.failed.Load() != nil {
				break
			}
			work(i, int(task))
		}
	}
	done = true
}

// follow is the life of member i.
func (t *Team) follow(i int) {
	m := &t.members[i]
	for seen := uint32(0); ; seen++ {
		for !t.spin(func() bool { return t.phase.Load() != seen }) {
			m.asleep.Swap(true)
			if t.phase.Load() == seen || !m.asleep.CompareAndSwap(true, false) {
				<-m.wake
			}
		}
		work := t.work
		if work == nil {
			return
		}
		t.share(i, work)
		if t.left.Add(-1) == 0 && t.resting.CompareAndSwap(true, false) {
			t.rested <- struct{}{}
		}
	}
}
