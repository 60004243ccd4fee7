package team

import (
	"runtime"
	"sync/atomic"
	"testing"

	"nmu/internal/leak"
)

// TestShare: every task is done once, whatever the number of helpers, and a panic of any
// reaches the caller when no task is at work any more.
func TestShare(t *testing.T) {
	leak.Check(t)
	for _, helpers := range []int{0, 1, 3, 9} {
		for tasks := 1; tasks <= 12; tasks++ {
			counts := make([]atomic.Int32, tasks)
			Share(helpers, tasks, func(task int) {
				runtime.Gosched()
				counts[task].Add(1)
			})
			for i := range counts {
				if counts[i].Load() != 1 {
					t.Fatalf("%d helpers: task %d of %d was done %d times", helpers, i, tasks, counts[i].Load())
				}
			}
			var at atomic.Int32
			bad := tasks / 2
			got := panicOf(func() {
				Share(helpers, tasks, func(task int) {
					at.Add(1)
					defer at.Add(-1)
					runtime.Gosched()
					if task == bad {
						panic(bad)
					}
				})
			})
			if got != bad || at.Load() != 0 {
				t.Errorf("%d helpers, %d tasks: task %d panics: %v; %d tasks at work", helpers, tasks, bad, got, at.Load())
			}
		}
	}
}
