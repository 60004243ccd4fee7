package matio

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A sparse matrix has at most rowFloor + rowRatio*(bytes of the file) rows.
const (
	rowFloor = 1 << 20
	rowRatio = 64
)

// entries are the elements of a sparse matrix as its file lists them: by lines
// (rows if byRow, else columns) with pointers, or one by one. Those with pointers
// are read anew for each call of File.entries, so they may be changed.
type entries struct {
	byRow bool
	ptr   []int     // line i is minor[ptr[i]:ptr[i+1]]; nil if one by one
	major []int32   // the line of each entry if one by one
	minor []int32   // place within the line
	val   []float64 // nil if all are 1
}

// Sparse returns the matrix of f in compressed sparse row form: the entries of
// row i are val[ptr[i]:ptr[i+1]] in the columns idx[ptr[i]:ptr[i+1]], which
// increase strictly. Entries of one place are added, in the order of the file
// and in float64, and zeros are dropped. NaN stays.
//
// Where f is dense the error wraps ErrNotSparse. A matrix of more than 2^31-1
// columns, or of so many empty rows that they are out of proportion to the
// file, is ErrTooLarge. Time is O(nonzeros + rows) where the entries of each row
// are in order, with a logarithmic factor where they are not; memory is at most
// about 32 bytes per stored entry and 16 per row.
func Sparse[T Float](f *File) (rows, cols int, ptr []int, idx []int32, val []T, err error) {
	switch {
	case f.closed:
		err = closedError(f)
	case f.entries == nil:
		err = fmt.Errorf("%s: the file holds a dense matrix: %w", f.path, ErrNotSparse)
	}
	if err != nil {
		return 0, 0, nil, nil, nil, err
	}
	keep := f.scratch()
	var e entries
	if err = f.Fits(f.entriesSize(sizeOf[T](1)), reading); err == nil {
		e, err = f.entries()
	}
	if err == nil {
		ptr, idx, val, err = csr[T](f, e)
	}
	if err != nil {
		keep(0)
		return 0, 0, nil, nil, nil, err
	}
	keep(sizeOf[int](int64(cap(ptr))) + sizeOf[int32](int64(cap(idx))) + sizeOf[T](int64(cap(val))))
	rows, cols = f.Dims()
	return rows, cols, ptr, idx, val, nil
}

// csr brings the entries of f, or of the transpose if that is asked for, into
// the form that Sparse promises.
func csr[T Float](f *File, e entries) (ptr []int, idx []int32, val []T, err error) {
	rows, cols := f.Dims()
	if cols > math.MaxInt32 {
		return nil, nil, nil, f.tooLarge("a sparse matrix of %d columns: at most %d are possible", cols, math.MaxInt32)
	}
	var v []float64
	if e.ptr != nil && e.byRow != f.opt.Transpose {
		ptr, idx, v = e.ptr, e.minor, e.val
	} else {
		if limit := rowFloor + rowRatio*f.size; int64(rows) > limit {
			return nil, nil, nil, f.tooLarge("a sparse matrix of %d rows in a file of %d bytes: at most %d rows are read from that", rows, f.size, limit)
		}
		if ptr, idx, v, err = e.sortByRow(f, rows, e.byRow != f.opt.Transpose); err != nil {
			return nil, nil, nil, err
		}
	}
	if idx, v, err = canonical(f, ptr, idx, v); err != nil {
		return nil, nil, nil, err
	}
	if d, ok := any(v).([]T); ok {
		return ptr, idx, d, nil
	}
	if val, err = alloc[T](f, int64(len(v))); err != nil {
		return nil, nil, nil, err
	}
	to := narrow[T](f)
	for i := range rows {
		for k := ptr[i]; k < ptr[i+1]; k++ {
			if val[k] = T(v[k]); val[k] == 0 && v[k] != 0 {
				to.lose(v[k], i, int(idx[k]))
			}
		}
	}
	if err := to.check(func(i int) []T { return val[ptr[i]:ptr[i+1]] }); err != nil {
		return nil, nil, nil, err
	}
	// A float64 that is not zero may be zero in T.
	if n := squeeze(ptr, idx, val); n < len(val) {
		idx, val = idx[:n], val[:n]
	}
	return ptr, idx, val, nil
}

// sortByRow sorts the entries stably by row with a counting sort. lines says that
// the lines of e are the rows; else its lines are the columns.
func (e *entries) sortByRow(f *File, rows int, lines bool) (ptr []int, idx []int32, val []float64, err error) {
	if ptr, err = alloc[int](f, int64(rows)+1); err != nil {
		return nil, nil, nil, err
	}
	row := e.minor
	if lines {
		row = e.major // entries with pointers to lines that are rows are sorted
	}
	for _, i := range row {
		ptr[i+1]++
	}
	for i := range rows {
		ptr[i+1] += ptr[i]
	}
	if idx, err = alloc[int32](f, int64(len(row))); err != nil {
		return nil, nil, nil, err
	}
	if val, err = alloc[float64](f, int64(len(row))); err != nil {
		return nil, nil, nil, err
	}
	// ptr[i] moves to the end of row i, which is the start of row i+1.
	put := func(i, j int32, k int) {
		p := ptr[i]
		ptr[i]++
		idx[p], val[p] = j, 1
		if e.val != nil {
			val[p] = e.val[k]
		}
	}
	switch {
	case e.ptr != nil:
		for j := range len(e.ptr) - 1 {
			for k := e.ptr[j]; k < e.ptr[j+1]; k++ {
				put(row[k], int32(j), k)
			}
		}
	case lines:
		for k, i := range row {
			put(i, e.minor[k], k)
		}
	default:
		for k, i := range row {
			put(i, e.major[k], k)
		}
	}
	copy(ptr[1:], ptr)
	ptr[0] = 0
	return ptr, idx, val, nil
}

