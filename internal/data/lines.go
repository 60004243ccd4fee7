package data

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"nmu/internal/matio"
	"nmu/internal/render"
	"nmu/lnmu"
)

// Lines are the rows and columns of a matrix that have an observed entry. A run on a file leaves out the
// others, such as the pixels of a scene without data, and gives them NaN in V and W. New columns
// of a basis need none either. Nil stands for all rows and columns.
type Lines struct{ rows, cols axis }

// axis is the rows or the columns of a matrix, some of which are kept.
type axis struct {
	kept []int // their numbers, which ascend
	of   int   // the number of all
}

// axisOf returns those of n rows or columns of which keeps is true.
func axisOf(n int, keeps func(i int) bool) axis {
	a := axis{make([]int, 0, n), n}
	for i := range n {
		if keeps(i) {
			a.kept = append(a.kept, i)
		}
	}
	return a
}

// without returns n rows or columns but for those that are marked; nil: none.
func without(out []bool, n int) axis {
	return axisOf(n, func(i int) bool { return out == nil || !out[i] })
}

// between returns the smallest range that has lines first to last-1 of a, and which numbers of it these are.
func (a axis) between(first, last int) (begin, end int, own axis) {
	some := a.kept[first:last]
	if len(some) > 0 {
		begin, end = some[0], some[len(some)-1]+1
	}
	own = axis{make([]int, len(some)), end - begin}
	for k, i := range some {
		own.kept[k] = i - begin
	}
	return begin, end, own
}

// among returns which of the lines of outer those of a are, which are some of them.
func (a axis) among(outer axis) axis {
	at := axis{make([]int, len(a.kept)), len(outer.kept)}
	for k, i := range a.kept {
		at.kept[k], _ = slices.BinarySearch(outer.kept, i)
	}
	return at
}

// then returns the lines of the whole matrix that next keeps of those of a.
func (a axis) then(next axis) axis {
	at := axis{make([]int, len(next.kept)), a.of}
	for i, k := range next.kept {
		at.kept[i] = a.kept[k]
	}
	return at
}

// names returns the names of the lines, given those of all or nil. Without names, lines are named by their numbers if
// some are left out.
func (a axis) names(all []string) []string {
	if all == nil && len(a.kept) == a.of {
		return nil
	}
	list := make([]string, len(a.kept))
	for i, k := range a.kept {
		if list[i] = strconv.Itoa(k + 1); all != nil {
			list[i] = all[k]
		}
	}
	return list
}

// left reports for each line whether it is left out.
func (a axis) left() []bool {
	out := make([]bool, a.of)
	for i := range out {
		_, in := slices.BinarySearch(a.kept, i)
		out[i] = !in
	}
	return out
}

// linesOf returns the rows and columns of a rows x cols matrix that have an observed entry, of
// positive weight. It returns nil if all have one, or none has.
func linesOf(rows, cols int, mask *lnmu.Mask, weights lnmu.Matrix[float64]) *Lines {
	if mask == nil && weights == nil {
		return nil
	}
	inRow, inCol := make([]bool, rows), make([]bool, cols)
	observe(inRow, inCol, mask, weights)
	return linesWith(inRow, inCol)
}

// observe marks the rows and columns of a matrix that have an observed entry, of positive weight.
func observe(inRow, inCol []bool, mask *lnmu.Mask, weights lnmu.Matrix[float64]) {
	for i := range inRow {
		for j := range inCol {
			if !(inRow[i] && inCol[j]) && (mask == nil || mask.Observed(i, j)) && (weights == nil || weights.At(i, j) != 0) {
				inRow[i], inCol[j] = true, true
			}
		}
	}
}

// linesWith returns the lines that are marked, or nil if all are, or none is.
func linesWith(inRow, inCol []bool) *Lines {
	l := &Lines{axisOf(len(inRow), func(i int) bool { return inRow[i] }), axisOf(len(inCol), func(j int) bool { return inCol[j] })}
	if len(l.rows.kept) == 0 || l.Missing() == 0 {
		return nil
	}
	return l
}

// In returns the smallest block of the whole matrix that has block b of the lines, and which lines of it they are.
func (l *Lines) In(b matio.Block) (span matio.Block, own *Lines) {
	if l == nil {
		return b, nil
	}
	own = new(Lines)
	span.I0, span.I1, own.rows = l.rows.between(b.I0, b.I1)
	span.J0, span.J1, own.cols = l.cols.between(b.J0, b.J1)
	return span, own
}

// Of returns which lines of outer the lines are, which are some of them.
func (l *Lines) Of(outer *Lines) *Lines {
	if outer == nil {
		return l
	}
	return &Lines{l.rows.among(outer.rows), l.cols.among(outer.cols)}
}

// Kept returns the numbers of the rows and of the columns, nil for all.
func (l *Lines) Kept() (rows, cols []int) {
	if l == nil {
		return nil, nil
	}
	return l.rows.kept, l.cols.kept
}

