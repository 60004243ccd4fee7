package lnmu_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/outcome"
)

// TestExtremeStarts: a start of which V W, or the squares of a factor, overflow is
// refused by name; all others give finite results.
func TestExtremeStarts(t *testing.T) {
	precisions(t, func(t *testing.T) { testExtremeStarts(t, 1e200, 1e-200, 1e150) },
		func(t *testing.T) { testExtremeStarts[float32](t, 1e30, 1e-30, 1e17) })
}

func testExtremeStarts[T lnmu.Float](t *testing.T, huge, tiny, large T) {
	m := lnmutest.Data[T](6, 5, 1)
	filled := func(rows, cols int, x T) lnmu.Dense[T] {
		d := lnmu.NewDense[T](rows, cols, nil)
		for i := range d.Data {
			d.Data[i] = x * T(1+i%3)
		}
		return d
	}
	for _, c := range []struct {
		v, w    T
		refused bool
	}{
		{huge, huge, true}, {huge, tiny, true}, {tiny, huge, true}, {large, large, true},
		{tiny, tiny, false}, {large, 1 / large, false}, {1, tiny, false}, {0, 1, false}, {0, 0, false},
	} {
		v, w := filled(6, 2, c.v), filled(2, 5, c.w)
		for _, method := range []lnmu.Method{
			lnmu.NMF{}, lnmu.GNMU{}, lnmu.RNMU{}, lnmu.RNMU{Norm: lnmu.L1}, lnmu.Hoyer{HoyerV: 0.5}, lnmu.SNMF{PenaltyV: 0.1, PenaltyW: 0.1},
			lnmutest.AugmentedOf(0, 2, 1), lnmutest.AugmentedOf(1, 1, 1),
			lnmu.GNMU{Feasible: lnmu.FeasibleFinal}, lnmu.RNMU{GNMU: lnmu.GNMU{Feasible: lnmu.FeasibleEach}},
		} {
			name := fmt.Sprintf("%#v from %v and %v", method, c.v, c.w)
			res, err := lnmu.FactorFrom(t.Context(), m, v, w, method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 5}})
			switch {
			case c.refused && (!errors.Is(err, lnmu.ErrValue) || !strings.Contains(err.Error(), "the start V W overflows at factor 1 of 2; scale it down")):
				t.Errorf("%s: %v", name, err)
			case !c.refused && (err != nil || !(res.RelativeError >= 0 && res.RelativeError < 10)):
				t.Errorf("%s: %+v, %v", name, res, err)
			}
		}
		if _, _, err := scaledOf(m, v, w); c.refused != (err != nil) {
			t.Errorf("Scaled by %v and %v: %v", c.v, c.w, err)
		}
	}
}

// TestLargeStarts: the factors of a matrix near the edge of the range are a start for it.
// What leads to them and from them is what it is for a matrix of ordinary size, which
// their scale, a power of four, leaves alone but where a product is formed in float64.
func TestLargeStarts(t *testing.T) {
	t.Run("float64", func(t *testing.T) { testLargeStarts(t, 0x1p506, [2]int{600, 20}, [2]int{20, 600}) })
	t.Run("float32", func(t *testing.T) {
		testLargeStarts[float32](t, 0x1p60, [2]int{600, 20}, [2]int{20, 600})
		testLargeStarts[float32](t, 0x1p62, [2]int{30, 20}, [2]int{20, 30}, [2]int{6, 5})
	})
}

func testLargeStarts[T lnmu.Float](t *testing.T, scale T, shapes ...[2]int) {
	for _, shape := range shapes {
		small := lnmutest.Data[T](shape[0], shape[1], 5)
		large := matrix.Clone(small)
		for i := range large.Data {
			large.Data[i] *= scale
		}
		for _, method := range []lnmu.Method{
			lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.GNMU{}, lnmu.GNMU{Solver: lnmu.SolverADMM},
			lnmu.RNMU{}, lnmu.RNMU{Block: 2}, lnmu.RNMU{Norm: lnmu.L1}, lnmu.SNMF{SparsityV: 0.3},
		} {
			var found [2][3]float64 // errors of a random start, of its result as a start, and scaled
			for i, m := range []lnmu.Dense[T]{small, large} {
				name := fmt.Sprintf("%v by %v: %#v", shape, scale, method)
				res := must.Get(lnmu.Factor(t.Context(), m, 5, method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 8}}))(t, name)
				again := must.Get(lnmu.FactorFrom(t.Context(), m, res.V, res.W, method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 8}}))(t, name, "from its result")
				_, e := must.Two(scaledOf(m, res.V, res.W))(t, name)
				found[i] = [3]float64{res.RelativeError, again.RelativeError, e}
			}
			for i, want := range found[0] {
				if got := found[1][i]; !(math.Abs(got-want) <= 1e-6) {
					t.Errorf("%v by %v: %#v: errors %v, want %v", shape, scale, method, found[1], found[0])
					break
				}
			}
		}
	}
}

