package lnmu_test

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/kernel"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/qp"
	"nmu/lnmu/outcome"
)

func TestTransform(t *testing.T) {
	precisions(t, func(t *testing.T) { testTransform[float64](t, 1e-9) },
		func(t *testing.T) { testTransform[float32](t, 1e-4) })
}

// testTransform checks the optimality conditions, formed anew in float64, and
// that a column's weights depend on nothing but the column.
func testTransform[T lnmu.Float](t *testing.T, tolerance float64) {
	m := lnmutest.Data[T](30, 150, 1)
	for i := range m.Rows {
		m.Row(i)[7] = 0
	}
	v := lnmutest.Data[T](30, 6, 2)
	for i := range v.Rows {
		v.Row(i)[3] = 0                     // a factor that does nothing
		v.Row(i)[4] = v.Row(i)[1]           // twins
		v.Row(i)[5] *= T(math.Pow(2, 20))   // another scale
		v.Row(i)[0] = v.Row(i)[0]/2 + 1./64 // dense
	}
	s := lnmu.TransformSettings{Tolerance: tolerance, Iterations: 20000, Threads: 1}
	res := must.Get(transformOf(t.Context(), v, m, &s))(t)
	if res.Stop != outcome.StopTolerance || !(res.KKT <= tolerance) {
		t.Fatalf("ended by %s with KKT residual %.3g", res.Stop, res.KKT)
	}
	var squares, norm float64
	for j := range m.Cols {
		e := make([]float64, m.Rows)
		var size float64
		for i := range e {
			e[i] = float64(m.At(i, j))
			size += e[i] * e[i]
			for k := range v.Cols {
				e[i] -= float64(v.At(i, k)) * float64(res.W.At(k, j))
			}
			squares += e[i] * e[i]
		}
		norm += size
		size = max(math.Sqrt(size), 1e-300)
		for k := range v.Cols {
			var grad, length float64
			for i := range e {
				grad -= float64(v.At(i, k)) * e[i]
				length += float64(v.At(i, k)) * float64(v.At(i, k))
			}
			if length == 0 {
				continue
			}
			length = math.Sqrt(length)
			w := float64(res.W.At(k, j))
			if r := math.Abs(min(w*length, grad/length)) / size; !(w >= 0 && r <= 2*tolerance) {
				t.Errorf("W[%d,%d] = %v with gradient %v, residual %.3g", k, j, w, grad, r)
			}
		}
	}
	must.Below(t, math.Abs(res.RelativeError-math.Sqrt(squares/norm)), 1e-6, "relative error")

	s.Threads = 3
	again := must.Get(transformOf(t.Context(), v, m, &s))(t)
	must.Equal(t, factors.SHA256(again.W), factors.SHA256(res.W), "three threads give other bits than one")
	for _, j := range []int{0, 63, 64, 149} {
		one := lnmu.NewDense[T](m.Rows, 1, nil)
		one.SetTransposed(kernel.Matrix[T]{Rows: 1, Cols: m.Rows, Stride: m.Rows, Data: m.Transposed().Row(j)})
		alone := must.Get(transformOf(t.Context(), v, one, &s))(t)
		for k := range v.Cols {
			must.Equal(t, alone.W.At(k, 0), res.W.At(k, j), "column", j, "alone has other weights than among others")
		}
	}

	warm, err := lnmu.Transform(t.Context(), m, v, res.W, &s)
	if err != nil || warm.IterationsDone != 0 || factors.SHA256(warm.W) != factors.SHA256(res.W) {
		t.Errorf("a start at the solution took %d sweeps or moved it (error %v)", warm.IterationsDone, err)
	}
}

func TestTransformFeasible(t *testing.T) {
	precisions(t, testTransformFeasible[float64],
		testTransformFeasible[float32])
}

