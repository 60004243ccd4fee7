package bench

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// parallel runs f(0) to f(threads-1) at the same time, each on its own thread of the
// operating system. It returns the time from the common start to the last end.
func parallel(threads int, f func(t int)) time.Duration {
	var ready atomic.Int32
	var started atomic.Bool
	var wg sync.WaitGroup
	ends := make([]time.Time, threads)
	run := func(t int) {
		f(t)
		ends[t] = time.Now()
	}
	for t := 1; t < threads; t++ {
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			ready.Add(1)
			for !started.Load() {
				runtime.Gosched()
			}
			run(t)
		})
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for int(ready.Load()) < threads-1 {
		runtime.Gosched()
	}
	begin := time.Now()
	started.Store(true)
	run(0)
	wg.Wait()
	return slices.MaxFunc(ends, time.Time.Compare).Sub(begin)
}
