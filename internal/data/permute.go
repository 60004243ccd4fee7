package data

import (
	"cmp"
	"slices"

	"nmu/lnmu"
)

// PermuteRows permutes the rows of d in place: row i becomes the earlier row order[i]. A nil order
// changes nothing.
func PermuteRows[T lnmu.Float](d lnmu.Dense[T], order []int) {
	moved, first := make([]bool, len(order)), make([]T, d.Cols)
	for begin := range order {
		if moved[begin] {
			continue
		}
		copy(first, d.Row(begin)) // of a cycle
		i := begin
		for moved[i] = true; order[i] != begin; moved[i] = true {
			copy(d.Row(i), d.Row(order[i]))
			i = order[i]
		}
		copy(d.Row(i), first)
	}
}

// PermuteCols permutes the columns of d in place: column j becomes the earlier column order[j]. A nil
// order changes nothing.
func PermuteCols[T lnmu.Float](d lnmu.Dense[T], order []int) {
	if order == nil {
		return
	}
	earlier := make([]T, d.Cols)
	for i := range d.Rows {
		row := d.Row(i)
		copy(earlier, row)
		for j, from := range order {
			row[j] = earlier[from]
		}
	}
}

// PermuteCSR returns m with the rows and columns in the orders of PermuteRows and PermuteCols. It takes as much memory
// as m, unless both orders are nil.
func PermuteCSR[T lnmu.Float](m lnmu.CSR[T], rows, cols []int) lnmu.CSR[T] {
	if rows == nil && cols == nil {
		return m
	}
	index := make([]int32, m.Cols) // of an earlier column
	for j := range index {
		index[j] = int32(j)
	}
	for j, from := range cols {
		index[from] = int32(j)
	}
	type entry struct {
		col int32
		val T
	}
	var row []entry
	to := lnmu.CSR[T]{Rows: m.Rows, Cols: m.Cols, Ptr: make([]int, 1, m.Rows+1), Idx: make([]int32, 0, len(m.Idx)), Val: make([]T, 0, len(m.Val))}
	for i := range m.Rows {
		if rows != nil {
			i = rows[i]
		}
		row = row[:0]
		for k := m.Ptr[i]; k < m.Ptr[i+1]; k++ {
			row = append(row, entry{index[m.Idx[k]], m.Val[k]})
		}
		slices.SortFunc(row, func(a, b entry) int { return cmp.Compare(a.col, b.col) })
		for _, e := range row {
			to.Idx, to.Val = append(to.Idx, e.col), append(to.Val, e.val)
		}
		to.Ptr = append(to.Ptr, len(to.Idx))
	}
	return to
}
