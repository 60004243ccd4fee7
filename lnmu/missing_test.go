package lnmu

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"nmu/lnmu/internal/matrix"
)

// sameBits reports whether two results are the same, bit for bit.
func sameBits[T Float](a, b *Result[T]) bool {
	return SHA256(a.V) == SHA256(b.V) && SHA256(a.W) == SHA256(b.W) && a.RelativeError == b.RelativeError && a.MaxViolation == b.MaxViolation
}

// TestCompleteMask: a mask of all entries and equal weights give the bits of none, and
// weights of 0 and x those of a mask; only the ratios of weights matter.
func TestCompleteMask(t *testing.T) {
	m := randomMatrix[float64](40, 30, 1)
	weights := func(x, y float64) Dense[float64] {
		w := NewDense[float64](40, 30, nil)
		for i := range w.Data {
			if w.Data[i] = x; i%7 == 0 {
				w.Data[i] = y
			}
		}
		return w
	}
	k := NewMask(40, 30)
	for i := range 40 * 30 {
		k.Set(i/30, i%30, i%7 != 0)
	}
	for name, method := range variants() {
		run := func(seen Observed[float64], solver Solver) *Result[float64] {
			seen.Matrix = m
			res, err := Factor(t.Context(), seen, 3, method, &Settings{Restarts: 1, Iterations: 5, MissingSolver: solver})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return res
		}
		plain := run(Observed[float64]{}, "")
		for _, solver := range incompleteSolvers() {
			for what, seen := range map[string]Observed[float64]{"mask": {Mask: NewMask(40, 30)}, "weights": {Weights: weights(2.5, 2.5)}} {
				if !sameBits(plain, run(seen, solver)) {
					t.Errorf("%s: %s changes the result, %s", name, what, solver)
				}
			}
		}
		masked := run(Observed[float64]{Mask: k}, "")
		if sameBits(plain, masked) {
			t.Errorf("%s: a mask changes nothing", name)
		}
		if !sameBits(masked, run(Observed[float64]{Weights: weights(3, 0)}, "")) {
			t.Errorf("%s: weights of 0 and 3 are not a mask", name)
		}
		if strings.Contains(name, "admm") || strings.Contains(name, "l1") {
			continue
		}
		if !sameBits(run(Observed[float64]{Weights: weights(1, 0.5)}, ""), run(Observed[float64]{Weights: weights(4, 2)}, "")) {
			t.Errorf("%s: the scale of the weights matters", name)
		}
	}
}

// TestMissingFeasible: V W <= M holds on the observed entries without any tolerance.
func TestMissingFeasible(t *testing.T) {
	for _, size := range [][2]int{{35, 20}, {20, 35}} {
		m, k := randomMatrix[float64](size[0], size[1], 5), gaps(size[0], size[1], 0.4, 6)
		for i := range m.Data {
			m.Data[i] += 0.1
		}
		for _, seen := range []Observed[float64]{{Mask: k}, {Weights: weightsOf(k, true)}} {
			seen.Matrix = filled(m, k, 0)
			for _, method := range []Method{
				RNMU{Lagrangian: Lagrangian{Feasible: FeasibleEach}},
				GNMU{Lagrangian{Feasible: FeasibleFinal, ExactSteps: 3}},
			} {
				res, err := Factor(t.Context(), seen, 4, method, &Settings{Restarts: 1, Iterations: 30})
				if err != nil {
					t.Fatal(err)
				}
				if res.MaxViolation != 0 {
					t.Errorf("violation %v", res.MaxViolation)
				}
				if !(res.RelativeError < 0.9) {
					t.Errorf("relative error %v", res.RelativeError)
				}
				worst := 0.0
				for i := range m.Rows {
					for j := range m.Cols {
						e := m.At(i, j)
						for l := range res.V.Cols {
							e = math.FMA(-res.V.At(i, l), res.W.At(l, j), e)
						}
						if k.Observed(i, j) {
							worst = min(worst, e)
						}
					}
				}
				if worst < 0 {
					t.Errorf("V W exceeds M by %v", -worst)
				}
			}
		}
	}
}

