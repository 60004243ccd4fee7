package lnmu_test

import (
	"fmt"
	"math"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

// norms12 returns ||x||_1 and ||x||_2.
func norms12(x []float64) (l1, l2 float64) {
	for _, a := range x {
		l1 += math.Abs(a)
		l2 += a * a
	}
	return l1, math.Sqrt(l2)
}

// TestHoyer checks the constraints, the course of the error and the threads.
func TestHoyer(t *testing.T) {
	for _, shape := range [][3]int{{60, 40, 4}, {40, 60, 4}, {700, 30, 3}, {30, 700, 1}} {
		for _, c := range []lnmu.Hoyer{{HoyerV: 0.6}, {HoyerW: 0.5}, {HoyerV: 0.4, HoyerW: 0.3}} {
			m, n, rank := shape[0], shape[1], shape[2]
			t.Run(fmt.Sprintf("%dx%d-%d/%v-%v", m, n, rank, c.HoyerV, c.HoyerW), func(t *testing.T) {
				x := lnmutest.Data[float64](m, n, 11)
				s := lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 100, Tolerance: 1e-300, CheckEvery: 1}, Threads: 1}
				res := must.Get(lnmu.Factor(t.Context(), x, rank, c, &s))(t)
				h := res.Blocks[0].History
				for k := 1; k < len(h); k++ {
					if h[k] > h[k-1]*(1+1e-12) {
						t.Fatalf("the error rises from %v to %v in iteration %d", h[k-1], h[k], k+1)
					}
				}
				if !(h[len(h)-1] < 0.8*h[0]) && rank > 1 {
					t.Errorf("the error fell from %v to %v only", h[0], h[len(h)-1])
				}
				checkSparseness := func(name string, d lnmu.Dense[float64], want float64) {
					for k := range d.Rows {
						l1, l2 := norms12(d.Row(k))
						root := math.Sqrt(float64(d.Cols))
						if sh := (root - l1/l2) / (root - 1); want > 0 && math.Abs(sh-want) > 1e-9 {
							t.Errorf("sh(%s) of factor %d is %v, want %v", name, k, sh, want)
						}
						if name == "W" && math.Abs(l2-1) > 1e-12 {
							t.Errorf("the norm of row %d of W is %v, want 1", k, l2)
						}
					}
				}
				checkSparseness("V", res.V.Transposed(), c.HoyerV)
				checkSparseness("W", res.W, c.HoyerW)

				s.Threads = 3
				other, err := lnmu.Factor(t.Context(), x, rank, c, &s)
				if err != nil || factors.SHA256(other.V) != factors.SHA256(res.V) || factors.SHA256(other.W) != factors.SHA256(res.W) {
					t.Errorf("the result differs between 1 and 3 threads (error %v)", err)
				}
			})
		}
	}
}

// TestHoyerUnderflow checks that a run without a way down says so, as in the
// paper: imposing sh(V) = 0.93 on the swimmer set, Hoyer's algorithm "was not
// able to converge" (section 4.6).
func TestHoyerUnderflow(t *testing.T) {
	res := must.Get(lnmu.Factor(t.Context(), swimmer[float64](), 8, lnmu.Hoyer{HoyerV: 0.93}, &lnmu.Settings{Start: lnmu.Start{Restarts: 1, Seed: 1}}))(t)
	if res.Stop != outcome.StopStep || res.Blocks[0].IterationsDone >= 1000 || math.Abs(factors.RowSparsity(res.V.Transposed()).Hoyer-0.93) > 1e-9 {
		t.Errorf("stop %q after %d iterations, sh(V) = %v", res.Stop, res.Blocks[0].IterationsDone, factors.RowSparsity(res.V.Transposed()).Hoyer)
	}
}
