package kernels

import (
	"slices"

	"nmu/internal/isa"
	"nmu/kernel"
)

// Kernel describes a kernel for one precision.
type Kernel[T kernel.Float] struct {
	// Name is that of the exported function.
	Name string

	// Body is the name of its assembly without level and precision, "" if it has
	// none; Missing are the levels without one.
	Body    string
	Missing []isa.Level

	// Setup makes the operands of a call of a shape and returns the call. The call
	// reads extents, strides and Data of its operands anew each time, and returns
	// the number that the kernel returns, if any.
	Setup func(s Source[T], shape []int) (call func() T)

	// A shape is the extents that Setup takes, p, r, q as in the kernel's comment,
	// and last, if Variants is not 0, a number from 1 to Variants.
	Variants int

	// Shapes are tested with operands at every kind of place, at every
	// misalignment if EveryPlace. Distinct are shapes of which broken ones are
	// made: extents are at least 2, and equal only where they mean the same. Large
	// are shapes of which the work takes many calls of assembly. Most are the
	// largest extents to fuzz.
	Shapes, Distinct, Large [][]int
	EveryPlace              bool
	Most                    []int

	// Work is the work of a call: entries of a matrix or vector, or multiply-adds
	// where each entry meets several others.
	Work func(shape []int) int

	// Measures are its rows in the benchmark, at least one if it has a body.
	Measures []Measure

	// ByWidth says that the benchmark measures it at several widths as well: see
	// Wide.
	ByWidth bool

	// Of the operands of a benchmark all blocks share those in Resident, which are
	// a part of the working set, and those in Apart, which are small and none.
	Resident, Apart []string
}

// Measure is a row of the benchmark.
type Measure struct {
	Case   string // what is said behind the kernel's name, if anything
	Stream bool   // quoted in bytes moved, not in operations
	Ops    int    // floating-point operations for each unit of Work; a multiply-add is two

	// Shape returns the shape of one block of a working set of so many elements,
	// nil if none fits. rank is the number of factors, where the kernel takes
	// several.
	Shape func(elements, rank int) []int
}

// Operand is a vector, which has one row, or a matrix stored by rows.
type Operand[T kernel.Float] struct {
	Data               []T
	Rows, Cols, Stride int
}

// Matrix returns the operand as a kernel takes it.
func (o *Operand[T]) Matrix() kernel.Matrix[T] {
	m := kernel.Matrix[T]{Rows: o.Rows, Cols: o.Cols, Data: o.Data}
	if len(o.Data) > 0 { // else the rows are empty, whatever the stride
		m.Stride = o.Stride
	}
	return m
}

// Source makes the operands of a call.
type Source[T kernel.Float] interface {
	// In, InOut and Out return a vector that the kernel reads, that it reads and
	// writes, and that it sets without reading it.
	In(name string, n int) *Operand[T]
	InOut(name string, n int) *Operand[T]
	Out(name string, n int) *Operand[T]

	// InMatrix, InOutMatrix and OutMatrix return such a matrix.
	InMatrix(name string, rows, cols int) *Operand[T]
	InOutMatrix(name string, rows, cols int) *Operand[T]
	OutMatrix(name string, rows, cols int) *Operand[T]

	// Bits returns a mask of a matrix. Its extents are no operand's: they are fixed.
	Bits(name string, rows, cols int) kernel.Bits

	// Scalar returns a number.
	Scalar(name string) T

	// IntN returns a number in [0, n). Once says yes once in n times, but never in
	// a benchmark or where shapes are broken: what is special must depend on it.
	IntN(n int) int
	Once(n int) bool

	// Fixed says that the kernel learns these extents from something that is no
	// operand.
	Fixed(extents ...int)
}

// HasBody says whether the kernel has assembly for a level.
func (k Kernel[T]) HasBody(level isa.Level) bool {
	return k.Body != "" && level != isa.Generic && !slices.Contains(k.Missing, level)
}
