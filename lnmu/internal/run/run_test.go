package run

import (
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"nmu/internal/must"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/method"
	"nmu/lnmu/outcome"
)

// counted is a storage of problems that are solved at once.
type counted struct {
	core.Storage
	opened atomic.Int32
}

func (c *counted) Open(int) core.Place {
	c.opened.Add(1)
	return place{}
}

type place struct{ core.Place }

func (place) Restart(uint64, bool)     {}
func (place) Problem(int) core.Problem { return problem{} }
func (place) Factors(int) core.Factors { return &core.Pair[float64]{} }
func (place) Close()                   {}

type problem struct{ core.Problem }

func (problem) Rank() int                        { return 1 }
func (problem) Start(int)                        {}
func (problem) Fix(int)                          {}
func (problem) Scale()                           {}
func (problem) Aborted() bool                    { return false }
func (problem) Residual(int, bool) core.Residual { return core.Residual{Squares: 1} }
func (problem) Finish(int)                       {}

// TestSideBySide bounds the restarts that run at once, and so their memory.
func TestSideBySide(t *testing.T) {
	m := Method{
		Plan:  core.Plan{Rank: 1, Block: 1},
		Solve: func(*method.Loop, core.Problem) method.Trace { return method.Trace{Stop: outcome.StopIterations} },
	}
	j := New(t.Context(), m, Settings{Settings: method.Settings{Iterations: 1}, Restarts: 4096, Threads: 4096}, Task{Comm: group.Self{}, Identity: func(Matrix) string { return "" }}, time.Now())
	var c counted
	res := must.Get(j.Run(Matrix{Storage: &c, Norm: 1}))(t)
	if n := c.opened.Load(); n > mostWorkers || n < 1 {
		t.Errorf("%d restarts side by side", n)
	}
	if res.RestartsFinished != 4096 || res.BestRestart != 1 {
		t.Errorf("%d restarts finished, of which %d is the best", res.RestartsFinished, res.BestRestart)
	}
}

// TestBestRestart checks that the order in which restarts end decides nothing.
func TestBestRestart(t *testing.T) {
	for _, c := range []struct {
		errors []float64 // by restart
		best   int
	}{
		{[]float64{0.3, 0.2, 0.1}, 3},
		{[]float64{0.2, 0.1, 0.1}, 2},
		{[]float64{math.NaN(), 0.1, 0.2}, 2},
		{[]float64{0.1, math.NaN(), math.NaN()}, 1},
		{[]float64{math.NaN(), math.NaN(), math.Inf(1)}, 3},
		{[]float64{math.NaN(), math.NaN(), math.NaN()}, 1},
	} {
		for _, order := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			j := New(t.Context(), Method{}, Settings{}, Task{Comm: group.Self{}}, time.Now())
			for _, i := range order {
				j.settle(nil, &Result{Report: outcome.Report{RelativeError: c.errors[i], BestRestart: i + 1}})
			}
			must.Equal(t, j.best.BestRestart, c.best, "errors", c.errors, "ended in the order", order, "best is restart")
		}
	}
}

// TestBreak: a pass that was aborted ends the job, even if the clock of process 0 is behind
// that of another one.
func TestBreak(t *testing.T) {
	for _, c := range []struct {
		err  error
		want outcome.Stop
	}{{nil, outcome.StopTime}, {errors.New("broken"), outcome.StopCancelled}} {
		j := New(t.Context(), Method{}, Settings{TimeLimit: time.Hour}, Task{Comm: group.Self{}}, time.Now())
		j.Limit(0)
		if stop, over := j.Interrupted(); over {
			t.Fatalf("ended by %s", stop)
		}
		j.Break(c.err)
		if stop, over := j.Interrupted(); !over || stop != c.want || !j.Over() {
			t.Errorf("error %v: ended by %q", c.err, stop)
		}
	}
}

// TestNextLap: the better half goes on, then the best two; of equal restarts the first ones do, what is not a number is
// the worst, and what has ended needs no more laps.
func TestNextLap(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		values []float64 // by restart
		ended  int       // the restart that ended by itself in the first lap
		goOn   [2][]int  // in the second and in the third lap, the best one first
		best   int
	}{
		{[]float64{.5, .4, .3, .2, .1}, 0, [2][]int{{5, 4, 3}, {5, 4}}, 5},
		{[]float64{.1, .1, .1, .1, .1}, 0, [2][]int{{1, 2, 3}, {1, 2}}, 1},
		{[]float64{nan, .2, nan, .1, nan}, 0, [2][]int{{4, 2, 1}, {4, 2}}, 4},
		{[]float64{.3, .2, .1, .5, .6}, 2, [2][]int{{3, 1}, {3}}, 3},
		{[]float64{.3, .2, .1, .5, .6}, 4, [2][]int{{3, 2, 1}, {3, 2}}, 3},
		{[]float64{nan, nan, 0, nan, nan}, 3, [2][]int{{1, 2}, {1}}, 3},
	} {
		j := New(t.Context(), Method{}, Settings{Settings: method.Settings{Iterations: 100}, Restarts: len(c.values), Race: 100}, Task{Comm: group.Self{}}, time.Now())
		end := func(u *restartState, stop outcome.Stop) {
			j.settle(u, &Result{Report: outcome.Report{RelativeError: c.values[u.restart-1], BestRestart: u.restart, Stop: stop}})
		}
		for range c.values {
			if u := j.take(); u.restart == c.ended {
				end(u, outcome.StopTolerance)
			} else {
				end(u, outcome.StopLeft)
			}
		}
		for lap, want := range c.goOn {
			var goOn []int
			for range want {
				u := j.take()
				goOn = append(goOn, u.restart)
				end(u, []outcome.Stop{outcome.StopLeft, outcome.StopIterations}[lap])
			}
			must.EqualSlices(t, goOn, want, c.values, "lap", lap+2)
		}
		if u := j.take(); u != nil || j.best.BestRestart != c.best || j.finished != len(c.values) || len(j.all()) != len(c.values) {
			t.Errorf("%v: the best is %d of %v", c.values, j.best.BestRestart, j.all())
		}
	}
	for _, c := range []struct{ restarts, iterations, race, laps, first int }{{2, 1000, 100, 1, 1000}, {3, 31, 100, 3, 10}, {10, 30, 100, 1, 30}, {10, 1000, 600, 3, 60}, {10, 400, 600, 3, 40}, {10, 400, 0, 1, 400}} {
		if got := laps(c.restarts, c.iterations, c.race); len(got) != c.laps || got[0].until != c.first {
			t.Errorf("%d restarts of %d iterations: %v", c.restarts, c.iterations, got)
		}
	}
}