// Whole returns the size of the whole matrix.
func (l *Lines) Whole() (rows, cols int) { return l.rows.of, l.cols.of }

// Columns returns the columns of l, in all rows.
func (l *Lines) Columns() *Lines {
	if l == nil || len(l.cols.kept) == l.cols.of {
		return nil
	}
	return &Lines{without(nil, l.rows.of), l.cols}
}

// Then returns the lines of the whole matrix that next keeps of the lines of l.
func (l *Lines) Then(next *Lines) *Lines {
	switch {
	case l == nil:
		return next
	case next == nil:
		return l
	}
	return &Lines{l.rows.then(next.rows), l.cols.then(next.cols)}
}

// Dims returns the size of what is left of a rows x cols matrix.
func (l *Lines) Dims(rows, cols int) (int, int) {
	if l == nil {
		return rows, cols
	}
	return len(l.rows.kept), len(l.cols.kept)
}

// Names returns the names of the rows and columns of l, given those of the whole matrix or nil. Those
// without names are named by their numbers if some are left out.
func (l *Lines) Names(rows, cols []string) (ofRows, ofCols []string) {
	if l == nil {
		return rows, cols
	}
	return l.rows.names(rows), l.cols.names(cols)
}

// Mask returns the mask of the lines.
func (l *Lines) Mask(k *lnmu.Mask) *lnmu.Mask {
	if l == nil || k == nil {
		return k
	}
	part := lnmu.NewMask(len(l.rows.kept), len(l.cols.kept))
	for i, row := range l.rows.kept {
		for j, col := range l.cols.kept {
			part.Set(i, j, k.Observed(row, col))
		}
	}
	return part
}

// Weights returns the weights of the lines.
func (l *Lines) Weights(w lnmu.Matrix[float64]) lnmu.Matrix[float64] {
	if l == nil || w == nil {
		return w
	}
	return part(l, w)
}

// Kept returns the lines of m, the matrix of an open file. It moves them together in the memory of m if that is ours, and
// else copies them. work names the work for an error about memory.
func Kept[T lnmu.Float](file *matio.File, l *Lines, m lnmu.Matrix[T], ours bool, work string) (lnmu.Matrix[T], error) {
	if l == nil {
		return m, nil
	}
	rows, cols := l.Dims(m.Dims())
	part := lnmu.Dense[T]{Rows: rows, Cols: cols, Stride: cols}
	size := int64(unsafe.Sizeof(T(0)))
	switch m := m.(type) {
	case lnmu.CSR[T]:
		if !ours {
			if err := m.Validate(); err != nil {
				return nil, err
			}
			if err := file.Reserve(int64(len(m.Val))*(size+4)+8*int64(len(m.Ptr)), work); err != nil {
				return nil, err
			}
			m.Ptr, m.Idx, m.Val = slices.Clone(m.Ptr), slices.Clone(m.Idx), slices.Clone(m.Val)
		}
		return KeptCSR(l, m), nil
	case lnmu.Dense[T]:
		if ours {
			part.Data = m.Data[:rows*cols]
			pick(l, part, m)
			return part, nil
		}
	}
	if err := file.Reserve(int64(rows)*int64(cols)*size, work); err != nil {
		return nil, err
	}
	part.Data = make([]T, rows*cols)
	return part, file.Guard(func() error {
		pick(l, part, m)
		return nil
	})
}

// pick sets to to the lines of m, in order, so that they may have the same memory.
func pick[T lnmu.Float](l *Lines, to lnmu.Dense[T], m lnmu.Matrix[T]) {
	for i, row := range l.rows.kept {
		for j, col := range l.cols.kept {
			to.Row(i)[j] = m.At(row, col)
		}
	}
}

// KeptCSR returns the lines of a sparse matrix, in its memory.
func KeptCSR[T lnmu.Float](l *Lines, m lnmu.CSR[T]) lnmu.CSR[T] {
	if l == nil {
		return m
	}
	to := make([]int32, m.Cols) // the new index, or -1
	for j := range to {
		to[j] = -1
	}
	for k, j := range l.cols.kept {
		to[j] = int32(k)
	}
	part := lnmu.CSR[T]{Rows: len(l.rows.kept), Cols: len(l.cols.kept), Ptr: m.Ptr[:1], Idx: m.Idx[:0], Val: m.Val[:0]}
	at, rows := 0, l.rows.kept
	for i := range m.Rows {
		end := m.Ptr[i+1] // before it is written
		if len(rows) > 0 && rows[0] == i {
			for ; at < end; at++ {
				if j := to[m.Idx[at]]; j >= 0 {
					part.Idx, part.Val = append(part.Idx, j), append(part.Val, m.Val[at])
				}
			}
			part.Ptr, rows = append(part.Ptr, len(part.Idx)), rows[1:]
		}
		at = end
	}
	return part
}

