package data

import "nmu/lnmu"

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
