package matio

import (
	"fmt"
	"slices"
)

// narrowing turns the numbers of a file into those of type T, and remembers the
// rows of the result with numbers that are not zero but become so.
//
// Such a number is next to nothing beside others of its row, and zero will do. A
// row that has no others would be lost, and a negative number would pass for a zero:
// these are errors.
type narrowing[T Float] struct {
	f    *input
	cols int
	lost []bool // by row; nil while there is none
	err  error  // of the first negative number
}

func narrow[T Float](f *input) *narrowing[T] {
	_, cols := f.dims()
	return &narrowing[T]{f: f, cols: cols}
}

// number returns x, which is entry at of the result row by row.
func (n *narrowing[T]) number(x float64, at int) T {
	y := T(x)
	if y == 0 && x != 0 {
		n.lose(x, at/n.cols, at%n.cols)
	}
	return y
}

func (n *narrowing[T]) lose(x float64, row, col int) {
	if n.lost == nil {
		rows, _ := n.f.dims()
		if n.lost, n.err = alloc[bool](n.f, int64(rows)); n.err != nil {
			return
		}
	}
	n.lost[row] = true
	if x < 0 && n.err == nil {
		n.err = n.vanished(fmt.Sprintf("row %d, column %d", n.f.firstRow+row+1, n.f.firstCol+col+1))
	}
}

// check returns an error if a row was lost; row returns the numbers of a row of the
// result.
func (n *narrowing[T]) check(row func(i int) []T) error {
	if n.err != nil {
		return n.err
	}
	for i, lost := range n.lost {
		if lost && !slices.ContainsFunc(row(i), func(x T) bool { return x != 0 }) {
			return n.vanished(fmt.Sprintf("row %d", n.f.firstRow+i+1))
		}
	}
	return nil
}

// vanished is the error for what becomes zero.
func (n *narrowing[T]) vanished(what string) error {
	return fmt.Errorf("%s: %s is not zero, but too small for %T, in which it would be; scale the matrix up, or read it as float64: %w", n.f.path, what, T(0), ErrPrecision)
}