// testTransformFeasible checks that nothing is exceeded, and the solution itself
// against the exact step that Factor would make.
func testTransformFeasible[T lnmu.Float](t *testing.T) {
	for _, shape := range [][2]int{{30, 80}, {80, 30}} {
		m, v := lnmutest.Data[T](shape[0], shape[1], 1), lnmutest.Data[T](shape[0], 5, 2)
		res := must.Get(transformOf(t.Context(), v, m, &lnmu.TransformSettings{Feasible: true}))(t)
		if x := literal.Excess(m, v, res.W, nil); x > 0 || res.MaxViolation != 0 {
			t.Errorf("V W exceeds M by %v, MaxViolation is %v", x, res.MaxViolation)
		}
		if res.Stop != outcome.StopTolerance || res.IterationsDone != 0 || !(res.KKT < 1e-12) {
			t.Errorf("%+v", res)
		}
		for j := range m.Cols {
			h := make([]float64, v.Cols)
			qp.New(nil, qp.NewConstraints(nil, matrix.Widen(v.Transposed()), 1e-14), never).Solve(h, matrix.Widen(m.Transposed()).Row(j))
			for k := range h {
				must.AtMost(t, math.Abs(float64(res.W.At(k, j))-h[k]), 1e-5*(1+h[k]), "W[", k, j, "]")
			}
		}
	}
}

// TestTransformRefusals: what has no weights is refused with the place and the reason, and a cancelled run has finished no column.
func TestTransformRefusals(t *testing.T) {
	m, v := lnmutest.Data[float64](6, 5, 1), lnmutest.Data[float64](6, 2, 2)
	start, none := lnmu.NewDense[float64](2, 5, nil), lnmu.Dense[float64]{}
	sparse := func(change func(c *lnmu.CSR[float64])) lnmu.CSR[float64] {
		c := lnmu.NewCSR(m)
		change(&c)
		return c
	}
	with := func(x lnmu.Dense[float64], i, j int, value float64) lnmu.Dense[float64] {
		x = matrix.Clone(x)
		x.Row(i)[j] = value
		return x
	}
	type settings = lnmu.TransformSettings
	for _, c := range []struct {
		v, w lnmu.Dense[float64]
		m    lnmu.Matrix[float64]
		s    settings
		is   error
		says string
	}{
		{v, none, none, settings{}, lnmu.ErrShape, "M is empty"},
		{none, none, m, settings{}, lnmu.ErrShape, "V is empty"},
		{v.Transposed(), none, m, settings{}, lnmu.ErrShape, "V has 2 rows and M has 6"},
		{v.Transposed(), none, lnmu.NewCSR(m), settings{}, lnmu.ErrShape, "V has 2 rows and M has 6"},
		{with(v, 1, 1, -1), none, m, settings{}, lnmu.ErrValue, "row 2, column 2 of V = -1 is negative"},
		{v, none, with(m, 2, 0, math.NaN()), settings{}, lnmu.ErrValue, "row 3, column 1 of M = NaN"},
		{v, none, m, settings{Iterations: -1}, lnmu.ErrOption, "number of iterations -1 is negative"},
		{v, none, m, settings{Threads: -1}, lnmu.ErrOption, "number of threads -1 is negative"},
		{v, none, m, settings{Threads: 4097}, lnmu.ErrOption, "choose 1 to 4096"},
		{v, none, m, settings{Tolerance: math.NaN()}, lnmu.ErrOption, "tolerance NaN"},
		{v, none, m, settings{Feasible: true, Iterations: 3}, lnmu.ErrOption, "iterations or a tolerance for an exact"},
		{v, none, m, settings{Feasible: true, Tolerance: 0.1}, lnmu.ErrOption, "iterations or a tolerance for an exact"},
		{v, start, m, settings{Feasible: true}, lnmu.ErrOption, "a start W for an exact"},
		{v, none, m, settings{Divergence: true, Feasible: true}, lnmu.ErrOption, ""},
		{v, none, m, settings{Divergence: true, SumToOne: true}, lnmu.ErrOption, ""},
		{v, v, m, settings{}, lnmu.ErrShape, "the start W is 6 x 2, want 2 x 5"},
		{v, lnmu.NewDense[float64](0, 0, nil), m, settings{}, lnmu.ErrShape, "the start W is 0 x 0, want 2 x 5"},
		{v, start, none, settings{}, lnmu.ErrShape, "M is empty (0 x 0)"},
		{lnmu.Dense[float64]{Rows: 6, Cols: 2, Stride: 2, Data: v.Data[:3]}, start, m, settings{}, lnmu.ErrShape, "V is 6 x 2 with stride 2 but holds 3 elements"},
		{v, with(start, 1, 1, -1), m, settings{}, lnmu.ErrValue, "row 2, column 2 of W = -1 is negative"},
		{v, none, sparse(func(c *lnmu.CSR[float64]) { c.Val[7] = -1 }), settings{}, lnmu.ErrValue, "of M = -1 is negative"},
		{v, none, sparse(func(c *lnmu.CSR[float64]) { c.Val[0] = 1e200 }), settings{}, lnmu.ErrValue, "overflow"},
		{v, none, sparse(func(c *lnmu.CSR[float64]) { c.Ptr = c.Ptr[:6] }), settings{}, lnmu.ErrShape, "row pointers"},
		{v, none, lnmu.Observed[float64]{Matrix: lnmu.NewCSR(m), StoredOnly: true}, settings{}, lnmu.ErrOption, "make M dense"},
	} {
		if res, err := lnmu.Transform(t.Context(), c.m, c.v, c.w, &c.s); res != nil || !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: result %v, error %v; want %v that says %q", c.s, res, err, c.is, c.says)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, s := range []settings{{}, {Feasible: true}, {Divergence: true}} {
		for _, x := range []lnmu.Matrix[float64]{m, lnmu.NewCSR(m)} {
			if res, err := lnmu.Transform(ctx, x, v, none, &s); res == nil || res.Finished != 0 || res.Stop != outcome.StopCancelled || !errors.Is(err, context.Canceled) {
				t.Errorf("%+v, cancelled: result %v, error %v", s, res, err)
			}
		}
	}
	res, err := transformOf(t.Context(), v, lnmu.NewDense[float64](6, 3, nil), nil)
	if err != nil || res.RelativeError != 0 || kernel.Max(res.W.Data) != 0 {
		t.Errorf("M = 0: %+v, error %v", res, err)
	}
}

