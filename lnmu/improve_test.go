package lnmu

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/support"
)

// TestImprove checks that zeros stay, that the error falls and where it ends:
// at a point where no entry of the supports can be bettered.
func TestImprove(t *testing.T) {
	rounded := 0
	for _, shape := range [][3]int{{60, 40, 4}, {40, 60, 4}, {50, 30, 1}, {30, 50, 1}} {
		m, n, rank := shape[0], shape[1], shape[2]
		t.Run(fmt.Sprintf("%dx%d-%d", m, n, rank), func(t *testing.T) {
			x := data[float64](m, n, 12)
			plain, err := Factor(t.Context(), x, rank, GNMU{}, &Settings{Restarts: 1})
			if err != nil {
				t.Fatal(err)
			}
			v, w := matrix.Clone(plain.V), matrix.Clone(plain.W)
			support.RoundBasis(v, group.Self{})
			support.RoundWeights(w, group.Self{})
			res, err := Improve(t.Context(), x, plain.V, plain.W, NMF{}, &Settings{Iterations: 3000})
			if err != nil {
				t.Fatal(err)
			}
			if !(res.RelativeError < plain.RelativeError) {
				t.Errorf("the error is %v after %v", res.RelativeError, plain.RelativeError)
			}
			var e, gradV, gradW mat.Dense
			e.Mul(gonum.To(res.V), gonum.To(res.W))
			e.Sub(&e, gonum.To(x))
			gradV.Mul(&e, gonum.To(res.W).T())
			gradW.Mul(gonum.To(res.V).T(), &e)
			for _, c := range []struct {
				name     string
				from, to Dense[float64]
				grad     *mat.Dense
			}{{"V", v, res.V, &gradV}, {"W", w, res.W, &gradW}} {
				for i := range c.from.Rows {
					for j, a := range c.from.Row(i) {
						b, g := c.to.At(i, j), c.grad.At(i, j)
						if a == 0 && b != 0 {
							t.Fatalf("%s[%d,%d] was zero and is %v", c.name, i, j, b)
						}
						if a > 0 && (g < -1e-6 || b > 0 && g > 1e-6) {
							t.Errorf("%s[%d,%d] = %v has the derivative %v", c.name, i, j, b, g)
						}
					}
				}
			}
			if SHA256(plain.V) != SHA256(v) || SHA256(plain.W) != SHA256(w) {
				rounded++
			}
			short, err := Improve(t.Context(), x, plain.V, plain.W, NMF{}, &Settings{Threads: 1})
			if err != nil || short.Blocks[0].Iterations != 100 {
				t.Errorf("%+v by default, want 100 iterations (%v)", short.Blocks, err)
			}
		})
	}
	if rounded == 0 {
		t.Error("nothing was ever rounded: the test is too easy")
	}
}

// TestImprovePaper checks the columns Improved and Scaled on the swimmer set:
// G-NMU has 46.85 % in the paper, from 47.70 %.
func TestImprovePaper(t *testing.T) {
	long(t)
	m := swimmer[float64]()
	plain, err := Factor(t.Context(), m, 8, GNMU{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := Improve(t.Context(), m, plain.V, plain.W, NMF{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	alpha, scaled, err := scaledOf(m, plain.V, plain.W)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("plain %.4f, scaled %.4f (%.4f), improved %.4f", plain.RelativeError, scaled, alpha, res.RelativeError)
	if !(res.RelativeError < scaled && scaled < plain.RelativeError && alpha > 1) {
		t.Errorf("plain %.4f, scaled %.4f (%.4f), improved %.4f", plain.RelativeError, scaled, alpha, res.RelativeError)
	}
	if math.Abs(res.RelativeError-0.4685) > 0.08*0.4685 {
		t.Errorf("improved %.4f, the paper has 0.4685", res.RelativeError)
	}
}

func TestScaled(t *testing.T) {
	m := NewDense(2, 3, []float64{2, 4, 0, 4, 8, 0})
	v, w := NewDense(2, 1, []float64{1, 2}), NewDense(1, 3, []float64{1, 2, 0})
	if alpha, e, err := scaledOf(m, v, w); err != nil || alpha != 2 || e != 0 {
		t.Errorf("exact: %v, %v, %v; want 2, 0", alpha, e, err)
	}
	w.Data[2] = 1 // <M, VW> = 50, ||VW||² = 30, ||M||² = 100
	if alpha, e, err := scaledOf(m, v, w); err != nil || math.Abs(alpha-5./3) > 1e-15 || math.Abs(e-math.Sqrt(1-50.*50/30/100)) > 1e-15 {
		t.Errorf("%v, %v, %v; want 5/3, %v", alpha, e, err, math.Sqrt(1-50.*50/30/100))
	}
	if alpha, e, err := scaledOf(m, NewDense[float64](2, 1, nil), w); err != nil || alpha != 0 || e != 1 {
		t.Errorf("V = 0: %v, %v, %v; want 0, 1", alpha, e, err)
	}
	if alpha, e, err := scaledOf(NewDense[float64](2, 3, nil), v, w); err != nil || alpha != 1 || e != 0 {
		t.Errorf("M = 0: %v, %v, %v; want 1, 0", alpha, e, err)
	}
	if _, _, err := scaledOf(m, w, v); !errors.Is(err, ErrShape) {
		t.Errorf("exchanged factors: %v", err)
	}
	m.Data[0] = -1
	if _, _, err := scaledOf(m, v, w); !errors.Is(err, ErrValue) {
		t.Errorf("negative entry: %v", err)
	}
}

func TestImproveErrors(t *testing.T) {
	m := data[float64](6, 5, 1)
	v, w := NewDense[float64](6, 2, nil), NewDense[float64](2, 5, nil)
	for _, c := range []struct {
		name     string
		v, w     Dense[float64]
		settings *Settings
		is       error
		says     string
	}{
		{"start", v, w, &Settings{Init: InitSVD}, ErrOption, `start "svd" beside a given one`},
		{"restarts", v, w, &Settings{Restarts: 2}, ErrOption, "2 restarts from one start"},
		{"iterations", v, w, &Settings{Iterations: -1}, ErrOption, "number of iterations -1 is negative"},
		{"shape of V", w, w, nil, ErrShape, "V is 2 x 5, want 6 x 5"},
		{"shape of W", v, v, nil, ErrShape, "W is 6 x 2, want 2 x 5"},
		{"value", v, NewDense(2, 5, []float64{0, 0, 0, 0, 0, 0, -1, 0, 0, 0}), nil, ErrValue, "row 2, column 2 of W = -1 is negative"},
	} {
		res, err := Improve(t.Context(), m, c.v, c.w, NMF{}, c.settings)
		if res != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, error %v", c.name, res, err)
		}
	}
}