// Spread returns V and W of the whole matrix, given those of the lines, with x in the other rows of V and columns
// of W.
func Spread[T lnmu.Float](l *Lines, v, w lnmu.Dense[T], x T) (lnmu.Dense[T], lnmu.Dense[T]) {
	return SpreadRows(l, v, x), SpreadCols(l, w, x)
}

// SpreadRows is Spread for V.
func SpreadRows[T lnmu.Float](l *Lines, v lnmu.Dense[T], x T) lnmu.Dense[T] {
	if l == nil {
		return v
	}
	return spread(&Lines{l.rows, without(nil, v.Cols)}, v, x)
}

// SpreadCols is Spread for W.
func SpreadCols[T lnmu.Float](l *Lines, w lnmu.Dense[T], x T) lnmu.Dense[T] {
	if l == nil {
		return w
	}
	return spread(&Lines{without(nil, w.Rows), l.cols}, w, x)
}

// spread returns a matrix that has d in the lines of l, and else x.
func spread[T lnmu.Float](l *Lines, d lnmu.Dense[T], x T) lnmu.Dense[T] {
	all := lnmu.NewDense(l.rows.of, l.cols.of, slices.Repeat([]T{x}, l.rows.of*l.cols.of))
	for i, row := range l.rows.kept {
		for j, col := range l.cols.kept {
			all.Row(row)[col] = d.Row(i)[j]
		}
	}
	return all
}

// Blank returns the rows of V and the columns of W that a run has not left out. The entries of the others are all NaN.
// It returns nil if there are none.
func Blank[T lnmu.Float](v, w lnmu.Dense[T]) *Lines {
	kept := func(d lnmu.Dense[T]) axis {
		return axisOf(d.Rows, func(i int) bool { return slices.ContainsFunc(d.Row(i), func(x T) bool { return x == x }) })
	}
	l := &Lines{kept(v), kept(w.Transposed())}
	if len(l.rows.kept) == v.Rows && len(l.cols.kept) == w.Cols {
		return nil
	}
	return l
}

// Unblank is Blank, and sets the others to zero.
func Unblank[T lnmu.Float](v, w lnmu.Dense[T]) *Lines {
	l := Blank(v, w)
	rows, cols := l.Left()
	for i, out := range rows {
		if out {
			clear(v.Row(i))
		}
	}
	for j, out := range cols {
		for k := range w.Rows {
			if out {
				w.Row(k)[j] = 0
			}
		}
	}
	return l
}

// Left reports for each row and for each column of the whole matrix whether it is left out; nil: none is.
func (l *Lines) Left() (rows, cols []bool) {
	if l == nil {
		return nil, nil
	}
	return l.rows.left(), l.cols.left()
}

// PartRows returns the rows of l of a matrix that has all of them.
func PartRows[T lnmu.Float](l *Lines, d lnmu.Dense[T]) lnmu.Dense[T] {
	if l == nil {
		return d
	}
	return part(&Lines{l.rows, without(nil, d.Cols)}, d)
}

// PartCols returns the columns of l of a matrix that has all of them.
func PartCols[T lnmu.Float](l *Lines, d lnmu.Dense[T]) lnmu.Dense[T] {
	if l == nil || d.Rows == 0 {
		return d
	}
	return part(&Lines{without(nil, d.Rows), l.cols}, d)
}

// part returns a copy of the lines of m.
func part[T lnmu.Float](l *Lines, m lnmu.Matrix[T]) lnmu.Dense[T] {
	d := lnmu.NewDense[T](len(l.rows.kept), len(l.cols.kept), nil)
	pick(l, d, m)
	return d
}

// String says what is left out.
func (l *Lines) String() string {
	var s []string
	for _, x := range []struct {
		what string
		axis
	}{{"row", l.rows}, {"column", l.cols}} {
		if left := x.of - len(x.kept); left > 0 {
			s = append(s, fmt.Sprintf("%s of %d", render.Plural(left, x.what), x.of))
		}
	}
	return strings.Join(s, " and ")
}

// Locate makes an error about an entry of the lines of M or of its weights name its position in the
// whole matrix.
func (l *Lines) Locate(err error) {
	var bad *lnmu.ValueError
	if l == nil || !errors.As(err, &bad) || bad.Matrix != "M" && bad.Matrix != "the weights" {
		return
	}
	for _, x := range []struct {
		at   *int // -1 for all of the axis
		kept []int
	}{{&bad.Row, l.rows.kept}, {&bad.Col, l.cols.kept}} {
		if *x.at >= 0 {
			*x.at = x.kept[*x.at]
		}
	}
}

// Missing returns how many entries the other lines have.
func (l *Lines) Missing() int {
	if l == nil {
		return 0
	}
	return l.rows.of*l.cols.of - len(l.rows.kept)*len(l.cols.kept)
}
