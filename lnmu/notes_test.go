package lnmu_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/outcome"
)

// TestNotesOfPenalties: a result whose penalties have left nothing of V W notes it, in every storage
// and precision, and penalties as small as the note says leave something.
func TestNotesOfPenalties(t *testing.T) {
	precisions(t, testNotesOfPenalties[float64],
		testNotesOfPenalties[float32])
}

func testNotesOfPenalties[T lnmu.Float](t *testing.T) {
	for _, shape := range [][2]int{{30, 20}, {12, 40}} {
		for _, scale := range []T{1, 1e6, 1e-5} {
			m := lnmutest.SparseData[T](shape[0], shape[1], 3).Dense()
			for i := range m.Data {
				m.Data[i] *= scale
			}
			for name, m := range map[string]lnmu.Matrix[T]{"dense": m, "sparse": lnmu.NewCSR(m), "files": &lnmutest.LinesOf[T]{Dense: m}} {
				for _, method := range []func(penalty float64) lnmu.Method{
					func(p float64) lnmu.Method {
						return lnmu.SNMF{PenaltyV: p, PenaltyW: p, Solver: lnmu.SolverHALS}
					},
					func(p float64) lnmu.Method {
						return lnmu.SNMF{PenaltyV: p, PenaltyW: p, Solver: lnmu.SolverAccelerated}
					},
					func(p float64) lnmu.Method { return lnmu.KL{PenaltyV: p, PenaltyW: p} },
				} {
					what := fmt.Sprintf("%s, %v, times %g, %T", name, shape, scale, method(1))
					res, err := lnmu.Factor(t.Context(), m, 3, method(1e20), &lnmu.Settings{Start: lnmu.Start{Restarts: 2}, Limits: lnmu.Limits{Iterations: 40}})
					must.Do(t, err, what)
					found := regexp.MustCompile(`^the penalties have left nothing of V and W; choose smaller ones, for example (\S+) for both$`).FindStringSubmatch(strings.Join(res.Notes, "\n"))
					if found == nil {
						t.Errorf("%s: a relative error of %v, notes %q", what, res.RelativeError, res.Notes)
						continue
					}
					smaller := must.Get(strconv.ParseFloat(found[1], 64))(t)
					res, err = lnmu.Factor(t.Context(), m, 3, method(smaller), &lnmu.Settings{Start: lnmu.Start{Restarts: 2}, Limits: lnmu.Limits{Iterations: 40}})
					if err != nil || len(res.Notes) > 0 || !(res.RelativeError < 0.99) {
						t.Errorf("%s, penalties %g: %v", what, smaller, err)
					}
				}
			}
		}
	}
	zero := lnmu.NewDense[T](4, 3, nil)
	if res, err := lnmu.Factor(t.Context(), zero, 2, lnmu.SNMF{PenaltyV: 1, PenaltyW: 1}, nil); err != nil || len(res.Notes) > 0 {
		t.Errorf("M = 0: notes %q, %v", res.Notes, err)
	}
}

// TestNotesOfTargets: a run that ends when the penalties of its target sparsities have cleared the
// only factor notes it, and no other run does.
func TestNotesOfTargets(t *testing.T) {
	m := lnmu.NewDense(3, 3, []float64{1, 0, 2, 0, 3, 0, 5, 0, 1})
	cleared := 0
	for iterations := 40; iterations < 80; iterations++ { // the penalties grow until the factor vanishes, and it is drawn anew
		res := must.Get(lnmu.Factor[float64](t.Context(), m, 1, lnmu.SNMF{SparsityV: 1, SparsityW: 1}, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: iterations}}))(t)
		nothing := !slices.ContainsFunc(res.V.Data, func(a float64) bool { return a > 0 })
		if nothing {
			cleared++
		}
		if said := slices.Equal(res.Notes, []string{"the penalties of the target sparsities have left nothing of V and W, so that these targets cannot be met; choose smaller ones"}); said != nothing || !nothing && len(res.Notes) > 0 {
			t.Errorf("%d iterations: V %v, notes %q", iterations, res.V.Data, res.Notes)
		}
	}
	if cleared == 0 {
		t.Error("no run has cleared its factor")
	}
}