// TestTransformPaper holds back every tenth face and finds weights for it in the
// basis of the others.
func TestTransformPaper(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("100 iterations at rank 49: with NMU_FULL only")
	}
	long(t)
	m := readSet[float32](t, "CBCL.mat")
	train, held := lnmu.NewDense[float32](m.Rows, 0, nil), lnmu.NewDense[float32](m.Rows, 0, nil)
	for j := range m.Cols {
		if j%10 == 9 {
			held.Cols++
		} else {
			train.Cols++
		}
	}
	for i := range m.Rows {
		for j, x := range m.Row(i) {
			if j%10 == 9 {
				held.Data = append(held.Data, x)
			} else {
				train.Data = append(train.Data, x)
			}
		}
	}
	held.Stride, train.Stride = held.Cols, train.Cols
	for _, c := range []struct {
		method   lnmu.Method
		feasible bool
	}{{lnmu.NMF{}, false}, {lnmu.GNMU{Feasible: lnmu.FeasibleFinal}, true}} {
		model := must.Get(lnmu.Factor(t.Context(), train, 49, c.method, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 100}}))(t)
		res := must.Get(transformOf(t.Context(), model.V, held, &lnmu.TransformSettings{Feasible: c.feasible}))(t)
		t.Logf("%s: %.4f for %d columns, %.4f for %d new ones (%s after %d sweeps)", lnmutest.NameOf(c.method),
			model.RelativeError, train.Cols, res.RelativeError, held.Cols, res.Stop, res.IterationsDone)
		must.AtMost(t, math.Abs(res.RelativeError/model.RelativeError-1), 0.1, lnmutest.NameOf(c.method), "relative error", res.RelativeError, "for the new columns", model.RelativeError, "for the others")
		if c.feasible && (res.MaxViolation != 0 || literal.Excess(held, model.V, res.W, nil) > 0) {
			t.Errorf("%s: V W exceeds the new columns by %v", lnmutest.NameOf(c.method), res.MaxViolation)
		}
	}
}
