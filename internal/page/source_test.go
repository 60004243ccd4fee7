package page

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"nmu/lnmu"
)

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
			got, err := Measure(x, v, w, 2)
			if err != nil || fmt.Sprint(got) != want {
				t.Errorf("%d x %d, by columns %v: another distance, error %v", rows, cols, byColumns, err)
			}
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
		got, err := Measure(x.Pick(byRow, byCol, math.NaN()).Seen(there), v, w, 2)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: another distance, error %v", name, err)
		}
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
		if _, err := Measure(x, v, w, 2); !errors.Is(err, torn) {
			t.Errorf("error %v", err)
		}
	}
}
