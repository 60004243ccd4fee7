package lnmu_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestSmallNumbers: of a matrix of any size either the relative error is that of V W, as formed
// here in float64 on numbers of ordinary size, or the matrix is refused with a way out. All
// storages agree which it is.
func TestSmallNumbers(t *testing.T) {
	// The squares of the entries are denormal from 2^-63 and 2^-511 on.
	t.Run("float32", func(t *testing.T) { testSmallNumbers[float32](t, 50, 82, 60, 68, 1e-3) })
	t.Run("float64", func(t *testing.T) { testSmallNumbers[float64](t, 500, 546, 508, 516, 1e-6) })
}

// testSmallNumbers multiplies a matrix of entries about 1 by 2^-k for k = from, ..., to. Up to taken
// it must be factored, and from refused on it must not.
func testSmallNumbers[T lnmu.Float](t *testing.T, from, to, taken, refused int, within float64) {
	base := lnmutest.Data[T](30, 20, 5)
	v, w := lnmutest.RandomStart[T](30, 20, 3, 1)
	for _, method := range []lnmu.Method{
		lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.GNMU{}, lnmu.GNMU{Solver: lnmu.SolverADMM}, lnmu.RNMU{}, lnmu.RNMU{Norm: lnmu.L1},
		lnmu.Hoyer{HoyerV: 0.6}, lnmu.SNMF{SparsityV: 0.3}, lnmu.KL{}, lnmu.KL{Solver: lnmu.SolverCoordinate},
	} {
		for k := from; k <= to; k += 4 {
			m := smaller(base, k)
			all := map[string]lnmu.Matrix[T]{"dense": m, "stored": &lnmutest.LinesOf[T]{Dense: m}, "sparse": lnmu.NewCSR(m)}
			for name, x := range all {
				res, err := lnmu.Factor(t.Context(), x, 3, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 4}, Scratch: t.TempDir()})
				switch {
				case errors.Is(err, lnmu.ErrOption) && name != "dense": // not for this storage
				case err != nil && (k <= taken || !errors.Is(err, lnmu.ErrValue) || !strings.Contains(err.Error(), "scale M up")):
					t.Errorf("%#v, %s, 2^-%d: error %v", method, name, k, err)
				case err == nil && k >= refused:
					t.Errorf("%#v, %s, 2^-%d: it is factored", method, name, k)
				case err == nil:
					if want := scaledError(m, res.V, res.W, k); !(math.Abs(res.RelativeError-want) <= within) {
						t.Errorf("%#v, %s, 2^-%d: relative error %v, want %v", method, name, k, res.RelativeError, want)
					}
				}
			}
		}
	}
	for k := from; k <= to; k += 2 {
		m := smaller(base, k)
		for name, x := range map[string]lnmu.Matrix[T]{"dense": m, "sparse": lnmu.NewCSR(m)} {
			_, measured := lnmu.Measure(x, v, w, nil)
			_, weights := lnmu.Transform(t.Context(), x, v, lnmu.Dense[T]{}, nil)
			for _, err := range []error{measured, weights} {
				if err != nil && k <= taken || err == nil && k >= refused {
					t.Errorf("%s, 2^-%d: error of Measure or Transform: %v", name, k, err)
				}
			}
		}
	}
	must.Refuse(lnmu.Transform(t.Context(), base, smaller(v, refused), lnmu.Dense[T]{}, nil))(t, lnmu.ErrValue, "scale V up", "a small basis: error")
}

// smaller returns a matrix by 2^-k.
func smaller[T lnmu.Float](m lnmu.Dense[T], k int) lnmu.Dense[T] {
	x := lnmu.NewDense[T](m.Rows, m.Cols, nil)
	for i := range m.Rows {
		for j, a := range m.Row(i) {
			x.Row(i)[j] = T(math.Ldexp(float64(a), -k))
		}
	}
	return x
}

// scaledError returns ||M - V W||_F / ||M||_F for entries of M about 2^-k.
func scaledError[T lnmu.Float](m, v, w lnmu.Dense[T], k int) float64 {
	var e, norm float64
	for i := range m.Rows {
		for j := range m.Cols {
			x := 0.0
			for l := range v.Cols {
				x += math.Ldexp(float64(v.At(i, l)), k/2) * math.Ldexp(float64(w.At(l, j)), k-k/2)
			}
			a := math.Ldexp(float64(m.At(i, j)), k)
			e, norm = e+(a-x)*(a-x), norm+a*a
		}
	}
	return math.Sqrt(e / norm)
}
