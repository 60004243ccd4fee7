package run

import (
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/method"
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
		Solve: func(*method.Loop, core.Problem) method.Trace { return method.Trace{Stop: core.StopIterations} },
	}
	j := New(t.Context(), m, Settings{Settings: method.Settings{Iterations: 1}, Restarts: 4096, Threads: 4096}, Task{Comm: group.Self{}, Identity: func(Matrix) string { return "" }}, time.Now())
	var c counted
	res, err := j.Run(Matrix{Storage: &c, Norm: 1})
	if err != nil {
		t.Fatal(err)
	}
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
			var j Job
			for _, i := range order {
				j.settle(nil, &Result{RelativeError: c.errors[i], BestRestart: i + 1})
			}
			if j.best.BestRestart != c.best {
				t.Errorf("errors %v, ended in the order %v: best is restart %d, want %d", c.errors, order, j.best.BestRestart, c.best)
			}
		}
	}
}

// TestBreak: a pass that was aborted ends the job, even if the clock of process 0 is behind
// that of another one.
func TestBreak(t *testing.T) {
	for _, c := range []struct {
		err  error
		want core.Stop
	}{{nil, core.StopTime}, {errors.New("broken"), core.StopCancelled}} {
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
