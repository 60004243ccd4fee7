// Package codec writes and reads checkpoints. A checkpoint is a state: a list of named fields.
//
//	name, a letter for the kind, number of elements, elements ...      one field
//	...
//	SHA-256 of all before
//
// An Encoder and a Decoder use the same list of Fields, so that there is no second list that
// could differ. A Decoder does not trust a file: it knows the names, kinds and shapes that must
// come, and a list of any length grows as its elements are read. Elements are little-endian.
// Numbers that stand alone must be finite.
//
// A state of several processes has the same bytes as a state of one process. Process 0 writes
// it, and asks the others for their parts of each distributed matrix. To resume, each process
// reads the whole stream and keeps its part, so the number of processes may change.
package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/state"
)

// ErrDamaged is wrapped by the error about a state that is damaged, or that a run with another
// matrix, method or settings has saved.
var ErrDamaged = errors.New("bad checkpoint")

// Coder encodes or decodes the fields of a state: an Encoder or a Decoder.
type Coder interface {
	Do(fields ...state.Field)
	Err() error
}

// List encodes or decodes a list of any length. A decoder appends one element at a time,
// because the length in a file may be wrong.
func List[E any](c Coder, name string, list *[]E, fields func(*E) []state.Field, more func(*E)) {
	n := len(*list)
	c.Do(state.Named(name, &n))
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

// numbersOf returns the numbers of a field that are in memory, of type T, as rows, and the field if it is scattered.
func numbersOf[T kernel.Float](at any) (rows kernel.Matrix[T], scattered group.Scattered[T], ok bool) {
	switch x := at.(type) {
	case group.Distributed[T]:
		return x.X, x, true
	case group.Scattered[T]:
		return rows, x, true
	case kernel.Matrix[T]:
		return x, nil, true
	case []T:
		return kernel.Matrix[T]{Rows: 1, Cols: len(x), Data: x, Stride: len(x)}, nil, true
	}
	return rows, nil, false
}

// eightBytes returns the kind and the bytes of a field of eight bytes, and what sets it to such; nil for other fields.
func eightBytes(at any) (kind byte, bits uint64, set func(bits uint64)) {
	switch x := at.(type) {
	case *int:
		return 'i', uint64(*x), func(bits uint64) { *x = int(bits) }
	case *uint64:
		return 'i', *x, func(bits uint64) { *x = bits }
	case *bool:
		if *x {
			bits = 1
		}
		return 'i', bits, func(bits uint64) { *x = bits != 0 }
	case *float64:
		return 'd', math.Float64bits(*x), func(bits uint64) { *x = math.Float64frombits(bits) }
	case *float32:
		return 'd', math.Float64bits(float64(*x)), func(bits uint64) { *x = float32(math.Float64frombits(bits)) }
	}
	return 0, 0, nil
}

// textOf returns the bytes of a field of any length, and what sets it to such; nil for other fields.
func textOf(at any) (text []byte, set func(text []byte) error) {
	switch x := at.(type) {
	case *string:
		return []byte(*x), func(text []byte) error { *x = string(text); return nil }
	case *[]byte:
		return *x, func(text []byte) error { *x = text; return nil }
	case *rand.PCG:
		text, _ = x.MarshalBinary() // never fails
		return text, x.UnmarshalBinary
	}
	return nil, nil
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
