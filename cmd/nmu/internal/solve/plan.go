package solve

import (
	"context"
	"fmt"

	"nmu/lnmu"
)

// Plan is a factorization that is asked of the library.
type Plan struct {
	Rank     int
	Method   lnmu.Method
	Settings lnmu.Settings
	Gaps     bool  // the matrix may have missing entries of its own
	held     int   // of several processes: the rows, or columns if they are more, of this one
	Gathers  bool  // process 0 needs the longer factor as a whole
	asked    *Plan // as it was without defaults
}

// WithDefaults returns the plan for an m x n matrix with all defaults filled in.
func (p Plan) WithDefaults(m, n int) (Plan, error) {
	var err error
	asked := p
	p.asked = &asked
	p.Method, p.Settings, err = lnmu.WithDefaults(m, n, p.Rank, p.Method, &p.Settings)
	return p, err
}

// Recorded returns the plan with as few errors on record as the page of a recursion
// needs, where nothing else depends on them: each takes a pass over M.
func (p Plan) Recorded() Plan {
	const perBlock = 6
	if s := &p.Settings; s.Record && s.Tolerance == 0 && p.Method.Describe().Recursive {
		s.CheckEvery = max(s.CheckEvery, s.Iterations/perBlock)
	}
	return p
}

// observing returns the plan for a matrix of which that is observed, with the defaults
// that this has.
func (s Start[T]) observing(p Plan, k *lnmu.Mask, m, n int) (Plan, error) {
	progress := p.Settings.Progress
	p = *p.asked
	p.Settings.Observed, p.Settings.Progress = k, progress
	return s.WithDefaults(p, m, n)
}

// String names the work for an error about memory.
func (p Plan) String() string {
	return fmt.Sprintf("factoring it at rank %d by %s", p.Rank, p.Method.Describe().Name)
}

// Start is where a factorization starts from: V and W if they are given.
type Start[T lnmu.Float] struct {
	V, W  lnmu.Dense[T]
	Given bool
	Known *lnmu.Result[T] // of a recursion that is continued
}

// WithDefaults fills in the defaults of a plan that starts here.
func (s Start[T]) WithDefaults(p Plan, m, n int) (Plan, error) {
	if !s.Given {
		return p.WithDefaults(m, n)
	}
	if p.Rank != s.V.Cols {
		return p, fmt.Errorf("%w: the start V is %d x %d, want %d x %d", lnmu.ErrShape, s.V.Rows, s.V.Cols, m, p.Rank)
	}
	var err error
	asked := p
	p.asked = &asked
	p.Method, p.Settings, err = lnmu.WithDefaultsFrom(m, n, s.V, s.W, p.Method, &p.Settings)
	return p, err
}

// Factor factors a matrix.
func (s Start[T]) Factor(ctx context.Context, m lnmu.Matrix[T], p Plan) (*lnmu.Result[T], error) {
	switch {
	case s.Known != nil:
		return lnmu.Continue(ctx, m, s.Known, p.Rank, p.Method, &p.Settings)
	case s.Given:
		return lnmu.FactorFrom(ctx, m, s.V, s.W, p.Method, &p.Settings)
	}
	return lnmu.Factor(ctx, m, p.Rank, p.Method, &p.Settings)
}
