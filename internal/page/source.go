package page

import (
	"math"
	"slices"

	"nmu/lnmu"
)

// Source is a matrix M that is read by blocks.
type Source[T lnmu.Float] struct {
	Rows, Cols int

	// ByColumns says that whole columns of M are read fastest, else whole rows. Blocks then have all
	// columns that are asked for, or all rows.
	ByColumns bool

	// Read sets entry (n, t) of to to entry (is[n], js[t]) of M, or to NaN if that is missing. The
	// numbers in is and js ascend.
	Read func(is, js []int, to lnmu.Dense[T]) error
}

// DenseSource returns a matrix in memory. Without a mask all of its entries are observed.
func DenseSource[T lnmu.Float](m lnmu.Dense[T], seen *lnmu.Mask) Source[T] {
	return Source[T]{Rows: m.Rows, Cols: m.Cols, Read: func(is, js []int, to lnmu.Dense[T]) error {
		for n, i := range is {
			row := m.Row(i)
			for t, j := range js {
				to.Row(n)[t] = row[j]
			}
		}
		return nil
	}}.Seen(seen)
}

// Seen returns the matrix without the entries that a mask does not observe; nil observes all.
func (s Source[T]) Seen(seen *lnmu.Mask) Source[T] {
	read := s.Read
	s.Read = func(is, js []int, to lnmu.Dense[T]) error {
		err := read(is, js, to)
		Hide(seen, is, js, to)
		return err
	}
	return s
}

// Pick returns the matrix whose row i is row rows[i] of s, and whose column j is column cols[j]. Where such a number is
// negative, its entries are absent. A nil list takes all as they are.
func (s Source[T]) Pick(rows, cols []int, absent T) Source[T] {
	if rows == nil && cols == nil {
		return s
	}
	read := s.Read
	if rows != nil {
		s.Rows = len(rows)
	}
	if cols != nil {
		s.Cols = len(cols)
	}
	s.Read = func(is, js []int, to lnmu.Dense[T]) error {
		is, ofRows := picked(rows, is)
		js, ofCols := picked(cols, js)
		for n := range to.Rows {
			for t := range to.Row(n) {
				to.Row(n)[t] = absent
			}
		}
		if len(is) == 0 || len(js) == 0 {
			return nil
		}
		block := lnmu.NewDense[T](len(is), len(js), nil)
		err := read(is, js, block)
		for n, i := range ofRows {
			for t, j := range ofCols {
				to.Row(i)[j] = block.Row(n)[t]
			}
		}
		return err
	}
	return s
}

// picked returns the numbers of[i] for all i in at, ascending, but for negative ones, and the place of each in at.
func picked(of, at []int) (sorted, places []int) {
	places = spread(len(at), len(at))
	if of == nil {
		return at, places
	}
	places = slices.DeleteFunc(places, func(n int) bool { return of[at[n]] < 0 })
	slices.SortFunc(places, func(a, b int) int { return of[at[a]] - of[at[b]] })
	for _, n := range places {
		sorted = append(sorted, of[at[n]])
	}
	return sorted, places
}

// Hide makes the entries of a block NaN that a mask does not observe; nil observes all.
func Hide[T lnmu.Float](seen *lnmu.Mask, is, js []int, block lnmu.Dense[T]) {
	if seen == nil {
		return
	}
	for n, i := range is {
		row := block.Row(n)
		for t, j := range js {
			if !seen.Observed(i, j) {
				row[t] = T(math.NaN())
			}
		}
	}
}

// SparseSource returns a sparse matrix in memory. Entries that are not stored are missing if
// missing, else zero.
func SparseSource[T lnmu.Float](m lnmu.CSR[T], missing bool) Source[T] {
	return Source[T]{Rows: m.Rows, Cols: m.Cols, Read: func(is, js []int, to lnmu.Dense[T]) error {
		for n, i := range is {
			Expand(m, i, missing, js, to.Row(n))
		}
		return nil
	}}
}

// Expand writes columns js of row i of a sparse matrix to a slice, as SparseSource does.
func Expand[T lnmu.Float](m lnmu.CSR[T], i int, missing bool, js []int, to []T) {
	absent := T(0)
	if missing {
		absent = T(math.NaN())
	}
	for n := range to {
		to[n] = absent
	}
	idx, val := m.Idx[m.Ptr[i]:m.Ptr[i+1]], m.Val[m.Ptr[i]:m.Ptr[i+1]]
	t, _ := slices.BinarySearch(idx, int32(js[0]))
	for n := 0; t < len(idx) && n < len(js); t++ {
		j := int(idx[t])
		for n < len(js) && js[n] < j {
			n++
		}
		if n < len(js) && js[n] == j {
			to[n] = val[t]
		}
	}
}

// blockArea is the number of entries of M in a block, if a row or a column of it has no more.
const blockArea = 1 << 18

// walk reads rows is and columns js of M by blocks and calls do for each, with the places of its
// first row and column in is and js. The blocks of a row, and those of a column, come in ascending
// order. The block is valid during the call.
func (s Source[T]) walk(is, js []int, do func(begin, left int, block lnmu.Dense[T])) error {
	high, wide := s.shape(len(is), len(js))
	data := make([]T, high*wide)
	for left := 0; left < len(js); left += wide {
		inCols := js[left:min(left+wide, len(js))]
		for begin := 0; begin < len(is); begin += high {
			inRows := is[begin:min(begin+high, len(is))]
			block := lnmu.NewDense(len(inRows), len(inCols), data[:len(inRows)*len(inCols)])
			if err := s.Read(inRows, inCols, block); err != nil {
				return err
			}
			do(begin, left, block)
		}
	}
	return nil
}

// shape returns the rows and columns of the blocks in which so many of either are read.
func (s Source[T]) shape(rows, cols int) (high, wide int) {
	if s.ByColumns {
		return rows, min(cols, max(1, blockArea/rows))
	}
	return min(rows, max(1, blockArea/cols)), cols
}
