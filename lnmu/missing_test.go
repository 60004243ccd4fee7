package lnmu_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"nmu/internal/checkasm"
	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/matrix"
)

// TestCompleteMask: a mask of all entries and equal weights give the bits of none, and
// weights of 0 and x those of a mask; only the ratios of weights matter.
func TestCompleteMask(t *testing.T) {
	m := lnmutest.RandomMatrix[float64](40, 30, 1)
	weights := func(x, y float64) lnmu.Dense[float64] {
		w := lnmu.NewDense[float64](40, 30, nil)
		for i := range w.Data {
			if w.Data[i] = x; i%7 == 0 {
				w.Data[i] = y
			}
		}
		return w
	}
	k := lnmu.NewMask(40, 30)
	for i := range 40 * 30 {
		k.Set(i/30, i%30, i%7 != 0)
	}
	for name, method := range variants() {
		run := func(seen lnmu.Observed[float64], solver lnmu.Choice) *lnmu.Result[float64] {
			seen.Matrix = m
			return must.Get(lnmu.Factor(t.Context(), seen, 3, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 5}, MissingSolver: solver}))(t, name)
		}
		plain := run(lnmu.Observed[float64]{}, "")
		for _, solver := range incompleteSolvers() {
			for what, seen := range map[string]lnmu.Observed[float64]{"mask": {Mask: lnmu.NewMask(40, 30)}, "weights": {Weights: weights(2.5, 2.5)}} {
				if !lnmutest.SameBits(plain, run(seen, solver)) {
					t.Errorf("%s: %s changes the result, %s", name, what, solver)
				}
			}
		}
		masked := run(lnmu.Observed[float64]{Mask: k}, "")
		if lnmutest.SameBits(plain, masked) {
			t.Errorf("%s: a mask changes nothing", name)
		}
		if !lnmutest.SameBits(masked, run(lnmu.Observed[float64]{Weights: weights(3, 0)}, "")) {
			t.Errorf("%s: weights of 0 and 3 are not a mask", name)
		}
		if strings.Contains(name, "admm") || strings.Contains(name, "l1") {
			continue
		}
		if !lnmutest.SameBits(run(lnmu.Observed[float64]{Weights: weights(1, 0.5)}, ""), run(lnmu.Observed[float64]{Weights: weights(4, 2)}, "")) {
			t.Errorf("%s: the scale of the weights matters", name)
		}
	}
}

// TestMissingConstraint: with ADMM, V W exceeds M where it is observed hardly more than
// it does on the whole matrix, and by far more where it is not.
func TestMissingConstraint(t *testing.T) {
	m, k := lnmutest.RandomMatrix[float64](80, 50, 5), lnmutest.Gaps(80, 50, 0.3, 6)
	for _, method := range []lnmu.Method{
		lnmu.GNMU{Solver: lnmu.SolverADMM}, lnmu.RNMU{GNMU: lnmu.GNMU{Solver: lnmu.SolverADMM}},
	} {
		for _, solver := range incompleteSolvers() {
			res := must.Get(lnmu.Factor[float64](t.Context(), lnmu.Observed[float64]{Matrix: lnmutest.Filled(m, k, -5), Mask: k}, 5, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, MissingSolver: solver}))(t)
			whole := must.Get(lnmu.Factor[float64](t.Context(), m, 5, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}}))(t)
			if res.RelativeViolation > 2*whole.RelativeViolation {
				t.Errorf("%T %s: the observed part is exceeded by %v, the whole one by %v", method, solver, res.RelativeViolation, whole.RelativeViolation)
			}
			if res.RelativeError > whole.RelativeError {
				t.Errorf("%T %s: the error on less is %v, on all %v", method, solver, res.RelativeError, whole.RelativeError)
			}
		}
	}
}

// planted returns a product of random factors of rank r.
func planted(m, n, r int, seed uint64) lnmu.Dense[float64] {
	return literal.Product(lnmutest.RandomStart[float64](m, n, r, seed))
}

