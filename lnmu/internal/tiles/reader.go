package tiles

import (
	"errors"
	"fmt"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
)

// Reader reads whole rows of a sparse matrix that is stored elsewhere, for example in a file.
type Reader[T kernel.Float] interface {
	Dims() (rows, cols int)
	Entries() int
	Pointers(first, last int) ([]int, error)
	ReadRows(first, last int) (CSR[T], error)
}

// ShareRows returns a Reader of the rows of M that this process reads, and which part of M they
// are. Every process can read all of M, and each reads about the same number of rows.
func ShareRows[T kernel.Float](c group.Comm, m Reader[T]) (Reader[T], core.Part) {
	rows, _ := m.Dims()
	to := func(rank int) int { return int(int64(rows) * int64(rank) / int64(c.Size())) }
	own := group.Span{From: to(c.Rank()), To: to(c.Rank() + 1)}
	return share[T]{m, own, c.Rank() == 0}, core.Part{First: own.From, Whole: rows}
}

// share is some rows of a stored matrix.
type share[T kernel.Float] struct {
	Reader[T]
	rows  group.Span
	first bool // this is process 0, which counts the entries of all
}

// Dims implements Reader.
func (r share[T]) Dims() (rows, cols int) {
	_, cols = r.Reader.Dims()
	return r.rows.Len(), cols
}

// Entries implements Reader.
func (r share[T]) Entries() int {
	if !r.first {
		return 0
	}
	return r.Reader.Entries()
}

// Pointers implements Reader.
func (r share[T]) Pointers(first, last int) ([]int, error) {
	return r.Reader.Pointers(r.rows.From+first, r.rows.From+last)
}

// ReadRows implements Reader.
func (r share[T]) ReadRows(first, last int) (CSR[T], error) {
	return r.Reader.ReadRows(r.rows.From+first, r.rows.From+last)
}

// source hands out rows in order.
type source[T kernel.Float] interface {
	// next returns the rows that come next: at least one, and those up to last-1 at most.
	next(last int) (CSR[T], error)
}

// rowsOfM reads rows of M, or of the part of it that a process has, and checks them.
type rowsOfM[T kernel.Float] struct {
	Reader[T]
	row, col int // of M, where the part begins
}

func (r rowsOfM[T]) read(first, last int) (CSR[T], error) {
	c, err := r.ReadRows(first, last)
	if err != nil {
		return c, fmt.Errorf("reading M: %w", err)
	}
	if _, cols := r.Dims(); c.Rows != last-first || c.Cols != cols {
		return c, fmt.Errorf("%w: the reader of M has read %d x %d numbers, not %d x %d", fault.ErrShape, c.Rows, c.Cols, last-first, cols)
	}
	err = c.Validate("M", true)
	if value := (*fault.ValueError)(nil); errors.As(err, &value) {
		value.Row, value.Col = value.Row+r.row+first, value.Col+r.col
	} else if err != nil {
		err = fmt.Errorf("from row %d on: %w", r.row+first, err)
	}
	return c, err
}

// pointersAtOnce is how many row pointers are read at once.
const pointersAtOnce = 1 << 15

// reading reads all rows of M in order, a few megabytes at a time. The first reading counts the
// entries of the rows. Later readings must find the same counts.
type reading[T kernel.Float] struct {
	rowsOfM[T]
	counts counts // of the rows; in the first reading, of the rows so far
	again  bool   // this is not the first reading
	at     int    // the next row
	first  int    // the row of ptr[0]
	ptr    []int
}

// next implements source.
func (r *reading[T]) next(last int) (CSR[T], error) {
	var none CSR[T]
	if r.at >= r.first+len(r.ptr)-1 {
		rows, _ := r.Dims()
		end := min(r.at+pointersAtOnce, rows)
		ptr, err := r.Pointers(r.at, end)
		if err != nil {
			return none, fmt.Errorf("reading M: %w", err)
		}
		if len(ptr) != end-r.at+1 {
			return none, fmt.Errorf("%w: the reader of M has read %d row pointers, not %d", fault.ErrShape, len(ptr), end-r.at+1)
		}
		r.first, r.ptr = r.at, ptr
	}
	together := max(1, block.ChunkBytes/(4+int(unsafe.Sizeof(T(0)))))
	ptr := r.ptr[r.at-r.first:]
	n := 1
	for n < len(ptr)-1 && r.at+n < last && ptr[n+1]-ptr[0] <= together {
		n++
	}
	c, err := r.read(r.at, r.at+n)
	if err != nil {
		return none, err
	}
	for i, has := range c.rowCounts() {
		row := r.at + i
		if says := ptr[i+1] - ptr[i]; int(has) != says {
			return none, fmt.Errorf("%w: row %d of M (from 0) has %d entries, or %d as its pointers say: some are zeros or stored twice, or it changes", fault.ErrShape, r.row+row, has, says)
		}
		switch {
		case !r.again:
			r.counts = append(r.counts, has)
		case r.counts[row] != has:
			return none, fmt.Errorf("%w: M has changed while it was read: row %d (from 0) has %d entries, and had %d", fault.ErrShape, r.row+row, has, r.counts[row])
		}
	}
	r.at += n
	return c, nil
}
