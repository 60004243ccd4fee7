package lnmu

import (
	"context"

	"nmu/lnmu/internal/matrix"
)

// Improve is the column "Improved" of the paper's tables (section 4.5): it rounds
// V and W by the 0.1 % rule, keeps the zeros as they are then, and makes HALS
// steps on the other entries, 100 unless settings say otherwise. It
// compares the supports of solutions, whatever else their methods had to respect.
//
// V (m x r) and W (r x n) are not changed. The settings are those of Factor from a
// given start. Errors and cancellation are those of Factor.
func Improve[T Float](ctx context.Context, m Matrix[T], v, w Dense[T], settings *Settings) (*Result[T], error) {
	return ImproveBy(ctx, m, v, w, NMF{}, settings)
}

// ImproveBy is Improve by the given solver of NMF. The number of iterations is 100 for
// each of them, which brings SolverAccelerated farther.
func ImproveBy[T Float](ctx context.Context, m Matrix[T], v, w Dense[T], method NMF, settings *Settings) (*Result[T], error) {
	var s Settings
	if settings != nil {
		s = *settings
	}
	if s.Iterations == 0 {
		s.Iterations = 100
	}
	start := given[T]{rank: v.Cols, v: v, w: w, start: true, supports: true}
	if m != nil {
		rows, cols := m.Dims()
		if err := start.check(rows, cols); err != nil {
			return nil, err
		}
		start.v, start.w = matrix.Clone(v), matrix.Clone(w)
		RoundBasis(start.v)
		RoundWeights(start.w)
	}
	return instance[factoring[T, Matrix[T]]](factor32, factor64)(ctx, m, start, method, &s)
}

// Scaled is the column "Scaled" of the paper's tables (section 4.8): it returns
// the α that minimises ||M - α V W||_F (equation (scaling)), and that error
// divided by ||M||_F. If V W = 0 or M = 0, α is 0 or 1, and the error 1 or 0.
// O(mnr) operations. Errors wrap ErrShape or ErrValue.
func Scaled[T Float](m Matrix[T], v, w Dense[T]) (alpha, relativeError float64, err error) {
	res, err := Measure(m, v, w)
	return res.Scale, res.ScaledError, err
}
