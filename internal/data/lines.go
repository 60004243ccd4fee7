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

// Lines are the rows and columns of a matrix that have an observed entry. A run leaves out the
// others of a scene, such as its pixels without data, and gives them NaN in V and W. New columns
// of a basis need none either. Nil stands for all rows and columns.
type Lines struct {
	rows, cols     []int // those with an observed entry
	ofRows, ofCols int   // how many there are in all
}

// LinesOf returns the rows and columns of a rows x cols matrix that have an observed entry, of
// positive weight. It returns nil if all have one, or none has.
func LinesOf(rows, cols int, mask *lnmu.Mask, weights lnmu.Matrix[float64]) *Lines {
	if mask == nil && weights == nil {
		return nil
	}
	inRow, inCol := make([]bool, rows), make([]bool, cols)
	Observe(inRow, inCol, mask, weights)
	return LinesWith(inRow, inCol)
}

// Observe marks the rows and columns of a matrix that have an observed entry, of positive weight.
func Observe(inRow, inCol []bool, mask *lnmu.Mask, weights lnmu.Matrix[float64]) {
	for i := range inRow {
		for j := range inCol {
			if (mask == nil || mask.Observed(i, j)) && (weights == nil || weights.At(i, j) != 0) {
				inRow[i], inCol[j] = true, true
			}
		}
	}
}

// LinesWith returns the lines that are marked, or nil if all are, or none is.
func LinesWith(inRow, inCol []bool) *Lines {
	l := &Lines{rows: indices(inRow), cols: indices(inCol), ofRows: len(inRow), ofCols: len(inCol)}
	if len(l.rows) == 0 || len(l.rows) == l.ofRows && len(l.cols) == l.ofCols {
		return nil
	}
	return l
}

// In returns the smallest block of the whole matrix that has block b of the lines, and which lines of it they are.
func (l *Lines) In(b matio.Block) (span matio.Block, own *Lines) {
	if l == nil {
		return b, nil
	}
	rows, cols := l.rows[b.I0:b.I1], l.cols[b.J0:b.J1]
	if len(rows) > 0 {
		span.I0, span.I1 = rows[0], rows[len(rows)-1]+1
	}
	if len(cols) > 0 {
		span.J0, span.J1 = cols[0], cols[len(cols)-1]+1
	}
	return span, &Lines{places(rows, span.I0, nil), places(cols, span.J0, nil), span.Rows(), span.Cols()}
}

// Of returns which lines of outer the lines are, which are some of them.
func (l *Lines) Of(outer *Lines) *Lines {
	if outer == nil {
		return l
	}
	return &Lines{places(l.rows, 0, outer.rows), places(l.cols, 0, outer.cols), len(outer.rows), len(outer.cols)}
}

// places returns the places of numbers in an ascending list, which begins with first; nil stands for all numbers
// from there on.
func places(numbers []int, first int, list []int) []int {
	at := make([]int, len(numbers))
	for k, i := range numbers {
		if at[k] = i - first; list != nil {
			at[k], _ = slices.BinarySearch(list, i)
		}
	}
	return at
}

// Rows returns the numbers of the rows, of which nil stands for all.
func (l *Lines) Rows() []int {
	if l == nil {
		return nil
	}
	return l.rows
}

// Cols is Rows for the columns.
func (l *Lines) Cols() []int {
	if l == nil {
		return nil
	}
	return l.cols
}

// Columns returns the columns of l, in all rows.
func (l *Lines) Columns() *Lines {
	if l == nil || len(l.cols) == l.ofCols {
		return nil
	}
	all := make([]int, l.ofRows)
	for i := range all {
		all[i] = i
	}
	return &Lines{all, l.cols, l.ofRows, l.ofCols}
}

// indices returns the indices of true in x.
func indices(x []bool) (at []int) {
	for i, yes := range x {
		if yes {
			at = append(at, i)
		}
	}
	return at
}

// Then returns the lines of the whole matrix that next keeps of the lines of l.
func (l *Lines) Then(next *Lines) *Lines {
	if l == nil || next == nil {
		if l == nil {
			return next
		}
		return l
	}
	of := func(all, kept []int) []int {
		at := make([]int, len(kept))
		for i, k := range kept {
			at[i] = all[k]
		}
		return at
	}
	return &Lines{of(l.rows, next.rows), of(l.cols, next.cols), l.ofRows, l.ofCols}
}

// Dims returns the size of what is left of a rows x cols matrix.
func (l *Lines) Dims(rows, cols int) (int, int) {
	if l == nil {
		return rows, cols
	}
	return len(l.rows), len(l.cols)
}

// Names returns the names of the rows and columns of l, given those of the whole matrix or nil. Those
// without names are named by their numbers if some are left out.
func (l *Lines) Names(rows, cols []string) (ofRows, ofCols []string) {
	if l == nil {
		return rows, cols
	}
	of := func(kept []int, all int, names []string) []string {
		if names == nil && len(kept) == all {
			return nil
		}
		list := make([]string, len(kept))
		for i, k := range kept {
			if list[i] = strconv.Itoa(k + 1); names != nil {
				list[i] = names[k]
			}
		}
		return list
	}
	return of(l.rows, l.ofRows, rows), of(l.cols, l.ofCols, cols)
}

