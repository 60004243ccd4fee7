package kerneltest

import (
	"strings"

	"nmu/kernel"
)

// Kernel describes a kernel for one precision: the shapes to test, and the work of a call. A shape lists
// the extents p, r, q of the kernel's comment. If Variants is not 0, a variant from 1 to Variants follows.
type Kernel[T kernel.Float] struct {
	Name     string // of the function of package kernel
	Body     string // name of its assembly without level and precision, "" if it has none
	Variants int    // such as when a pass updates

	Shapes   [][]int // to test with all values, places and levels
	Distinct [][]int // to break: extents are at least 2, and equal only if they mean the same
	Large    [][]int // of so much work that package kernel makes many calls of assembly
	Most     []int   // the largest extents to fuzz, without a variant

	// Work returns the work of a call: entries of a matrix or vector, or multiply-adds if each
	// entry meets several others.
	Work func(shape []int) int

	everyPlace bool             // test at every misalignment
	shorter    func([]int) bool // of which shapes the body of AVX2 runs at AVX-512; nil: of none
	own        *Functions[T]    // the functions to test, nil for those of package kernel
	measures   []measure        // rows of the benchmark, at least one if it has a body

	// resident and apart name operands that all blocks of a benchmark share. The former are a
	// part of the working set; the latter are small and do not count.
	resident, apart []string

	// setup makes the operands of a call of a shape and returns the call. The call
	// reads extents, strides and Data of its operands anew each time, and returns
	// the number that the kernel returns, if any.
	setup func(s source[T], shape []int) (call func() T)
}

// measure is a row of the benchmark.
type measure struct {
	variant string // what is said behind the kernel's name, if anything
	ops     int    // floating-point operations for each unit of Work; a multiply-add is two

	// shape returns the shape of one block of a working set with this many elements, or nil if
	// none fits. rank is the number of factors, for a kernel that takes several.
	shape func(elements, rank int) []int
}

// BodyOf returns the name of the body that package kernel has for k at a level, for a shape or in general, without the
// precision, or "" if it has none.
func (k Kernel[T]) BodyOf(level string, shape ...int) string {
	if level == "avx512" && k.shorter != nil && k.shorter(shape) {
		level = "avx2"
	}
	if k.Body == "" || level == "generic" {
		return ""
	}
	return k.Body + strings.ToUpper(level)
}

// functions returns the functions to test.
func (k Kernel[T]) functions() *Functions[T] {
	if k.own != nil {
		return k.own
	}
	return ours[T]()
}

// operand is a matrix stored by rows, or a vector, which has one row.
type operand[T kernel.Float] struct {
	Data               []T
	Rows, Cols, Stride int
}

// Matrix returns the operand as a kernel.Matrix.
func (o *operand[T]) Matrix() kernel.Matrix[T] {
	m := kernel.Matrix[T]{Rows: o.Rows, Cols: o.Cols, Data: o.Data}
	if len(o.Data) > 0 { // else the rows are empty, whatever the stride
		m.Stride = o.Stride
	}
	return m
}

// access says what a kernel does with an operand.
type access int

const (
	read access = iota
	written
	readWritten
)

// source makes the operands of a call: vectors and matrices that the kernel reads, reads and writes, or writes without
// reading. It has the functions to call, which may be others at each call.
type source[T kernel.Float] struct {
	maker[T]
	*Functions[T]
}

// In, InOut and Out return a vector of n elements, or a matrix of rows and columns.
func (s source[T]) In(name string, n ...int) *operand[T]    { return s.operand(name, n, read) }
func (s source[T]) InOut(name string, n ...int) *operand[T] { return s.operand(name, n, readWritten) }
func (s source[T]) Out(name string, n ...int) *operand[T]   { return s.operand(name, n, written) }

func (s source[T]) operand(name string, n []int, how access) *operand[T] {
	if len(n) == 1 {
		return s.matrix(name, 1, n[0], how)
	}
	return s.matrix(name, n[0], n[1], how)
}

// maker is how a source makes operands.
type maker[T kernel.Float] interface {
	// matrix returns a matrix, or a vector if it has one row.
	matrix(name string, rows, cols int, how access) *operand[T]

	// Bits returns a mask, which a call reads anew.
	Bits(name string, rows, cols int) *kernel.Bits

	// Scalar returns a number.
	Scalar(name string) T

	// IntN returns a number in [0, n). Once returns true once in n times, but never in a
	// benchmark or if shapes are broken. Special cases must depend on it.
	IntN(n int) int
	Once(n int) bool

	// Fixed declares extents that the kernel learns from something other than an operand.
	Fixed(extents ...int)
}
