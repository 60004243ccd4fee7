package team

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"nmu/internal/leak"
	"nmu/internal/must"
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
		team := New(n)
		counts := make([]int, 3*n)
		for phase := range phases {
			tasks := 1 + phase%len(counts)
			team.Run(tasks, func(_, task int) {
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
		team.Close()
	}
}

// TestTeamNumbers: when all numbers of phases have been used they begin again, and no
// task is left out.
func TestTeamNumbers(t *testing.T) {
	team := New(3)
	defer team.Close()
	team.gate.Add(^uint64(0) / onePhase * onePhase) // the last one
	for phase := range 3 {
		var counts [7]atomic.Int32
		team.Run(len(counts), func(_, task int) { counts[task].Add(1) })
		for task := range counts {
			must.Equal(t, counts[task].Load(), 1, "phase", phase, "task", task, "was done")
		}
	}
}

// TestTeamPanics: a panic of any task reaches the leader when all are at rest, and
// the team goes on.
func TestTeamPanics(t *testing.T) {
	leak.Check(t)
	for _, members := range []int{1, 2, 5} {
		team := New(members)
		for bad := range 40 {
			var busy atomic.Int32
			got := panicOf(func() {
				team.Run(40, func(_, task int) {
					busy.Add(1)
					defer busy.Add(-1)
					runtime.Gosched()
					if task == bad {
						panic(task)
					}
				})
			})
			if got != bad || busy.Load() != 0 {
				t.Errorf("%d members: task %d panicked, run with %v; %d tasks still at work", members, bad, got, busy.Load())
			}
		}
		var done atomic.Int32
		team.Run(40, func(int, int) { done.Add(1) })
		must.Equal(t, done.Load(), 40, members, "members")
		team.Close()
	}
}

// panicOf returns what f panics with, nil if it does not.
func panicOf(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// TestTogether: all calls are made, a panic of any reaches the caller, once the
// others have been told and have returned.
func TestTogether(t *testing.T) {
	leak.Check(t)
	for n := 1; n <= 4; n++ {
		var calls atomic.Int32
		Together(n, func() { calls.Add(1) }, func() { t.Error("abandoned") })
		must.Equal(t, int(calls.Load()), n, calls.Load(), "calls of")
		for bad := range int32(n) {
			var begun, ended atomic.Int32
			told := make(chan struct{})
			got := panicOf(func() {
				Together(n, func() {
					if begun.Add(1)-1 == bad {
						panic(bad)
					}
					<-told
					ended.Add(1)
				}, sync.OnceFunc(func() { close(told) }))
			})
			if got != bad || int(ended.Load()) != n-1 {
				t.Errorf("%d calls, call %d panics: %v; %d others ended", n, bad, got, ended.Load())
			}
		}
	}
}

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
