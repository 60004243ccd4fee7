package lnmu_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/support"
)

// TestAcceleratedExact runs the accelerated solver on data of exactly low rank, where
// the error that is taken from products cancels: it goes down to rounding, in both
// precisions and whether M is dense or sparse, never up, and what is said of it is true.
func TestAcceleratedExact(t *testing.T) {
	testAcceleratedExact[float64](t, 1e-9)
	testAcceleratedExact[float32](t, 3e-4)
}

func testAcceleratedExact[T lnmu.Float](t *testing.T, most float64) {
	const rank = 3
	for _, shape := range [][2]int{{60, 25}, {25, 60}} {
		v, w := lnmutest.RandomStart[T](shape[0], shape[1], rank, 5)
		for i := range v.Data { // parts, which are unique
			if i%rank != i/rank%rank {
				v.Data[i] = 0
			}
		}
		m := literal.As[T](literal.Product(v, w))
		settings := &lnmu.Settings{Start: lnmu.Start{Restarts: 3}, Limits: lnmu.Limits{Iterations: 500, TargetError: 1e-300, CheckEvery: 1}}
		method := lnmu.NMF{Solver: lnmu.SolverAccelerated}
		dense := must.Get(lnmu.Factor(t.Context(), m, rank, method, settings))(t)
		sparse := must.Get(lnmu.Factor(t.Context(), lnmu.NewCSR(m), rank, method, settings))(t)
		for name, res := range map[string]*lnmu.Result[T]{"dense": dense, "sparse": sparse} {
			var squares, all float64
			for i := range m.Rows {
				for j, x := range m.Row(i) {
					e := float64(x) - literal.Entry(res.V, res.W, i, j)
					squares += e * e
					all += float64(x) * float64(x)
				}
			}
			e := math.Sqrt(squares / all)
			if !(e <= most) || !(abs(res.RelativeError-e) <= 2*matrix.Epsilon[T]()) {
				t.Errorf("%T, %v, %s: error %v, of the factors %v, want at most %v", T(0), shape, name, res.RelativeError, e, most)
			}
			last := 1.0
			for k, e := range res.Blocks[0].History {
				if e*e > last*last+2*matrix.Epsilon[T]() {
					t.Errorf("%T, %v, %s: the error rises from %v to %v in iteration %d", T(0), shape, name, last, e, k+1)
				}
				last = e
			}
		}
	}
}

// TestAcceleratedImprove checks that the supports are kept, and that the error is no
// larger than that of the paper's steps.
func TestAcceleratedImprove(t *testing.T) {
	for _, shape := range [][2]int{{70, 30}, {30, 70}} {
		m := lnmutest.Data[float64](shape[0], shape[1], 2)
		start := must.Get(lnmu.Factor(t.Context(), m, 5, lnmu.GNMU{}, &lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Limits: lnmu.Limits{Iterations: 30}}))(t)
		plain := must.Get(start.Improve(t.Context(), m, lnmu.NMF{Solver: lnmu.SolverHALS}, nil))(t)
		quick, err := start.Improve(t.Context(), m, lnmu.NMF{Solver: lnmu.SolverAccelerated}, nil)
		if err != nil || quick.Blocks[0].IterationsDone != 100 || !(quick.RelativeError <= plain.RelativeError*(1+1e-6)) {
			t.Errorf("%v: error %v, accelerated %+v, %v", shape, plain.RelativeError, quick.RelativeError, err)
		}
		start.V, start.W = support.Round(start.V, start.W, group.Self{})
		for _, x := range []struct{ from, to lnmu.Dense[float64] }{{start.V, quick.V}, {start.W, quick.W}} {
			for i, a := range x.from.Data {
				if a == 0 && x.to.Data[i] != 0 {
					t.Fatalf("%v: a zero became %v", shape, x.to.Data[i])
				}
			}
		}
	}
}

