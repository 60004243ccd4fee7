package lnmu_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
)

// TestTransformSparse: a sparse matrix has the weights of the same dense one, bit for bit.
func TestTransformSparse(t *testing.T) {
	precisions(t, func(t *testing.T) { testTransformSparse[float64](t, 1e-12) },
		func(t *testing.T) { testTransformSparse[float32](t, 1e-5) })
}

func testTransformSparse[T lnmu.Float](t *testing.T, rounding float64) {
	for _, c := range []struct {
		rows, cols, rank int
		density          float64
	}{{1, 1, 1, 1}, {3, 200, 2, 0.5}, {200, 3, 5, 0.1}, {301, 130, 9, 0.05}, {40, 65, 17, 0.6}, {100, 20, 3, 0}} {
		rng := rand.New(rand.NewPCG(1, uint64(c.rows)))
		m, v := lnmu.NewDense[T](c.rows, c.cols, nil), lnmutest.Data[T](c.rows, c.rank, 2)
		for i := range m.Data {
			if rng.Float64() < c.density {
				m.Data[i] = T(rng.ExpFloat64())
			}
		}
		start := lnmutest.Data[T](c.rank, c.cols, 3)
		for name, s := range map[string]lnmu.TransformSettings{
			"": {}, "one thread": {Threads: 1}, "few iterations": {Iterations: 7, Threads: 3}, "start": {Iterations: 20}, "feasible": {Feasible: true},
		} {
			var w lnmu.Dense[T]
			if name == "start" {
				w = start
			}
			want := must.Get(lnmu.Transform(t.Context(), m, v, w, &s))(t)
			got := must.Get(lnmu.Transform(t.Context(), lnmu.NewCSR(m), v, w, &s))(t)
			must.Equal(t, factors.SHA256(got.W), factors.SHA256(want.W), c, name, "the weights are not those of the dense matrix")
			if got.IterationsDone != want.IterationsDone || got.KKT != want.KKT || got.Finished != want.Finished || got.Stop != want.Stop || got.ViolationBound {
				t.Errorf("%+v, %s: %+v, want %+v", c, name, got, want)
			}
			if math.Abs(got.RelativeError-want.RelativeError) > rounding || math.Abs(got.MaxViolation-want.MaxViolation) > 10*rounding {
				t.Errorf("%+v, %s: error %v and violation %v, want %v and %v", c, name, got.RelativeError, got.MaxViolation, want.RelativeError, want.MaxViolation)
			}
		}
	}
}

// TestTransformLargeSparse: of many entries, most of them zero, no array is formed, the error is
// that of ||V W||², and the violation is bounded.
func TestTransformLargeSparse(t *testing.T) {
	const rows, cols, rank = 300_000, 70, 2 // 2^24 entries and more
	m := lnmu.CSR[float64]{Rows: rows, Cols: cols, Ptr: make([]int, rows+1)}
	v := lnmu.NewDense[float64](rows, rank, nil)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range rows {
		v.Row(i)[i%rank] = rng.Float64()
		if i%10 == 0 {
			m.Idx, m.Val = append(m.Idx, int32(rng.IntN(cols))), append(m.Val, rng.Float64())
		}
		m.Ptr[i+1] = len(m.Val)
	}
	res := must.Get(lnmu.Transform(t.Context(), m, v, lnmu.Dense[float64]{}, nil))(t)
	squares, _, violation, norm := literal.Residual(m, v, res.W, rank, 1)
	if want := math.Sqrt(squares / norm); !res.ViolationBound || math.Abs(res.RelativeError-want) > 1e-7 || res.MaxViolation < violation || res.MaxViolation > 3*violation {
		t.Errorf("error %v, violation at most %v (a bound: %v); want %v and %v", res.RelativeError, res.MaxViolation, res.ViolationBound, want, violation)
	}
}

// TestTransformSparseMasked: a mask makes a sparse matrix one as any other.
func TestTransformSparseMasked(t *testing.T) {
	m, v := lnmu.NewCSR(lnmutest.Data[float64](6, 5, 1)), lnmutest.Data[float64](6, 2, 2)
	k := lnmu.NewMask(6, 5)
	k.Set(2, 3, false)
	masked := must.Get(lnmu.Transform(t.Context(), lnmu.Observed[float64]{Matrix: m, Mask: k}, v, lnmu.Dense[float64]{}, nil))(t)
	dense := must.Get(lnmu.Transform(t.Context(), lnmu.Observed[float64]{Matrix: m.Dense(), Mask: k}, v, lnmu.Dense[float64]{}, nil))(t)
	must.Equal(t, factors.SHA256(masked.W), factors.SHA256(dense.W), "a mask on a sparse matrix gives other weights than on a dense one")
}
