package lnmu_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/lnmutest"
)

// TestBadInput checks that what cannot be factored is refused with an error
// that says where and why.
func TestBadInput(t *testing.T) {
	ok := lnmutest.Data[float64](6, 5, 1)
	with := func(i, j int, x float64) lnmu.Dense[float64] {
		d := lnmu.NewDense[float64](6, 5, append([]float64(nil), ok.Data...))
		d.Data[i*5+j] = x
		return d
	}
	scaled := func(f float64) lnmu.Dense[float64] {
		d := with(0, 0, 1)
		for i := range d.Data {
			d.Data[i] *= f
		}
		return d
	}
	for _, c := range []struct {
		name     string
		m        lnmu.Dense[float64]
		rank     int
		method   lnmu.Method
		settings lnmu.Settings
		is       error
		says     string
	}{
		{"nan", with(4, 3, math.NaN()), 2, nil, lnmu.Settings{}, lnmu.ErrValue, "row 5, column 4 of M = NaN is not finite"},
		{"inf", with(2, 0, math.Inf(1)), 2, nil, lnmu.Settings{}, lnmu.ErrValue, "row 3, column 1 of M = +Inf is not finite"},
		{"minus inf", with(2, 0, math.Inf(-1)), 2, nil, lnmu.Settings{}, lnmu.ErrValue, "row 3, column 1 of M = -Inf is not finite"},
		{"negative", with(5, 4, -0.3), 2, nil, lnmu.Settings{}, lnmu.ErrValue, "row 6, column 5 of M = -0.3 is negative"},
		{"huge", scaled(1e200), 2, nil, lnmu.Settings{}, lnmu.ErrValue, "overflow; scale M down"},
		{"tiny", scaled(1e-200), 2, nil, lnmu.Settings{}, lnmu.ErrValue, "underflow; scale M up"},
		{"empty", lnmu.Dense[float64]{}, 2, nil, lnmu.Settings{}, lnmu.ErrShape, "M is empty (0 x 0)"},
		{"negative size", lnmu.Dense[float64]{Rows: -1, Cols: 3}, 2, nil, lnmu.Settings{}, lnmu.ErrShape, "-1 rows"},
		{"short data", lnmu.Dense[float64]{Rows: 3, Cols: 3, Stride: 3, Data: make([]float64, 8)}, 2, nil, lnmu.Settings{}, lnmu.ErrShape, "holds 8 elements"},
		{"huge claim", lnmu.Dense[float64]{Rows: math.MaxInt, Cols: 3, Stride: 3, Data: make([]float64, 8)}, 2, nil, lnmu.Settings{}, lnmu.ErrShape, "holds 8 elements"},
		{"stride", lnmu.Dense[float64]{Rows: 3, Cols: 3, Stride: 2, Data: make([]float64, 9)}, 2, nil, lnmu.Settings{}, lnmu.ErrShape, "stride 2"},
		{"rank 0", ok, 0, nil, lnmu.Settings{}, lnmu.ErrOption, "rank 0; choose 1 or more"},
		{"rank beyond", ok, math.MaxInt / 2, nil, lnmu.Settings{}, lnmu.ErrOption, "beyond the range of memory"},
		{"block", ok, 2, lnmu.RNMU{Block: -1}, lnmu.Settings{}, lnmu.ErrOption, "block -1 is negative"},
		{"steps", ok, 2, lnmu.GNMU{Inner: -1}, lnmu.Settings{}, lnmu.ErrOption, "number of steps per update -1 is negative"},
		{"iterations", ok, 2, nil, lnmu.Settings{Limits: lnmu.Limits{Iterations: -1}}, lnmu.ErrOption, "number of iterations -1 is negative"},
		{"check interval", ok, 2, nil, lnmu.Settings{Limits: lnmu.Limits{CheckEvery: -1}}, lnmu.ErrOption, "check interval -1 is negative"},
		{"threads", ok, 2, nil, lnmu.Settings{Threads: -1}, lnmu.ErrOption, "number of threads -1 is negative"},
		{"many threads", ok, 2, nil, lnmu.Settings{Threads: math.MaxInt}, lnmu.ErrOption, "choose 1 to 4096"},
		{"restarts", ok, 2, nil, lnmu.Settings{Start: lnmu.Start{Restarts: -1}}, lnmu.ErrOption, "number of restarts -1 is negative"},
		{"tolerance", ok, 2, nil, lnmu.Settings{Limits: lnmu.Limits{Tolerance: math.NaN()}}, lnmu.ErrOption, "tolerance NaN"},
		{"time limit", ok, 2, nil, lnmu.Settings{Limits: lnmu.Limits{TimeLimit: -1}}, lnmu.ErrOption, "time limit -1e-09"},
		{"target", ok, 2, nil, lnmu.Settings{Limits: lnmu.Limits{TargetError: -1}}, lnmu.ErrOption, "target error -1"},
		{"init", ok, 2, nil, lnmu.Settings{Start: lnmu.Start{Init: "zeros"}}, lnmu.ErrOption, `unknown start "zeros"`},
		{"restarts of svd", ok, 2, nil, lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSVD, Restarts: 3}}, lnmu.ErrOption, "3 restarts from one start"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := lnmu.Factor(t.Context(), c.m, c.rank, c.method, &c.settings)
			if res != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("result %v, error %v; want %v that says %q", res, err, c.is, c.says)
			}
		})
	}
}

