package lnmu

import (
	"errors"
	"math"
	"strings"
	"testing"
)

// TestBadInput checks that what cannot be factored is refused with an error
// that says where and why.
func TestBadInput(t *testing.T) {
	ok := data[float64](6, 5, 1)
	with := func(i, j int, x float64) Dense[float64] {
		d := NewDense[float64](6, 5, append([]float64(nil), ok.Data...))
		d.Data[i*5+j] = x
		return d
	}
	scaled := func(f float64) Dense[float64] {
		d := with(0, 0, 1)
		for i := range d.Data {
			d.Data[i] *= f
		}
		return d
	}
	for _, c := range []struct {
		name     string
		m        Dense[float64]
		rank     int
		method   Method
		settings Settings
		is       error
		says     string
	}{
		{"nan", with(4, 3, math.NaN()), 2, nil, Settings{}, ErrValue, "row 5, column 4 of M = NaN is not finite"},
		{"inf", with(2, 0, math.Inf(1)), 2, nil, Settings{}, ErrValue, "row 3, column 1 of M = +Inf is not finite"},
		{"minus inf", with(2, 0, math.Inf(-1)), 2, nil, Settings{}, ErrValue, "row 3, column 1 of M = -Inf is not finite"},
		{"negative", with(5, 4, -0.3), 2, nil, Settings{}, ErrValue, "row 6, column 5 of M = -0.3 is negative"},
		{"huge", scaled(1e200), 2, nil, Settings{}, ErrValue, "overflow; scale M down"},
		{"tiny", scaled(1e-200), 2, nil, Settings{}, ErrValue, "underflow; scale M up"},
		{"empty", Dense[float64]{}, 2, nil, Settings{}, ErrShape, "M is empty (0 x 0)"},
		{"negative size", Dense[float64]{Rows: -1, Cols: 3}, 2, nil, Settings{}, ErrShape, "-1 rows"},
		{"short data", Dense[float64]{Rows: 3, Cols: 3, Stride: 3, Data: make([]float64, 8)}, 2, nil, Settings{}, ErrShape, "holds 8 elements"},
		{"huge claim", Dense[float64]{Rows: math.MaxInt, Cols: 3, Stride: 3, Data: make([]float64, 8)}, 2, nil, Settings{}, ErrShape, "holds 8 elements"},
		{"stride", Dense[float64]{Rows: 3, Cols: 3, Stride: 2, Data: make([]float64, 9)}, 2, nil, Settings{}, ErrShape, "stride 2"},
		{"rank 0", ok, 0, nil, Settings{}, ErrOption, "rank 0; choose 1 or more"},
		{"rank beyond", ok, math.MaxInt / 2, nil, Settings{}, ErrOption, "beyond the range of memory"},
		{"block", ok, 2, RNMU{Block: -1}, Settings{}, ErrOption, "block -1 is negative"},
		{"steps", ok, 2, GNMU{Lagrangian{StepsPerUpdate: -1}}, Settings{}, ErrOption, "number of steps per update -1 is negative"},
		{"iterations", ok, 2, nil, Settings{Iterations: -1}, ErrOption, "number of iterations -1 is negative"},
		{"check interval", ok, 2, nil, Settings{CheckEvery: -1}, ErrOption, "check interval -1 is negative"},
		{"threads", ok, 2, nil, Settings{Threads: -1}, ErrOption, "number of threads -1 is negative"},
		{"restarts", ok, 2, nil, Settings{Restarts: -1}, ErrOption, "number of restarts -1 is negative"},
		{"tolerance", ok, 2, nil, Settings{Tolerance: math.NaN()}, ErrOption, "tolerance NaN"},
		{"time limit", ok, 2, nil, Settings{TimeLimit: -1}, ErrOption, "time limit -1e-09"},
		{"target", ok, 2, nil, Settings{TargetError: -1}, ErrOption, "target error -1"},
		{"init", ok, 2, nil, Settings{Init: "zeros"}, ErrOption, `unknown start "zeros"`},
		{"restarts of svd", ok, 2, nil, Settings{Init: InitSVD, Restarts: 3}, ErrOption, "3 restarts from one start"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := Factor(t.Context(), c.m, c.rank, c.method, &c.settings)
			if res != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("result %v, error %v; want %v that says %q", res, err, c.is, c.says)
			}
		})
	}
}

// TestBadStart is the same for a start, of a dense and of a sparse matrix.
func TestBadStart(t *testing.T) {
	m := data[float64](6, 5, 1)
	v, w := NewDense[float64](6, 2, nil), NewDense[float64](2, 5, nil)
	for _, c := range []struct {
		name     string
		v, w     Dense[float64]
		settings Settings
		is       error
		says     string
	}{
		{"two starts", v, w, Settings{Init: InitRandom}, ErrOption, `start "random" beside a given one`},
		{"restarts", v, w, Settings{Restarts: 3}, ErrOption, "3 restarts from one start"},
		{"none", Dense[float64]{}, Dense[float64]{}, Settings{}, ErrShape, "the start V is 0 x 0"},
		{"half", v, Dense[float64]{}, Settings{}, ErrShape, "the start W is 0 x 0, want 2 x 5"},
		{"other half", Dense[float64]{}, w, Settings{}, ErrShape, "the start V is 0 x 0"},
		{"shape", NewDense[float64](5, 2, nil), w, Settings{}, ErrShape, "the start V is 5 x 2, want 6 x 2"},
		{"exchanged", w.Transposed(), v.Transposed(), Settings{}, ErrShape, "the start V is 5 x 2, want 6 x 2"},
		{"short V", Dense[float64]{Rows: 6, Cols: 2, Stride: 2, Data: make([]float64, 3)}, w, Settings{}, ErrShape, "V is 6 x 2 with stride 2 but holds 3 elements"},
		{"short W", v, Dense[float64]{Rows: 2, Cols: 5, Stride: 5}, Settings{}, ErrShape, "W is 2 x 5 with stride 5 but holds 0 elements"},
		{"value", NewDense(6, 1, []float64{0, 0, 0, -1, 0, 0}), NewDense[float64](1, 5, nil), Settings{}, ErrValue, "row 4, column 1 of V = -1 is negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for from, factor := range map[string]func() (*Result[float64], error){
				"FactorFrom": func() (*Result[float64], error) { return FactorFrom(t.Context(), m, c.v, c.w, NMF{}, &c.settings) },
				"FactorSparseFrom": func() (*Result[float64], error) {
					return FactorFrom(t.Context(), NewCSR(m), c.v, c.w, NMF{}, &c.settings)
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
