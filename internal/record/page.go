package record

import (
	"nmu/internal/page"
	"nmu/lnmu"
)

// Page returns the content of the page about a run.
func Page[T lnmu.Float](r *Factor, v, w lnmu.Dense[T]) page.Run {
	run := page.Run{
		Input: r.Input, Rows: r.Rows, Cols: r.Cols, Method: r.Settings.description(), RankAsked: r.Settings.Rank,
		Result: r.Result, CheckEvery: r.Settings.CheckEvery,
		Facts: r.facts(), RowNames: r.RowNames, ColNames: r.ColNames, RowAxis: r.RowAxis, ColAxis: r.ColAxis,
		SumToOne: r.Settings.Options["sum-to-one"] == "w", Weighted: r.Weighted, Missing: r.Missing > 0 || r.Sparse,
		V: page.FactorOf(v), W: page.FactorOf(w), Distance: r.Distance,
		Image: r.Image.Pixels(), Map: r.Map.Pixels(),
	}
	run.LeftRows, run.LeftCols = r.Left.Left()
	return run
}