// heldOut returns the relative error on what is missing.
func heldOut(m lnmu.Dense[float64], k *lnmu.Mask, v, w lnmu.Dense[float64]) float64 {
	missing := literal.New(m.Rows, m.Cols, func(i, j int) float64 { return map[bool]float64{false: 1}[k.Observed(i, j)] })
	p := literal.Problem{M: m, U: missing}
	return math.Sqrt(p.Squares(v, w)) / p.Norm()
}

// TestRecovery: without noise, what is missing is found, with the defaults. NMU_FULL asks
// for a second matrix.
func TestRecovery(t *testing.T) {
	long(t)
	seeds := uint64(1)
	if os.Getenv("NMU_FULL") != "" {
		seeds = 2
	}
	for seed := range seeds {
		m := planted(500, 400, 5, 100+seed)
		for _, c := range []struct{ missing, most float64 }{{0.3, 1e-3}, {0.6, 1e-2}} {
			k := lnmutest.Gaps(500, 400, c.missing, seed)
			for _, solver := range incompleteSolvers() {
				if solver == lnmu.MissingExact && (seed > 0 || os.Getenv("NMU_FULL") == "") {
					continue
				}
				res := must.Get(lnmu.Factor[float64](t.Context(), lnmu.Observed[float64]{Matrix: lnmutest.Filled(m, k, math.NaN()), Mask: k}, 5, lnmu.NMF{}, &lnmu.Settings{Start: lnmu.Start{Restarts: 5}, MissingSolver: solver}))(t)
				if e := heldOut(m, k, res.V, res.W); !(e <= c.most) {
					t.Errorf("seed %d, %v missing, %s: error %v on what is missing, %v on what is not", seed, c.missing, solver, e, res.RelativeError)
				}
			}
		}
	}
}

// TestMissingAccelerated: the accelerated solver gets to a smaller error in fewer iterations.
func TestMissingAccelerated(t *testing.T) {
	m := planted(200, 150, 4, 3)
	k := lnmutest.Gaps(200, 150, 0.5, 3)
	run := func(method lnmu.Method, iterations int) float64 {
		res := must.Get(lnmu.Factor[float64](t.Context(), lnmu.Observed[float64]{Matrix: m, Mask: k}, 4, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: iterations}}))(t)
		return res.RelativeError
	}
	must.Below(t, run(lnmu.NMF{}, 100), run(lnmu.NMF{Solver: lnmu.SolverHALS}, 400), "error")
}

// TestMissingBlocks: a pass of the accelerated solver has larger blocks than the others.
func TestMissingBlocks(t *testing.T) {
	m, k := planted(1200, 1100, 2, 3), lnmutest.Gaps(1200, 1100, 0.1, 3)
	first := math.Inf(1)
	for _, iterations := range []int{1, 12} {
		res := must.Get(lnmu.Factor[float64](t.Context(), lnmu.Observed[float64]{Matrix: m, Mask: k}, 2, lnmu.NMF{}, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: iterations}}))(t)
		if !(res.RelativeError < first/2) {
			t.Errorf("error %v after %d iterations, %v after 1", res.RelativeError, iterations, first)
		}
		first = res.RelativeError
	}
}

