package lnmu

import (
	"math"
	"math/rand/v2"

	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// randomStart returns V (m x r) and W (r x n), uniform in [0, 1), from the PCG
// generator of math/rand/v2 with the given seed: V row by row, then W. The
// float32 numbers are the rounded float64 ones.
func randomStart[T Float](m, n, r int, seed uint64) (v, w Dense[T]) {
	return randomPart[T](m, n, r, seed, window{group.Span{To: m}, group.Span{To: n}})
}

// randomPart returns the rows of V and the columns of W that belong to a part of M.
func randomPart[T Float](m, n, r int, seed uint64, of window) (v, w Dense[T]) {
	rng := rand.New(rand.NewPCG(seed, 0))
	v, w = NewDense[T](of.rows.Len(), r, nil), NewDense[T](r, of.cols.Len(), nil)
	skip(rng, of.rows.From, r)
	fill(rng, v.Data)
	skip(rng, m-of.rows.To, r)
	for k := range r {
		skip(rng, of.cols.From, 1)
		fill(rng, w.Row(k))
		skip(rng, n-of.cols.To, 1)
	}
	return v, w
}

// nestedPart is randomPart with a generator for each factor k = 0, 1, ..., which
// draws column k of V and then row k of W.
func nestedPart[T Float](m, n, r int, seed uint64, of window) (v, w Dense[T]) {
	const first = 2 // of the streams; the others are those of randomStart and SNMF
	v, w = NewDense[T](of.rows.Len(), r, nil), NewDense[T](r, of.cols.Len(), nil)
	for k := range r {
		rng := rand.New(rand.NewPCG(seed, first+uint64(k)))
		skip(rng, of.rows.From, 1)
		for i := range v.Rows {
			v.Row(i)[k] = T(rng.Float64())
		}
		skip(rng, m-of.rows.To+of.cols.From, 1)
		fill(rng, w.Row(k))
	}
	return v, w
}

// drawn returns the rows of V and the columns of W that belong to a part of M, drawn with
// the given seed; nested, with a generator for each factor.
func drawn[T Float](m, n, r int, seed uint64, nested bool, of window) (v, w Dense[T]) {
	if nested {
		return nestedPart[T](m, n, r, seed, of)
	}
	return randomPart[T](m, n, r, seed, of)
}

// fill draws numbers, uniform in [0, 1).
func fill[T Float](rng *rand.Rand, x []T) {
	for i := range x {
		x[i] = T(rng.Float64())
	}
}

// skip draws so many numbers as a matrix of that size has.
func skip(rng *rand.Rand, rows, cols int) {
	for range rows {
		for range cols {
			rng.Uint64() // as Float64 does
		}
	}
}

// start sets the factors to columns [k0, k0+rank) of v and rows of w.
func (s *solver[T]) start(v, w Dense[T], k0 int) {
	vt, wk := s.long, s.short
	if !s.tall {
		vt, wk = s.short, s.long
	}
	matrix.Transpose(vt, v.Slice(0, v.Rows, k0, k0+s.rank))
	for k := range s.rank {
		copy(wk.Row(k), w.Row(k0+k))
	}
}

// finish copies the factors to columns [k0, k0+rank) of v and rows of w.
func (s *solver[T]) finish(v, w Dense[T], k0 int) {
	vt, wk := s.long, s.short
	if !s.tall {
		vt, wk = s.short, s.long
	}
	matrix.Transpose(v.Slice(0, v.Rows, k0, k0+s.rank), vt)
	for k := range s.rank {
		copy(w.Row(k0+k), wk.Row(k))
	}
}

// Scale multiplies both factors by the square root of
// α = <N, VW>/<VW, VW>, so that equation (scaling) holds; N is M or the residual
// that is to be factored. Factors that cannot be scaled stay as they are; where
// one side is held, the other one takes all of α.
func (s *solver[T]) Scale() {
	alpha := T(math.Sqrt(s.fit()))
	if !(alpha > 0) || math.IsInf(float64(alpha), 0) {
		return
	}
	s.scaleSide(s.long, alpha, s.heldLong, s.heldShort)
	s.scaleSide(s.short, alpha, s.heldShort, s.heldLong)
}

// scaleSide multiplies the factors on one side by alpha, twice if the other side is held,
// but for those that are held themselves.
func (s *solver[T]) scaleSide(f kernel.Matrix[T], alpha T, held, other group.Span) {
	for k := range f.Rows {
		by := alpha
		if other.Has(k) {
			by *= alpha
		}
		if held.Has(k) {
			continue
		}
		for i := range f.Row(k) {
			f.Row(k)[i] *= by
		}
	}
}

// fit returns the α that minimises ||N - α VW||, which is not a number if VW = 0.
func (s *solver[T]) fit() float64 {
	if s.incomplete() {
		return s.fitPartial()
	}
	s.formB()
	s.pass(kernel.Never, 0, false)
	if s.lines.Aborted() {
		return math.NaN()
	}
	var across, within float64
	for k := range s.rank {
		across += matrix.Dot(s.c.Row(k), s.short.Row(k))
		within += matrix.Dot(s.d.Row(k), s.b.Row(k))
	}
	return across / within
}
