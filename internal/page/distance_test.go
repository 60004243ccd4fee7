package page

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"nmu/internal/literal"
	"nmu/internal/must"
	"nmu/lnmu"
)

// near reports whether two numbers differ by rounding.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(b)) }

// What Look measures is what is written down here, of dense and sparse matrices and in
// both precisions, also where there are several blocks of rows and columns.
func TestLook(t *testing.T) {
	for _, size := range [][2]int{{9, 7}, {150, 90}, {70, 4500}} {
		rows, cols := size[0], size[1]
		m, v, w := random(rows, cols, 2, 1), random(rows, 3, 1, 2), random(3, cols, 1, 3)
		most := slices.Max(m.Data)
		d := Look(m, nil, v, w, most)
		row, col := make([]gap, rows), make([]gap, cols)
		var all gap
		for i := range rows {
			for j := range cols {
				x := m.At(i, j)
				r := x
				for k := range 3 {
					r -= v.At(i, k) * w.At(k, j)
				}
				r, x = r*d.scale, x*d.scale
				for _, g := range []*gap{&row[i], &col[j], &all} {
					g.all += x * x
					if r > 0 {
						g.left += r * r
					} else {
						g.over += r * r
					}
				}
			}
		}
		for _, x := range []struct{ got, want []gap }{{d.row, row}, {d.col, col}} {
			if len(x.got) != len(x.want) {
				t.Fatalf("%d of %d", len(x.got), len(x.want))
			}
			for i, g := range x.got {
				if want := x.want[i]; !near(g.left, want.left) || !near(g.over, want.over) || !near(g.all, want.all) {
					t.Fatalf("%d x %d, %d: %v, want %v", rows, cols, i, g, want)
				}
			}
		}
		if e, whole := d.RelativeError(); !whole || !near(e, all.relative()) {
			t.Errorf("relative error %v of all %v, want %v", e, whole, all.relative())
		}
		is, js := spread(rows, mostHeatRows), spread(cols, mostHeatCols)
		for n, i := range is {
			for c, j := range js {
				want := m.At(i, j)
				for k := range 3 {
					want -= v.At(i, k) * w.At(k, j)
				}
				if got := d.heat.data[n*len(js)+c]; !near(got, want*d.scale) {
					t.Fatalf("heat map at %d, %d: %v, want %v", i, j, got, want*d.scale)
				}
			}
		}
		for _, c := range d.columns {
			if c.errors[0] != 1 || !near(c.errors[3], col[c.j].relative()) {
				t.Errorf("errors of column %d: %v, want 1 to %v", c.j, c.errors, col[c.j].relative())
			}
			for i, x := range c.m {
				if x != m.At(i, c.j) {
					t.Fatalf("column %d, row %d: %v", c.j, i, x)
				}
			}
		}
		worst := func(a, b int) int { return int(math.Copysign(1, col[a].relative()-col[b].relative())) }
		if js := spread(cols, cols); d.worst != slices.MaxFunc(js, worst) || d.best != slices.MinFunc(js, worst) {
			t.Errorf("best %d, worst %d", d.best, d.worst)
		}

		s, _ := Measure(SparseSource(lnmu.NewCSR(m), false), v, w, most)
		if !slices.Equal(s.row, d.row) || !slices.Equal(s.col, d.col) || !slices.Equal(s.heat.data, d.heat.data) {
			t.Error("a sparse matrix is measured in another way")
		}
		narrow := Look(literal.As[float32](m), nil, literal.As[float32](v), literal.As[float32](w), most)
		if e, _ := narrow.RelativeError(); math.Abs(e-all.relative()) > 1e-5 {
			t.Errorf("in float32 the relative error is %v, want %v", e, all.relative())
		}
	}
}

// Of a matrix with many rows some are looked at, and entries that are unknown count for
// nothing.
func TestLookAtSamples(t *testing.T) {
	rows := mostSide + 5
	m, v, w := lnmu.NewDense[float32](rows, 1, nil), lnmu.NewDense[float32](rows, 1, nil), lnmu.NewDense(1, 1, []float32{2})
	for i := range m.Data {
		m.Data[i], v.Data[i] = 4, 1
	}
	d := Look(m, nil, v, w, 4)
	if e, whole := d.RelativeError(); whole || e != 0.5 || len(d.is) != mostSide || d.is[mostSide-1] != rows-1 {
		t.Errorf("error %v of all %v, of %d rows", e, whole, len(d.is))
	}

	unknown := random(5, 6, 1, 1)
	unknown.Data[7] = 0.5
	want := Look(unknown, nil, lnmu.NewDense[float64](5, 1, nil), lnmu.NewDense[float64](1, 6, nil), 1)
	unknown.Data[7] = math.NaN()
	got := Look(unknown, nil, lnmu.NewDense[float64](5, 1, nil), lnmu.NewDense[float64](1, 6, nil), 1)
	seen := lnmu.NewMask(5, 6)
	seen.Set(1, 1, false)
	unknown.Data[7] = 99
	if masked := Look(unknown, seen, lnmu.NewDense[float64](5, 1, nil), lnmu.NewDense[float64](1, 6, nil), 1); !slices.Equal(masked.row, got.row) || !slices.Equal(masked.col, got.col) {
		t.Error("an entry that is not observed counts")
	}
	if e, _ := got.RelativeError(); e != 1 || got.row[1].all >= want.row[1].all || got.row[2] != want.row[2] {
		t.Errorf("with an unknown entry the error is %v", e)
	}
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		n, k int
		want []int
	}{{5, 9, []int{0, 1, 2, 3, 4}}, {5, 3, []int{0, 2, 4}}, {100, 4, []int{0, 33, 66, 99}}, {7, 1, []int{0}}, {0, 3, []int{}}} {
		if got := spread(c.n, c.k); !slices.Equal(got, c.want) {
			t.Errorf("spread(%d, %d) is %v, want %v", c.n, c.k, got, c.want)
		}
	}
}

