package lnmu_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/matio"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

func TestFeasible(t *testing.T) { precisions(t, testFeasible[float64], testFeasible[float32]) }

// testFeasible runs every method and way, on tall, wide and degenerate data, and
// checks that nothing is exceeded, that the error is what it is said to be and
// falls with every step, and that threads do not change a bit.
func testFeasible[T lnmu.Float](t *testing.T) {
	zeros := lnmutest.Data[T](12, 9, 2)
	clear(zeros.Row(3))
	for i := range zeros.Rows {
		zeros.Data[i*zeros.Stride+4] = 0
	}
	twins := lnmutest.Data[T](10, 14, 4)
	for i := range twins.Rows {
		copy(twins.Row(i)[7:], twins.Row(i)[:7])
	}
	copy(twins.Row(1), twins.Row(0))
	for name, m := range map[string]lnmu.Dense[T]{
		"tall": lnmutest.Data[T](40, 17, 1), "wide": lnmutest.Data[T](15, 90, 2), "zeros": zeros, "twins": twins, "one row": lnmutest.Data[T](1, 9, 3),
	} {
		for _, c := range []struct {
			name        string
			block, rank int
		}{{"gnmu", 0, 5}, {"gnmu", 0, 1}, {"rnmu", 1, 5}, {"rnmu by 2", 2, 5}} {
			for _, way := range []lnmu.Choice{lnmu.FeasibleFinal, lnmu.FeasibleEach} {
				for _, steps := range []int{1, 5} {
					t.Run(fmt.Sprintf("%s/%s-%d/%s/%d", name, c.name, c.rank, way, steps), func(t *testing.T) {
						method := lnmutest.Underapproximation(c.block, lnmu.GNMU{Feasible: way, FeasibleSteps: steps})
						rank := min(c.rank, m.Rows, m.Cols)
						s := lnmu.Settings{Limits: lnmu.Limits{Iterations: 40}, Start: lnmu.Start{Restarts: 2, Seed: 3}, Threads: 1, Overwrite: true}
						res := must.Get(lnmu.Factor(t.Context(), m, rank, method, &s))(t)
						if x := literal.Excess(m, res.V, res.W, nil); x > 0 || res.MaxViolation != 0 {
							t.Errorf("V W exceeds M by %v, MaxViolation is %v", x, res.MaxViolation)
						}
						must.Equal(t, errors.Join(checkValues("V", res.V), checkValues("W", res.W)), nil)
						checkSteps(t, res, way, steps)
						for _, b := range res.Blocks {
							part, err := lnmu.Measure(m, res.V.Slice(0, m.Rows, 0, b.Rank), res.W.Slice(0, b.Rank, 0, m.Cols), nil)
							if err != nil || !(math.Abs(part.RelativeError-b.Error) <= 1e-5) {
								t.Errorf("error %v of the first %d factors, want %v; %v", b.Error, b.Rank, part.RelativeError, err)
							}
						}
						s.Threads = 3
						again := must.Get(lnmu.Factor(t.Context(), m, rank, method, &s))(t)
						if factors.SHA256(again.V) != factors.SHA256(res.V) || factors.SHA256(again.W) != factors.SHA256(res.W) {
							t.Error("three threads give other bits than one")
						}
					})
				}
			}
		}
	}
}

// checkSteps checks the report on the exact steps of a result.
func checkSteps[T lnmu.Float](t *testing.T, res *lnmu.Result[T], way lnmu.Choice, most int) {
	t.Helper()
	kept, factors := 0, 0
	current := math.NaN()
	var steps []outcome.ExactStep
	for i, b := range res.Blocks {
		must.Equal(t, len(b.Exact) > 0, way == lnmu.FeasibleEach || i == len(res.Blocks)-1, len(b.Exact), "exact steps in block", i+1, "of", len(res.Blocks))
		for _, s := range b.Exact {
			if s.Factors != b.Rank {
				t.Errorf("a block that ends at rank %d has the step %+v", b.Rank, s)
			}
		}
		steps = append(steps, b.Exact...)
	}
	for i, s := range steps {
		if s.Factors != factors { // a block begins with one step each for V and W
			factors, kept = s.Factors, 0
			other := steps[i+1]
			if s.Renewed != "V" || other.Renewed != "W" || s.Kept == other.Kept || other.Kept != (other.After < s.After) {
				t.Errorf("first steps %+v, %+v", s, other)
			}
			current = min(s.After, other.After)
		} else if s.Violation == 0 && s.Kept {
			if !(s.Before == current && s.After < s.Before) {
				t.Errorf("step %d: %+v after error %v", i, s, current)
			}
			current = s.After
		}
		if s.Kept {
			kept++
		}
		must.AtMost(t, kept, most, "step", i)
		must.Below(t, s.KKT, 1e-9, "step", i, "KKT residual")
	}
	if way == lnmu.FeasibleFinal && res.V.Cols > 0 && factors != res.V.Cols {
		t.Errorf("%d factors made feasible, want %d", factors, res.V.Cols)
	}
	if len(steps) > 0 && !(math.Abs(current-res.RelativeError) < 1e-6) {
		t.Errorf("relative error %v, after the last step %v", res.RelativeError, current)
	}
	for i, b := range res.Blocks {
		if way == lnmu.FeasibleEach && i > 0 && b.Error > res.Blocks[i-1].Error {
			t.Errorf("error rises from %v to %v at rank %d", res.Blocks[i-1].Error, b.Error, b.Rank)
		}
	}
}

