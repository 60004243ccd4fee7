package lnmu_test

import (
	"os"
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
)

// TestSparseThreads checks that the number of threads does not change a bit,
// with enough entries for many slabs (package sparse has a test of that).
func TestSparseThreads(t *testing.T) {
	t.Run("float64", testSparseThreads[float64])
	if os.Getenv("NMU_FULL") != "" {
		t.Run("float32", testSparseThreads[float32])
	}
}

func testSparseThreads[T lnmu.Float](t *testing.T) {
	ptr, idx, val := dataset.Sparse[T](6000, 4000, 150000, 1)
	tall := lnmu.CSR[T]{Rows: 6000, Cols: 4000, Ptr: ptr, Idx: idx, Val: val}
	methods := []lnmu.Method{lnmu.KL{}, lnmu.KL{Solver: lnmu.SolverCoordinate}, lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.GNMU{}, lnmu.RNMU{Block: 40}, lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.GNMU{Sweeps: 3}}
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
				res := must.Get(lnmu.Factor(t.Context(), m, 40, method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 2}, Start: lnmu.Start{Restarts: 1}, Threads: threads}))(t)
				if first == nil {
					first = res
				} else if factors.SHA256(res.V) != factors.SHA256(first.V) || factors.SHA256(res.W) != factors.SHA256(first.W) || res.RelativeError != first.RelativeError {
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
		ptr, idx, val := dataset.Sparse[float64](x.rows, 1500, x.entries, 2)
		tall := lnmu.CSR[float64]{Rows: x.rows, Cols: 1500, Ptr: ptr, Idx: idx, Val: val}
		matrices = append(matrices, tall, tall.Transposed())
	}
	for _, m := range matrices {
		s := lnmu.Settings{Limits: lnmu.Limits{Iterations: 2}, Start: lnmu.Start{Restarts: 1}}
		got := must.Get(lnmu.Factor(t.Context(), m, rank, lnmu.NMF{Solver: lnmu.SolverHALS}, &s))(t)
		want := must.Get(lnmu.Factor(t.Context(), m.Dense(), rank, lnmu.NMF{Solver: lnmu.SolverHALS}, &s))(t)
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
		res := must.Get(lnmu.Factor(t.Context(), m, 8, c.method, &lnmu.Settings{Start: lnmu.Start{Restarts: 3, Seed: 1}}))(t)
		if !(res.RelativeError < c.error && res.MaxViolation < c.viol) {
			t.Errorf("%s: error %.4f, largest violation %.4f", lnmutest.NameOf(c.method), res.RelativeError, res.MaxViolation)
		}
		if s, w := factors.RowSparsity(res.V.Transposed()).Zeros, factors.RowSparsity(res.W).Zeros; !(s > c.basis && w > c.parts) {
			t.Errorf("%s: s(V) = %.3f, s(W) = %.3f", lnmutest.NameOf(c.method), s, w)
		}
	}
}
