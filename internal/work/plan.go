package work

import (
	"context"
	"fmt"

	"nmu/internal/data"
	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/distributed"
)

// Plan is a factorization that is asked of the library.
type Plan struct {
	Rank     int
	Method   lnmu.Method
	Settings lnmu.Settings

	data.Selection         // what counts, for this process; Gaps: the matrix may have missing entries of its own
	Weight         float64 // of all entries without Weights; 0: none
	StoredOnly     bool    // what a sparse matrix does not store is missing

	World   distributed.Processes // that hold a part of the matrix each, or nil
	Gathers bool                  // process 0 needs the longer factor as a whole

	rows, cols int      // of the matrix as a whole
	asked      *request // what was asked for, without defaults; nil before WithDefaults
}

// request is a method and settings without defaults.
type request struct {
	method   lnmu.Method
	settings lnmu.Settings
}

// matrix returns what the library is given of m, which is that of this process.
func matrix[T lnmu.Float](p Plan, m lnmu.Matrix[T]) lnmu.Matrix[T] {
	if p.Mask != nil || p.Weights != nil || p.Weight > 0 || p.StoredOnly {
		m = lnmu.Observed[T]{Matrix: m, Mask: p.Mask, Weights: p.Weights, Weight: p.Weight, StoredOnly: p.StoredOnly}
	}
	if p.World != nil {
		m = distributed.Whole[T]{Processes: p.World, Rows: p.rows, Cols: p.cols}.Part(m)
	}
	return m
}

// shape is matrix without any entries, for an m x n matrix.
func shape[T lnmu.Float](p Plan, m, n int) lnmu.Matrix[T] {
	p.rows, p.cols = m, n
	m, n = p.own()
	return matrix[T](p, lnmu.Unread[T]{Rows: m, Cols: n})
}

// own returns the size of the part of the matrix that this process has.
func (p Plan) own() (rows, cols int) {
	if p.World == nil {
		return p.rows, p.cols
	}
	b := blockOf(p.World, p.rows, p.cols)
	return b.Rows(), b.Cols()
}

// normalized returns the plan for an m x n matrix without defaults, and without a mask or weights
// that say nothing.
func (p Plan) normalized(m, n int) (Plan, error) {
	if p.asked == nil {
		p.asked = &request{p.Method, p.Settings}
	}
	now := p.Settings
	p.Method, p.Settings, p.rows, p.cols = p.asked.method, p.asked.settings, m, n
	p.Settings.Progress, p.Settings.Checkpoint = now.Progress, now.Checkpoint
	if p.Mask == nil && p.Weights == nil {
		return p, nil
	}
	m, n = p.own()
	seen, err := lnmu.Observed[float64]{Matrix: matrix[float64](p, lnmu.Unread[float64]{Rows: m, Cols: n})}.Normalized()
	p.Mask, p.Weights, p.Weight = seen.Mask, seen.Weights, seen.Weight
	return p, err
}

// recorded returns the plan with as few errors on record as the page of a recursion
// needs, where nothing else depends on them: each takes a pass over M.
func (p Plan) recorded() Plan {
	const perBlock = 6
	if s := &p.Settings; s.Record && s.Tolerance == 0 && options.DescriptionOf(p.Method).Recursive {
		s.CheckEvery = max(s.CheckEvery, s.Iterations/perBlock)
	}
	return p
}

// String names the work for an error about memory.
func (p Plan) String() string {
	return fmt.Sprintf("factoring it at rank %d by %s", p.Rank, p.Method.Name())
}

// Start is where a factorization starts from: V and W if they are given.
type Start[T lnmu.Float] struct {
	V, W  lnmu.Dense[T]
	Given bool
	Known *lnmu.Result[T] // of a recursion that is continued
}

// WithDefaults returns the plan that starts here, for an m x n matrix, with all defaults filled in, by package lnmu. It
// begins with what was asked for, so that a plan whose mask or part of the matrix is known by now gets the defaults for these.
func (s Start[T]) WithDefaults(p Plan, m, n int) (Plan, error) {
	if s.Given && p.Rank != s.V.Cols {
		return p, fmt.Errorf("%w: the start V is %d x %d, want %d x %d", lnmu.ErrShape, s.V.Rows, s.V.Cols, m, p.Rank)
	}
	p, err := p.normalized(m, n)
	switch {
	case err != nil:
	case s.Given:
		p.Method, p.Settings, err = lnmu.Check(shape[T](p, m, n), p.Rank, p.Method, &p.Settings, s.V, s.W)
	default:
		p.Method, p.Settings, err = lnmu.Check(shape[float64](p, m, n), p.Rank, p.Method, &p.Settings)
	}
	if err != nil && p.Lines != nil {
		err = fmt.Errorf("%w (left out: %s without an observed entry)", err, p.Lines)
	}
	return p, err
}

// Factor factors a matrix.
func (s Start[T]) Factor(ctx context.Context, m lnmu.Matrix[T], p Plan) (*lnmu.Result[T], error) {
	m = matrix(p, m)
	switch {
	case s.Known != nil:
		return s.Known.Continue(ctx, m, p.Rank, p.Method, &p.Settings)
	case s.Given:
		return lnmu.FactorFrom(ctx, m, s.V, s.W, p.Method, &p.Settings)
	}
	return lnmu.Factor(ctx, m, p.Rank, p.Method, &p.Settings)
}
