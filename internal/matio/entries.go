package matio

import (
	"errors"
	"fmt"
	"math"
)

// errOnce is the error for entries of a text file that are asked for a second time.
var errOnce = errors.New("the entries of a text file can be read once")

// ExpandLimit returns how many elements a sparse matrix of so many entries may have if
// it is made dense.
func ExpandLimit(entries int64) int64 { return expandFloor + expandRatio*entries }

// ByRow says whether Entries goes through the matrix row by row.
func (f *File) ByRow() bool {
	return f.scipy != nil && f.scipy.format != "coo" && (f.scipy.format == "csr") != f.opt.Transpose
}

// Stored returns how many entries the file lists, zeros and those of one place among
// them, 0 if it does not say so.
func (f *File) Stored() int64 {
	switch {
	case f.scipy != nil:
		return f.scipy.member["data"].count()
	case f.read != nil:
		return int64(len(f.read.minor))
	}
	return f.listed
}

// Float32 says whether float32 holds every number as it is stored.
func (f *File) Float32() bool {
	switch {
	case f.scipy != nil:
		return f.scipy.member["data"].elements().single()
	case f.parts != nil:
		return f.parts.single()
	}
	a, ok := f.data.(array)
	return ok && a.elements().single()
}

// Entries calls do for each entry of a sparse matrix that the file lists, in its order;
// those of one place are to be added. It takes little memory for a .npz file, a folder
// and, with Options.Spill, a text file, of which the entries can be read once only. An
// error of do ends it. Too many rows, where an empty one takes no place in the file, are
// ErrTooLarge as in Sparse.
func Entries(f *File, do func(i, j int32, v float64) error) error {
	if f.closed {
		return closedError(f)
	}
	if f.entries == nil {
		return fmt.Errorf("%s: the file holds a dense matrix: %w", f.path, ErrNotSparse)
	}
	if rows, cols := f.Dims(); max(rows, cols) > math.MaxInt32 {
		return f.tooLarge("a sparse matrix of %d x %d: at most %d rows or columns are possible", rows, cols, math.MaxInt32)
	}
	if err := f.checkRows(); err != nil && !f.ByRow() {
		return err
	}
	put := do
	if f.opt.Transpose {
		put = func(i, j int32, v float64) error { return do(j, i, v) }
	}
	switch {
	case f.stream != nil:
		read := f.stream
		f.stream = func(func(i, j int32, v float64) error) error { return fmt.Errorf("%s: %w", f.path, errOnce) }
		return read(put)
	case f.scipy != nil:
		return f.scipy.each(put)
	}
	e, err := f.entries()
	if err != nil {
		return err
	}
	return e.each(put)
}

// checkRows returns an error for more rows than are plausible in a file of this size.
func (f *File) checkRows() error {
	rows, _ := f.Dims()
	if limit := rowFloor + rowRatio*f.size; int64(rows) > limit {
		return f.tooLarge("a sparse matrix of %d rows in a file of %d bytes: at most %d rows are read from that", rows, f.size, limit)
	}
	return nil
}

// each calls do for each entry.
func (e *entries) each(do func(i, j int32, v float64) error) error {
	put := func(line int32, k int) error {
		v := 1.0
		if e.val != nil {
			v = e.val[k]
		}
		if e.byRow {
			return do(line, e.minor[k], v)
		}
		return do(e.minor[k], line, v)
	}
	if e.ptr == nil {
		for k, line := range e.major {
			if err := put(line, k); err != nil {
				return err
			}
		}
		return nil
	}
	for line := range len(e.ptr) - 1 {
		for k := e.ptr[line]; k < e.ptr[line+1]; k++ {
			if err := put(int32(line), k); err != nil {
				return err
			}
		}
	}
	return nil
}
