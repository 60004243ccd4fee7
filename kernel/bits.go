package kernel

import (
	"fmt"
	"math"
)

// Bits marks the observed entries of a matrix: entry (i, j) is observed if bit j%8 of
// Data[i*Stride+j/8] is set, the least significant being bit 0. This is the format of
// numpy.packbits with bitorder="little", on machines of any byte order. Bits of a row beyond
// Cols are ignored. A Bits is a view: copying it does not copy Data.
type Bits struct {
	Rows, Cols, Stride int
	Data               []byte
}

// NewBits returns the bits of a matrix without observed entries. It panics if rows or cols is
// negative or the size overflows.
func NewBits(rows, cols int) Bits {
	if rows < 0 || cols < 0 || cols > 0 && rows > math.MaxInt/bytesOf(cols) {
		panic(fmt.Sprintf("kernel: no bits of %d x %d", rows, cols))
	}
	stride := bytesOf(cols)
	return Bits{Rows: rows, Cols: cols, Stride: stride, Data: make([]byte, rows*stride)}
}

// bytesOf returns the bytes of so many bits.
func bytesOf(cols int) int { return cols/8 + (cols%8+7)/8 }

// At says whether entry (i, j) is observed. It panics if it lies outside Data.
func (b Bits) At(i, j int) bool { return b.Data[i*b.Stride+j>>3]>>(j&7)&1 != 0 }

// Set says whether entry (i, j) is observed. It panics if it lies outside Data.
func (b Bits) Set(i, j int, seen bool) {
	at, bit := i*b.Stride+j>>3, byte(1)<<(j&7)
	if seen {
		b.Data[at] |= bit
	} else {
		b.Data[at] &^= bit
	}
}

// Slice returns the view of rows [i0, i1) and columns [j0, j1), where j0 must be a
// multiple of 8 unless there are none. It panics if there are no such rows and columns, or
// the bits do not lie in Data.
func (b Bits) Slice(i0, i1, j0, j1 int) Bits {
	checkBits("what is sliced", b, b.Rows, b.Cols)
	if i0 < 0 || i1 < i0 || i1 > b.Rows || j0 < 0 || j1 < j0 || j1 > b.Cols {
		panic(fmt.Sprintf("kernel: slice [%d:%d, %d:%d] of the bits of %d x %d", i0, i1, j0, j1, b.Rows, b.Cols))
	}
	if i0 == i1 || j0 == j1 {
		return Bits{Rows: i1 - i0, Cols: j1 - j0, Stride: b.Stride}
	}
	if j0%8 != 0 {
		panic(fmt.Sprintf("kernel: a slice of bits from column %d, which is no multiple of 8", j0))
	}
	from, to := i0*b.Stride+j0/8, (i1-1)*b.Stride+bytesOf(j1)
	return Bits{Rows: i1 - i0, Cols: j1 - j0, Data: b.Data[from:to:to], Stride: b.Stride}
}

// checkBits is check for a mask, whose Data has bytes.
func checkBits(name string, b Bits, rows, cols int) {
	checkExtents(name, b.Rows, b.Cols, b.Stride, len(b.Data), rows, cols, bytesOf(cols))
}

// readsBits is reads for the mask of a rows x cols matrix.
func readsBits(name string, b Bits, rows, cols int) {
	checkBits(name, b, rows, cols)
	for i := 0; racing && i < rows; i++ {
		race(b.Data[i*b.Stride:][:bytesOf(cols)], false)
	}
}
