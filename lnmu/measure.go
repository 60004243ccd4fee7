package lnmu

import (
	"math"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/engine"
)

// Measures are the numbers by which the paper's tables compare factorizations.
type Measures struct {
	// RelativeError is ||M - V W||_F / ||M||_F, 0 for M = 0 and +Inf where the
	// squares overflow; MaxViolation is the largest entry of V W - M, or 0 if none is
	// positive.
	RelativeError, MaxViolation float64

	// Scale is the α that minimises ||M - α V W||_F (equation (scaling)), and
	// ScaledError that error divided by ||M||_F: the column "Scaled" (section 4.8). If
	// V W = 0 or M = 0, α is 0 or 1, and the error 1 or 0.
	Scale, ScaledError float64

	Basis, Weights Sparsity // of the columns of V, of the rows of W
}

// Measure compares V (m x r) and W (r x n), from any program, with M (m x n). For an Observed,
// all numbers but the sparsities refer to the observed entries. Of the settings, which may be
// nil, it uses Threads. Measure takes O(mnr) operations. Errors wrap ErrShape or ErrValue.
func Measure[T Float](m Matrix[T], v, w Dense[T], settings *Settings) (Measures, error) {
	return core.Instance[measuring[T]](measure32, measure64)(m, v, w, settings)
}

func measure[T Float](m Matrix[T], v, w Dense[T], settings *Settings) (Measures, error) {
	x, o, err := whole(m)
	if err != nil {
		return Measures{}, err
	}
	start := given[T]{rank: v.Cols, v: v, w: w, start: true}
	if err := start.check(o.Rows, o.Cols); err != nil {
		return Measures{}, err
	}
	var asked Settings
	if settings != nil {
		asked = Settings{Threads: settings.Threads}
	}
	p, s, err := prepare(o, v.Cols, NMF{}, &asked, true)
	if err != nil {
		return Measures{}, err
	}
	of, err := engine.CheckDense(x, p.Entries, s.Threads)
	if err != nil {
		return Measures{}, err
	}
	norm := of.Norm()
	e, scale, scaled := of.Measure(v, w)
	res := Measures{MaxViolation: max(0, -e.Least), Basis: RowSparsity(v.Transposed()), Weights: RowSparsity(w)}
	if norm == 0 {
		res.Scale = 1
		return res, nil
	}
	res.RelativeError = math.Sqrt(e.Squares) / norm
	if math.IsNaN(scale) || math.IsInf(scale, 0) {
		res.ScaledError = 1
		return res, nil
	}
	res.Scale, res.ScaledError = scale, math.Sqrt(scaled.Squares)/norm
	return res, nil
}
