package engine

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/lnmu"
)

// Source is a function that factors one matrix with lnmu.
type Source[T lnmu.Float] func(context.Context, int, lnmu.Method, *lnmu.Settings) (*lnmu.Result[T], error)

// Dense returns the source of a dense matrix.
func Dense[T lnmu.Float](m lnmu.Dense[T]) Source[T] {
	return func(ctx context.Context, rank int, method lnmu.Method, s *lnmu.Settings) (*lnmu.Result[T], error) {
		return lnmu.Factor(ctx, m, rank, method, s)
	}
}

// Overwritten returns the source of a dense matrix whose memory the factorization may use.
func Overwritten[T lnmu.Float](m lnmu.Dense[T]) Source[T] {
	return func(ctx context.Context, rank int, method lnmu.Method, s *lnmu.Settings) (*lnmu.Result[T], error) {
		s.Overwrite = true
		return lnmu.Factor(ctx, m, rank, method, s)
	}
}

// Distributed returns the source of a dense matrix that the processes factor together, each
// process its own part.
func Distributed(m lnmu.Dense[float64], processes lnmu.Processes) Source[float64] {
	first, last := lnmu.Share(m.Rows, m.Cols, processes.Rank(), processes.Size())
	part := lnmu.Part[float64]{Processes: processes, Rows: m.Rows, Cols: m.Cols}
	if m.Cols > m.Rows {
		part.Matrix = m.Slice(0, m.Rows, first, last)
	} else {
		part.Matrix = m.Slice(first, last, 0, m.Cols)
	}
	return func(ctx context.Context, rank int, method lnmu.Method, s *lnmu.Settings) (*lnmu.Result[float64], error) {
		return lnmu.Factor(ctx, part, rank, method, s)
	}
}

// Sparse returns the source of a sparse matrix.
func Sparse[T lnmu.Float](m lnmu.CSR[T]) Source[T] {
	return func(ctx context.Context, rank int, method lnmu.Method, s *lnmu.Settings) (*lnmu.Result[T], error) {
		return lnmu.Factor(ctx, m, rank, method, s)
	}
}

// Started returns the source of the gonum matrix m with the start v, w.
func Started(m, v, w *mat.Dense) Source[float64] {
	a, b, c := gonum.From[float64](m), gonum.From[float64](v), gonum.From[float64](w)
	return func(ctx context.Context, _ int, method lnmu.Method, s *lnmu.Settings) (*lnmu.Result[float64], error) {
		return lnmu.FactorFrom(ctx, a, b, c, method, s)
	}
}