// Mask returns the mask of the lines.
func (l *Lines) Mask(k *lnmu.Mask) *lnmu.Mask {
	if l == nil || k == nil {
		return k
	}
	part := lnmu.NewMask(len(l.rows), len(l.cols))
	for i, row := range l.rows {
		for j, col := range l.cols {
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
	part := lnmu.NewDense[float64](len(l.rows), len(l.cols), nil)
	pick(l, part, w)
	return part
}

// Kept returns the lines of m, the matrix of an open file. It moves them together in the memory of m, or copies
// them if that is the file. work names the work for an error about memory.
func Kept[T lnmu.Float](file *matio.File, l *Lines, m lnmu.Dense[T], work string) (lnmu.Dense[T], error) {
	part, err := kept[T](file, l, m, !file.Mapped(), work)
	d, _ := part.(lnmu.Dense[T])
	return d, err
}

// kept is Kept for a matrix of any kind, whose memory may be used if it is ours.
func kept[T lnmu.Float](file *matio.File, l *Lines, m lnmu.Matrix[T], ours bool, work string) (lnmu.Matrix[T], error) {
	if l == nil {
		return m, nil
	}
	rows, cols := l.Dims(m.Dims())
	part := lnmu.Dense[T]{Rows: rows, Cols: cols, Stride: cols}
	size := int64(unsafe.Sizeof(T(0)))
	switch m := m.(type) {
	case *matio.Lines[T]:
		return nil, fmt.Errorf("%w: rows or columns are left out, of a matrix that stays in its file; leave --scratch out", lnmu.ErrOption)
	case lnmu.CSR[T]:
		if err := m.Validate(); err != nil {
			return nil, err
		}
		if !ours {
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
	for i, row := range l.rows {
		for j, col := range l.cols {
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
	for k, j := range l.cols {
		to[j] = int32(k)
	}
	part := lnmu.CSR[T]{Rows: len(l.rows), Cols: len(l.cols), Ptr: m.Ptr[:1], Idx: m.Idx[:0], Val: m.Val[:0]}
	at, rows := 0, l.rows
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
	all := lnmu.NewDense(l.ofRows, v.Cols, slices.Repeat([]T{x}, l.ofRows*v.Cols))
	for i, row := range l.rows {
		copy(all.Row(row), v.Row(i))
	}
	return all
}

// SpreadCols is Spread for W.
func SpreadCols[T lnmu.Float](l *Lines, w lnmu.Dense[T], x T) lnmu.Dense[T] {
	if l == nil {
		return w
	}
	all := lnmu.NewDense(w.Rows, l.ofCols, slices.Repeat([]T{x}, w.Rows*l.ofCols))
	for k := range w.Rows {
		for j, col := range l.cols {
			all.Row(k)[col] = w.Row(k)[j]
		}
	}
	return all
}

// Unblank finds the rows of V and the columns of W whose entries are all NaN, which a run has left out, and sets
// them to zero. It returns nil if there are none.
func Unblank[T lnmu.Float](v, w lnmu.Dense[T]) *Lines {
	rows, cols := BlankRows(v), BlankRows(w.Transposed())
	if rows == nil && cols == nil {
		return nil
	}
	l := &Lines{rows: others(rows, v.Rows), cols: others(cols, w.Cols), ofRows: v.Rows, ofCols: w.Cols}
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

// BlankRows reports which rows of a factor are NaN as a whole, or returns nil if none is.
func BlankRows[T lnmu.Float](d lnmu.Dense[T]) []bool {
	var blank []bool
	for i := range d.Rows {
		if !slices.ContainsFunc(d.Row(i), func(x T) bool { return x == x }) {
			if blank == nil {
				blank = make([]bool, d.Rows)
			}
			blank[i] = true
		}
	}
	return blank
}

// others returns the places of n that are not out.
func others(out []bool, n int) []int {
	at := make([]int, 0, n)
	for i := range n {
		if out == nil || !out[i] {
			at = append(at, i)
		}
	}
	return at
}

// LeftRows reports for each row of the whole matrix whether it is left out; nil: none is.
func (l *Lines) LeftRows() []bool {
	if l == nil {
		return nil
	}
	return left(l.rows, l.ofRows)
}

// LeftCols is LeftRows for the columns.
func (l *Lines) LeftCols() []bool {
	if l == nil {
		return nil
	}
	return left(l.cols, l.ofCols)
}

func left(kept []int, of int) []bool {
	out := make([]bool, of)
	for i := range out {
		out[i] = true
	}
	for _, i := range kept {
		out[i] = false
	}
	return out
}

// PartRows returns the rows of l of a matrix that has all of them.
func PartRows[T lnmu.Float](l *Lines, d lnmu.Dense[T]) lnmu.Dense[T] {
	if l == nil {
		return d
	}
	part := lnmu.NewDense[T](len(l.rows), d.Cols, nil)
	for i, row := range l.rows {
		copy(part.Row(i), d.Row(row))
	}
	return part
}

// PartCols returns the columns of l of a matrix that has all of them.
func PartCols[T lnmu.Float](l *Lines, d lnmu.Dense[T]) lnmu.Dense[T] {
	if l == nil || d.Rows == 0 {
		return d
	}
	part := lnmu.NewDense[T](d.Rows, len(l.cols), nil)
	for k := range d.Rows {
		for j, col := range l.cols {
			part.Row(k)[j] = d.Row(k)[col]
		}
	}
	return part
}

// String says what is left out.
func (l *Lines) String() string {
	var s []string
	for _, x := range []struct {
		what     string
		kept, of int
	}{{"row", len(l.rows), l.ofRows}, {"column", len(l.cols), l.ofCols}} {
		if x.kept < x.of {
			s = append(s, fmt.Sprintf("%s of %d", render.Plural(x.of-x.kept, x.what), x.of))
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
	bad.Row, bad.Col = l.rows[bad.Row], l.cols[bad.Col]
}

// Missing returns how many entries the other lines have.
func (l *Lines) Missing() int {
	if l == nil {
		return 0
	}
	return l.ofRows*l.ofCols - len(l.rows)*len(l.cols)
}
