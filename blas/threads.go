package blas

import (
	"runtime"
	"sync/atomic"

	"nmu/internal/team"
)

// parallelWork is the minimum number of multiply-adds of a call with several threads. In a
// smaller call, waking a thread costs more time than the thread saves.
const parallelWork = 1 << 20

// busy counts the callers and helpers in calls of at least parallelWork. A call hires helpers
// only while busy is below GOMAXPROCS, so that concurrent callers have the processors to
// themselves.
var busy atomic.Int32

// parallel calls do for every task, in parallel where processors are idle. work is the number
// of multiply-adds of all tasks together.
func parallel(work float64, tasks int, do func(task int)) {
	if work < parallelWork {
		for task := range tasks {
			do(task)
		}
		return
	}
	busy.Add(1)
	helpers := hire(tasks - 1)
	defer func() { busy.Add(int32(-1 - helpers)) }()
	team.Share(helpers, tasks, do)
}

// hire adds up to most helpers to busy and returns their number.
func hire(most int) int {
	for {
		now := busy.Load()
		n := min(int32(most), int32(threads())-now)
		if n <= 0 {
			return 0
		}
		if busy.CompareAndSwap(now, now+n) {
			return int(n)
		}
	}
}

// threads returns the maximum number of threads of a call.
func threads() int { return runtime.GOMAXPROCS(0) }
