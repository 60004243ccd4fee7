package lnmu_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/matrix"
)

// weightedLoss returns Σ w (m - v w)², which is not read where w is 0.
func weightedLoss(m, weights, v, w lnmu.Dense[float64]) float64 {
	var sum float64
	for i := range m.Rows {
		for j := range m.Cols {
			if a := weights.At(i, j); a > 0 {
				e := m.At(i, j) - entryOf(v, w, i, j)
				sum += a * e * e
			}
		}
	}
	return sum
}

// entryOf returns V W in row i, column j.
func entryOf[T lnmu.Float](v, w lnmu.Dense[T], i, j int) (x float64) {
	for k := range v.Cols {
		x += float64(v.At(i, k)) * float64(w.At(k, j))
	}
	return x
}

// renewRows makes a HALS sweep over every row of v, each on the weighted problem of its
// own: v_ik <- max(0, Σ_j ω_j (n_ij - Σ_{l≠k} v_il w_lj) w_kj / Σ_j ω_j w_kj²).
func renewRows(n, weights, v, w lnmu.Dense[float64]) {
	for i := range v.Rows {
		for k := range v.Cols {
			var above, below float64
			for j := range n.Cols {
				if a := weights.At(i, j); a > 0 {
					above += a * (n.At(i, j) - entryOf(v, w, i, j) + v.At(i, k)*w.At(k, j)) * w.At(k, j)
					below += a * w.At(k, j) * w.At(k, j)
				}
			}
			if below > 0 {
				v.Row(i)[k] = max(0, above/below)
			}
		}
	}
}

// renewColumns is renewRows for the columns of w.
func renewColumns(n, weights, v, w lnmu.Dense[float64]) {
	wt := w.Transposed()
	renewRows(n.Transposed(), weights.Transposed(), wt, v.Transposed())
	matrix.Transpose(w, wt)
}

// majorized returns N = x + ω (m - x) with x = V W.
func majorized(m, weights, v, w lnmu.Dense[float64]) lnmu.Dense[float64] {
	n := lnmu.NewDense[float64](m.Rows, m.Cols, nil)
	for i := range m.Rows {
		for j := range m.Cols {
			n.Row(i)[j] = entryOf(v, w, i, j)
			if a := weights.At(i, j); a > 0 {
				n.Row(i)[j] += a * (m.At(i, j) - n.At(i, j))
			}
		}
	}
	return n
}

// near reports whether two matrices are the same up to rounding.
func near(a, b lnmu.Dense[float64], tolerance float64) error {
	var most float64
	for i := range a.Rows {
		for j := range a.Cols {
			most = max(most, math.Abs(b.At(i, j)))
		}
	}
	for i := range a.Rows {
		for j := range a.Cols {
			if !(math.Abs(a.At(i, j)-b.At(i, j)) <= tolerance*most) {
				return fmt.Errorf("entry (%d, %d) is %v, want %v", i, j, a.At(i, j), b.At(i, j))
			}
		}
	}
	return nil
}

// literalMissing makes HALS steps, V first, on v and w in place.
func literalMissing(m, weights, v, w lnmu.Dense[float64], iterations int, majorize bool) {
	n, by := m, weights
	set := func() {
		if majorize {
			n, by = majorized(m, weights, v, w), lnmutest.Ones[float64](m.Rows, m.Cols)
		}
	}
	for range iterations {
		set()
		renewRows(n, by, v, w)
		if m.Rows < m.Cols {
			set()
		}
		renewColumns(n, by, v, w)
	}
}

// TestMissingLiteral compares HALS with its definition: V first, as for a complete
// matrix. N follows from the V and W before each half of a step if M is wide, before both
// if it is tall. SNMF whose penalties are rounding is NMF.
func TestMissingLiteral(t *testing.T) {
	for _, size := range [][2]int{{31, 12}, {12, 31}} {
		m, k := lnmutest.RandomMatrix[float64](size[0], size[1], 1), lnmutest.Gaps(size[0], size[1], 0.3, 4)
		k.Set(0, 0, true)
		for _, random := range []bool{false, true} {
			weights := lnmutest.WeightsOf(k, random)
			for _, solver := range incompleteSolvers() {
				for _, rank := range []int{1, 3} {
					v, w := lnmutest.RandomStart[float64](size[0], size[1], rank, 5)
					const iterations = 12
					found := map[string]*lnmu.Result[float64]{}
					for name, method := range map[string]lnmu.Method{
						"nmf":  lnmu.NMF{Solver: lnmu.SolverHALS},
						"snmf": lnmu.SNMF{PenaltyV: 1e-14, PenaltyW: 1e-14, Solver: lnmu.SolverHALS},
					} {
						if name == "snmf" && rank == 1 { // which majorizes a single factor too
							continue
						}
						seen := lnmu.Observed[float64]{Matrix: lnmutest.Filled(m, k, math.NaN()), Weights: weights}
						res := must.Get(lnmu.FactorFrom(t.Context(), seen, v, w, method, &lnmu.Settings{MissingSolver: solver, Iterations: iterations}))(t)
						found[name] = res
					}
					literalMissing(m, weights, v, w, iterations, solver == lnmu.MissingMajorize && (rank > 1 || random))
					want := math.Sqrt(weightedLoss(m, weights, v, w) / weightedLoss(m, weights, lnmu.NewDense[float64](size[0], 1, nil), lnmu.NewDense[float64](1, size[1], nil)))
					for name, res := range found {
						what := fmt.Sprintf("%s, %v, rank %d, %s, weights %v", name, size, rank, solver, random)
						if err := errors.Join(near(res.V, v, 1e-9), near(res.W, w, 1e-9)); err != nil {
							t.Errorf("%s: %v", what, err)
						}
						if math.Abs(res.RelativeError-want) > 1e-12 {
							t.Errorf("%s: error %v, want %v", what, res.RelativeError, want)
						}
					}
				}
			}
		}
	}
}

