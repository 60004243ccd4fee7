package lnmu_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// counts returns a matrix of Poisson counts about the product of r factors.
func counts[T lnmu.Float](m, n, r int, seed uint64) lnmu.Dense[T] {
	rng := rand.New(rand.NewPCG(seed, 3))
	v, w := lnmu.NewDense[float64](m, r, nil), lnmu.NewDense[float64](r, n, nil)
	for _, x := range []lnmu.Dense[float64]{v, w} {
		for i := range x.Data {
			x.Data[i] = math.Pow(rng.Float64(), 3) * 3
		}
	}
	return countsAbout[T](rng, v, w)
}

// countsAbout returns a matrix of Poisson counts with the mean V W.
func countsAbout[T lnmu.Float](rng *rand.Rand, v, w lnmu.Dense[float64]) lnmu.Dense[T] {
	x := lnmu.NewDense[T](v.Rows, w.Cols, nil)
	for i := range x.Rows {
		for j := range x.Cols {
			x.Row(i)[j] = T(drawCount(rng, literal.Entry(v, w, i, j)))
		}
	}
	return x
}

// drawCount draws a count with Poisson noise.
func drawCount(rng *rand.Rand, mean float64) (count int) {
	for p := rng.Float64(); p > math.Exp(-mean); p *= rng.Float64() {
		count++
	}
	return count
}

// TestKLExtremes: zero rows and columns, starts of zeros, denormals and huge counts give finite
// factors.
func TestKLExtremes(t *testing.T) {
	for _, solver := range solversOf(lnmu.KL{}) {
		t.Run(string(solver), func(t *testing.T) {
			testKLExtremes[float64](t, lnmu.KL{Solver: solver}, 1e-145, 1e145)
			testKLExtremes[float32](t, lnmu.KL{Solver: solver}, 1e-15, 1e15)
		})
	}
}

func testKLExtremes[T lnmu.Float](t *testing.T, method lnmu.KL, small, large T) {
	for what, scale := range map[string]T{"counts": 1, "small": small, "large": large} {
		m := counts[T](30, 20, 3, 9)
		for i := range m.Data {
			m.Data[i] *= scale
		}
		clear(m.Row(4))
		clear(m.Row(29))
		for i := range 30 {
			m.Row(i)[7] = 0
		}
		m.Row(1)[1] = scale * 1e-20 // beside numbers of other sizes
		v, w := lnmutest.RandomStart[T](30, 20, 3, 1)
		clear(w.Row(2))
		for i := range 30 {
			v.Row(i)[1] = 0
		}
		v.Row(0)[0], v.Row(0)[2] = 0, 0 // V W is 0 in row 0, where M is positive
		for kind, x := range map[string]lnmu.Matrix[T]{"dense": m, "sparse": lnmu.NewCSR(m)} {
			for start, res := range map[string]func() (*lnmu.Result[T], error){
				"random": func() (*lnmu.Result[T], error) {
					return lnmu.Factor(t.Context(), x, 3, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 100}})
				},
				"zeros": func() (*lnmu.Result[T], error) {
					return lnmu.FactorFrom(t.Context(), x, v, w, method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 100}})
				},
			} {
				r, err := res()
				if err != nil {
					t.Errorf("%s, %s, %s start: %v", what, kind, start, err)
					continue
				}
				must.Do(t, errors.Join(checkValues("V", r.V), checkValues("W", r.W)), what, kind, start)
				if d := r.RelativeDivergence; start == "random" && !(d > 0 && d < 1) || math.IsNaN(d) {
					t.Errorf("%s, %s, %s start: relative divergence %v", what, kind, start, d)
				}
			}
		}
	}
}
