package kernels

import (
	"strings"

	"nmu/internal/isa"
	"nmu/kernel"
)

// Kernel describes a kernel for one precision.
type Kernel[T kernel.Float] struct {
	// Name is the name of the exported function.
	Name string

	// Body is the name of its assembly without level and precision, or "" if it has none.
	Body string

	// Runs is the level whose body runs at a level, if it is not that of the level: Generic if there is no assembly.
	Runs map[isa.Level]isa.Level

	// Setup makes the operands of a call of a shape and returns the call. The call
	// reads extents, strides and Data of its operands anew each time, and returns
	// the number that the kernel returns, if any.
	Setup func(s Source[T], shape []int) (call func() T)

	// A shape lists the extents for Setup, p, r, q as in the kernel's comment. If Variants is
	// not 0, its last number is a variant from 1 to Variants.
	Variants int

	// Shapes are tested with operands at every kind of place, at every misalignment if
	// EveryPlace. Distinct are the shapes for breaking: extents are at least 2, and equal only
	// if they mean the same. Large are shapes whose work takes many calls of assembly. Most are
	// the largest extents to fuzz.
	Shapes, Distinct, Large [][]int
	EveryPlace              bool
	Most                    []int

	// Work returns the work of a call: entries of a matrix or vector, or multiply-adds if each
	// entry meets several others.
	Work func(shape []int) int

	// Measures are the kernel's rows in the benchmark, at least one if it has a body.
	Measures []Measure

	// Resident and Apart name operands that all blocks of a benchmark share. The former are a
	// part of the working set; the latter are small and do not count.
	Resident, Apart []string
}

// Measure is a row of the benchmark.
type Measure struct {
	Case   string // what is said behind the kernel's name, if anything
	Stream bool   // quoted in bytes moved, not in operations
	Ops    int    // floating-point operations for each unit of Work; a multiply-add is two

	// Shape returns the shape of one block of a working set with this many elements, or nil if
	// none fits. rank is the number of factors, for a kernel that takes several.
	Shape func(elements, rank int) []int
}

// Operand is a matrix stored by rows, or a vector, which has one row.
type Operand[T kernel.Float] struct {
	Data               []T
	Rows, Cols, Stride int
}

// Matrix returns the operand as a kernel.Matrix.
func (o *Operand[T]) Matrix() kernel.Matrix[T] {
	m := kernel.Matrix[T]{Rows: o.Rows, Cols: o.Cols, Data: o.Data}
	if len(o.Data) > 0 { // else the rows are empty, whatever the stride
		m.Stride = o.Stride
	}
	return m
}

// Access says what a kernel does with an operand.
type Access int

const (
	Read Access = iota
	Write
	ReadWrite
)

// Source makes the operands of a call: vectors and matrices that the kernel reads, reads and writes, or writes without
// reading.
type Source[T kernel.Float] struct{ Maker[T] }

// In, InOut and Out return a vector.
func (s Source[T]) In(name string, n int) *Operand[T]    { return s.Vector(name, n, Read) }
func (s Source[T]) InOut(name string, n int) *Operand[T] { return s.Vector(name, n, ReadWrite) }
func (s Source[T]) Out(name string, n int) *Operand[T]   { return s.Vector(name, n, Write) }

// InMatrix, InOutMatrix and OutMatrix return a matrix.
func (s Source[T]) InMatrix(name string, rows, cols int) *Operand[T] {
	return s.Matrix(name, rows, cols, Read)
}
func (s Source[T]) InOutMatrix(name string, rows, cols int) *Operand[T] {
	return s.Matrix(name, rows, cols, ReadWrite)
}
func (s Source[T]) OutMatrix(name string, rows, cols int) *Operand[T] {
	return s.Matrix(name, rows, cols, Write)
}

// Maker is how a Source makes operands.
type Maker[T kernel.Float] interface {
	Vector(name string, n int, how Access) *Operand[T]
	Matrix(name string, rows, cols int, how Access) *Operand[T]

	// Bits returns a mask. Its extents are fixed, because they belong to no operand.
	Bits(name string, rows, cols int) kernel.Bits

	// Scalar returns a number.
	Scalar(name string) T

	// IntN returns a number in [0, n). Once returns true once in n times, but never in a
	// benchmark or if shapes are broken. Special cases must depend on it.
	IntN(n int) int
	Once(n int) bool

	// Fixed declares extents that the kernel learns from something other than an operand.
	Fixed(extents ...int)
}

// BodyOf returns the name of the kernel's body at a level, without the precision, or "" if it has
// none.
func (k Kernel[T]) BodyOf(level isa.Level) string {
	if other, ok := k.Runs[level]; ok {
		level = other
	}
	if k.Body == "" || level == isa.Generic {
		return ""
	}
	return k.Body + strings.ToUpper(level.String())
}
