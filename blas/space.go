package blas

import (
	"sync"
	"unsafe"

	"nmu/kernel"
)

// workspace holds the buffers of one call or of one of its threads. It comes from a pool and
// returns to the pool.
type workspace[T kernel.Float] struct {
	a, b, c, d []T // aligned
}

var spaces32, spaces64 sync.Pool

func spaces[T kernel.Float]() *sync.Pool {
	if unsafe.Sizeof(*new(T)) == 8 {
		return &spaces64
	}
	return &spaces32
}

func borrow[T kernel.Float]() *workspace[T] {
	if w, ok := spaces[T]().Get().(*workspace[T]); ok {
		return w
	}
	return &workspace[T]{}
}

func (w *workspace[T]) giveBack() { spaces[T]().Put(w) }

// take returns the first n elements of the buffer p. It allocates a larger buffer if necessary.
func take[T kernel.Float](p *[]T, n int) []T {
	if len(*p) < n {
		*p = kernel.NewMatrix[T](1, n+n/4).Data
	}
	return (*p)[:n]
}

// takeMatrix is take for a matrix with aligned rows.
func takeMatrix[T kernel.Float](p *[]T, rows, cols int) matrix[T] {
	per := kernel.Alignment / int(unsafe.Sizeof(*new(T)))
	stride := (cols + per - 1) / per * per
	if stride*int(unsafe.Sizeof(*new(T)))%512 == 0 {
		stride += per
	}
	return matrix[T]{Rows: rows, Cols: cols, Data: take(p, rows*stride), Stride: stride}
}
