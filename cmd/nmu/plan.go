package main

import (
	"context"
	"fmt"

	"nmu/lnmu"
)

// plan is a factorization that is asked of the library.
type plan struct {
	rank     int
	method   lnmu.Method
	settings lnmu.Settings
	gaps     bool  // the matrix may have missing entries of its own
	held     int   // of several processes: the rows, or columns if they are more, of this one
	gathers  bool  // process 0 needs the longer factor as a whole
	asked    *plan // as it was without defaults
}

// withDefaults returns the plan for an m x n matrix with all defaults filled in.
func (p plan) withDefaults(m, n int) (plan, error) {
	var err error
	asked := p
	p.asked = &asked
	p.method, p.settings, err = lnmu.WithDefaults(m, n, p.rank, p.method, &p.settings)
	return p, err
}

// recorded returns the plan with as few errors on record as the page of a recursion
// needs, where nothing else depends on them: each takes a pass over M.
func (p plan) recorded() plan {
	const perBlock = 6
	if s := &p.settings; s.Record && s.Tolerance == 0 && p.method.Describe().Recursive {
		s.CheckEvery = max(s.CheckEvery, s.Iterations/perBlock)
	}
	return p
}

// observing returns the plan for a matrix of which that is observed, with the defaults
// that this has.
func (s start[T]) observing(p plan, k *lnmu.Mask, m, n int) (plan, error) {
	progress := p.settings.Progress
	p = *p.asked
	p.settings.Observed, p.settings.Progress = k, progress
	return s.withDefaults(p, m, n)
}

// String names the work for an error about memory.
func (p plan) String() string {
	return fmt.Sprintf("factoring it at rank %d by %s", p.rank, p.method.Describe().Name)
}

// start is where a factorization starts from: V and W if they are given.
type start[T lnmu.Float] struct {
	v, w  lnmu.Dense[T]
	given bool
	known *lnmu.Result[T] // of a recursion that is continued
}

// withDefaults fills in the defaults of a plan that starts here.
func (s start[T]) withDefaults(p plan, m, n int) (plan, error) {
	if !s.given {
		return p.withDefaults(m, n)
	}
	if p.rank != s.v.Cols {
		return p, fmt.Errorf("%w: the start V is %d x %d, want %d x %d", lnmu.ErrShape, s.v.Rows, s.v.Cols, m, p.rank)
	}
	var err error
	asked := p
	p.asked = &asked
	p.method, p.settings, err = lnmu.WithDefaultsFrom(m, n, s.v, s.w, p.method, &p.settings)
	return p, err
}

// factor factors a dense matrix.
func (s start[T]) factor(ctx context.Context, m lnmu.Matrix[T], p plan) (*lnmu.Result[T], error) {
	switch {
	case s.known != nil:
		return lnmu.Continue(ctx, m, s.known, p.rank, p.method, &p.settings)
	case s.given:
		return lnmu.FactorFrom(ctx, m, s.v, s.w, p.method, &p.settings)
	}
	return lnmu.Factor(ctx, m, p.rank, p.method, &p.settings)
}

// factorSparse factors a sparse matrix.
func (s start[T]) factorSparse(ctx context.Context, m lnmu.CSR[T], p plan) (*lnmu.Result[T], error) {
	switch {
	case s.known != nil:
		return lnmu.ContinueSparse(ctx, m, s.known, p.rank, p.method, &p.settings)
	case s.given:
		return lnmu.FactorSparseFrom(ctx, m, s.v, s.w, p.method, &p.settings)
	}
	return lnmu.FactorSparse(ctx, m, p.rank, p.method, &p.settings)
}

// factorStoredSparse factors a sparse matrix that is not in memory.
func (s start[T]) factorStoredSparse(ctx context.Context, m lnmu.StoredCSR[T], p plan) (*lnmu.Result[T], error) {
	switch {
	case s.known != nil:
		return lnmu.ContinueStoredSparse(ctx, m, s.known, p.rank, p.method, &p.settings)
	case s.given:
		return lnmu.FactorStoredSparseFrom(ctx, m, s.v, s.w, p.method, &p.settings)
	}
	return lnmu.FactorStoredSparse(ctx, m, p.rank, p.method, &p.settings)
}