// TestNotesOfLowered: a recursion notes how many of its factors had their penalty lowered.
func TestNotesOfLowered(t *testing.T) {
	m := lnmutest.RandomMatrix[float64](12, 9, 1)
	for rank, want := range map[int]string{1: "1 factor", 2: "2 factors"} {
		res := must.Get(lnmu.Factor(t.Context(), m, rank, lnmu.RNMU{ThresholdV: 1, ThresholdW: 1}, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}}))(t)
		must.EqualSlices(t, res.Notes, []string{"the penalty would have left nothing of " + want + ", and was lowered there; choose a smaller one"}, "rank", rank, "notes")
	}
}

// TestNotesOfWeights: a result by the missing solver majorize notes that exact is the default for its
// weights, if it is, and any solver that it has no effect on equal ones.
func TestNotesOfWeights(t *testing.T) {
	m := lnmutest.RandomMatrix[float64](8, 6, 1)
	weights := func(span float64) lnmu.Dense[float64] {
		w := lnmutest.Ones[float64](8, 6)
		w.Row(2)[3] = span
		return w
	}
	const far = "with weights of this range the missing solver majorize may stop far from the minimum; exact, the default, does not"
	const none = "the missing solver majorize has no effect: M has neither missing entries nor weights that differ"
	for _, c := range []struct {
		method lnmu.Method
		span   float64
		solver lnmu.Choice
		note   string
	}{
		{lnmu.NMF{}, 1e4, lnmu.MissingMajorize, far},
		{lnmu.NMF{}, 1e4, lnmu.MissingExact, ""},
		{lnmu.NMF{}, 1e4, "", ""},
		{lnmu.NMF{}, 5, lnmu.MissingMajorize, ""},
		{lnmu.NMF{}, 1, lnmu.MissingMajorize, none},
		{lnmu.GNMU{}, 5, lnmu.MissingMajorize, far},
		{lnmu.SNMF{PenaltyV: 1e-6, PenaltyW: 1e-6}, 1e4, lnmu.MissingMajorize, far},
		{lnmu.KL{}, 1e4, lnmu.MissingMajorize, ""},
	} {
		res := must.Get(lnmu.Factor[float64](t.Context(), lnmu.Observed[float64]{Matrix: m, Weights: weights(c.span)}, 2, c.method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 5}, MissingSolver: c.solver}))(t)
		notes := slices.DeleteFunc(res.Notes, func(note string) bool { return strings.HasPrefix(note, core.Exceeds) }) // of few iterations
		if note := strings.Join(notes, " "); note != c.note {
			t.Errorf("%T by %q over %g: notes %q", c.method, c.solver, c.span, res.Notes)
		}
	}
}

// TestNotesOfTargetError: a result notes that exact steps have raised its error above the target, and no other
// result does.
func TestNotesOfTargetError(t *testing.T) {
	m := lnmutest.RandomMatrix[float64](20, 15, 1)
	for _, feasible := range []lnmu.Choice{"", lnmu.FeasibleFinal} {
		for _, block := range []int{0, 1} {
			method := lnmutest.Underapproximation(block, lnmu.GNMU{Feasible: feasible})
			res, err := lnmu.Factor(t.Context(), m, 5, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{TargetError: 0.55}})
			if err != nil || res.Stop != outcome.StopTarget {
				t.Fatalf("%T: ended by %q at %.3g, error %v", method, res.Stop, res.RelativeError, err)
			}
			noted := slices.ContainsFunc(res.Notes, func(note string) bool { return strings.Contains(note, "exact steps after them have raised the error") })
			if above := res.RelativeError > 0.55; noted != above || above != (feasible == lnmu.FeasibleFinal) {
				t.Errorf("%T, feasible %q: error %.4g, notes %q", method, feasible, res.RelativeError, res.Notes)
			}
		}
	}
}

