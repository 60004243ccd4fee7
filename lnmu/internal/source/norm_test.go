package source

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/start"
	"nmu/lnmu/internal/tree"
)

// drawn returns an m x n matrix of numbers below 1.
func drawn[T kernel.Float](m, n int) kernel.Matrix[T] {
	x, _ := start.Draw[T](m, 1, n, 5, false, core.Part{Whole: m}.Window(m, 1))
	return x
}

// TestNorm compares with sums formed one by one along the tree, tall and wide, by rows
// and by columns, with any number of threads.
func TestNorm(t *testing.T) {
	t.Run("float64", testNorm[float64])
	t.Run("float32", testNorm[float32])
}

func testNorm[T kernel.Float](t *testing.T) {
	for _, shape := range [][2]int{{1200, 330}, {330, 1200}, {7, 5}, {1, 900}} {
		m := drawn[T](shape[0], shape[1])
		m.Row(0)[1] = 3.5
		long := max(m.Rows, m.Cols)
		size, count := group.Slabs(long)
		var squares []float64
		for slab := range count {
			var sum float64
			for i := range m.Rows {
				row := m.Row(i)
				if m.Cols > m.Rows {
					row = row[slab*size : min((slab+1)*size, long)]
				} else if i/size != slab {
					continue
				}
				sum += float64(kernel.SumSquares(row))
			}
			squares = append(squares, sum)
		}
		want := math.Sqrt(tree.Sum(squares, func(a, b float64) float64 { return a + b }))
		for _, turned := range []bool{false, true} {
			s := Whole(m)
			if turned {
				s.Memory, s.ByColumns = m.Transposed(), true
			}
			for _, threads := range []int{1, 2, 5} {
				got, most, err := s.Norm("M", threads)
				if err != nil || got != want || most != 3.5 {
					t.Errorf("%v, turned %v, %d threads: norm %v, largest %v, error %v; want %v, 3.5", shape, turned, threads, got, most, err, want)
				}
			}
		}
	}
}

// TestNormOfRows: an error is about the first bad row of M, and about its whole
// length, also where the slabs are columns.
func TestNormOfRows(t *testing.T) {
	const rows, cols = 4, 1000
	with := func(set func(d kernel.Matrix[float32])) kernel.Matrix[float32] {
		d := drawn[float32](rows, cols)
		set(d)
		return d
	}
	fill := func(row []float32, x float32) { copy(row, slices.Repeat([]float32{x}, len(row))) }
	for name, c := range map[string]struct {
		m    kernel.Matrix[float32]
		says string
	}{
		"the first row, the last slab": {with(func(d kernel.Matrix[float32]) { d.Row(3)[0], d.Row(1)[900] = -1, -2 }), "row 2, column 901 of M = -2 is negative"},
		"not a number":                 {with(func(d kernel.Matrix[float32]) { d.Row(2)[999] = float32(math.NaN()) }), "row 3, column 1000 of M = NaN"},
		"a large row":                  {with(func(d kernel.Matrix[float32]) { fill(d.Row(1), 1e18) }), "the squares of row 2 of M overflow"},
		"a small row":                  {with(func(d kernel.Matrix[float32]) { fill(d.Row(3), 1e-30) }), "the squares of row 4 of M underflow"},
		"a large part of a row":        {with(func(d kernel.Matrix[float32]) { fill(d.Row(3)[:100], 1e18) }), ""},
		"a small part of a row":        {with(func(d kernel.Matrix[float32]) { fill(d.Row(3)[:500], 1e-30) }), ""},
	} {
		_, _, err := Whole(c.m).Norm("M", 2)
		if c.says == "" && err != nil || c.says != "" && (!errors.Is(err, fault.ErrValue) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: error %v, want %q", name, err, c.says)
		}
	}
}
