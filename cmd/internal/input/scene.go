package input

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unsafe"

	"nmu/cmd/internal/message"
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

// Span returns the smallest block of the whole matrix that has block b of the lines.
func (l *Lines) Span(b matio.Block) matio.Block {
	if l == nil {
		return b
	}
	ends := func(lines []int, first, last int) (int, int) {
		if first == last {
			return 0, 0
		}
		return lines[first], lines[last-1] + 1
	}
	b.I0, b.I1 = ends(l.rows, b.I0, b.I1)
	b.J0, b.J1 = ends(l.cols, b.J0, b.J1)
	return b
}

// Within returns the lines of block b as lines of its span.
func (l *Lines) Within(b matio.Block) *Lines {
	if l == nil {
		return nil
	}
	span := l.Span(b)
	from := func(lines []int, first int) []int {
		at := make([]int, len(lines))
		for k, i := range lines {
			at[k] = i - first
		}
		return at
	}
	return &Lines{from(l.rows[b.I0:b.I1], span.I0), from(l.cols[b.J0:b.J1], span.J0), span.Rows(), span.Cols()}
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

// Whole is the reverse of Mask: the entries of the other lines are missing.
func (l *Lines) Whole(k *lnmu.Mask) *lnmu.Mask {
	if l == nil {
		return k
	}
	whole := lnmu.NewMask(l.ofRows, l.ofCols)
	for i := range l.ofRows {
		for j := range l.ofCols {
			whole.Set(i, j, false)
		}
	}
	for i, row := range l.rows {
		for j, col := range l.cols {
			whole.Set(row, col, k == nil || k.Observed(i, j))
		}
	}
	return whole
}

// Weights returns the weights of the lines.
func (l *Lines) Weights(w lnmu.Matrix[float64]) lnmu.Matrix[float64] {
	if l == nil || w == nil {
		return w
	}
	return within(l.rows, l.cols, w)
}

// Within returns a copy of the lines of m, or m itself if l is nil.
func Within[T lnmu.Float](l *Lines, m lnmu.Dense[T]) lnmu.Dense[T] {
	if l == nil {
		return m
	}
	return within[T](l.rows, l.cols, m)
}

// Kept is Within for the matrix m of an open file. work names the work for an error about memory.
func Kept[T lnmu.Float](file *matio.File, l *Lines, m lnmu.Dense[T], work string) (part lnmu.Dense[T], err error) {
	if l == nil {
		return m, nil
	}
	rows, cols := l.Dims(m.Rows, m.Cols)
	if err := file.Reserve(int64(rows)*int64(cols)*int64(unsafe.Sizeof(T(0))), work); err != nil {
		return part, err
	}
	err = file.Guard(func() error {
		part = Within(l, m)
		return nil
	})
	return part, err
}

func within[T lnmu.Float](rows, cols []int, m lnmu.Matrix[T]) lnmu.Dense[T] {
	part := lnmu.NewDense[T](len(rows), len(cols), nil)
	for i, row := range rows {
		to := part.Row(i)
		for j, col := range cols {
			to[j] = m.At(row, col)
		}
	}
	return part
}

// Factors returns V and W of the whole matrix, given those of the lines. The other rows of V and
// columns of W are zero.
func Factors[T lnmu.Float](l *Lines, v, w lnmu.Dense[T]) (lnmu.Dense[T], lnmu.Dense[T]) {
	if l == nil {
		return v, w
	}
	allV, allW := lnmu.NewDense[T](l.ofRows, v.Cols, nil), lnmu.NewDense[T](w.Rows, l.ofCols, nil)
	for i, row := range l.rows {
		copy(allV.Row(row), v.Row(i))
	}
	for k := range w.Rows {
		for j, col := range l.cols {
			allW.Row(k)[col] = w.Row(k)[j]
		}
	}
	return allV, allW
}

// Blank returns copies of V and W of the whole matrix with NaN in the other lines, or V and W
// themselves if l is nil.
func Blank[T lnmu.Float](l *Lines, v, w lnmu.Dense[T]) (lnmu.Dense[T], lnmu.Dense[T]) {
	if l == nil {
		return v, w
	}
	blank := T(math.NaN())
	v, w = lnmu.NewDense(v.Rows, v.Cols, slices.Concat(rowsOf(v)...)), lnmu.NewDense(w.Rows, w.Cols, slices.Concat(rowsOf(w)...))
	for i, out := range l.LeftRows() {
		for k := range v.Cols {
			if out {
				v.Row(i)[k] = blank
			}
		}
	}
	for j, out := range l.LeftCols() {
		for k := range w.Rows {
			if out {
				w.Row(k)[j] = blank
			}
		}
	}
	return v, w
}

// Unblank is the reverse of Blank: it finds the rows of V and the columns of W whose entries are all NaN,
// and sets them to zero. It returns nil if there are none.
func Unblank[T lnmu.Float](v, w lnmu.Dense[T]) *Lines {
	rows, cols := BlankRows(v), BlankRows(w.Transposed())
	if rows == nil && cols == nil {
		return nil
	}
	l := &Lines{rows: kept(rows, v.Rows), cols: kept(cols, w.Cols), ofRows: v.Rows, ofCols: w.Cols}
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

// kept returns the places of n that are not out.
func kept(out []bool, n int) []int {
	at := make([]int, 0, n)
	for i := range n {
		if out == nil || !out[i] {
			at = append(at, i)
		}
	}
	return at
}

// rowsOf returns the rows of a matrix.
func rowsOf[T lnmu.Float](d lnmu.Dense[T]) [][]T {
	rows := make([][]T, d.Rows)
	for i := range rows {
		rows[i] = d.Row(i)
	}
	return rows
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

// Part returns V and W of the lines, given those of the whole matrix.
func Part[T lnmu.Float](l *Lines, v, w lnmu.Dense[T]) (lnmu.Dense[T], lnmu.Dense[T]) {
	if l == nil {
		return v, w
	}
	return PartRows(l, v), within[T](kept(nil, w.Rows), l.cols, w)
}

// PartCSR returns a sparse matrix without the entries of the lines that are left out, and the matrix of the
// lines of l.
func PartCSR[T lnmu.Float](l *Lines, m lnmu.CSR[T]) (without, part lnmu.CSR[T]) {
	if l == nil {
		return m, m
	}
	to := make([]int32, m.Cols) // the column of part, or -1
	for j := range to {
		to[j] = -1
	}
	for k, j := range l.cols {
		to[j] = int32(k)
	}
	without = lnmu.CSR[T]{Rows: m.Rows, Cols: m.Cols, Ptr: make([]int, 1, m.Rows+1)}
	part = lnmu.CSR[T]{Rows: len(l.rows), Cols: len(l.cols), Ptr: make([]int, 1, len(l.rows)+1)}
	for i, out := range l.LeftRows() {
		for at := m.Ptr[i]; at < m.Ptr[i+1] && !out; at++ {
			if j := m.Idx[at]; to[j] >= 0 {
				without.Idx, part.Idx = append(without.Idx, j), append(part.Idx, to[j])
				without.Val = append(without.Val, m.Val[at])
			}
		}
		without.Ptr = append(without.Ptr, len(without.Idx))
		if !out {
			part.Ptr = append(part.Ptr, len(part.Idx))
		}
	}
	part.Val = without.Val // the same numbers
	return without, part
}

// PartRows returns the rows of l of a matrix that has all of them.
func PartRows[T lnmu.Float](l *Lines, d lnmu.Dense[T]) lnmu.Dense[T] {
	if l == nil {
		return d
	}
	return within[T](l.rows, kept(nil, d.Cols), d)
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
	return message.Enumerate(s, "and")
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