// TestMissingDescent: the weighted error on the observed entries falls in every
// iteration, by either solver.
func TestMissingDescent(t *testing.T) {
	for _, size := range [][2]int{{60, 40}, {40, 60}} {
		m, k := lnmutest.RandomMatrix[float64](size[0], size[1], 2), lnmutest.Gaps(size[0], size[1], 0.5, 4)
		for _, random := range []bool{false, true} {
			weights := lnmutest.WeightsOf(k, random)
			for _, solver := range incompleteSolvers() {
				for _, method := range []lnmu.Method{lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.NMF{Solver: lnmu.SolverAccelerated}} {
					v, w := lnmutest.RandomStart[float64](size[0], size[1], 4, 6)
					before := weightedLoss(m, weights, v, w)
					for k := range 25 {
						res := must.Get(lnmu.FactorFrom[float64](t.Context(), lnmu.Observed[float64]{Matrix: m, Weights: weights}, v, w, method, &lnmu.Settings{MissingSolver: solver, Iterations: 1}))(t)
						v, w = res.V, res.W
						after := weightedLoss(m, weights, v, w)
						if after > before*(1+1e-13) {
							t.Errorf("%v %s %+v, weights %v: iteration %d: %v after %v", size, solver, method, random, k+1, after, before)
						}
						before = after
					}
					once := must.Get(lnmu.Factor[float64](t.Context(), lnmu.Observed[float64]{Matrix: m, Weights: weights}, 4, method, &lnmu.Settings{MissingSolver: solver, Restarts: 1, Iterations: 25, CheckEvery: 1, TargetError: 1e-300}))(t)
					errs := once.Blocks[0].History
					for k := range len(errs) - 1 {
						if errs[k+1] > errs[k]*(1+1e-13) {
							t.Errorf("%v %s %+v, weights %v: %v in iteration %d of a run, %v before", size, solver, method, random, errs[k+1], k+2, errs[k])
						}
					}
				}
			}
		}
	}
}

// TestMissingRankOne compares R-NMU with one factor with its definition: v and w are
// the minima over the observed entries. Without weights that is so whatever the solver for
// missing ones; with weights the default majorizes.
func TestMissingRankOne(t *testing.T) {
	m, k := lnmutest.RandomMatrix[float64](29, 13, 3), lnmutest.Gaps(29, 13, 0.3, 8)
	const iterations = 9
	for _, random := range []bool{false, true} {
		weights := lnmutest.WeightsOf(k, random)
		hashes := map[string]bool{}
		for _, solver := range incompleteSolvers() {
			v, w := lnmutest.RandomStart[float64](29, 13, 1, 3)
			res := must.Get(lnmu.FactorFrom[float64](t.Context(), lnmu.Observed[float64]{Matrix: m, Weights: weights}, v, w, lnmu.RNMU{}, &lnmu.Settings{MissingSolver: solver, Iterations: iterations}))(t)
			hashes[lnmu.SHA256(res.V)] = true
			var across, within float64
			for i := range m.Rows {
				for j := range m.Cols {
					x := v.At(i, 0) * w.At(0, j)
					across, within = across+weights.At(i, j)*x*m.At(i, j), within+weights.At(i, j)*x*x
				}
			}
			alpha := math.Sqrt(across / within)
			for _, d := range [][]float64{v.Data, w.Data} {
				for i := range d {
					d[i] *= alpha
				}
			}
			literalMissingMultipliers(m, weights, v, w, iterations, random && solver == lnmu.MissingMajorize)
			if err := errors.Join(near(res.V, v, 1e-9), near(res.W, w, 1e-9)); err != nil {
				t.Errorf("%s, weights %v: %v", solver, random, err)
			}
		}
		if same := len(hashes) == 1; same == random {
			t.Errorf("weights %v: the same bits by either solver: %v", random, same)
		}
	}
}

// literalMissingMultipliers is Algorithm L-NMU, T = 2, on a tall matrix. It changes v and w
// in place.
func literalMissingMultipliers(m, weights, v, w lnmu.Dense[float64], iterations int, majorize bool) {
	n := matrix.Clone(m)
	for it := 1; it <= iterations; it++ {
		literalMissing(n, weights, v, w, 2, majorize)
		for i := range n.Rows {
			for j := range n.Row(i) {
				n.Row(i)[j] = min(m.At(i, j), n.At(i, j)+(m.At(i, j)-entryOf(v, w, i, j))/float64(it))
			}
		}
	}
}

// TestMissingMultipliers compares G-NMU, whose multipliers are those of the observed
// entries, with its definition.
func TestMissingMultipliers(t *testing.T) {
	m, k := lnmutest.RandomMatrix[float64](31, 12, 3), lnmutest.Gaps(31, 12, 0.3, 8)
	for _, random := range []bool{false, true} {
		weights := lnmutest.WeightsOf(k, random)
		for _, solver := range incompleteSolvers() {
			v, w := lnmutest.RandomStart[float64](31, 12, 3, 3)
			const iterations = 6
			res := must.Get(lnmu.FactorFrom[float64](t.Context(), lnmu.Observed[float64]{Matrix: m, Weights: weights}, v, w, lnmu.GNMU{}, &lnmu.Settings{MissingSolver: solver, Iterations: iterations}))(t)
			literalMissingMultipliers(m, weights, v, w, iterations, solver == lnmu.MissingMajorize)
			if err := errors.Join(near(res.V, v, 1e-9), near(res.W, w, 1e-9)); err != nil {
				t.Errorf("%s, weights %v: %v", solver, random, err)
			}
		}
	}
}
