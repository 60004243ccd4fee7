package lnmu

import (
	"fmt"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// Fixed are parts of the factors that are known and stay as they are, for NMF, GNMU and
// RNMU: what belongs to them is found. The first columns of V are those of Fixed.V; the
// rows of W that come after as many as these are those of Fixed.W, each with a column of V
// that is found. A baseline is a row of ones before those of Fixed.W, which gives every
// row of M an offset, M ≈ V W + b 1ᵀ (as PhoRC has it: B. Antin and others, Removing
// direct photocurrent artifacts in optogenetic connectivity mapping data via constrained
// matrix factorization, PLOS Computational Biology 2024). All of them count as factors.
//
//	          V                              W
//	Fixed.V | found | found       found
//	        |       |             ---------------------
//	        |       |             1 1 1 ... (Baseline), Fixed.W
//	        |       |             ---------------------
//	        |       |             found
//
// In a recursion they are the factors that are found first: of M, then of what is left.
// There a baseline alone in its block is the least entry of each row of M, as far as the
// method reaches V W <= M. Found together with other factors, in a block or by NMF and
// GNMU, it is not determined, as rows of W that are positive everywhere may stand for a
// part of it.
type Fixed struct {
	V        Dense[float64] // m x k, any k; empty for none
	W        Dense[float64] // k x n, likewise
	Baseline bool
}

// any reports whether anything is fixed.
func (f Fixed) any() bool { return f.V.Cols > 0 || f.W.Rows > 0 || f.Baseline }

// rows returns the number of rows of W that are fixed.
func (f Fixed) rows() int {
	if f.Baseline {
		return f.W.Rows + 1
	}
	return f.W.Rows
}

// check checks them for factors of an m x n matrix by a method with its defaults.
func (f Fixed) check(m, n, rank int, p resolved) error {
	if f.V.Rows < 0 || f.V.Cols < 0 || f.W.Rows < 0 || f.W.Cols < 0 {
		return fmt.Errorf("%w: fixed factors of negative size", ErrShape)
	}
	if !f.any() {
		return nil
	}
	d := p.method.Describe()
	switch {
	case !d.Fixes:
		return core.Bad("fixed factors or a baseline with method %s; choose %s", d.Name, names(func(d Description) bool { return d.Fixes }))
	case p.acceleration.on:
		return core.Bad("fixed factors or a baseline with solver %s, which changes all of them; choose %s", SolverAccelerated, SolverHALS)
	case p.norm == L1:
		return core.Bad("fixed factors or a baseline with norm %s; choose %s", L1, L2)
	case p.lagrange.Feasible != "":
		return core.Bad("fixed factors or a baseline with feasible %s, whose exact step changes them; leave one of them out", p.lagrange.Feasible)
	case f.V.Cols > rank || f.rows() > rank-f.V.Cols:
		return core.Bad("%d fixed columns of V and %d fixed rows of W in factors of rank %d; choose a larger rank", f.V.Cols, f.rows(), rank)
	}
	for _, x := range []struct {
		name       string
		d          Dense[float64]
		rows, cols int
	}{{"fixed V", f.V, m, f.V.Cols}, {"fixed W", f.W, f.W.Rows, n}} {
		switch {
		case x.d.Rows*x.d.Cols == 0:
			continue
		case x.d.Rows != x.rows || x.d.Cols != x.cols:
			return fmt.Errorf("%w: the %s is %d x %d, want %d x %d", ErrShape, x.name, x.d.Rows, x.d.Cols, x.rows, x.cols)
		}
		if err := matrix.Check(x.name, x.d); err != nil {
			return err
		}
		for i := range x.d.Rows {
			if err := matrix.CheckRow(x.name, i, x.d.Row(i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// fixed is Fixed in the precision of a job.
type fixed[T Float] struct {
	columns kernel.Matrix[T] // of V, as rows
	rows    kernel.Matrix[T] // of W
}

// fixedOf converts f for an m x n matrix. What is beyond T, or has a square beyond it, is
// refused.
func fixedOf[T Float](f Fixed, m, n int) (fixed[T], error) {
	x := fixed[T]{kernel.NewMatrix[T](f.V.Cols, m), kernel.NewMatrix[T](f.rows(), n)}
	for i := range f.V.Rows {
		for k, a := range f.V.Row(i) {
			x.columns.Row(k)[i] = T(a)
		}
	}
	first := f.rows() - f.W.Rows
	if f.Baseline {
		for j := range n {
			x.rows.Row(0)[j] = 1
		}
	}
	for k := range f.W.Rows {
		for j, a := range f.W.Row(k) {
			x.rows.Row(first + k)[j] = T(a)
		}
	}
	for _, side := range []struct {
		what string
		data kernel.Matrix[T]
	}{{"column %d of the fixed V", x.columns}, {"row %d of the fixed W", x.rows}} {
		for k := range side.data.Rows {
			if squares := float64(kernel.SumSquares(side.data.Row(k))); !(squares <= matrix.Largest[T]()/16) {
				return x, fmt.Errorf("%w: "+side.what+" overflows in %T; scale it down", ErrValue, k+1, T(0))
			}
		}
	}
	return x, nil
}

// hold takes the reciprocals of what is held away: a sweep leaves it as it is.
func hold[T Float](inv []T, held group.Span) {
	clear(inv[held.From:held.To])
}

// place sets the factors of s, which are those from k0 on, to what is fixed of them, and
// holds it.
func (f fixed[T]) place(s *solver[T], k0 int) {
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

// fill sets what is fixed of the factors from k0 on in a result: their other sides are
// zero there.
func (f fixed[T]) fill(v, w Dense[T], k0 int) {
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
