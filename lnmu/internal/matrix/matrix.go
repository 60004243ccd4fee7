package matrix

import (
	"fmt"
	"math"
	"math/bits"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/fault"
)

// TileRows and TileCols are the rows and columns of the tile of V W that is formed at once,
// and TileCols also the length of the partial sums of the squares of a residual.
const TileRows, TileCols = 8, 512

// Negligible is the fraction of the largest entry in its column of V, or row of W, below which
// an entry counts as zero (section 4.4).
const Negligible = 0.001

// New returns the rows x cols matrix whose rows are contiguous in data, without copying, or a
// zero matrix if data is nil. It panics if the length of data is wrong, or a dimension is
// negative or too large.
func New[T kernel.Float](rows, cols int, data []T) kernel.Matrix[T] {
	if rows < 0 || cols < 0 || cols > 0 && rows > math.MaxInt/cols {
		panic(fmt.Sprintf("lnmu: no matrix of %d x %d", rows, cols))
	}
	if data == nil {
		data = make([]T, rows*cols)
	}
	if len(data) != rows*cols {
		panic(fmt.Sprintf("lnmu: %d elements for a %d x %d matrix", len(data), rows, cols))
	}
	return kernel.Matrix[T]{Rows: rows, Cols: cols, Data: data, Stride: cols}
}

// Check returns an error, which names the matrix, unless it is well-formed with at
// least one entry.
func Check[T kernel.Float](name string, d kernel.Matrix[T]) error {
	if err := CheckDims(name, d.Rows, d.Cols); err != nil {
		return err
	}
	if d.Stride < d.Cols || d.Rows-1 > (len(d.Data)-d.Cols)/d.Stride || len(d.Data) < d.Cols {
		return fmt.Errorf("%w: %s is %d x %d with stride %d but holds %d elements", fault.ErrShape, name, d.Rows, d.Cols, d.Stride, len(d.Data))
	}
	return nil
}

// CheckDims returns an error unless a matrix has at least one entry.
func CheckDims(name string, rows, cols int) error {
	switch {
	case rows < 0 || cols < 0:
		return fmt.Errorf("%w: %s has %d rows and %d columns", fault.ErrShape, name, rows, cols)
	case rows == 0 || cols == 0:
		return fmt.Errorf("%w: %s is empty (%d x %d)", fault.ErrShape, name, rows, cols)
	}
	return nil
}

// CheckStrided returns an error unless a matrix with these strides has at least one entry, and
// all its entries are within the given number of elements.
func CheckStrided(name string, rows, cols, rowStride, colStride, elements int) error {
	if err := CheckDims(name, rows, cols); err != nil {
		return err
	}
	hi, down := bits.Mul(uint(rows-1), uint(rowStride))
	hi2, across := bits.Mul(uint(cols-1), uint(colStride))
	last, carry := bits.Add(down, across, 0)
	if rowStride < 0 || colStride < 0 || hi|hi2|carry != 0 || last >= uint(elements) {
		return fmt.Errorf("%w: %s is %d x %d with strides %d and %d but holds %d elements", fault.ErrShape, name, rows, cols, rowStride, colStride, elements)
	}
	return nil
}

// CopyRows copies a matrix to another one of its shape.
func CopyRows[T kernel.Float](to, from kernel.Matrix[T]) {
	for k := range to.Rows {
		copy(to.Row(k), from.Row(k))
	}
}

// View returns columns [j0, j1) of x, or x if it has no data.
func View[T kernel.Float](x kernel.Matrix[T], j0, j1 int) kernel.Matrix[T] {
	if x.Data == nil {
		return x
	}
	return x.Slice(0, x.Rows, j0, j1)
}

// Epsilon is the distance from 1 to the next larger number.
func Epsilon[T kernel.Float]() float64 {
	if unsafe.Sizeof(T(0)) == 4 {
		return 0x1p-23
	}
	return 0x1p-52
}

// Largest is the largest finite number.
func Largest[T kernel.Float]() float64 {
	if unsafe.Sizeof(T(0)) == 4 {
		return math.MaxFloat32
	}
	return math.MaxFloat64
}

// LeastOf returns the number below which entries are negligible beside the largest one, which is
// positive. Of a tiny one it is rounded up to a number of T, so that zeros are negligible.
func LeastOf[T kernel.Float](largest T) T {
	least := T(Negligible) * largest
	if tiny := SmallestNormal[T](); float64(least) < tiny {
		unit := tiny * Epsilon[T]() // all numbers of this size are its multiples
		return T(math.Ceil(Negligible*(float64(largest)/unit)) * unit)
	}
	return least
}

