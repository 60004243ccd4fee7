// Package state declares the fields of checkpoints: what a run has that changes.
package state

import "math"

// Field is a named part of a state. At points to its value:
//
//	*int, *uint64, *float64, *float32, *bool, *string, *[]float64, *[]byte, *rand.PCG
//	[]T, kernel.Matrix[T]   of the length or shape that they have
//	group.Scattered[T]      numbers of which several processes have parts, in memory or in files
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