func TestTop(t *testing.T) {
	x := []float64{0, 3, 1, 3, math.NaN(), 5, 1}
	at := func(i int) float64 { return x[i] }
	for n, want := range [][]int{{5}, {5, 1}, {5, 1, 3}, {5, 1, 3, 2}, {5, 1, 3, 2, 6}, {5, 1, 3, 2, 6}} {
		must.EqualSlices(t, Top(len(x), at, n+1), want, "the", n+1, "largest")
	}
}

// A reduced picture is the mean over blocks, in either order of pixels.
func TestReduce(t *testing.T) {
	for _, byRows := range []bool{false, true} {
		p := Pixels{Height: 3, Width: 4, ByRows: byRows}
		x := make([]float64, 12)
		for y := range 3 {
			for z := range 4 {
				x[p.At(y, z)] = float64(10*y + z)
			}
		}
		data, height, width := p.reduce(func(i int) float64 { return x[i] }, 4)
		if height != 2 || width != 2 || !slices.Equal(data, []float64{5.5, 7.5, 20.5, 22.5}) {
			t.Errorf("by rows %v: %d x %d, %v", byRows, height, width, data)
		}
		data, height, width = p.reduce(func(i int) float64 { return x[i] }, 100)
		if height != 3 || width != 4 || data[5] != 11 {
			t.Errorf("by rows %v: %d x %d, %v", byRows, height, width, data)
		}
	}
}

// TestMeasureByColumns: what Measure finds does not depend on the order in which M is read, nor on
// the size of the blocks, and each entry is read once, and again in the columns that are shown.
func TestMeasureByColumns(t *testing.T) {
	for _, size := range [][2]int{{9, 7}, {700, 500}, {70, 4500}, {4500, 70}} {
		rows, cols := size[0], size[1]
		m, v, w := random(rows, cols, 2, 1), random(rows, 3, 1, 2), random(3, cols, 1, 3)
		seen := lnmu.NewMask(rows, cols)
		for i := range rows {
			seen.Set(i, i%cols, false)
		}
		want := fmt.Sprint(Look(m, seen, v, w, 2))
		for _, byColumns := range []bool{false, true} {
			x, entries := DenseSource(m, seen), 0
			read := x.Read
			x.ByColumns = byColumns
			x.Read = func(is, js []int, to lnmu.Dense[float64]) error {
				if byColumns && len(is) < rows || !byColumns && len(js) < min(cols, mostColumns-3) {
					t.Errorf("%d x %d, by columns %v: a block of %d x %d", rows, cols, byColumns, len(is), len(js))
				}
				entries += len(is) * len(js)
				return read(is, js, to)
			}
			got := must.Get(Measure(x, v, w, 2))(t)
			must.Equal(t, fmt.Sprint(got), want, rows, "x", cols, "by columns", byColumns, "another distance")
			if again := len(got.columns) * rows; entries != rows*cols+again {
				t.Errorf("%d x %d, by columns %v: %d entries are read, want %d and %d", rows, cols, byColumns, entries, rows*cols, again)
			}
		}
	}
}

// TestPick: a matrix in another order is measured as one in its own, and a row that is absent as one of missing entries.
func TestPick(t *testing.T) {
	const rows, cols = 50, 70
	m, v, w := random(rows, cols, 2, 1), random(rows, 3, 1, 2), random(3, cols, 1, 3)
	seen, there := lnmu.NewMask(rows, cols), lnmu.NewMask(rows, cols)
	seen.Set(1, 2, false)
	there.Set(1, 2, false)
	other, byRow, byCol := lnmu.NewDense[float64](rows, cols, nil), make([]int, rows), make([]int, cols)
	for i := range rows {
		byRow[i] = (7*i + 3) % rows
		for j := range cols {
			byCol[j] = (11*j + 5) % cols
			other.Row(byRow[i])[byCol[j]] = m.At(i, j)
			seen.Set(i, j, seen.Observed(i, j) && i%9 != 4)
		}
		if i%9 == 4 {
			byRow[i] = -1
		}
	}
	want := fmt.Sprint(Look(m, seen, v, w, 2))
	for name, x := range map[string]Source[float64]{"dense": DenseSource(other, nil), "sparse": SparseSource(lnmu.NewCSR(other), false)} {
		got := must.Get(Measure(x.Pick(byRow, byCol, math.NaN()).Seen(there), v, w, 2))(t)
		must.Equal(t, fmt.Sprint(got), want, name, "another distance")
	}
}

// TestMeasureFails: an error of the source is that of Measure, in either pass.
func TestMeasureFails(t *testing.T) {
	m, v, w := random(9, 7, 2, 1), random(9, 3, 1, 2), random(3, 7, 1, 3)
	for after := range 2 {
		x, torn := DenseSource(m, nil), errors.New("torn")
		read := x.Read
		x.Read = func(is, js []int, to lnmu.Dense[float64]) error {
			if after--; after < 0 {
				return torn
			}
			return read(is, js, to)
		}
		must.Refuse(Measure(x, v, w, 2))(t, torn, "", "error")
	}
}
