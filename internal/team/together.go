package team

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Together calls work n times concurrently, n >= 1, one of them in the caller's goroutine. It
// returns when all calls have returned. Memory faults are handled as in the caller's goroutine,
// see debug.SetPanicOnFault.
//
// If a call panics, Together calls abandon, perhaps more than once and concurrently. abandon
// should make the other calls return soon. Together then panics with the value of the first
// panic, in the caller's goroutine.
func Together(n int, work, abandon func()) {
	var (
		wg     sync.WaitGroup
		failed atomic.Pointer[failure]
		faults = panicOnFault()
	)
	for range n - 1 {
		wg.Go(func() {
			debug.SetPanicOnFault(faults)
			defer func() {
				if value := recover(); value != nil {
					failed.CompareAndSwap(nil, &failure{value})
					abandon()
				}
			}()
			work()
		})
	}
	lead(&wg, work, abandon)
	if f := failed.Load(); f != nil {
		panic(f.value)
	}
}

// lead makes the caller's call. It returns when all others have returned, even if work panics
// or ends the goroutine.
func lead(wg *sync.WaitGroup, work, abandon func()) {
	done := false
	defer func() {
		if !done {
			abandon()
		}
		wg.Wait()
	}()
	work()
	done = true
}
