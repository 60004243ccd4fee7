package record

import (
	"nmu/internal/page"
	"nmu/lnmu"
)

// Page returns the content of the page about a run.
func Page[T lnmu.Float](r *Factor, v, w lnmu.Dense[T]) page.Run {
	run := page.Run{
		Input: r.Input, Rows: r.Rows, Cols: r.Cols, Method: r.description(), Rank: r.Rank, RankAsked: r.RankAsked, Stop: r.Stop,
		RelativeError: r.RelativeError, Violation: r.Violation, RelativeL1: r.RelativeL1, Divergence: (*float64)(r.Divergence), MaxViolation: r.MaxViolation,
		Q: float64(r.Q), ExpectedQ: r.ExpectedQ, Bound: r.Bound, LargestEntry: r.LargestEntry,
		SparsityV: r.SparsityV, SparsityW: r.SparsityW, HoyerV: r.HoyerV, HoyerW: r.HoyerW,
		RankOfError: r.RankOfError, ErrorPerRank: r.ErrorPerRank, L1PerRank: r.L1PerRank, CheckEvery: r.CheckEvery, Iterations: r.IterationsPerBlock,
		Facts: r.facts(), Notes: r.Notes, RowNames: r.RowNames, ColNames: r.ColNames,
		V: page.FactorOf(v), W: page.FactorOf(w), Distance: r.Distance,
	}
	for i := range r.History {
		run.History = append(run.History, r.Errors(i))
	}
	run.RowAxis, run.ColAxis = r.RowAxis, r.ColAxis
	run.SumToOne = r.Options["sum-to-one"] == "w"
	run.Weighted, run.Missing = r.Weighted, r.Missing > 0 || r.Partial.Sparse
	run.LeftRows, run.LeftCols = r.Left.LeftRows(), r.Left.LeftCols()
	if r.Image != nil {
		run.Image = page.Pixels{Height: r.Image.Height, Width: r.Image.Width, ByRows: r.Image.Pixels().ByRows}
	}
	if r.Map != nil {
		run.Map = page.Pixels{Height: r.Map.Height, Width: r.Map.Width, ByRows: r.Map.Pixels().ByRows}
	}
	return run
}