// TestMissingConstraint: with ADMM, V W exceeds M where it is observed hardly more than
// it does on the whole matrix, and by far more where it is not.
func TestMissingConstraint(t *testing.T) {
	m, k := randomMatrix[float64](80, 50, 5), gaps(80, 50, 0.3, 6)
	for _, method := range []Method{
		GNMU{Lagrangian{Solver: SolverADMM}}, RNMU{Lagrangian: Lagrangian{Solver: SolverADMM}},
	} {
		for _, solver := range incompleteSolvers() {
			res, err := Factor[float64](t.Context(), Observed[float64]{Matrix: filled(m, k, -5), Mask: k}, 5, method, &Settings{Restarts: 1, MissingSolver: solver})
			if err != nil {
				t.Fatal(err)
			}
			whole, err := Factor[float64](t.Context(), m, 5, method, &Settings{Restarts: 1})
			if err != nil {
				t.Fatal(err)
			}
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
func planted(m, n, r int, seed uint64) Dense[float64] {
	v, w := randomStart[float64](m, n, r, seed)
	x := NewDense[float64](m, n, nil)
	for i := range m {
		for j := range n {
			x.Row(i)[j] = entryOf(v, w, i, j)
		}
	}
	return x
}

// heldOut returns the relative error on what is missing.
func heldOut(m Dense[float64], k *Mask, v, w Dense[float64]) float64 {
	var e, all float64
	for i := range m.Rows {
		for j := range m.Cols {
			if !k.Observed(i, j) {
				x := m.At(i, j)
				d := x - entryOf(v, w, i, j)
				all, e = all+x*x, e+d*d
			}
		}
	}
	return math.Sqrt(e / all)
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
			k := gaps(500, 400, c.missing, seed)
			for _, solver := range incompleteSolvers() {
				if solver == MissingExact && (seed > 0 || c.missing < 0.5 && os.Getenv("NMU_FULL") == "") {
					continue
				}
				res, err := Factor[float64](t.Context(), Observed[float64]{Matrix: filled(m, k, math.NaN()), Mask: k}, 5, NMF{}, &Settings{Restarts: 5, MissingSolver: solver})
				if err != nil {
					t.Fatal(err)
				}
				if e := heldOut(m, k, res.V, res.W); !(e <= c.most) {
					t.Errorf("seed %d, %v missing, %s: error %v on what is missing, %v on what is not", seed, c.missing, solver, e, res.RelativeError)
				}
			}
		}
	}
}

// TestMissingAccelerated: the accelerated solver, which is the default for an
// incomplete matrix, gets to a smaller error in fewer iterations.
func TestMissingAccelerated(t *testing.T) {
	m := planted(200, 150, 4, 3)
	k := gaps(200, 150, 0.5, 3)
	run := func(method Method, iterations int) float64 {
		res, err := Factor[float64](t.Context(), Observed[float64]{Matrix: m, Mask: k}, 4, method, &Settings{Restarts: 1, Iterations: iterations})
		if err != nil {
			t.Fatal(err)
		}
		return res.RelativeError
	}
	if slow, quick := run(NMF{Solver: SolverHALS}, 400), run(NMF{}, 100); !(quick < slow) {
		t.Errorf("error %v after 100 iterations, of HALS %v after 400", quick, slow)
	}
	if used, _, err := WithDefaults(Observed[float64]{Matrix: Dense[float64]{Rows: 200, Cols: 150}, Mask: k}, 4, SNMF{PenaltyV: 1, PenaltyW: 1}, &Settings{}); err != nil || used.(SNMF).Solver != SolverAccelerated {
		t.Errorf("defaults %+v, %v", used, err)
	}
	if used, _, err := WithDefaults(Observed[float64]{Matrix: Dense[float64]{Rows: 200, Cols: 150}, Mask: k}, 4, SNMF{SparsityV: 0.5}, &Settings{}); err != nil || used.(SNMF).Solver != SolverHALS {
		t.Errorf("defaults %+v, %v", used, err)
	}
	used, s, err := WithDefaults(Observed[float64]{Matrix: Dense[float64]{Rows: 200, Cols: 150}, Mask: k}, 4, NMF{}, &Settings{})
	if err != nil || used.(NMF).Solver != SolverAccelerated || s.Iterations != 100 || s.MissingSolver != MissingMajorize {
		t.Errorf("defaults %+v, %+v, %v", used, s, err)
	}
	if used, _, _ := WithDefaults(Observed[float64]{Matrix: Dense[float64]{Rows: 200, Cols: 150}, Mask: NewMask(200, 150)}, 4, NMF{}, &Settings{}); used.(NMF).Solver != SolverHALS {
		t.Errorf("defaults of a complete matrix: %+v", used)
	}
}

// TestMissingBlocks: a pass of the accelerated solver has larger blocks than the others.
func TestMissingBlocks(t *testing.T) {
	m, k := planted(1200, 1100, 2, 3), gaps(1200, 1100, 0.1, 3)
	first := math.Inf(1)
	for _, iterations := range []int{1, 12} {
		res, err := Factor[float64](t.Context(), Observed[float64]{Matrix: m, Mask: k}, 2, NMF{}, &Settings{Restarts: 1, Iterations: iterations})
		if err != nil {
			t.Fatal(err)
		}
		if !(res.RelativeError < first/2) {
			t.Errorf("error %v after %d iterations, %v after 1", res.RelativeError, iterations, first)
		}
		first = res.RelativeError
	}
}

// TestMissingDegenerate: little data, rank one, zeros and extreme numbers end in finite
// factors.
func TestMissingDegenerate(t *testing.T) {
	one := func(m, n int) *Mask { // one entry in each row and column, and no more than that needs
		k := NewMask(m, n)
		for i := range m {
			for j := range n {
				k.Set(i, j, i%n == j%m)
			}
		}
		return k
	}
	scaled := func(m, n int, by float64) Dense[float64] {
		d := randomMatrix[float64](m, n, 7)
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
		m Dense[float64]
		k *Mask
	}{
		"one entry each": {scaled(9, 9, 1), one(9, 9)},
		"one row":        {scaled(1, 9, 1), gaps(1, 9, 0, 1)},
		"huge":           {scaled(14, 9, 1e150), gaps(14, 9, 0.4, 2)},
		"tiny":           {scaled(9, 14, 1e-150), gaps(9, 14, 0.4, 2)},
		"zeros":          {zeros, gaps(12, 9, 0.4, 3)},
		"all zero":       {NewDense[float64](6, 5, nil), gaps(6, 5, 0.4, 3)},
	} {
		for _, rank := range []int{1, min(3, c.m.Rows)} {
			for method, by := range variants() {
				for _, solver := range incompleteSolvers() {
					res, err := Factor[float64](t.Context(), Observed[float64]{Matrix: filled(c.m, c.k, 1e300), Mask: c.k}, rank, by, &Settings{MissingSolver: solver, Restarts: 2, Iterations: 20})
					if err != nil {
						t.Errorf("%s, %s, rank %d: %v", name, method, rank, err)
						continue
					}
					for _, d := range []Dense[float64]{res.V, res.W} {
						for _, x := range d.Data {
							if !(x >= 0) || math.IsInf(x, 0) {
								t.Errorf("%s, %s, rank %d: an entry %v", name, method, rank, x)
							}
						}
					}
					if !(res.RelativeError <= 1.5) {
						t.Errorf("%s, %s, rank %d: relative error %v", name, method, rank, res.RelativeError)
					}
				}
			}
		}
	}
}

// TestMissingErrors: what cannot be done is said in plain words.
func TestMissingErrors(t *testing.T) {
	m := randomMatrix[float64](6, 5, 1)
	without := func(set func(k *Mask)) *Mask {
		k := NewMask(6, 5)
		set(k)
		return k
	}
	row := without(func(k *Mask) {
		for j := range 5 {
			k.Set(3, j, false)
		}
	})
	col := without(func(k *Mask) {
		for i := range 6 {
			k.Set(i, 2, false)
		}
	})
	hole := without(func(k *Mask) { k.Set(1, 1, false) })
	negative, uneven := ones(6, 5), ones(6, 5)
	negative.Row(2)[3], uneven.Row(2)[3] = -1, 0.5
	for _, c := range []struct {
		name   string
		method Method
		seen   Observed[float64]
		want   string
		is     error
	}{
		{"row", NMF{}, Observed[float64]{Mask: row}, "row 4 of M has no observed entry", ErrValue},
		{"column", NMF{}, Observed[float64]{Mask: col}, "column 3 of M has no observed entry", ErrValue},
		{"shape", NMF{}, Observed[float64]{Mask: NewMask(5, 6)}, "the mask is 5 x 6 and M is 6 x 5", ErrShape},
		{"weights shape", NMF{}, Observed[float64]{Weights: ones(5, 6)}, "the weights are 5 x 6 and M is 6 x 5", ErrShape},
		{"weights", NMF{}, Observed[float64]{Weights: negative}, "row 3, column 4 of the weights = -1", ErrValue},
		{"no weights", NMF{}, Observed[float64]{Weights: NewDense[float64](6, 5, nil)}, "row 1 of M has no observed entry", ErrValue},
		{"hoyer", Hoyer{SparsenessV: 0.5}, Observed[float64]{Mask: hole}, "method hoyer with missing entries or weights", ErrOption},
		{"admm", GNMU{Lagrangian{Solver: SolverADMM}}, Observed[float64]{Weights: uneven}, "solver admm with weights", ErrOption},
		{"l1", RNMU{Norm: L1}, Observed[float64]{Weights: uneven}, "norm l1 with weights", ErrOption},
		{"sparse", NMF{}, Observed[float64]{StoredOnly: true}, "CSR", ErrOption},
	} {
		c.seen.Matrix = m
		_, err := Factor(t.Context(), c.seen, 2, c.method, &Settings{Restarts: 1})
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, c.is) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := Factor(t.Context(), Observed[float64]{Matrix: m, Mask: hole}, 2, NMF{}, &Settings{MissingSolver: "best"}); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "unknown solver for missing entries") {
		t.Errorf("an unknown solver: %v", err)
	}
	twice := Observed[float64]{Matrix: Observed[float64]{Matrix: m}, Mask: hole}
	if _, err := Factor(t.Context(), twice, 2, NMF{}, nil); !errors.Is(err, ErrOption) || !strings.Contains(err.Error(), "Mask.And") {
		t.Errorf("an Observed of an Observed: %v", err)
	}
	bad := matrix.Clone(m)
	bad.Row(1)[1], bad.Row(4)[2] = math.NaN(), math.NaN()
	_, err := Factor[float64](t.Context(), Observed[float64]{Matrix: bad, Mask: hole}, 2, NMF{}, &Settings{Restarts: 1})
	if err == nil || !strings.Contains(err.Error(), "row 5, column 3 of M = NaN") {
		t.Errorf("a NaN that is observed: %v", err)
	}
	if k := MaskOf[float64](bad); k.Missing() != 2 || k.Observed(1, 1) || k.Observed(4, 2) || !k.Observed(0, 0) {
		t.Errorf("mask of NaN: %d missing", k.Missing())
	}
	if k := MaskOf[float64](m); k != nil {
		t.Errorf("mask of a complete matrix: %v", k)
	}
}

// TestMaskAnd: an entry is observed by both if it is by each, and nil observes all.
func TestMaskAnd(t *testing.T) {
	a, b := NewMask(5, 19), NewMask(5, 19)
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
	var all *Mask
	if a.And(all) != a || all.And(a) != a || all.And(nil) != nil {
		t.Error("nil does not observe all")
	}
	defer func() {
		if recover() == nil {
			t.Error("masks of different shapes have something in common")
		}
	}()
	a.And(NewMask(19, 5))
}
