package lnmu

import (
	"nmu/lnmu/internal/observed"
	"nmu/lnmu/internal/outline"
	"nmu/lnmu/internal/source"
	"nmu/lnmu/outcome"
)

// Result is a factorization M ≈ V W and the record of its run. Of the part of a tall M, V holds
// the rows of this process alone, maybe none; of a wide M, W holds its columns. The other
// factor is whole. Package distributed gives access to the whole of both.
type Result[T Float] struct {
	V Dense[T] // basis, m x r
	W Dense[T] // weights, r x n
	outcome.Report

	divergence, sumToOne bool    // what the method minimises, and demands of W: for Transform
	light                float64 // the median sum of the weights of a column in a start from columns of M, else 0
	fell                 float64 // part of the error, or of what the method minimises, by which it fell in the last tenth of the iterations
	noise                float64 // bound on the rounding errors of RelativeError² and RelativeViolation², for the notes
}

// weigh sets Q and ExpectedQ, given M and its survey, in whose norm the largest weight is 1.
func (res *Result[T]) weigh(m outline.Matrix, of source.Survey) {
	w := m.Entries.Largest
	if w == 0 {
		return
	}
	left := float64(res.RelativeError * of.Norm)
	count := m.Rows*m.Cols - m.Entries.Missing
	if m.StoredOnly {
		count = of.Entries
	}
	res.Q, res.ExpectedQ = float64(w*left*left), observed.ExpectedQ(count, res.V.Cols, m.Rows, m.Cols)
}
