package hals

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// Sides are both factors of a problem. What a method asks of them alike, whatever the storage of M,
// is answered here.
type Sides[T kernel.Float] struct {
	V, W *Side[T] // of the rows of M, and of its columns
}

// SidesOf joins the sides of a tall M, or of a wide one.
func SidesOf[T kernel.Float](long, short *Side[T], wide bool) Sides[T] {
	long.Other, short.Other = short, long
	if wide {
		return Sides[T]{short, long}
	}
	return Sides[T]{long, short}
}

// Take sets the factors to columns k0, k0+1, ... of v and rows of w.
func (s Sides[T]) Take(v, w kernel.Matrix[T], k0 int) {
	end := k0 + len(s.V.Inv)
	s.V.take(v.Slice(0, v.Rows, k0, end), true)
	s.W.take(w.Slice(k0, end, 0, w.Cols), false)
}

// Resume implements core.Problem.
func (s Sides[T]) Resume(k0 int, finished core.Factors) {
	p := finished.(*core.Pair[T])
	s.Take(p.V, p.W, k0)
}

// SumToOne makes the entries of each line add up to 1, in V or in W, for a team of that many members.
func (s Sides[T]) SumToOne(v, w bool, members int) {
	rank := len(s.V.Inv)
	if v {
		s.V.Simplex = Simplices(members, rank)
	}
	if w {
		s.W.Simplex = Simplices(members, rank)
	}
}

// Summed implements core.Problem.
func (s Sides[T]) Summed() bool { return s.V.Summed() && s.W.Summed() }

// SetSums implements core.Problem.
func (s Sides[T]) SetSums() {
	s.V.SetSums()
	s.W.SetSums()
}

// Hold sets the first factors of a result: V to the columns, and W of the following factors to the
// rows. No step changes them. k0 is the number of the first factor of the sides.
func (s Sides[T]) Hold(k0 int, columns, rows kernel.Matrix[T]) {
	rank, n := len(s.V.Inv), columns.Rows
	clip := func(from, count int) group.Span {
		return group.Span{From: min(max(from-k0, 0), rank), To: min(max(from+count-k0, 0), rank)}
	}
	s.V.Held, s.W.Held = clip(0, n), clip(n, rows.Rows)
	for k := s.V.Held.From; k < s.V.Held.To; k++ {
		s.V.Set(k, columns.Row(k0+k))
	}
	for k := s.W.Held.From; k < s.W.Held.To; k++ {
		s.W.Set(k, rows.Row(k0+k-n))
	}
}

// KeepSupport restricts the following sweeps to the entries that are positive now.
func (s Sides[T]) KeepSupport() {
	s.V.KeepSupport()
	s.W.KeepSupport()
}

// Clear implements core.Problem.
func (s Sides[T]) Clear() {
	s.V.Clear()
	s.W.Clear()
}

// Vanish sets vectors of both factors to zero.
func (s Sides[T]) Vanish(vectors []int) {
	for _, k := range vectors {
		s.V.Vanish(k)
		s.W.Vanish(k)
	}
}

// Vanished reports whether V or W is zero altogether.
func (s Sides[T]) Vanished() bool { return s.V.Vanished() || s.W.Vanished() }

// ProductSquares returns ||V W||², by the Gram matrices.
func (s Sides[T]) ProductSquares() (sum float64) {
	for k := range s.V.Inv {
		sum += matrix.Dot(s.V.Gram.Row(k), s.W.Gram.Row(k))
	}
	return sum
}

// ScaleBoth multiplies both factors by the square root of α, unless that is zero or no number. Where one side is held or has
// sums of 1, the other side is multiplied by α.
func (s Sides[T]) ScaleBoth(alpha float64) {
	root := T(math.Sqrt(alpha))
	if !(root > 0) || math.IsInf(float64(root), 0) {
		return
	}
	bound := [2]group.Span{s.V.Held, s.W.Held}
	for i, s := range [2]*Side[T]{s.V, s.W} {
		if s.Simplex != nil && s.Summed() {
			bound[i] = group.Span{To: len(s.Inv)}
		}
	}
	s.V.multiply(root, bound[0], bound[1])
	s.W.multiply(root, bound[1], bound[0])
}

// Shift multiplies V by a power of two and W by its reciprocal, and scales their sums to match.
func (s Sides[T]) Shift(c float64) {
	s.V.Shift(T(c))
	s.W.Shift(T(1 / c))
}

// Penalise implements core.Penalised.
func (s Sides[T]) Penalise(v, w core.Penalty) {
	s.V.Penalise(v)
	s.W.Penalise(w)
}

// Zeros implements core.Penalised.
func (s Sides[T]) Zeros() (v, w float64) { return s.V.Zeros(), s.W.Zeros() }

// BeginMomentum begins the momentum with the present factors.
func (s Sides[T]) BeginMomentum() {
	s.V.Begin()
	s.W.Begin()
}

// SetBeta sets β of both sides.
func (s Sides[T]) SetBeta(beta float64) {
	s.V.SetBeta(beta)
	s.W.SetBeta(beta)
}
