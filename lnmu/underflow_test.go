package lnmu

import (
	"errors"
	"math"
	"strings"
	"testing"
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
func testSmallNumbers[T Float](t *testing.T, from, to, taken, refused int, within float64) {
	base := data[T](30, 20, 5)
	v, w := randomStart[T](30, 20, 3, 1)
	for _, method := range []Method{
		NMF{}, NMF{Solver: SolverAccelerated}, GNMU{}, GNMU{Lagrangian{Solver: SolverADMM}}, RNMU{}, RNMU{Norm: L1},
		Hoyer{SparsenessV: 0.6}, SNMF{SparsityV: 0.3}, KL{}, KL{Solver: SolverCoordinate},
	} {
		for k := from; k <= to; k += 4 {
			m := smaller(base, k)
			all := map[string]Matrix[T]{"dense": m, "stored": linesInMemory[T]{m}, "sparse": NewCSR(m)}
			for name, x := range all {
				res, err := Factor(t.Context(), x, 3, method, &Settings{Restarts: 1, Iterations: 4, Scratch: t.TempDir()})
				switch {
				case errors.Is(err, ErrOption) && name != "dense": // not for this storage
				case err != nil && (k <= taken || !errors.Is(err, ErrValue) || !strings.Contains(err.Error(), "scale M up")):
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
		for name, x := range map[string]Matrix[T]{"dense": m, "sparse": NewCSR(m)} {
			_, measured := Measure(x, v, w, nil)
			_, weights := Transform(t.Context(), x, v, Dense[T]{}, nil)
			for _, err := range []error{measured, weights} {
				if err != nil && k <= taken || err == nil && k >= refused {
					t.Errorf("%s, 2^-%d: error of Measure or Transform: %v", name, k, err)
				}
			}
		}
	}
	if _, err := Transform(t.Context(), base, smaller(v, refused), Dense[T]{}, nil); !errors.Is(err, ErrValue) || !strings.Contains(err.Error(), "scale V up") {
		t.Errorf("a small basis: error %v", err)
	}
}

// smaller returns a matrix by 2^-k.
func smaller[T Float](m Dense[T], k int) Dense[T] {
	x := NewDense[T](m.Rows, m.Cols, nil)
	for i := range m.Rows {
		for j, a := range m.Row(i) {
			x.Row(i)[j] = T(math.Ldexp(float64(a), -k))
		}
	}
	return x
}

// scaledError returns ||M - V W||_F / ||M||_F for entries of M about 2^-k.
func scaledError[T Float](m, v, w Dense[T], k int) float64 {
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
