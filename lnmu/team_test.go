package lnmu

import (
	"runtime"
	"testing"
)

// TestTeam hands out many phases, with more members than processors and with
// fewer, and pauses long enough for members to sleep and to be woken late. Each
// task must be done once before run returns; the race detector sees to it that
// phases do not overlap.
func TestTeam(t *testing.T) {
	phases := 3000
	if testing.Short() {
		phases = 500
	}
	for _, n := range []int{2, runtime.GOMAXPROCS(0), runtime.GOMAXPROCS(0) + 3} {
		team := newTeam(n)
		counts := make([]int, 3*n)
		for phase := range phases {
			tasks := 1 + phase%len(counts)
			team.run(tasks, func(_, task int) {
				if phase%7 == task%7 {
					runtime.Gosched()
				}
				counts[task]++
			})
			for task := range counts {
				want := 0
				if task < tasks {
					want = 1
				}
				if counts[task] != want {
					t.Fatalf("%d members, phase %d: task %d was done %d times, want %d", n, phase, task, counts[task], want)
				}
				counts[task] = 0
			}
		}
		team.close()
	}
}
