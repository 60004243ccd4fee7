package lnmu_test

import (
	"fmt"
	"math"
	"os"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/dataset"
	"nmu/internal/gonum"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/method"
)

// literalSparse is Algorithm L-NMU with Λ = g(k) max(M) on the zeros, g being the
// method's ZeroMultiplier, in dense arithmetic without fusion; recursive for RNMU, and
// HALS for NMF.
func literalSparse(of lnmu.Method, m, v, w *mat.Dense, iterations int) *mat.Dense {
	rows, cols := m.Dims()
	_, rank := v.Dims()
	block, inner, multipliers, recursive := rank, 2, true, false
	var given func(k int) float64
	switch of := of.(type) {
	case lnmu.NMF:
		inner, multipliers = 1, false
	case lnmu.GNMU:
		given = of.ZeroMultiplier
	case lnmu.RNMU:
		block, recursive, given = max(1, of.Block), true, of.ZeroMultiplier
	}
	total := mat.NewDense(rows, cols, nil)
	residual := mat.DenseCopyOf(m)
	for k0 := 0; k0 < rank; k0 += block {
		end := min(k0+block, rank)
		v, w := mat.DenseCopyOf(v.Slice(0, rows, k0, end)), mat.DenseCopyOf(w.Slice(k0, end, 0, cols))
		if recursive {
			literalScale(residual, v, w)
		}
		lambda := mat.NewDense(rows, cols, nil)
		unit := mat.Max(residual)
		g := given
		if g == nil && multipliers {
			g = method.Lagrangian{}.Zeros(mat.Sum(residual)/float64(rows*cols)/unit, iterations)
		}
		var n, p mat.Dense
		for k := 1; k <= iterations; k++ {
			if multipliers {
				lambda.Apply(func(i, j int, l float64) float64 {
					if m.At(i, j) == 0 {
						return float64(unit * g(k))
					}
					return l
				}, lambda)
			}
			n.Sub(residual, lambda)
			for range inner {
				literalHALS(&n, v, w)
			}
			p.Mul(v, w)
			if multipliers {
				lambda.Apply(func(i, j int, l float64) float64 {
					return math.Max(0, l-(residual.At(i, j)-p.At(i, j))/float64(k))
				}, lambda)
			}
		}
		total.Add(total, &p)
		residual.Apply(func(i, j int, x float64) float64 { return math.Max(0, x-p.At(i, j)) }, residual)
	}
	return total
}

// TestSparseAgainstLiteral compares with the dense algorithm given the same g.
func TestSparseAgainstLiteral(t *testing.T) {
	for _, shape := range [][2]int{{30, 20}, {20, 30}, {200, 17}, {17, 301}, {1, 9}, {9, 1}, {120, 90}} {
		for _, c := range []struct {
			name   string
			method lnmu.Method
			rank   int
		}{
			{"nmf", lnmu.NMF{}, 5}, {"nmf", lnmu.NMF{}, 9}, {"gnmu", lnmu.GNMU{}, 5}, {"gnmu", lnmu.GNMU{}, 1},
			{"rnmu", lnmu.RNMU{}, 5}, {"rnmu by 2", lnmu.RNMU{Block: 2}, 5}, {"rnmu by 9", lnmu.RNMU{Block: 9}, 9},
			{"gnmu, root", lnmu.GNMU{lnmu.Lagrangian{ZeroMultiplier: func(k int) float64 { return 0.1 * math.Sqrt(float64(k)) }}}, 5},
			{"rnmu, zero", lnmu.RNMU{Lagrangian: lnmu.Lagrangian{ZeroMultiplier: func(int) float64 { return 0 }}}, 3},
		} {
			m, n := shape[0], shape[1]
			rank := min(c.rank, m, n)
			t.Run(fmt.Sprintf("%dx%d/%s-%d", m, n, c.name, rank), func(t *testing.T) {
				x := lnmutest.SparseData[float64](m, n, 1)
				v, w := lnmutest.RandomStart[float64](m, n, rank, 7)
				gm, gv, gw := gonum.To(x.Dense()), gonum.To(v), gonum.To(w)
				if !c.method.Describe().Recursive {
					literalScale(gm, gv, gw)
					v, w = gonum.From[float64](gv), gonum.From[float64](gw)
				}
				res := must.Get(lnmu.FactorFrom(t.Context(), x, v, w, c.method, &lnmu.Settings{Iterations: 50}))(t)
				want := literalSparse(c.method, gm, gv, gw, 50)
				var got, diff mat.Dense
				got.Mul(gonum.To(res.V), gonum.To(res.W))
				diff.Sub(&got, want)
				if rel := mat.Norm(&diff, 2) / mat.Norm(want, 2); !(rel < 1e-9) {
					t.Errorf("relative difference of V W is %.3g", rel)
				}
				diff.Sub(gm, &got)
				if e := mat.Norm(&diff, 2) / mat.Norm(gm, 2); !(abs(e-res.RelativeError) < 1e-12) {
					t.Errorf("relative error %v, recomputed %v", res.RelativeError, e)
				}
				if viol := max(0, -mat.Min(&diff)); !(abs(viol-res.MaxViolation) < 1e-12) || res.ViolationBound {
					t.Errorf("largest violation %v, recomputed %v", res.MaxViolation, viol)
				}
			})
		}
	}
}

