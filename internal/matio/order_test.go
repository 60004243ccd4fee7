package matio_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"nmu/internal/matio/internal/csr"
	"nmu/internal/matio/internal/input"
	"nmu/internal/must"
)

// Rows of every length, over few and many columns, agree with a stable sort by comparison. Their sums of repeated entries depend on the order of the file.
func TestRowsInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, cols := range []int{1, 5, 257, math.MaxInt32} {
		for _, length := range []int{0, 1, 2, 33, 300, 10_000} {
			e := input.Entries{ByRow: true, Ptr: []int{0, 2, 2 + length, 4 + length}}
			e.Minor = append(e.Minor, 0, int32(cols-1))
			for range length {
				e.Minor = append(e.Minor, int32(rng.IntN(cols)))
			}
			e.Minor = append(e.Minor, int32(cols-1), 0)
			for range e.Minor {
				e.Val = append(e.Val, []float64{0, 1, -1, 1e17, -1e17, 3, math.NaN()}[rng.IntN(6+rng.IntN(100)/99)])
			}
			wantPtr, wantIdx, wantVal := literal(e)
			f := input.New("a", 1<<40)
			f.Rows, f.Cols = 3, cols
			ptr, idx, val := must.Three(csr.Of[float64](f, e))(t)
			same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b }
			if !slices.Equal(ptr, wantPtr) || !slices.Equal(idx, wantIdx) || !slices.EqualFunc(val, wantVal, same) {
				t.Errorf("%d columns, a row of %d: the entries differ from those of a stable sort", cols, length)
			}
		}
	}
}

// literal is the compressed sparse row form of e, by a stable sort.
func literal(e input.Entries) (ptr []int, idx []int32, val []float64) {
	type entry struct {
		j int32
		v float64
	}
	ptr = []int{0}
	for i := range len(e.Ptr) - 1 {
		var row []entry
		for k := e.Ptr[i]; k < e.Ptr[i+1]; k++ {
			row = append(row, entry{e.Minor[k], e.Val[k]})
		}
		slices.SortStableFunc(row, func(a, b entry) int { return int(a.j) - int(b.j) })
		for k := 0; k < len(row); {
			sum := row[k]
			for k++; k < len(row) && row[k].j == sum.j; k++ {
				sum.v += row[k].v
			}
			if sum.v != 0 {
				idx, val = append(idx, sum.j), append(val, sum.v)
			}
		}
		ptr = append(ptr, len(idx))
	}
	return ptr, idx, val
}
