package dense

import (
	"fmt"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// Fixed is what is known of V and W, in the precision of a job.
type Fixed[T kernel.Float] struct {
	columns kernel.Matrix[T] // of V, as rows
	rows    kernel.Matrix[T] // of W
}

// NewFixed returns the first columns of V and rows of W of an m x n matrix; a baseline is a
// row of ones before those of W. What is beyond T, or has a square beyond it, is refused.
func NewFixed[T kernel.Float](m, n int, v, w kernel.Matrix[float64], baseline bool) (Fixed[T], error) {
	first := 0
	if baseline {
		first = 1
	}
	x := Fixed[T]{kernel.NewMatrix[T](v.Cols, m), kernel.NewMatrix[T](first+w.Rows, n)}
	for i := range v.Rows {
		for k, a := range v.Row(i) {
			x.columns.Row(k)[i] = T(a)
		}
	}
	for k := range first {
		for j := range n {
			x.rows.Row(k)[j] = 1
		}
	}
	for k := range w.Rows {
		for j, a := range w.Row(k) {
			x.rows.Row(first + k)[j] = T(a)
		}
	}
	for _, side := range []struct {
		what string
		data kernel.Matrix[T]
	}{{"column %d of the fixed V", x.columns}, {"row %d of the fixed W", x.rows}} {
		for k := range side.data.Rows {
			if squares := float64(kernel.SumSquares(side.data.Row(k))); !(squares <= matrix.Largest[T]()/16) {
				return x, fmt.Errorf("%w: "+side.what+" overflows in %T; scale it down", core.ErrValue, k+1, T(0))
			}
		}
	}
	return x, nil
}

// hold takes the reciprocals of what is held away: a sweep leaves it as it is.
func hold[T kernel.Float](inv []T, held group.Span) {
	clear(inv[held.From:held.To])
}

// place sets the factors of s, which are those from k0 on, to what is fixed of them, and
// holds it.
func (f Fixed[T]) place(s *solver[T], k0 int) {
	clip := func(from, count int) group.Span {
		from = min(max(from-k0, 0), s.rank)
		return group.Span{From: from, To: count}
	}
	n, l := f.columns.Rows, f.rows.Rows
	v, w := clip(0, min(max(n-k0, 0), s.rank)), clip(n, min(max(n+l-k0, 0), s.rank))
	for k := v.From; k < v.To; k++ {
		copy(s.factorV().Row(k), f.columns.Row(k0+k))
	}
	for k := w.From; k < w.To; k++ {
		copy(s.factorW().Row(k), f.rows.Row(k0+k-n))
	}
	s.heldLong, s.heldShort = v, w
	if !s.tall {
		s.heldLong, s.heldShort = w, v
	}
}

// Fill sets what is fixed of the factors from k0 on in a result: their other sides are
// zero there.
func (f Fixed[T]) Fill(v, w kernel.Matrix[T], k0 int) {
	n := f.columns.Rows
	for k := k0; k < n; k++ {
		for i := range v.Rows {
			v.Row(i)[k] = f.columns.Row(k)[i]
		}
	}
	for k := max(k0, n); k < n+f.rows.Rows; k++ {
		copy(w.Row(k), f.rows.Row(k-n))
	}
}
