package lnmutest

import (
	"errors"
	"sync/atomic"
	"time"

	"nmu/lnmu"
)

// ErrReader is the error of a reader of this package that fails.
var ErrReader = errors.New("the disk is on fire")

// Disk counts the reads of a matrix, and the rows or columns that they return. A line
// takes Delay. Every read after ErrAfter reads fails, unless ErrAfter is 0.
type Disk struct {
	Reads, Lines, ErrAfter atomic.Int64
	Delay                  time.Duration
}

func (d *Disk) read(lines int) error {
	d.Lines.Add(int64(lines))
	n := d.Reads.Add(1)
	time.Sleep(d.Delay * time.Duration(lines))
	if most := d.ErrAfter.Load(); most > 0 && n > most {
		return ErrReader
	}
	return nil
}

// LinesOf reads a matrix from memory: its columns if it has more of them than rows, or if it is a
// part of a Wide matrix.
type LinesOf[T lnmu.Float] struct {
	lnmu.Dense[T]
	Disk
	Part, Wide bool
}

func (r *LinesOf[T]) byColumns() bool {
	if r.Part {
		return r.Wide
	}
	return r.Cols > r.Rows
}

// Room is more than the lines need.
func (r *LinesOf[T]) Room(lines int) int {
	if r.byColumns() {
		return lines*r.Rows + 3
	}
	return lines*r.Cols + 3
}

// ReadLines puts the lines anywhere in room.
func (r *LinesOf[T]) ReadLines(room []T, first, last int) ([]T, error) {
	lines := room[first%4:][:0]
	for i := first; i < last; i++ {
		if !r.byColumns() {
			lines = append(lines, r.Row(i)...)
			continue
		}
		for k := range r.Rows {
			lines = append(lines, r.At(k, i))
		}
	}
	return lines, r.read(last - first)
}

// RowsOfCSR reads a sparse matrix from memory.
type RowsOfCSR[T lnmu.Float] struct {
	lnmu.CSR[T]
	Disk
}

// Dims returns the shape of the matrix.
func (r *RowsOfCSR[T]) Dims() (rows, cols int) { return r.Rows, r.Cols }

// Entries returns the number of stored entries.
func (r *RowsOfCSR[T]) Entries() int { return len(r.Val) }

// Pointers returns where the rows first to last-1 begin, and where the last one ends.
func (r *RowsOfCSR[T]) Pointers(first, last int) ([]int, error) {
	return append([]int(nil), r.Ptr[first:last+1]...), r.read(0)
}

// ReadRows returns the rows first to last-1.
func (r *RowsOfCSR[T]) ReadRows(first, last int) (lnmu.CSR[T], error) {
	c := lnmu.CSR[T]{Rows: last - first, Cols: r.Cols, Ptr: append([]int(nil), r.Ptr[first:last+1]...)}
	t0, t1 := c.Ptr[0], c.Ptr[last-first]
	for i := range c.Ptr {
		c.Ptr[i] -= t0
	}
	c.Idx, c.Val = append(c.Idx, r.Idx[t0:t1]...), append(c.Val, r.Val[t0:t1]...)
	return c, r.read(last - first)
}