// TestFeasibleCancelled cancels between L-NMU and the exact step, and within the step, which leaves the factors as they were.
func TestFeasibleCancelled(t *testing.T) {
	m := lnmutest.Data[float64](30, 20, 1)
	for _, way := range []lnmu.Choice{lnmu.FeasibleFinal, lnmu.FeasibleEach} {
		ctx, cancel := context.WithCancel(t.Context())
		method := lnmu.GNMU{Feasible: way, StepLength: cancelAt(5, cancel)}
		res, err := lnmu.Factor(ctx, m, 4, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 5}})
		if !errors.Is(err, context.Canceled) || res == nil || res.Stop != outcome.StopCancelled || len(res.Blocks) != 1 || res.Blocks[0].Exact != nil {
			t.Errorf("%s: result %+v, error %v", way, res, err)
		}
		if res != nil && res.MaxViolation == 0 {
			t.Errorf("%s: feasible without an exact step", way)
		}
	}
	settings := &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 5}, Threads: 1}
	before, within := must.Get(lnmu.Factor(t.Context(), m, 4, lnmu.GNMU{}, settings))(t), 0
	for asks, err := int64(1), error(context.Canceled); err != nil; asks++ {
		var res *lnmu.Result[float64]
		res, err = lnmu.Factor(lnmutest.NewCountdown(asks), m, 4, lnmu.GNMU{Feasible: lnmu.FeasibleEach}, settings)
		if err != nil && len(res.Blocks) == 1 && res.Blocks[0].IterationsDone == 5 {
			within++
			if !lnmutest.SameBits(res, before) {
				t.Fatalf("cancelled after %d questions: other factors", asks)
			}
		}
	}
	must.AtLeast(t, within, 10, "cancelled within the exact step")
}

// readSet reads a data set of the paper, or skips the test.
func readSet[T lnmu.Float](t *testing.T, name string) lnmu.Dense[T] {
	t.Helper()
	f := must.Get(matio.Open(must.PaperFile(t, name), matio.Options{}))(t)
	rows, cols, values := must.Three(matio.Dense[T](f))(t)
	return lnmu.NewDense(rows, cols, values)
}

func TestFeasiblePaper(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("the paper's iterations on both sets: with NMU_FULL only")
	}
	t.Run("float64", testFeasiblePaper[float64])
	t.Run("float32", testFeasiblePaper[float32])
}

// testFeasiblePaper checks what feasibility costs on the paper's data sets: next
// to nothing on the swimmer set, a lot on CBCL.
func testFeasiblePaper[T lnmu.Float](t *testing.T) {
	for _, c := range []struct {
		set         string
		rank, block int
		way         lnmu.Choice
		iterations  int
		most        float64 // relative error
	}{
		{"Swimmer.mat", 8, 0, lnmu.FeasibleFinal, 0, 0.485},
		{"Swimmer.mat", 8, 1, lnmu.FeasibleFinal, 0, 0.512},
		{"Swimmer.mat", 8, 1, lnmu.FeasibleEach, 0, 0.512},
		{"CBCL.mat", 49, 0, lnmu.FeasibleFinal, 0, 0.2},
		{"CBCL.mat", 49, 1, lnmu.FeasibleFinal, 30, 0.4}, // of 180
		{"CBCL.mat", 49, 1, lnmu.FeasibleEach, 30, 0.75},
	} {
		method := lnmutest.Underapproximation(c.block, lnmu.GNMU{Feasible: c.way})
		t.Run(fmt.Sprintf("%s/%s/%s", c.set, lnmutest.NameOf(method), c.way), func(t *testing.T) {
			res := must.Get(lnmu.Factor(t.Context(), readSet[T](t, c.set), c.rank, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: c.iterations}}))(t)
			if res.MaxViolation != 0 || !(res.RelativeError <= c.most) {
				t.Errorf("largest violation %v, relative error %v; want 0 and at most %v", res.MaxViolation, res.RelativeError, c.most)
			}
			exact := res.Blocks[0].Exact
			if c.way == lnmu.FeasibleFinal {
				exact = res.Blocks[len(res.Blocks)-1].Exact
			}
			for _, s := range exact[:2] {
				t.Logf("%s: %.4f -> %.4f, violation %.3g before, KKT residual %.2g", s.Renewed, s.Before, s.After, s.Violation, s.KKT)
			}
		})
	}
}