// TestMissingDegenerate: little data, rank one, zeros and extreme numbers end in finite
// factors.
func TestMissingDegenerate(t *testing.T) {
	one := func(m, n int) *lnmu.Mask { // one entry in each row and column, and no more than that needs
		k := lnmu.NewMask(m, n)
		for i := range m {
			for j := range n {
				k.Set(i, j, i%n == j%m)
			}
		}
		return k
	}
	scaled := func(m, n int, by float64) lnmu.Dense[float64] {
		d := lnmutest.RandomMatrix[float64](m, n, 7)
		for i := range d.Data {
			d.Data[i] *= by
		}
		return d
	}
	zeros := scaled(12, 9, 1)
	clear(zeros.Row(3))
	for j := range 12 {
		zeros.Row(j)[5] = 0
	}
	for name, c := range map[string]struct {
		m lnmu.Dense[float64]
		k *lnmu.Mask
	}{
		"one entry each": {scaled(9, 9, 1), one(9, 9)},
		"one row":        {scaled(1, 9, 1), lnmutest.Gaps(1, 9, 0, 1)},
		"huge":           {scaled(14, 9, 1e150), lnmutest.Gaps(14, 9, 0.4, 2)},
		"tiny":           {scaled(9, 14, 1e-150), lnmutest.Gaps(9, 14, 0.4, 2)},
		"zeros":          {zeros, lnmutest.Gaps(12, 9, 0.4, 3)},
		"all zero":       {lnmu.NewDense[float64](6, 5, nil), lnmutest.Gaps(6, 5, 0.4, 3)},
	} {
		for _, rank := range []int{1, min(3, c.m.Rows)} {
			for method, by := range variants() {
				for _, solver := range incompleteSolvers() {
					res, err := lnmu.Factor[float64](t.Context(), lnmu.Observed[float64]{Matrix: lnmutest.Filled(c.m, c.k, 1e300), Mask: c.k}, rank, by, &lnmu.Settings{MissingSolver: solver, Start: lnmu.Start{Restarts: 2}, Limits: lnmu.Limits{Iterations: 20}})
					if err != nil {
						t.Errorf("%s, %s, rank %d: %v", name, method, rank, err)
						continue
					}
					must.Do(t, errors.Join(checkValues("V", res.V), checkValues("W", res.W)), name, method, rank)
					must.AtMost(t, res.RelativeError, 1.5, name, method, "rank", rank, "relative error")
				}
			}
		}
	}
}

