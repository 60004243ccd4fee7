package lnmu

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/outcome"
)

// Updated is a basis after new columns, with what it needs of columns that are gone: sums of products over the
// columns m of M and w of W. Without WW and MW, there were none.
type Updated[T Float] struct {
	V  Dense[T] // m x r
	WW Dense[T] // r x r, the sum of w wᵀ over all columns so far
	MW Dense[T] // m x r, the sum of m wᵀ

	// New are the weights of the new columns that entered the sums, in the basis before its last step,
	// with their error there. Transform finds their weights in V.
	New *Transformed[T]

	IterationsDone int          // alternations
	Stop           outcome.Stop // StopTolerance, StopIterations, or StopCancelled
}

// Update continues a factorization M ≈ V W by new columns, without the earlier ones: online
// nonnegative matrix factorization (A. Lefèvre, F. Bach and C. Févotte, Online algorithms for
// nonnegative matrix factorization with the Itakura-Saito divergence, 2011; J. Mairal, F. Bach, J. Ponce and
// G. Sapiro, Online learning for matrix factorization and sparse coding, JMLR 11, 2010).
//
// M (m x n) has the new columns, and past the basis V (m x r) of the earlier ones and their sums.
// An alternation finds the weights W of the new columns as Transform does, adds W Wᵀ and M Wᵀ to the
// past sums A (WW) and B (MW), and makes HALS sweeps over V: they decrease tr(V A Vᵀ) - 2 tr(Vᵀ B), which is
// the sum of the squared errors of all columns, up to a constant. The earlier columns count with the weights that
// they had when they were new. A column of V that no column uses stays as it is.
//
// To begin, factor the first columns by NMF, and update that V by the same columns without sums. The settings take
// Iterations, the largest number of alternations, default 10, which end sooner when one changes the relative error of the new
// columns by no more than Tolerance times itself, default 1e-4; and Threads.
//
// An alternation takes 4mnr operations for M, and those of Transform. M has neither missing entries nor
// weights. Errors wrap ErrShape, ErrOption or ErrValue. If ctx is cancelled, V and
// the sums of past are returned, together with the cause.
func Update[T Float](ctx context.Context, m Matrix[T], past Updated[T], settings *TransformSettings) (*Updated[T], error) {
	opt, v := check.Given(settings), past.V
	switch {
	case opt.exact() || opt.Divergence:
		return nil, fault.Bad("an update with V W <= M, sums of one or the divergence; it minimises the squared error, so leave them out")
	case opt.Tolerance == 0:
		opt.Tolerance = 1e-4
	}
	err := cmp.Or(check.Number("tolerance", opt.Tolerance, math.Inf(1)), check.Count("number of iterations", &opt.Iterations, 10),
		check.Threads(&opt.Threads), kernel.LevelError(), check.Context(ctx))
	if err != nil {
		return nil, err
	}
	inner, o, err := unwrap(m)
	if err != nil {
		return nil, err
	}
	if o.Entries.Incomplete() {
		return nil, fault.Bad("new columns with missing entries or weights, which sums of products cannot keep; impute or leave them out")
	}
	x, with, err := columnsOf(inner, o, v, &TransformSettings{Threads: opt.Threads})
	if err != nil {
		return nil, err
	}
	if err := past.check(); err != nil {
		return nil, err
	}
	t := team.New(opt.Threads)
	defer t.Close()
	over := func() bool { return ctx.Err() != nil }
	res := &Updated[T]{V: v, Stop: outcome.StopIterations}
	for before := math.Inf(1); res.IterationsDone < opt.Iterations && res.Stop != outcome.StopTolerance; {
		res.IterationsDone++
		now, err := transformed(ctx, x, res.V, Dense[T]{}, with)
		if now == nil {
			return nil, err
		}
		res.New = now
		if math.Abs(before-now.RelativeError) <= opt.Tolerance*now.RelativeError {
			res.Stop = outcome.StopTolerance
		}
		res.WW, res.MW = past.plus(now.W, x.Multiply(now.W))
		if err := res.entries(); err != nil { // they overflow
			return nil, err
		}
		res.V = swept(t, over, res.V, res.WW, res.MW)
		if over() {
			return &Updated[T]{V: v, WW: past.WW, MW: past.MW, New: now, Stop: outcome.StopCancelled}, fmt.Errorf("update stopped early: %w", context.Cause(ctx))
		}
		before = now.RelativeError
	}
	return res, nil
}

// check returns an error unless the sums are those of the basis.
func (s *Updated[T]) check() error {
	if s.WW.Data == nil && s.MW.Data == nil {
		return nil
	}
	if v, r := s.V, s.V.Cols; s.WW.Rows != r || s.WW.Cols != r || s.MW.Rows != v.Rows || s.MW.Cols != r {
		return fmt.Errorf("%w: the sums are %d x %d and %d x %d, and V is %d x %d; those of its rank are %d x %d and %d x %d", ErrShape,
			s.WW.Rows, s.WW.Cols, s.MW.Rows, s.MW.Cols, v.Rows, r, r, r, v.Rows, r)
	}
	return s.entries()
}

// entries returns an error for an entry of the sums that is negative or not finite.
func (s *Updated[T]) entries() error {
	return cmp.Or(
		matrix.CheckStart("the sums W Wᵀ", s.WW, s.WW.Rows, s.WW.Cols),
		matrix.CheckStart("the sums M Wᵀ", s.MW, s.MW.Rows, s.MW.Cols))
}

// plus returns the sums with those of new columns, whose weights are W, and whose products with M are Wᵀ M,
// one row for each row of W.
func (s *Updated[T]) plus(w, products Dense[T]) (ww, mw Dense[T]) {
	ww, mw = NewDense[T](w.Rows, w.Rows, nil), NewDense[T](products.Cols, w.Rows, nil)
	kernel.Gram(ww, w)
	mw.SetTransposed(products)
	if s.WW.Data != nil {
		kernel.Add(ww, s.WW)
		kernel.Add(mw, s.MW)
	}
	return ww, mw
}

const (
	updateSweeps = 10  // the most sweeps over V in an alternation
	updateRatio  = 0.1 // of the first change, at which they end
)

// swept returns V after HALS sweeps, given the sums.
func swept[T Float](t *team.Team, over func() bool, v, ww, mw Dense[T]) Dense[T] {
	next := NewDense[T](v.Rows, v.Cols, nil)
	inv := make([]T, v.Cols)
	kernel.Reciprocals(inv, ww)
	const panel = hals.ColumnsPerPanel
	t.Run((v.Rows+panel-1)/panel, func(_, task int) {
		i0, i1 := task*panel, min((task+1)*panel, v.Rows)
		h, a := v.Slice(i0, i1, 0, v.Cols).Transposed(), mw.Slice(i0, i1, 0, v.Cols).Transposed()
		before := kernel.NewMatrix[T](h.Rows, h.Cols)
		hals.Sweep(hals.Sweeps{Most: updateSweeps, Enough: updateRatio, Over: over}, before, h, a, ww, inv, 0, 0, kernel.Matrix[T]{})
		next.Slice(i0, i1, 0, v.Cols).SetTransposed(h)
	})
	return next
}