// TestSparseThreads checks that the number of threads does not change a bit,
// with enough entries for many slabs (package sparse has a test of that).
func TestSparseThreads(t *testing.T) {
	t.Run("float64", testSparseThreads[float64])
	if os.Getenv("NMU_FULL") != "" {
		t.Run("float32", testSparseThreads[float32])
	}
}

func testSparseThreads[T lnmu.Float](t *testing.T) {
	ptr, idx, val := must.Three(dataset.Sparse[T](6000, 4000, 150000, 1))(t)
	tall := lnmu.CSR[T]{Rows: 6000, Cols: 4000, Ptr: ptr, Idx: idx, Val: val}
	methods := []lnmu.Method{lnmu.KL{}, lnmu.KL{Solver: lnmu.SolverCoordinate}, lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{Block: 40}, lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.GNMU{lnmu.Lagrangian{Sweeps: 3}}}
	if testing.Short() {
		methods = []lnmu.Method{lnmu.GNMU{}} // takes long without assembly
	}
	turns := lnmutest.Rotate(len(methods), 2, 0)
	for k, m := range []lnmu.CSR[T]{tall, tall.Transposed()} {
		for i, method := range methods {
			if !turns.Takes(i, k) {
				continue
			}
			var first *lnmu.Result[T]
			counts := []int{1, 2, 7}
			if os.Getenv("NMU_FULL") == "" {
				counts = []int{1, 3}
			}
			for _, threads := range counts {
				res := must.Get(lnmu.Factor(t.Context(), m, 40, method, &lnmu.Settings{Iterations: 2, Restarts: 1, Threads: threads}))(t)
				if first == nil {
					first = res
				} else if lnmu.SHA256(res.V) != lnmu.SHA256(first.V) || lnmu.SHA256(res.W) != lnmu.SHA256(first.W) || res.RelativeError != first.RelativeError {
					t.Errorf("%s: results of 1 and %d threads differ", lnmutest.NameOf(method), threads)
				}
			}
		}
	}
}

// TestSparseBlocks compares with the dense algorithm where there are several
// blocks, strips and groups.
func TestSparseBlocks(t *testing.T) {
	const rank = 50
	var matrices []lnmu.CSR[float64]
	for _, x := range []struct{ rows, entries int }{{3000, 90000}, {1600, 160000}} { // strips of one block, and of several
		ptr, idx, val := must.Three(dataset.Sparse[float64](x.rows, 1500, x.entries, 2))(t)
		tall := lnmu.CSR[float64]{Rows: x.rows, Cols: 1500, Ptr: ptr, Idx: idx, Val: val}
		matrices = append(matrices, tall, tall.Transposed())
	}
	for _, m := range matrices {
		s := lnmu.Settings{Iterations: 2, Restarts: 1}
		got := must.Get(lnmu.Factor(t.Context(), m, rank, lnmu.NMF{}, &s))(t)
		want := must.Get(lnmu.Factor(t.Context(), m.Dense(), rank, lnmu.NMF{}, &s))(t)
		for i, x := range want.V.Data {
			if !(abs(got.V.Data[i]-x) <= 1e-9*(1+x)) {
				t.Fatalf("V[%d,%d] = %v, dense %v", i/rank, i%rank, got.V.Data[i], x)
			}
		}
		if !(abs(got.RelativeError-want.RelativeError) < 1e-12) || !(abs(got.MaxViolation-want.MaxViolation) < 1e-9) {
			t.Errorf("relative error %v, dense %v; violation %v, dense %v", got.RelativeError, want.RelativeError, got.MaxViolation, want.MaxViolation)
		}
	}
}