// SmallestNormal is the smallest positive number of full precision.
func SmallestNormal[T kernel.Float]() float64 {
	if unsafe.Sizeof(T(0)) == 4 {
		return 0x1p-126
	}
	return 0x1p-1022
}

// Widen returns a copy in float64.
func Widen[T kernel.Float](x kernel.Matrix[T]) kernel.Matrix[float64] {
	y := kernel.NewMatrix[float64](x.Rows, x.Cols)
	for i := range x.Rows {
		row := y.Row(i)
		for j, a := range x.Row(i) {
			row[j] = float64(a)
		}
	}
	return y
}

// Below returns the largest number below x > 0.
func Below[T kernel.Float](x T) T {
	if unsafe.Sizeof(x) == 4 {
		return T(math.Nextafter32(float32(x), 0))
	}
	return T(math.Nextafter(float64(x), 0))
}

// AsRow returns x as a matrix of one row, without copying.
func AsRow[T kernel.Float](x []T) kernel.Matrix[T] {
	return kernel.Matrix[T]{Rows: 1, Cols: len(x), Data: x, Stride: len(x)}
}

// Clone returns a copy without gaps between the rows.
func Clone[T kernel.Float](d kernel.Matrix[T]) kernel.Matrix[T] {
	c := New[T](d.Rows, d.Cols, nil)
	CopyRows(c, d)
	return c
}

// Any is any matrix.
type Any[T kernel.Float] interface {
	Dims() (rows, cols int)
	At(i, j int) T
}

// Rows returns a copy of the given rows.
func Rows[T kernel.Float](m Any[T], at []int) kernel.Matrix[T] {
	_, cols := m.Dims()
	d := New[T](len(at), cols, nil)
	for to, i := range at {
		row := d.Row(to)
		for j := range row {
			row[j] = m.At(i, j)
		}
	}
	return d
}

// ByRows returns a copy of any matrix of at least one entry.
func ByRows[T kernel.Float](m Any[T]) kernel.Matrix[T] {
	rows, _ := m.Dims()
	all := make([]int, rows)
	for i := range all {
		all[i] = i
	}
	return Rows(m, all)
}

// Overlap reports whether two matrices have memory in common, gaps included.
func Overlap[T kernel.Float](a, b kernel.Matrix[T]) bool {
	if len(a.Data) == 0 || len(b.Data) == 0 {
		return false
	}
	first := func(d kernel.Matrix[T]) uintptr { return uintptr(unsafe.Pointer(&d.Data[0])) }
	end := func(d kernel.Matrix[T]) uintptr { return uintptr(unsafe.Pointer(&d.Data[len(d.Data)-1])) }
	return first(a) <= end(b) && first(b) <= end(a)
}

// CheckStart returns an error unless d is a valid factor of the given size.
func CheckStart[T kernel.Float](name string, d kernel.Matrix[T], rows, cols int) error {
	return CheckFactor("start "+name, name, d, rows, cols)
}

// CheckFactor is CheckStart for any factor. what names it if it has another size.
func CheckFactor[T kernel.Float](what, name string, d kernel.Matrix[T], rows, cols int) error {
	if d.Rows != rows || d.Cols != cols {
		return fmt.Errorf("%w: the %s is %d x %d, want %d x %d", fault.ErrShape, what, d.Rows, d.Cols, rows, cols)
	}
	if err := Check(name, d); err != nil {
		return err
	}
	for i := range d.Rows {
		if err := CheckRow(name, i, d.Row(i)); err != nil {
			return err
		}
	}
	return nil
}

// CheckRow returns a ValueError for the first entry of row i that is negative or not
// finite.
func CheckRow[T kernel.Float](name string, i int, row []T) error {
	for j, x := range row {
		if !(x >= 0) || math.IsInf(float64(x), 0) {
			return &fault.ValueError{Matrix: name, Row: i, Col: j, Value: float64(x)}
		}
	}
	return nil
}

// Dot returns the product of two vectors, which may be beyond the range of T.
func Dot[T kernel.Float](a, b []T) float64 {
	if x := float64(kernel.Dot(a, b)); math.Abs(x) <= math.MaxFloat64 {
		return x
	}
	var sum float64
	for i, x := range a {
		sum += float64(float64(x) * float64(b[i]))
	}
	return sum
}

// CountRow returns how many bits of row i are set.
func CountRow(k kernel.Bits, i int) int {
	row := k.Data[i*k.Stride:][:(k.Cols+7)/8]
	count := 0
	for _, b := range row {
		count += bits.OnesCount8(b)
	}
	if past := k.Cols % 8; past != 0 { // the bits past the last column mean nothing
		count -= bits.OnesCount8(row[len(row)-1] >> past)
	}
	return count
}
