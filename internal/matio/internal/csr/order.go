package csr

import (
	"slices"
	"sort"

	"nmu/internal/matio/internal/input"
)

// canonical sorts the entries of each row by column, adds repeated entries of one place, and
// drops zeros, all in place.
func canonical(f *input.File, ptr []int, idx []int32, val []float64) ([]int32, []float64) {
	n, start, added, row := 0, 0, 0, &row{}
	for i := range len(ptr) - 1 {
		end := ptr[i+1]
		if row.idx, row.val = idx[start:end], val[start:end]; !slices.IsSorted(row.idx) {
			sort.Stable(row)
		}
		for k := start; k < end; {
			j, v := idx[k], val[k]
			for k++; k < end && idx[k] == j; k++ {
				v += val[k]
				added++
			}
			if v != 0 {
				idx[n], val[n] = j, v
				n++
			}
		}
		start, ptr[i+1] = end, n
	}
	if added > 0 {
		f.Note("added up: %s with the row and column of another", input.Counted(added, "entry", "entries"))
	}
	return idx[:n], val[:n]
}

// row is the entries of a row, which package sort sorts by column.
type row struct {
	idx []int32
	val []float64
}

func (r *row) Len() int           { return len(r.idx) }
func (r *row) Less(i, j int) bool { return r.idx[i] < r.idx[j] }
func (r *row) Swap(i, j int) {
	r.idx[i], r.idx[j], r.val[i], r.val[j] = r.idx[j], r.idx[i], r.val[j], r.val[i]
}
