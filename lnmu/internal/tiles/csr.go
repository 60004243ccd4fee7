package tiles

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/matrix"
)

// CSR is a sparse matrix in compressed row storage: row i has the values
// Val[Ptr[i]:Ptr[i+1]] in the columns Idx[Ptr[i]:Ptr[i+1]], which increase
// strictly; every other entry is zero. A stored value may be zero. A CSR is a
// view: copying it does not copy the slices.
type CSR[T kernel.Float] struct {
	Rows, Cols int
	Ptr        []int // Rows+1 of them, from 0 to len(Val)
	Idx        []int32
	Val        []T
}

// NewCSR returns memory for a rows x cols matrix with so many entries.
func NewCSR[T kernel.Float](a *arena.Arena, rows, cols, entries int) CSR[T] {
	return CSR[T]{Rows: rows, Cols: cols, Ptr: arena.Slice[int](a, rows+1), Idx: arena.Slice[int32](a, entries), Val: arena.Slice[T](a, entries)}
}

// FromDense returns d without its zeros.
func FromDense[T kernel.Float](d kernel.Matrix[T]) CSR[T] {
	c := CSR[T]{Rows: d.Rows, Cols: d.Cols, Ptr: make([]int, d.Rows+1)}
	for i := range d.Rows {
		for j, x := range d.Row(i) {
			if x != 0 {
				c.Idx = append(c.Idx, int32(j))
				c.Val = append(c.Val, x)
			}
		}
		c.Ptr[i+1] = len(c.Val)
	}
	return c
}

// FromEntries returns the rows x cols matrix of the entries (row, column, value) in any order.
// Entries of one place are added in their order, in float64. Places outside the matrix are errors
// that wrap ErrShape.
func FromEntries[T kernel.Float](rows, cols int, entries iter.Seq2[[2]int, T]) (CSR[T], error) {
	if rows > math.MaxInt32 || cols > math.MaxInt32 {
		return CSR[T]{}, TooLong("M", rows, cols)
	}
	if rows < 1 || cols < 1 {
		return CSR[T]{}, fmt.Errorf("%w: M is %d x %d; want a row and a column at least", fault.ErrShape, rows, cols)
	}
	var is, js []int32
	var values []T
	for place, x := range entries {
		i, j := place[0], place[1]
		if i < 0 || i >= rows || j < 0 || j >= cols {
			return CSR[T]{}, fmt.Errorf("%w: entry %d is at (%d, %d) of a %d x %d matrix, counted from 0", fault.ErrShape, len(values)+1, i, j, rows, cols)
		}
		is, js, values = append(is, int32(i)), append(js, int32(j)), append(values, x)
	}
	// The rows of byColumns are the columns of M.
	byColumns := NewCSR[T](nil, cols, rows, len(is))
	for _, j := range js {
		byColumns.Ptr[j+1]++
	}
	for j := range cols {
		byColumns.Ptr[j+1] += byColumns.Ptr[j]
	}
	next := slices.Clone(byColumns.Ptr)
	for k, j := range js {
		byColumns.Idx[next[j]], byColumns.Val[next[j]] = is[k], values[k]
		next[j]++
	}
	c := byColumns.Transposed() // sorts the columns of each row, and keeps the order of equal ones
	n, first := 0, 0
	for i := range rows {
		last := c.Ptr[i+1]
		for k := first; k < last; {
			j, sum := c.Idx[k], float64(c.Val[k])
			for k++; k < last && c.Idx[k] == j; k++ {
				sum += float64(c.Val[k])
			}
			c.Idx[n], c.Val[n] = j, T(sum)
			n++
		}
		first, c.Ptr[i+1] = last, n
	}
	c.Idx, c.Val = c.Idx[:n], c.Val[:n]
	return c, nil
}

// Dense returns the matrix with its zeros. It allocates Rows*Cols numbers.
func (c CSR[T]) Dense() kernel.Matrix[T] {
	d := matrix.New[T](c.Rows, c.Cols, nil)
	for i := range c.Rows {
		row := d.Row(i)
		for t := c.Ptr[i]; t < c.Ptr[i+1]; t++ {
			row[c.Idx[t]] = c.Val[t]
		}
	}
	return d
}

