// Package state is the codec of checkpoints. A state is a list of named fields:
//
//	name, a letter for the kind, number of elements, elements ...      one field
//	...
//	SHA-256 of all before
//
// An Encoder and a Decoder use the same list of Fields, so that there is no second list that
// could differ. A Decoder does not trust a file: it knows the names, kinds and shapes that must
// come, and a list of any length grows as its elements are read.
//
// A state of several processes has the same bytes as a state of one process. Process 0 writes
// it, and asks the others for their parts of each distributed matrix. To resume, each process
// reads the whole stream and keeps its part, so the number of processes may change.
package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"nmu/kernel"
)

// ErrDamaged is wrapped by the error about a state that is damaged, or that a run with another
// matrix, method or settings has saved.
var ErrDamaged = errors.New("bad checkpoint")

// Field is a named part of a state. At points to its value:
//
//	*int, *uint64, *float64, *float32, *bool, *string, *[]float64, *[]byte, *rand.PCG
//	[]T, kernel.Matrix[T]   of the length or shape that they have
//	group.Distributed[T]    a matrix of which several processes have parts
//	Stream[T]               numbers that are in files, of which several processes have parts
//
// Elements are little-endian. Numbers that stand alone must be finite.
type Field struct {
	Name string
	At   any
}

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

// streamed makes a Stream a group.Scattered.
type streamed[T kernel.Float] struct{ Stream[T] }

// Turns is 1: each process has one part.
func (s streamed[T]) Turns() int { return 1 }

// Length implements group.Scattered.
func (s streamed[T]) Length() int {
	_, count, _ := s.Span()
	return count
}

// Turn implements group.Scattered.
func (s streamed[T]) Turn(_ int, do func(numbers []T)) { s.Read(do) }

// Coder encodes or decodes the fields of a state: an Encoder or a Decoder.
type Coder interface {
	Do(fields ...Field)
	Err() error
}

// List encodes or decodes a list of any length. A decoder appends one element at a time,
// because the length in a file may be wrong.
func List[E any](c Coder, name string, list *[]E, fields func(*E) []Field, more func(*E)) {
	n := len(*list)
	c.Do(Field{name, &n})
	for i := 0; i < n && c.Err() == nil; i++ {
		if i == len(*list) {
			*list = append(*list, *new(E))
		}
		c.Do(fields(&(*list)[i])...)
		if more != nil {
			more(&(*list)[i])
		}
	}
}

// coding is what encoders and decoders share.
type coding struct {
	failed error
	buf    []byte
}

// Err returns the first error.
func (c *coding) Err() error { return c.failed }

// fail records an error unless there is one.
func (c *coding) fail(format string, args ...any) {
	if c.failed == nil {
		c.failed = fmt.Errorf(format, args...)
	}
}

// piece is the number of elements that are written or read at once.
const piece = 8 << 10

// headOf returns name, kind and number of elements of a field.
func headOf(name string, kind byte, n int) []byte {
	head := append([]byte{byte(len(name))}, name...)
	return binary.LittleEndian.AppendUint64(append(head, kind), uint64(n))
}

// kindOf returns the letter of numbers of a type.
func kindOf[T kernel.Float]() byte {
	if _, double := any(T(0)).(float64); double {
		return 'd'
	}
	return 's'
}

// AppendFloats appends numbers in little-endian IEEE 754 format of their precision.
func AppendFloats[T kernel.Float](buf []byte, row []T) []byte {
	switch row := any(row).(type) {
	case []float32:
		for _, x := range row {
			buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(x))
		}
	case []float64:
		for _, x := range row {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(x))
		}
	}
	return buf
}

// takeFloats sets x to the numbers in b, as AppendFloats encodes them.
func takeFloats[T kernel.Float](x []T, b []byte) {
	switch x := any(x).(type) {
	case []float32:
		for i := range x {
			x[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
	case []float64:
		for i := range x {
			x[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
		}
	}
}

// Named returns a field.
func Named(name string, at any) Field { return Field{name, at} }

// Factor returns a field that is a matrix, or the part that a process has of one, whose
// numbers must be those of a factor: finite and nonnegative.
func Factor(name string, at any) Field { return Field{name, factor{at}} }

type factor struct{ at any }