// canonical sorts the entries of each row by column, adds those of one place, and
// drops zeros, all in place.
func canonical(f *File, ptr []int, idx []int32, val []float64) ([]int32, []float64, error) {
	type entry struct {
		j int32
		v float64
	}
	longest := 0 // of the rows that are not in order
	for i := range len(ptr) - 1 {
		if row := idx[ptr[i]:ptr[i+1]]; len(row) > longest && !slices.IsSorted(row) {
			longest = len(row)
		}
	}
	line, err := alloc[entry](f, int64(longest))
	if err != nil {
		return nil, nil, err
	}
	n, start := 0, 0
	for i := range len(ptr) - 1 {
		end := ptr[i+1]
		if !slices.IsSorted(idx[start:end]) {
			line = line[:0]
			for k := start; k < end; k++ {
				line = append(line, entry{idx[k], val[k]})
			}
			slices.SortStableFunc(line, func(a, b entry) int { return cmp.Compare(a.j, b.j) })
			for k, e := range line {
				idx[start+k], val[start+k] = e.j, e.v
			}
		}
		for k := start; k < end; {
			j, v := idx[k], val[k]
			for k++; k < end && idx[k] == j; k++ {
				v += val[k]
			}
			if v != 0 {
				idx[n], val[n] = j, v
				n++
			}
		}
		start, ptr[i+1] = end, n
	}
	return idx[:n], val[:n], nil
}

// squeeze drops zeros in place and returns how many entries are left.
func squeeze[T Float](ptr []int, idx []int32, val []T) int {
	n, start := 0, 0
	for i := range len(ptr) - 1 {
		end := ptr[i+1]
		for k := start; k < end; k++ {
			if val[k] != 0 {
				idx[n], val[n] = idx[k], val[k]
				n++
			}
		}
		start, ptr[i+1] = end, n
	}
	return n
}

// pointers reads n+1 pointers into nnz entries, those of n lines from the given one on,
// and returns them as they count from the first of them, which is base.
func (f *File) pointers(s *numbers, what string, line, n, nnz int64) (ptr []int, base int64, err error) {
	if ptr, err = alloc[int](f, n+1); err != nil {
		return nil, 0, err
	}
	last := int64(0)
	err = s.eachInt(n+1, func(i int, v int64) error {
		if err := f.pointer(s, what, line+int64(i), v, last, nnz); err != nil {
			return err
		}
		if i == 0 {
			base = v
		}
		last = v
		if ptr[i] = int(v - base); int64(ptr[i]) != v-base {
			return f.tooLarge("%d entries do not fit in memory", v-base)
		}
		return nil
	})
	return ptr, base, err
}

// pointer checks pointer i, which is v; the one before it is last.
func (f *File) pointer(s *numbers, what string, i, v, last, nnz int64) error {
	switch {
	case i == 0 && v != 0:
		return f.bad(s.off, "%s[0] = %d, must be 0", what, v)
	case v < 0 || v > nnz:
		return f.bad(s.off, "%s[%d] = %d is outside the %d entries", what, i, v, nnz)
	case v < last:
		return f.bad(s.off, "%s[%d] = %d is less than %s[%d] = %d", what, i, v, what, i-1, last)
	}
	return nil
}

// indices reads n indices, each less than bound.
func (f *File) indices(s *numbers, what string, n int64, bound int) ([]int32, error) {
	idx, err := alloc[int32](f, n)
	if err != nil {
		return nil, err
	}
	err = s.eachInt(n, func(i int, v int64) error {
		idx[i] = int32(v)
		return f.index(s, what, int64(i), v, bound)
	})
	return idx, err
}

// index checks index i, which is v and must be less than bound.
func (f *File) index(s *numbers, what string, i, v int64, bound int) error {
	if v < 0 || v >= int64(bound) {
		return f.bad(s.off, "%s[%d] = %d is outside 0 to %d", what, i, v, bound-1)
	}
	if v > math.MaxInt32 {
		return f.tooLarge("%s[%d] = %d: indices up to %d are possible", what, i, v, math.MaxInt32)
	}
	return nil
}

// entryValues reads n numbers.
func (f *File) entryValues(s *numbers, n int64) ([]float64, error) {
	val, err := alloc[float64](f, n)
	if err != nil {
		return nil, err
	}
	return val, s.next(val)
}