// Transposed returns a copy of the transpose, by a counting sort in O(Rows +
// Cols + len(Val)) time. The matrix must be well-formed (Validate).
func (c CSR[T]) Transposed() CSR[T] {
	t := NewCSR[T](nil, c.Cols, c.Rows, len(c.Idx))
	for _, j := range c.Idx {
		t.Ptr[j+1]++
	}
	for j := range t.Rows {
		t.Ptr[j+1] += t.Ptr[j]
	}
	// Ptr[j] moves to the end of row j, which is the beginning of row j+1.
	for i := range c.Rows {
		for at := c.Ptr[i]; at < c.Ptr[i+1]; at++ {
			j := c.Idx[at]
			to := t.Ptr[j]
			t.Idx[to], t.Val[to] = int32(i), c.Val[at]
			t.Ptr[j]++
		}
	}
	copy(t.Ptr[1:], t.Ptr)
	t.Ptr[0] = 0
	return t
}

// Validate returns nil if c is well-formed and its values are finite and not negative.
// Otherwise the error wraps ErrShape or is a *ValueError; it names the matrix. A part may have
// no rows or columns.
func (c CSR[T]) Validate(name string, part bool) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s "+format, append([]any{fault.ErrShape, name}, args...)...)
	}
	switch {
	case c.Rows < 0 || c.Cols < 0:
		return bad("has %d rows and %d columns", c.Rows, c.Cols)
	case (c.Rows == 0 || c.Cols == 0) && !part:
		return bad("is empty (%d x %d)", c.Rows, c.Cols)
	case c.Rows > math.MaxInt32 || c.Cols > math.MaxInt32:
		return TooLong(name, c.Rows, c.Cols)
	case len(c.Ptr)-1 != c.Rows:
		return bad("has %d rows and %d row pointers, want %d", c.Rows, len(c.Ptr), c.Rows+1)
	case len(c.Idx) != len(c.Val):
		return bad("has %d column indices for %d values", len(c.Idx), len(c.Val))
	case c.Ptr[0] != 0 || c.Ptr[c.Rows] != len(c.Val):
		return bad("holds %d values but its row pointers go from %d to %d", len(c.Val), c.Ptr[0], c.Ptr[c.Rows])
	}
	for i, first := range c.Ptr[:c.Rows] {
		last := c.Ptr[i+1]
		if last < first || last > len(c.Val) {
			return bad("row %d: its values are %d to %d of %d", i, first, last, len(c.Val))
		}
		before := -1
		for t := first; t < last; t++ {
			j := int(c.Idx[t])
			switch {
			case j < 0 || j >= c.Cols:
				return bad("row %d has an entry in column %d of %d", i, j, c.Cols)
			case j == before:
				return bad("row %d has two entries in column %d; add them up", i, j)
			case j < before:
				return bad("row %d has column %d after column %d; sort its columns", i, j, before)
			}
			before = j
			if x := float64(c.Val[t]); !(x >= 0) || math.IsInf(x, 0) {
				return &fault.ValueError{Matrix: name, Row: i, Col: j, Value: x}
			}
		}
	}
	return nil
}

// TooLong returns the error, which wraps ErrShape, about too many rows or columns.
func TooLong(name string, rows, cols int) error {
	return fmt.Errorf("%w: %s is %d x %d; at most %d rows and columns of a sparse matrix are possible", fault.ErrShape, name, rows, cols, math.MaxInt32)
}

// Longest returns the number of entries of the longest row.
func (c CSR[T]) Longest() (n int) {
	for i, first := range c.Ptr[:c.Rows] {
		n = max(n, c.Ptr[i+1]-first)
	}
	return n
}

func (c CSR[T]) rowCounts() counts {
	n := make(counts, c.Rows)
	for i := range n {
		n[i] = int32(c.Ptr[i+1] - c.Ptr[i])
	}
	return n
}

func (c CSR[T]) columnCounts() counts {
	n := make(counts, c.Cols)
	for _, j := range c.Idx {
		n[j]++
	}
	return n
}
