// Package leak finds goroutines that a test leaves behind.
package leak

import (
	"runtime"
	"testing"
	"time"
)

// Check fails the test if, one minute after its end, there are more goroutines than at the call
// of Check.
func Check(t testing.TB) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		t.Helper()
		for begun := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
			if time.Since(begun) > time.Minute {
				stacks := make([]byte, 1<<16)
				t.Fatalf("%d goroutines, before %d:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
			}
		}
	})
}