// TestMissingErrors: what cannot be done is said in plain words.
func TestMissingErrors(t *testing.T) {
	m := lnmutest.RandomMatrix[float64](6, 5, 1)
	without := func(set func(k *lnmu.Mask)) *lnmu.Mask {
		k := lnmu.NewMask(6, 5)
		set(k)
		return k
	}
	row := without(func(k *lnmu.Mask) {
		for j := range 5 {
			k.Set(3, j, false)
		}
	})
	col := without(func(k *lnmu.Mask) {
		for i := range 6 {
			k.Set(i, 2, false)
		}
	})
	hole := without(func(k *lnmu.Mask) { k.Set(1, 1, false) })
	negative, uneven := lnmutest.Ones[float64](6, 5), lnmutest.Ones[float64](6, 5)
	negative.Row(2)[3], uneven.Row(2)[3] = -1, 0.5
	for _, c := range []struct {
		name   string
		method lnmu.Method
		seen   lnmu.Observed[float64]
		want   string
		is     error
	}{
		{"row", lnmu.NMF{}, lnmu.Observed[float64]{Mask: row}, "row 4 of M has no observed entry", lnmu.ErrValue},
		{"column", lnmu.NMF{}, lnmu.Observed[float64]{Mask: col}, "column 3 of M has no observed entry", lnmu.ErrValue},
		{"shape", lnmu.NMF{}, lnmu.Observed[float64]{Mask: lnmu.NewMask(5, 6)}, "the mask is 5 x 6 and M is 6 x 5", lnmu.ErrShape},
		{"weights shape", lnmu.NMF{}, lnmu.Observed[float64]{Weights: lnmutest.Ones[float64](5, 6)}, "the weights are 5 x 6 and M is 6 x 5", lnmu.ErrShape},
		{"weights", lnmu.NMF{}, lnmu.Observed[float64]{Weights: negative}, "row 3, column 4 of the weights = -1", lnmu.ErrValue},
		{"no weights", lnmu.NMF{}, lnmu.Observed[float64]{Weights: lnmu.NewDense[float64](6, 5, nil)}, "row 1 of M has no observed entry", lnmu.ErrValue},
		{"hoyer", lnmu.Hoyer{HoyerV: 0.5}, lnmu.Observed[float64]{Mask: hole}, "method hoyer with missing entries or weights", lnmu.ErrOption},
		{"admm", lnmu.GNMU{Solver: lnmu.SolverADMM}, lnmu.Observed[float64]{Weights: uneven}, "solver admm with weights", lnmu.ErrOption},
		{"l1", lnmu.RNMU{Norm: lnmu.L1}, lnmu.Observed[float64]{Weights: uneven}, "norm l1 with weights", lnmu.ErrOption},
		{"sparse", lnmu.NMF{}, lnmu.Observed[float64]{StoredOnly: true}, "CSR", lnmu.ErrOption},
	} {
		c.seen.Matrix = m
		_, err := lnmu.Factor(t.Context(), c.seen, 2, c.method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}})
		must.Fail(t, err, c.is, c.want, c.name)
	}
	must.Refuse(lnmu.Factor(t.Context(), lnmu.Observed[float64]{Matrix: m, Mask: hole}, 2, lnmu.NMF{}, &lnmu.Settings{MissingSolver: "best"}))(t, lnmu.ErrOption, "unknown solver for missing entries", "an unknown solver")
	twice := lnmu.Observed[float64]{Matrix: lnmu.Observed[float64]{Matrix: m}, Mask: hole}
	must.Refuse(lnmu.Factor(t.Context(), twice, 2, lnmu.NMF{}, nil))(t, lnmu.ErrOption, "Mask.And", "an Observed of an Observed")
	bad := matrix.Clone(m)
	bad.Row(1)[1], bad.Row(4)[2] = math.NaN(), math.NaN()
	_, err := lnmu.Factor[float64](t.Context(), lnmu.Observed[float64]{Matrix: bad, Mask: hole}, 2, lnmu.NMF{}, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}})
	must.Fail(t, err, nil, "row 5, column 3 of M = NaN", "a NaN that is observed")
	if k := lnmu.MaskOf[float64](bad); k.Missing() != 2 || k.Observed(1, 1) || k.Observed(4, 2) || !k.Observed(0, 0) {
		t.Errorf("mask of NaN: %d missing", k.Missing())
	}
	if k := lnmu.MaskOf[float64](m); k != nil {
		t.Errorf("mask of a complete matrix: %v", k)
	}
}

// TestMaskAnd: an entry is observed by both if it is by each, and nil observes all.
func TestMaskAnd(t *testing.T) {
	a, b := lnmu.NewMask(5, 19), lnmu.NewMask(5, 19)
	for i := range 5 {
		for j := range 19 {
			a.Set(i, j, (i+j)%3 > 0)
			b.Set(i, j, i*j%4 > 0)
		}
	}
	both, reversed := a.And(b), b.And(a)
	for i := range 5 {
		for j := range 19 {
			if want := a.Observed(i, j) && b.Observed(i, j); both.Observed(i, j) != want || reversed.Observed(i, j) != want {
				t.Errorf("entry (%d, %d): want %v", i, j, want)
			}
		}
	}
	var all *lnmu.Mask
	if a.And(all) != a || all.And(a) != a || all.And(nil) != nil {
		t.Error("nil does not observe all")
	}
	for name, call := range map[string]func(){
		"another shape": func() { a.And(lnmu.NewMask(19, 5)) }, "row -1": func() { a.Observed(-1, 0) }, "row 5": func() { a.Set(5, 0, true) },
		"column -1": func() { a.Set(0, -1, true) }, "column 19": func() { a.Observed(0, 19) }, "column 23": func() { a.Set(0, 23, true) },
	} {
		if fault := checkasm.Catch(call); fault == nil || !strings.HasPrefix(fmt.Sprint(fault.Value), "lnmu: ") {
			t.Errorf("%s: %v, want a panic of the check", name, fault)
		}
	}
}
