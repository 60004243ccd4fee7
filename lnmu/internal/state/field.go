// Package state declares the fields of checkpoints: what a run has that changes.
package state

import (
	"math"

	"nmu/kernel"
)

// Field is a named part of a state. At points to its value:
//
//	*int, *uint64, *float64, *float32, *bool, *string, *[]float64, *[]byte, *rand.PCG
//	[]T, kernel.Matrix[T]   of the length or shape that they have
//	group.Distributed[T]    a matrix of which several processes have parts
//	Stream[T]               numbers that are in files, of which several processes have parts
type Field struct {
	Name   string
	At     any
	Factor bool // a matrix, or the part of it of a process, whose numbers must be finite and nonnegative
	Above  bool // a number that may be +Inf; others must be finite
}

// Named returns a field.
func Named(name string, at any) Field { return Field{Name: name, At: at} }

// Holds reports whether x may be the value of a field.
func (f Field) Holds(x float64) bool {
	return !math.IsNaN(x) && !math.IsInf(x, -1) && (f.Above || !math.IsInf(x, 1))
}

// Divergence returns a field for a number that may be +Inf.
func Divergence(at *float64) Field { return Field{Name: "divergence", At: at, Above: true} }

// Factor returns a field whose numbers must be those of a factor.
func Factor(name string, at any) Field { return Field{Name: name, At: at, Factor: true} }

// Stream is a field whose numbers are in files. Each process has its numbers in files of its
// own.
type Stream[T kernel.Float] interface {
	// Span returns the index of the first number of this process, the count of its numbers, and
	// the count in all processes.
	Span() (first, count, whole int)

	// Read calls do for the numbers of this process, in order. Write calls do for memory that
	// do fills with them. An error of the disk, which Err returns, may leave some out.
	Read(do func(x []T))
	Write(do func(x []T))
	Err() error
}