// TestOverflowingNorm: a matrix whose rows stay in range but not the whole of it is
// refused.
func TestOverflowingNorm(t *testing.T) {
	m := lnmutest.Data[float64](30, 20, 5)
	for i := range m.Data {
		m.Data[i] *= 0x1p510
	}
	v, w := lnmutest.RandomStart[float64](30, 20, 3, 1)
	_, err := lnmu.Factor(t.Context(), m, 3, lnmu.NMF{}, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 2}})
	_, stored := lnmu.Factor(t.Context(), &lnmutest.LinesOf[float64]{Dense: m}, 3, lnmu.NMF{}, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 2}, Scratch: t.TempDir()})
	_, sparse := lnmu.Factor(t.Context(), lnmu.NewCSR(m), 3, lnmu.NMF{}, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 2}})
	_, measured := lnmu.Measure(m, v, w, nil)
	_, transformed := transformOf(t.Context(), v, m, nil)
	for name, err := range map[string]error{"factor": err, "stored": stored, "sparse": sparse, "measure": measured, "transform": transformed} {
		must.Fail(t, err, lnmu.ErrValue, "the squares of M overflow; scale M down", name)
	}
}

// TestVanishedFromStart: a start that M does not touch leads to zero factors, not
// to the start itself.
func TestVanishedFromStart(t *testing.T) {
	for _, tall := range []bool{true, false} {
		m := lnmu.NewDense[float64](7, 4, nil)
		for i := range m.Rows {
			m.Row(i)[1], m.Row(i)[2] = 1, float64(i)
		}
		v, w := lnmu.NewDense(7, 1, []float64{1, 1, 1, 1, 1, 1, 1}), lnmu.NewDense(1, 4, []float64{5, 0, 0, 5})
		if !tall {
			m, v, w = m.Transposed(), w.Transposed(), v.Transposed()
			for i := range v.Rows { // the columns of V come first: W must miss M
				w.Row(0)[i%w.Cols] = 0
			}
			m = lnmu.NewDense(4, 7, append([]float64{0, 0, 0, 0, 0, 0, 0}, m.Data[:21]...))
			v = lnmu.NewDense(4, 1, []float64{1, 1, 1, 1})
			w = lnmu.NewDense(1, 7, []float64{3, 0, 0, 0, 0, 0, 0})
			for i := range m.Rows {
				m.Row(i)[0] = 0
			}
		}
		for _, method := range []lnmu.Method{lnmu.GNMU{}, lnmu.RNMU{}, lnmu.RNMU{Norm: lnmu.L1}, lnmutest.AugmentedOf(0, 1, 1), lnmutest.AugmentedOf(1, 1, 1)} {
			check := func(what string, res *lnmu.Result[float64], err error) {
				if err != nil || res.RelativeError != 1 || res.MaxViolation != 0 {
					t.Fatalf("%#v, %s, tall %v: %+v, %v", method, what, tall, res, err)
				}
			}
			res, err := lnmu.FactorFrom(t.Context(), m, v, w, method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 20}})
			check("dense", res, err)
			if r, ok := method.(lnmu.RNMU); !ok || r.Norm != lnmu.L1 {
				res, err = lnmu.FactorFrom(t.Context(), lnmu.NewCSR(m), v, w, method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 20}})
				check("sparse", res, err)
			}
		}
	}
}

// TestSparsityRange: sh does not depend on the scale, however far from 1, and is 0
// where all vectors are zero.
func TestSparsityRange(t *testing.T) {
	x := []float64{3, 0, 1, 0.5, 0, 2}
	want := factors.RowSparsity(lnmu.NewDense(1, 6, x))
	for _, e := range []int{-1060, -700, -400, 399, 600, 1021} {
		y := make([]float64, len(x))
		for i := range x {
			y[i] = math.Ldexp(x[i], e)
		}
		must.Equal(t, factors.RowSparsity(lnmu.NewDense(1, 6, y)), want, "times a power of 2:", e)
	}
	must.Equal(t, factors.RowSparsity(lnmu.NewDense[float64](2, 6, nil)), outcome.Sparsity{Zeros: 1}, "of zeros")
}

func second[T any](_ T, err error) error { return err }
