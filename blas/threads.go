package blas

import (
	"runtime"
	"sync/atomic"

	"nmu/internal/team"
)

// parallelWork is the number of multiply-adds from which on a call is shared among
// threads: below, waking one up costs more than it does.
const parallelWork = 1 << 20

// busy counts the goroutines that are at work in calls that are large enough to be
// shared: callers and helpers. A call takes only helpers that keep it within
// GOMAXPROCS, so that callers that are parallel themselves share the processors among
// each other, not with helpers.
var busy atomic.Int32

// parallel calls do for every task, side by side where processors are idle. work is
// the number of multiply-adds of all of them.
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

// hire adds up to so many helpers to those who are busy, and returns their number.
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

// threads returns how many threads a call may have.
func threads() int { return runtime.GOMAXPROCS(0) }