// TestNotesOfFall: a run whose error still falls as its iterations end says so, in all storages, and one at rest, or of
// a method that may raise the error, does not.
func TestNotesOfFall(t *testing.T) {
	slow := lnmu.NewDense[float64](30, 20, nil) // squared distances
	for i := range slow.Data {
		x := float64(i/20)/30 - float64(i%20)/20
		slow.Data[i] = max(0, x*x-0.01)
	}
	random := lnmutest.Data[float64](30, 20, 1)
	for _, c := range []struct {
		m          lnmu.Dense[float64]
		method     lnmu.Method
		iterations int
		noted      bool
	}{
		{slow, lnmu.NMF{Solver: lnmu.SolverHALS}, 30, true}, {slow, lnmu.KL{}, 20, true}, {slow, lnmu.KL{Solver: lnmu.SolverCoordinate}, 20, true},
		{slow, lnmu.NMF{Solver: lnmu.SolverHALS}, 19, false}, {slow, lnmu.GNMU{}, 30, false}, {slow, lnmu.SNMF{PenaltyV: 1e-3, PenaltyW: 1e-3, Solver: lnmu.SolverHALS}, 30, false},
		{random, lnmu.NMF{}, 3000, false}, {random, lnmu.KL{}, 4000, false},
	} {
		for _, m := range []lnmu.Matrix[float64]{c.m, lnmu.NewCSR(c.m), &lnmutest.LinesOf[float64]{Dense: c.m}} {
			res := must.Get(lnmu.Factor(t.Context(), m, 4, c.method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: c.iterations}, Start: lnmu.Start{Restarts: 1, Seed: 3}}))(t)
			noted := slices.ContainsFunc(res.Notes, func(note string) bool { return strings.Contains(note, "before the error was at rest") })
			if noted != c.noted {
				t.Errorf("%T, %#v, %d iterations: notes %q", m, c.method, c.iterations, res.Notes)
			}
		}
	}
}

// TestNotesOfViolation: an underapproximation that exceeds M by more than a hundredth of its largest entry says so in
// every storage, and says what prevents it, if that goes with its options; one that is feasible does not.
func TestNotesOfViolation(t *testing.T) {
	m := lnmutest.SparseData[float64](30, 20, 3).Dense()
	for _, c := range []struct {
		m      lnmu.Matrix[float64]
		method lnmu.Method
		fixed  lnmu.Settings
		ends   string
	}{
		{m, lnmu.RNMU{}, lnmu.Settings{}, "of M; feasible final prevents that"},
		{m, lnmu.RNMU{GNMU: lnmu.GNMU{Feasible: lnmu.FeasibleFinal}}, lnmu.Settings{}, ""},
		{m, lnmu.NMF{}, lnmu.Settings{}, ""},
		{m, lnmu.RNMU{}, lnmu.Settings{FixedV: lnmutest.Ones[float64](30, 1)}, "of M"},
		{m, lnmu.RNMU{SmoothV: 1e-9, ShapeV: [2]int{5, 6}}, lnmu.Settings{}, "of M"},
		{lnmu.NewCSR(m), lnmu.RNMU{}, lnmu.Settings{}, "of M; made dense and with feasible final it does not"},
	} {
		res := must.Get(lnmu.Factor(t.Context(), c.m, 3, c.method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 2}, FixedV: c.fixed.FixedV}))(t)
		if note := strings.Join(res.Notes, " "); (note != "") != (c.ends != "") || !strings.HasSuffix(note, c.ends) {
			t.Errorf("%T of %T: notes %q, want one that ends with %q", c.method, c.m, res.Notes, c.ends)
		}
	}
}
