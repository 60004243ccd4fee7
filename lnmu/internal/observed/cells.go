package observed

import (
	"encoding/binary"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
)

// Mask says which entries of a matrix are observed: for its rows, and for its columns. The
// zero value stands for all of them.
type Mask struct{ Rows, Cols kernel.Bits }

// Masked reports whether entries are missing.
func (k Mask) Masked() bool { return k.Rows.Data != nil }

// Transposed returns the mask of the transpose.
func (k Mask) Transposed() Mask { return Mask{k.Cols, k.Rows} }

// Slice returns the mask of rows [i0, i1) of columns [j0, j1); i0 and j0 are multiples of 8.
func (k Mask) Slice(i0, i1, j0, j1 int) Mask {
	if !k.Masked() {
		return k
	}
	return Mask{k.Rows.Slice(i0, i1, j0, j1), k.Cols.Slice(j0, j1, i0, i1)}
}

// Transposed returns the bits of the transpose.
func Transposed(a *arena.Arena, b kernel.Bits) kernel.Bits {
	t := arena.Bits(a, b.Cols, b.Rows)
	for i := 0; i < b.Rows && !a.Dry(); i += 8 {
		for j := 0; j < b.Cols; j += 8 {
			var block [8]byte // one row in each byte
			for k := range min(8, b.Rows-i) {
				block[k] = b.Data[(i+k)*b.Stride+j/8]
			}
			binary.LittleEndian.PutUint64(block[:], transposed(binary.LittleEndian.Uint64(block[:])))
			for k := range min(8, b.Cols-j) {
				t.Data[(j+k)*t.Stride+i/8] = block[k]
			}
		}
	}
	return t
}

// transposed returns the transpose of 8 x 8 bits, which exchanges ever larger blocks across
// the diagonal.
func transposed(x uint64) uint64 {
	for _, swap := range [...]struct {
		by   int
		mask uint64
	}{{7, 0x00aa00aa00aa00aa}, {14, 0x0000cccc0000cccc}, {28, 0x00000000f0f0f0f0}} {
		t := (x ^ x>>swap.by) & swap.mask
		x ^= t ^ t<<swap.by
	}
	return x
}

// Clear sets the missing entries of x to zero. x begins at row i and column j of mask; j is a
// multiple of 8.
func Clear[T kernel.Float](x kernel.Matrix[T], mask kernel.Bits, i, j int) {
	if mask.Data != nil {
		kernel.Keep(x, mask.Slice(i, i+x.Rows, j, j+x.Cols))
	}
}

// Cells are the entries of M that count, for the lines of a pass: the rows of a tall M, the
// columns of a wide one. The zero value stands for all of them, with equal weights.
type Cells[T kernel.Float] struct {
	Mask              // the lines are its rows
	Exact bool        // HALS steps minimise over the observed entries themselves
	by    *weights[T] // nil: equal ones
}

// weights are the weights of the entries of a pass: 1 is the largest, 0 that of a missing
// entry.
type weights[T kernel.Float] struct {
	of         Entries
	transposed bool             // the lines are columns of M
	copied     kernel.Matrix[T] // a copy of all weights, or empty
}

// NewCells returns the cells of a pass over the rows of a matrix or, if transposed, over its
// columns. k is the mask of the entries.
func NewCells[T kernel.Float](e Entries, k Mask, transposed bool) Cells[T] {
	c := Cells[T]{Mask: k}
	if transposed {
		c.Mask = k.Transposed()
	}
	if e.Weights != nil {
		c.by = &weights[T]{of: e, transposed: transposed}
	}
	return c
}

// Copied returns the cells with a copy of all weights, for a matrix in memory.
func (c Cells[T]) Copied(a *arena.Arena) Cells[T] {
	if c.by != nil {
		lines, width := c.by.dims()
		all := arena.Matrix[T](a, lines, width)
		if !a.Dry() {
			c.by.fill(all, 0)
		}
		c.by = &weights[T]{c.by.of, c.by.transposed, all}
	}
	return c
}

// Weighted reports whether entries have weights.
func (c Cells[T]) Weighted() bool { return c.by != nil }

// Incomplete reports whether entries are missing or have weights.
func (c Cells[T]) Incomplete() bool { return c.Masked() || c.Weighted() }

// Observed reports whether entry j of line i is observed.
func (c Cells[T]) Observed(i, j int) bool { return !c.Masked() || c.Rows.At(i, j) }

// dims returns the number of lines and of their entries.
func (w *weights[T]) dims() (lines, width int) {
	rows, cols := w.of.Weights.Dims()
	if w.transposed {
		return cols, rows
	}
	return rows, cols
}

func (w *weights[T]) at(i, j int) T {
	if w.copied.Data != nil {
		return w.copied.At(i, j)
	}
	if w.transposed {
		i, j = j, i
	}
	if w.of.Mask.Data != nil && !w.of.Mask.At(i, j) {
		return 0
	}
	return T(w.of.Weights.At(i, j) / w.of.Largest)
}

// fill sets x to the weights of the lines from first on.
func (w *weights[T]) fill(x kernel.Matrix[T], first int) {
	for i := range x.Rows {
		row := x.Row(i)
		for j := range row {
			row[j] = w.at(first+i, j)
		}
	}
}

// Room is the memory of one member of a team for the weights of some lines.
type Room[T kernel.Float] struct {
	all, x kernel.Matrix[T]
	first  int // the line in row 0 of x
}

// NewRoom returns the room for so many lines at a time, which is empty if no weights are read.
func (c Cells[T]) NewRoom(a *arena.Arena, lines int) (r Room[T]) {
	if c.by != nil && c.by.copied.Rows == 0 {
		_, width := c.by.dims()
		r.all = arena.Matrix[T](a, lines, width)
	}
	return r
}

// Weights returns the weights of lines i0 to i1-1, perhaps in the room, where they stay until
// the next call. If all are equal, it returns no matrix.
func (c Cells[T]) Weights(r *Room[T], i0, i1 int) kernel.Matrix[T] {
	if c.by == nil {
		return kernel.Matrix[T]{}
	}
	_, width := c.by.dims()
	if c.by.copied.Data != nil {
		return c.by.copied.Slice(i0, i1, 0, width)
	}
	if r.first != i0 || r.x.Rows != i1-i0 {
		r.x, r.first = r.all.Slice(0, i1-i0, 0, width), i0
		c.by.fill(r.x, i0)
	}
	return r.x
}

// Squares returns the sum of the squares of e, with these weights if there are any.
func Squares[T kernel.Float](e, weights []T) float64 {
	if weights == nil {
		return float64(kernel.SumSquares(e))
	}
	var sum float64
	for i, w := range weights {
		sum += float64(float64(w) * float64(float64(e[i])*float64(e[i])))
	}
	return sum
}
