package lnmu_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/support"
)

// TestImprove checks that zeros stay, that the error falls and where it ends:
// at a point where no entry of the supports can be bettered.
func TestImprove(t *testing.T) {
	rounded := 0
	for _, shape := range [][3]int{{60, 40, 4}, {40, 60, 4}, {50, 30, 1}, {30, 50, 1}} {
		m, n, rank := shape[0], shape[1], shape[2]
		t.Run(fmt.Sprintf("%dx%d-%d", m, n, rank), func(t *testing.T) {
			x := lnmutest.Data[float64](m, n, 12)
			plain := must.Get(lnmu.Factor(t.Context(), x, rank, lnmu.GNMU{}, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}}))(t)
			v, w := support.Round(plain.V, plain.W, group.Self{})
			res := must.Get(plain.Improve(t.Context(), x, lnmu.NMF{}, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 3000}}))(t)
			must.Below(t, res.RelativeError, plain.RelativeError, "the error")
			var gradV, gradW mat.Dense
			e := gonum.To(literal.Product(res.V, res.W))
			e.Sub(e, gonum.To(x))
			gradV.Mul(e, gonum.To(res.W).T())
			gradW.Mul(gonum.To(res.V).T(), e)
			for _, c := range []struct {
				name     string
				from, to lnmu.Dense[float64]
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
			if factors.SHA256(plain.V) != factors.SHA256(v) || factors.SHA256(plain.W) != factors.SHA256(w) {
				rounded++
			}
			short := must.Get(plain.Improve(t.Context(), x, lnmu.NMF{}, &lnmu.Settings{Threads: 1}))(t)
			must.Equal(t, short.Blocks[0].IterationsDone, 100, short.Blocks, "by default")
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
	plain := must.Get(lnmu.Factor(t.Context(), m, 8, lnmu.GNMU{}, nil))(t)
	res := must.Get(plain.Improve(t.Context(), m, lnmu.NMF{}, nil))(t)
	alpha, scaled := must.Two(scaledOf(m, plain.V, plain.W))(t)
	t.Logf("plain %.4f, scaled %.4f (%.4f), improved %.4f", plain.RelativeError, scaled, alpha, res.RelativeError)
	if !(res.RelativeError < scaled && scaled < plain.RelativeError && alpha > 1) {
		t.Errorf("plain %.4f, scaled %.4f (%.4f), improved %.4f", plain.RelativeError, scaled, alpha, res.RelativeError)
	}
	must.AtMost(t, math.Abs(res.RelativeError-0.4685), 0.08*0.4685, "improved")
}

func TestScaled(t *testing.T) {
	m := lnmu.NewDense(2, 3, []float64{2, 4, 0, 4, 8, 0})
	v, w := lnmu.NewDense(2, 1, []float64{1, 2}), lnmu.NewDense(1, 3, []float64{1, 2, 0})
	if alpha, e, err := scaledOf(m, v, w); err != nil || alpha != 2 || e != 0 {
		t.Errorf("exact: %v, %v, %v; want 2, 0", alpha, e, err)
	}
	w.Data[2] = 1 // <M, VW> = 50, ||VW||² = 30, ||M||² = 100
	if alpha, e, err := scaledOf(m, v, w); err != nil || math.Abs(alpha-5./3) > 1e-15 || math.Abs(e-math.Sqrt(1-50.*50/30/100)) > 1e-15 {
		t.Errorf("%v, %v, %v; want 5/3, %v", alpha, e, err, math.Sqrt(1-50.*50/30/100))
	}
	if alpha, e, err := scaledOf(m, lnmu.NewDense[float64](2, 1, nil), w); err != nil || alpha != 0 || e != 1 {
		t.Errorf("V = 0: %v, %v, %v; want 0, 1", alpha, e, err)
	}
	if alpha, e, err := scaledOf(lnmu.NewDense[float64](2, 3, nil), v, w); err != nil || alpha != 1 || e != 0 {
		t.Errorf("M = 0: %v, %v, %v; want 1, 0", alpha, e, err)
	}
	if _, _, err := scaledOf(m, w, v); !errors.Is(err, lnmu.ErrShape) {
		t.Errorf("exchanged factors: %v", err)
	}
	m.Data[0] = -1
	if _, _, err := scaledOf(m, v, w); !errors.Is(err, lnmu.ErrValue) {
		t.Errorf("negative entry: %v", err)
	}
}

func TestImproveErrors(t *testing.T) {
	m := lnmutest.Data[float64](6, 5, 1)
	v, w := lnmu.NewDense[float64](6, 2, nil), lnmu.NewDense[float64](2, 5, nil)
	for _, c := range []struct {
		name     string
		v, w     lnmu.Dense[float64]
		settings *lnmu.Settings
		is       error
		says     string
	}{
		{"start", v, w, &lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSVD}}, lnmu.ErrOption, `start "svd" beside a given one`},
		{"restarts", v, w, &lnmu.Settings{Start: lnmu.Start{Restarts: 2}}, lnmu.ErrOption, "2 restarts from one start"},
		{"iterations", v, w, &lnmu.Settings{Limits: lnmu.Limits{Iterations: -1}}, lnmu.ErrOption, "number of iterations -1 is negative"},
		{"shape of V", w, w, nil, lnmu.ErrShape, "V is 2 x 5, want 6 x 5"},
		{"shape of W", v, v, nil, lnmu.ErrShape, "W is 6 x 2, want 2 x 5"},
		{"value", v, lnmu.NewDense(2, 5, []float64{0, 0, 0, 0, 0, 0, -1, 0, 0, 0}), nil, lnmu.ErrValue, "row 2, column 2 of W = -1 is negative"},
	} {
		res, err := (&lnmu.Result[float64]{V: c.v, W: c.w}).Improve(t.Context(), m, lnmu.NMF{}, c.settings)
		if res != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, error %v", c.name, res, err)
		}
	}
}
