package exact

import (
	"math"
	"math/rand/v2"
	"testing"

	"nmu/internal/must"
	"nmu/kernel"
	"nmu/lnmu/internal/matrix"
)

// never is work that is not over.
func never() bool { return false }

// TestExactStepVanishing: for a factor whose weights are next to nothing the
// solution is beyond float32; what is taken instead is finite, and feasible.
func TestExactStepVanishing(t *testing.T) {
	for r := 1; r <= 2; r++ {
		g, x := matrix.New[float32](r, 5, nil), matrix.New[float32](1, 5, []float32{0, 0.5, 0.25, 1, 0.75})
		for k := range r {
			g.Row(k)[k+1], g.Row(k)[4] = 0x1p-149, 0x1p-148
		}
		h := kernel.NewMatrix[float32](r, 1)
		if _, done := New(nil, g, 1, false, never).Solve(0, h, 0, x.Row(0), Part{}); !done {
			t.Fatal("not done")
		}
		if got := h.Row(0)[0]; !(got > 1e38 && got <= math.MaxFloat32) {
			t.Errorf("r = %d: h = %v", r, got)
		}
		v := matrix.New[float32](1, r, nil)
		for k := range r {
			v.Data[k] = h.Row(k)[0]
		}
		must.AtMost(t, exceeded(x, v, g), 0, "r", r, "exceeded by")
	}
}

// TestExactStepZero: no factor holds a -0, which the last residual may.
func TestExactStepZero(t *testing.T) {
	x := matrix.New(1, 3, []float64{math.Copysign(0, -1), 0.5, 0.25})
	for r := 1; r <= 2; r++ {
		g, h := matrix.New[float64](r, 3, nil), kernel.NewMatrix[float64](r, 1)
		for k := range r {
			g.Row(k)[0], g.Row(k)[1+k] = 1, 1
		}
		if _, done := New(nil, g, 1, false, never).Solve(0, h, 0, x.Row(0), Part{}); !done {
			t.Fatal("not done")
		}
		for k := range r {
			if a := h.Row(k)[0]; a != 0 || math.Signbit(a) {
				t.Errorf("r = %d: h[%d] = %v", r, k, a)
			}
		}
	}
}

func TestLower(t *testing.T) {
	t.Run("float64", testLower[float64])
	t.Run("float32", testLower[float32])
}

// testLower makes rows feasible that are so by a hair or not at all, in all
// ranges of numbers; no entry may rise, and where the row was all but feasible
// none may fall by much.
func testLower[T kernel.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	tiny := float64(matrix.Below(T(1)))
	for range 3000 {
		r, q := 1+rng.IntN(6), 1+rng.IntN(9)
		size := math.Pow(2, float64(rng.IntN(240)-120))
		if rng.IntN(8) == 0 {
			size = math.Pow(2, -149) // at and below the smallest float32
		}
		hair := rng.IntN(2) == 0
		g, v := matrix.New[T](r, q, nil), make([]T, r)
		for k := range v {
			v[k] = T(rng.Float64())
			for j := range q {
				g.Row(k)[j] = T(size * max(0, rng.Float64()-0.3))
			}
		}
		x := make([]T, q)
		for j := range x {
			for k := range v {
				x[j] += v[k] * g.At(k, j)
			}
			if hair {
				x[j] *= T(1 - float64(rng.IntN(3))*(1-tiny))
			} else {
				x[j] *= T(rng.IntN(3)) / 2
			}
		}
		s := New(nil, g, 1, false, never).members[0]
		for k := range v {
			s.neg.Row(k)[0] = -v[k]
		}
		s.lower(x)
		got := matrix.New[T](1, r, nil)
		for k := range v {
			got.Data[k] = -s.neg.Row(k)[0]
			if !(got.Data[k] >= 0 && got.Data[k] <= v[k]) {
				t.Fatalf("%v became %v", v[k], got.Data[k])
			}
			if hair && size >= 1e-30 && float64(got.Data[k]) < float64(v[k])-1e3*(1-tiny) {
				t.Errorf("%v became %v though feasible by a hair", v[k], got.Data[k])
			}
		}
		if e := exceeded(matrix.New(1, q, x), got, g); e > 0 {
			t.Fatalf("still exceeded by %v", e)
		}
	}
}

// exceeded returns the largest entry of V W - M, formed as the kernels take V W off M.
func exceeded[T kernel.Float](m, v, w kernel.Matrix[T]) T {
	e, minus := matrix.Clone(m), v.Transposed()
	for i := range minus.Data {
		minus.Data[i] = -minus.Data[i]
	}
	kernel.AddProduct(e, minus, w)
	most := -e.Data[0]
	for _, x := range e.Data {
		most = max(most, -x)
	}
	return most
}