// TestSparseSwimmer checks that the default multipliers of the zeros find the
// parts of the swimmer set: each basis image of R-NMU shows one limb in one
// position or the torso, and hardly anything is put where M is zero.
func TestSparseSwimmer(t *testing.T) {
	long(t)
	set := dataset.Swimmer()
	m := lnmu.NewCSR(lnmu.NewDense(set.Rows, set.Cols, set.Data))
	for _, c := range []struct {
		method       lnmu.Method
		error, viol  float64
		basis, parts float64
	}{
		// The dense algorithm: 0.480, s(V) 0.94; run to convergence 0.5095, s(V) 0.98.
		{lnmu.GNMU{}, 0.482, 0.01, 0.94, 0.74},
		{lnmu.RNMU{}, 0.512, 0.01, 0.97, 0.65},
	} {
		res := must.Get(lnmu.Factor(t.Context(), m, 8, c.method, &lnmu.Settings{Restarts: 3, Seed: 1}))(t)
		if !(res.RelativeError < c.error && res.MaxViolation < c.viol) {
			t.Errorf("%s: error %.4f, largest violation %.4f", lnmutest.NameOf(c.method), res.RelativeError, res.MaxViolation)
		}
		if s, w := lnmu.RowSparsity(res.V.Transposed()).Zeros, lnmu.RowSparsity(res.W).Zeros; !(s > c.basis && w > c.parts) {
			t.Errorf("%s: s(V) = %.3f, s(W) = %.3f", lnmutest.NameOf(c.method), s, w)
		}
	}
}

// TestSparseZeros checks rows and columns without entries, and M = 0.
func TestSparseZeros(t *testing.T) {
	for _, method := range []lnmu.Method{lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}} {
		res, err := lnmu.Factor(t.Context(), lnmu.CSR[float32]{Rows: 4, Cols: 7, Ptr: make([]int, 5)}, 3, method, nil)
		if err != nil || res.RelativeError != 0 || res.Stop != lnmu.StopExact || res.V.Rows != 4 || res.W.Cols != 7 {
			t.Errorf("%s: M = 0 gives %+v, %v", lnmutest.NameOf(method), res, err)
		}
		res64 := must.Get(lnmu.Factor(t.Context(), lnmutest.SparseData[float64](40, 60, 2), 3, method, &lnmu.Settings{Restarts: 1}))(t)
		for k := range 3 {
			if res64.V.At(3, k) != 0 || res64.W.At(k, 5) != 0 {
				t.Errorf("%s: zero row of M gives %v in V, zero column %v in W", lnmutest.NameOf(method), res64.V.At(3, k), res64.W.At(k, 5))
			}
		}
		if !(res64.RelativeError < 0.9) {
			t.Errorf("%s: relative error %v", lnmutest.NameOf(method), res64.RelativeError)
		}
	}
	one := lnmu.CSR[float64]{Rows: 3, Cols: 3, Ptr: []int{0, 0, 1, 1}, Idx: []int32{1}, Val: []float64{2}}
	res, err := lnmu.Factor(t.Context(), one, 3, lnmu.RNMU{}, &lnmu.Settings{Restarts: 1})
	if err != nil || res.Stop != lnmu.StopExact || !(res.RelativeError < 1e-15) || res.V.Cols != 3 {
		t.Errorf("one entry: %+v, %v", res, err)
	}
}

// TestSparseVanishing drives the multipliers so high that all of V vanishes.
func TestSparseVanishing(t *testing.T) {
	method := lnmu.GNMU{lnmu.Lagrangian{StepLength: func(k int) float64 {
		if k == 3 {
			return 1e9
		}
		return 1 / float64(k)
	}}}
	res, err := lnmu.Factor(t.Context(), lnmutest.SparseData[float64](40, 30, 4), 2, method, &lnmu.Settings{Iterations: 12, Restarts: 1})
	if err != nil || !(res.RelativeError < 1) {
		t.Errorf("relative error %v after recovery, %v", res.RelativeError, err)
	}
}
