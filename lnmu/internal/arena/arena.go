// Package arena is where an estimate and a run take their memory: the same functions take it for both.
package arena

import (
	"math"
	"unsafe"

	"nmu/kernel"
)

// Arena adds up what is taken from it, for an estimate. What it gives has no data, which nobody may touch. A nil Arena is
// that of a run: it gives memory and counts nothing.
type Arena struct {
	bytes, buffers float64
	most           float64 // of both, in a phase that is over
	Scratch        float64 // bytes of scratch files
}

// Dry reports whether there are no data.
func (a *Arena) Dry() bool { return a != nil }

// Bytes returns the most that was taken at a time, at most math.MaxInt64.
func (a *Arena) Bytes() int64 { return Whole(max(a.most, a.bytes+a.buffers)) }

// Collect ends a phase of which so many bytes stay.
func (a *Arena) Collect(stay float64) {
	a.most = max(a.most, a.bytes+a.buffers)
	a.bytes, a.buffers = stay, 0
}

// Add adds memory that is taken elsewhere, with what the runtime rounds it up by.
func (a *Arena) Add(bytes float64) { a.bytes += bytes + min(bytes/8, 8<<10) }

// Buffer adds a buffer of one phase. Those of other phases may lie in the same memory.
func (a *Arena) Buffer(bytes float64) { a.buffers = max(a.buffers, bytes) }

// Times counts what take takes n times, and returns the bytes that it takes once.
func (a *Arena) Times(n int, take func()) float64 {
	before := a.bytes
	take()
	once := a.bytes - before
	a.bytes = before + float64(n)*once
	return once
}

// Whole returns a number of bytes as an integer, at most math.MaxInt64.
func Whole(x float64) int64 {
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(x)
}

// Slice returns n zeros.
func Slice[E any](a *Arena, n int) []E {
	if a == nil {
		return make([]E, n)
	}
	a.Add(float64(n) * float64(unsafe.Sizeof(*new(E))))
	return []E{}
}

// Ones returns n ones.
func Ones[T kernel.Float](a *Arena, n int) []T {
	x := Slice[T](a, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// Matrix returns a zero matrix of kernel.NewMatrix.
func Matrix[T kernel.Float](a *Arena, rows, cols int) kernel.Matrix[T] {
	if a == nil {
		return kernel.NewMatrix[T](rows, cols)
	}
	stride := kernel.Stride[T](rows, cols)
	a.Add(float64(unsafe.Sizeof(T(0)))*float64(rows)*float64(stride) + kernel.Alignment)
	return kernel.Matrix[T]{Rows: rows, Cols: cols, Stride: stride}
}

// Packed returns a zero matrix without gaps between its rows.
func Packed[T kernel.Float](a *Arena, rows, cols int) kernel.Matrix[T] {
	return kernel.Matrix[T]{Rows: rows, Cols: cols, Data: Slice[T](a, rows*cols), Stride: cols}
}

// Bits returns the bits of a matrix without observed entries.
func Bits(a *Arena, rows, cols int) kernel.Bits {
	if a == nil {
		return kernel.NewBits(rows, cols)
	}
	stride := (cols + 7) / 8
	return kernel.Bits{Rows: rows, Cols: cols, Data: Slice[byte](a, rows*stride), Stride: stride}
}