// TestAcceleratedPermuted: from a start that is permuted as M is, HALS and the accelerated
// solver of up to two sweeps find the same V W, permuted. More sweeps end by blocks.
func TestAcceleratedPermuted(t *testing.T) {
	permuted := func(d lnmu.Dense[float64], by func(i int) int) lnmu.Dense[float64] {
		p := lnmu.NewDense[float64](d.Rows, d.Cols, nil)
		for i := range p.Rows {
			copy(p.Row(i), d.Row(by(i)))
		}
		return p
	}
	for _, shape := range [][2]int{{260, 121}, {121, 260}} {
		rows, cols := shape[0], shape[1]
		m := lnmutest.Data[float64](rows, cols, 3)
		v, w := lnmutest.RandomStart[float64](rows, cols, 4, 7)
		ofRows := func(d lnmu.Dense[float64]) lnmu.Dense[float64] {
			return permuted(d, func(i int) int { return (7*i + 3) % rows })
		}
		ofColumns := func(d lnmu.Dense[float64]) lnmu.Dense[float64] {
			return permuted(d.Transposed(), func(j int) int { return (7*j + 3) % cols }).Transposed()
		}
		for _, c := range []struct {
			method lnmu.NMF
			same   bool
		}{
			{lnmu.NMF{Solver: lnmu.SolverHALS}, true}, {lnmu.NMF{Solver: lnmu.SolverAccelerated, Sweeps: 1}, true}, {lnmu.NMF{Solver: lnmu.SolverAccelerated, Sweeps: 2}, true},
			{lnmu.NMF{Solver: lnmu.SolverAccelerated}, false},
		} {
			product := func(m, v, w lnmu.Dense[float64]) lnmu.Dense[float64] {
				res := must.Get(lnmu.FactorFrom(t.Context(), m, v, w, c.method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 5}}))(t)
				return literal.Product(res.V, res.W)
			}
			want := ofColumns(ofRows(product(m, v, w)))
			must.Equal(t, literal.Apart(product(ofColumns(ofRows(m)), ofRows(v), ofColumns(w)), want) <= 1e-9, c.same, shape, c.method, "V W differ by")
		}
	}
}

// TestNormsStayNear checks that momentum does not drive the norms of V_:k and W_k: apart where a part of M
// is fitted exactly, so that its scale changes no error.
func TestNormsStayNear(t *testing.T) {
	blocks := func(m, n int) (data []float64) {
		for i := range 6 * m {
			for j := range 6 * n {
				data = append(data, map[bool]float64{true: 1}[i/m == j/n])
			}
		}
		return data
	}
	for _, c := range []struct {
		name             string
		rows, cols, rank int
		data             []float64
	}{
		{"blocks", 18, 12, 6, blocks(3, 2)}, {"wide blocks", 12, 48, 6, blocks(2, 8)}, {"a row", 1, 2, 1, []float64{1, 2}}, {"a column", 3, 1, 1, []float64{1, 2, 5}},
		{"a long row", 1, 6 * 36, 1, blocks(1, 6)}, {"one entry", 1, 1, 1, []float64{7}}, {"rank one", 3, 2, 1, []float64{1, 2, 2, 4, 3, 6}},
		{"rank one, tiny", 2, 2, 1, []float64{1e-140, 2e-140, 2e-140, 4e-140}}, {"rank one, huge", 2, 2, 1, []float64{1e140, 2e140, 2e140, 4e140}},
	} {
		for _, method := range []lnmu.Method{lnmu.NMF{Solver: lnmu.SolverAccelerated}, lnmu.KL{}, lnmu.KL{Solver: lnmu.SolverCoordinate}} {
			m := lnmu.NewDense(c.rows, c.cols, c.data)
			for _, x := range []lnmu.Matrix[float64]{m, lnmu.NewCSR(m)} {
				checkNorms(t, c.name, x, c.rank, method)
			}
			if a := c.data[0]; a > 1e-30 && a < 1e30 { // within the range of float32
				checkNorms(t, c.name, literal.As[float32](m), c.rank, method)
			}
		}
	}
}

// checkNorms checks the norms of all parts after many iterations.
func checkNorms[T lnmu.Float](t *testing.T, name string, m lnmu.Matrix[T], rank int, method lnmu.Method) {
	t.Helper()
	res, err := lnmu.Factor(t.Context(), m, rank, method, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 900 / rank}, Start: lnmu.Start{Restarts: 1}})
	if err != nil {
		t.Fatalf("%s, %T, %+v: %v", name, m, method, err)
	}
	v, w := gonum.To(res.V), gonum.To(res.W)
	for k := range rank {
		ofV, ofW := mat.Norm(v.ColView(k), 2), mat.Norm(w.RowView(k), 2)
		if ofV > 0 && ofW > 0 && !(max(ofV/ofW, ofW/ofV) < 10) {
			t.Errorf("%s, %T, %+v: the norms of part %d are %v and %v", name, m, method, k, ofV, ofW)
		}
	}
}