// TestBadStart is the same for a start, of a dense and of a sparse matrix.
func TestBadStart(t *testing.T) {
	m := lnmutest.Data[float64](6, 5, 1)
	v, w := lnmu.NewDense[float64](6, 2, nil), lnmu.NewDense[float64](2, 5, nil)
	must.Fail(t, fault.InRange(0, math.NaN()), lnmu.ErrValue, "beyond the range of its numbers")
	for _, c := range []struct {
		name     string
		v, w     lnmu.Dense[float64]
		settings lnmu.Settings
		is       error
		says     string
	}{
		{"two starts", v, w, lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitRandom}}, lnmu.ErrOption, `start "random" beside a given one`},
		{"restarts", v, w, lnmu.Settings{Start: lnmu.Start{Restarts: 3}}, lnmu.ErrOption, "3 restarts from one start"},
		{"none", lnmu.Dense[float64]{}, lnmu.Dense[float64]{}, lnmu.Settings{}, lnmu.ErrShape, "the start V is 0 x 0"},
		{"half", v, lnmu.Dense[float64]{}, lnmu.Settings{}, lnmu.ErrShape, "the start W is 0 x 0, want 2 x 5"},
		{"other half", lnmu.Dense[float64]{}, w, lnmu.Settings{}, lnmu.ErrShape, "the start V is 0 x 0"},
		{"shape", lnmu.NewDense[float64](5, 2, nil), w, lnmu.Settings{}, lnmu.ErrShape, "the start V is 5 x 2, want 6 x 2"},
		{"exchanged", w.Transposed(), v.Transposed(), lnmu.Settings{}, lnmu.ErrShape, "the start V is 5 x 2, want 6 x 2"},
		{"short V", lnmu.Dense[float64]{Rows: 6, Cols: 2, Stride: 2, Data: make([]float64, 3)}, w, lnmu.Settings{}, lnmu.ErrShape, "V is 6 x 2 with stride 2 but holds 3 elements"},
		{"short W", v, lnmu.Dense[float64]{Rows: 2, Cols: 5, Stride: 5}, lnmu.Settings{}, lnmu.ErrShape, "W is 2 x 5 with stride 5 but holds 0 elements"},
		{"value", lnmu.NewDense(6, 1, []float64{0, 0, 0, -1, 0, 0}), lnmu.NewDense[float64](1, 5, nil), lnmu.Settings{}, lnmu.ErrValue, "row 4, column 1 of V = -1 is negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for from, factor := range map[string]func() (*lnmu.Result[float64], error){
				"FactorFrom": func() (*lnmu.Result[float64], error) {
					return lnmu.FactorFrom(t.Context(), m, c.v, c.w, lnmu.NMF{}, &c.settings)
				},
				"FactorSparseFrom": func() (*lnmu.Result[float64], error) {
					return lnmu.FactorFrom(t.Context(), lnmu.NewCSR(m), c.v, c.w, lnmu.NMF{}, &c.settings)
				},
			} {
				res, err := factor()
				if res != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s: result %v, error %v; want %v that says %q", from, res, err, c.is, c.says)
				}
			}
		})
	}
}

// TestNilContext is refused, not met with a crash.
func TestNilContext(t *testing.T) {
	m := lnmutest.Data[float64](6, 5, 1)
	var none context.Context
	for name, err := range map[string]error{
		"Factor":       second(lnmu.Factor(none, m, 1, nil, nil)),
		"FactorSparse": second(lnmu.Factor(none, lnmu.NewCSR(m), 1, nil, nil)),
		"Improve":      second((&lnmu.Result[float64]{V: lnmu.NewDense[float64](6, 1, nil), W: lnmu.NewDense[float64](1, 5, nil)}).Improve(none, m, lnmu.NMF{}, nil)),
		"Transform":    second(transformOf(none, lnmu.NewDense[float64](6, 1, nil), m, nil)),
	} {
		must.Fail(t, err, lnmu.ErrOption, "context.Background()", name)
	}
}
