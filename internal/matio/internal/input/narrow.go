package input

import (
	"fmt"
	"slices"

	"nmu/internal/matio/internal/element"
)

// Narrowing converts the numbers of a file to type T. It records the rows of the result in
// which a nonzero becomes zero.
//
// Such a number is negligible beside others of its row, and zero will do. If a row has no other
// nonzeros, it would be lost. A negative number would pass for a zero. Both are errors.
type Narrowing[T element.Float] struct {
	f    *File
	cols int
	lost []bool // by row; nil while there is none
	Err  error  // of the first negative number
}

// Narrow returns the narrowing for the matrix of f, for a result with this stride.
func Narrow[T element.Float](f *File, stride int) *Narrowing[T] {
	return &Narrowing[T]{f: f, cols: stride}
}

// Number returns x as type T. The result has x at element at, row by row.
func (n *Narrowing[T]) Number(x float64, at int) T {
	y := T(x)
	if y == 0 && x != 0 {
		n.Lose(x, at/n.cols, at%n.cols)
	}
	return y
}

// Lose records that x becomes zero.
func (n *Narrowing[T]) Lose(x float64, row, col int) {
	if n.lost == nil {
		rows, _ := n.f.Dims()
		if n.lost, n.Err = Alloc[bool](n.f, int64(rows)); n.Err != nil {
			return
		}
	}
	n.lost[row] = true
	if x < 0 && n.Err == nil {
		n.Err = n.vanished(fmt.Sprintf("row %d, column %d", n.f.FirstRow+row+1, n.f.FirstCol+col+1))
	}
}

// Check returns an error if a row was lost. row(i) returns row i of the result.
func (n *Narrowing[T]) Check(row func(i int) []T) error {
	if n.Err != nil {
		return n.Err
	}
	for i, lost := range n.lost {
		if lost && !slices.ContainsFunc(row(i), func(x T) bool { return x != 0 }) {
			return n.vanished(fmt.Sprintf("row %d", n.f.FirstRow+i+1))
		}
	}
	return nil
}

// vanished returns the error for a number or row that becomes zero.
func (n *Narrowing[T]) vanished(what string) error {
	return fmt.Errorf("%s: %s is nonzero, but so small that it would become 0 in %T; scale the matrix up, or read it as float64: %w", n.f.Path, what, T(0), ErrPrecision)
}
