package compare

import (
	"slices"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
)

// curve returns points of the ranks 1, 2, ... with these held-out errors, of one
// standard error, and training errors, if any.
func curve(standardError float64, held, training []float64) []HeldOutPoint {
	points := make([]HeldOutPoint, max(len(held), len(training)))
	for x := range points {
		points[x].Rank = x + 1
		if x < len(held) && held[x] >= 0 {
			points[x].HeldOut = &FoldErrors{Mean: held[x], StandardError: standardError}
		}
		if x < len(training) {
			points[x].Training = &training[x]
		}
	}
	return points
}

// agreeing adds stabilities to points.
func agreeing(points []HeldOutPoint, stability ...float64) []HeldOutPoint {
	for x := range points {
		points[x].Agreement = &Agreement{Runs: 2, Stability: stability[x]}
	}
	return points
}

func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		name   string
		points []HeldOutPoint
		want   Advice
		says   []string
	}{
		{"least", curve(0.01, []float64{0.5, 0.3, 0.1, 0.12, 0.13}, nil),
			Advice{Rank: 3, Least: 3, OneStandardError: 3}, []string{"least at rank 3", "above their sum at every smaller rank"}},
		{"least at the last but one, clear elbow", agreeing(curve(0.01, []float64{0.5, 0.3, 0.28, 0.2, 0.4}, []float64{0.5, 0.15, 0.13, 0.12, 0.1}), 1, 0.9, 0.8, 0.7, 0.6),
			Advice{Rank: 2, Least: 4, OneStandardError: 4, Elbow: 2, AtEnd: true},
			[]string{"stability 0.900 at rank 2, 0.600 at rank 5; the held-out error is least at rank 4, but only one larger rank was tried"}},
		{"least at the last but one, no elbow", curve(0.01, []float64{0.5, 0.4, 0.3, 0.31}, nil),
			Advice{Least: 3, OneStandardError: 3, AtEnd: true}, []string{"only one larger rank was tried", "try larger ranks"}},
		{"least at the last but one possible", curve(0.01, []float64{0.5, 0.4, 0.35, 0.3, 0.25, 0.3}, nil),
			Advice{Rank: 5, Least: 5, OneStandardError: 5}, []string{"least at rank 5"}},
		{"within one standard error", curve(0.05, []float64{0.5, 0.14, 0.11, 0.1, 0.2}, []float64{0.5, 0.1, 0.08, 0.06, 0.04}),
			Advice{Rank: 2, Least: 4, OneStandardError: 2, Elbow: 2}, []string{"least at rank 4", "rank 2 is within one standard error", "elbow of the training error is there too"}},
		{"still falling, to a clear elbow", agreeing(curve(0.01, []float64{0.5, 0.3, 0.2}, []float64{0.5, 0.15, 0.1}), 1, 0.9, 0.8),
			Advice{Rank: 2, Least: 3, OneStandardError: 3, Elbow: 2, AtEnd: true},
			[]string{"the training error falls fast up to rank 2 and slowly after it, and the runs agree less from there: stability 0.900 at rank 2, 0.800 at rank 3; the held-out error still falls at rank 3"}},
		{"still falling, within one standard error of the last but one", agreeing(curve(0.02, []float64{0.5, 0.3, 0.2, 0.16, 0.15}, []float64{0.5, 0.15, 0.12, 0.11, 0.1}), 1, 0.9, 0.8, 0.92, 0.8),
			Advice{Rank: 2, Least: 5, OneStandardError: 4, Elbow: 2, AtEnd: true}, []string{"stability 0.900 at rank 2, 0.800 at rank 5"}},
		{"still falling, stable at the end", agreeing(curve(0.01, []float64{0.5, 0.3, 0.2}, []float64{0.5, 0.15, 0.1}), 1, 0.9, 1),
			Advice{Least: 3, OneStandardError: 3, Elbow: 2, AtEnd: true}, []string{"but the runs agree as well at larger ranks; try larger ranks"}},
		{"still falling, stable on average", agreeing(curve(0.01, []float64{0.5, 0.3, 0.2, 0.1}, []float64{0.5, 0.15, 0.12, 0.1}), 1, 0.9, 1, 0.85),
			Advice{Least: 4, OneStandardError: 4, Elbow: 2, AtEnd: true}, []string{"agree as well at larger ranks"}},
		{"still falling, hardly an elbow", agreeing(curve(0.01, []float64{0.5, 0.3, 0.2}, []float64{0.5, 0.28, 0.1}), 1, 0.9, 0.8),
			Advice{Least: 3, OneStandardError: 3, Elbow: 2, AtEnd: true}, []string{"hardly bends, most at rank 2; try larger ranks"}},
		{"still falling, no stability", curve(0.01, []float64{0.5, 0.3, 0.2}, []float64{0.5, 0.15, 0.1}),
			Advice{Rank: 2, Least: 3, OneStandardError: 3, Elbow: 2, AtEnd: true}, []string{"slowly after it; the held-out error still falls"}},
		{"level at the end", curve(0.02, []float64{0.5, 0.3, 0.11, 0.105, 0.1}, nil),
			Advice{Rank: 3, Least: 5, OneStandardError: 3}, []string{"rank 3 is within one standard error"}},
		{"the largest possible", curve(0.01, []float64{0.5, 0.4, 0.3, 0.2, 0.1, 0.05}, nil),
			Advice{Least: 6, OneStandardError: 6}, []string{"still falls at rank 6", "has no elbow"}},
		{"some not finished", curve(0.01, []float64{0.5, -1, 0.3, -1}, nil),
			Advice{Least: 3, OneStandardError: 3, AtEnd: true}, []string{"still falls at rank 3"}},
		{"one", curve(0.01, []float64{-1, 0.3}, nil), Advice{Rank: 2, Least: 2, OneStandardError: 2}, []string{"the only one"}},
		{"exact", curve(1e-12, []float64{0.5, 1e-9, 1e-12, 1e-11}, nil), Advice{Rank: 2, Least: 3, OneStandardError: 2}, []string{"give the held-out entries, to 0.1 %"}},
		{"zero", curve(0, []float64{0, 0, 0}, []float64{0, 0, 0}), Advice{Rank: 1, Least: 1, OneStandardError: 1}, []string{"give the held-out entries, to 0.1 %"}},
		{"nothing held out", curve(0, nil, []float64{0.9, 0.3, 0.2, 0.1}), Advice{Rank: 2, Elbow: 2}, []string{"nothing was held out", "up to rank 2"}},
		{"a line", curve(0, nil, []float64{0.4, 0.3, 0.2, 0.1}), Advice{}, []string{"no elbow"}},
		{"above the line", curve(0, nil, []float64{0.4, 0.39, 0.35, 0.1}), Advice{}, []string{"no elbow"}},
		{"rising", curve(0, nil, []float64{0.1, 0.05, 0.2}), Advice{}, []string{"no elbow"}},
		{"nothing", curve(0, nil, nil), Advice{}, []string{"no elbow"}},
	} {
		got := adviseByErrors(c.points, 6)
		for _, s := range c.says {
			must.Say(t, got.Reason, s, c.name)
		}
		if got.Reason == "" {
			t.Errorf("%s: no reason", c.name)
		}
		got.Reason = ""
		must.Equal(t, got, c.want, c.name)
	}
}

// The largest rank whose parts recur on average and one by one: the limits themselves count.
func TestAdviceByParts(t *testing.T) {
	for _, c := range []struct {
		stability, least []float64 // of the ranks 1, 2, ...
		rank             int
		says             string
	}{
		{[]float64{0.9, 0.8, 0.799}, []float64{0.5, 0.2, 0.5}, 2, "stability 0.800, least silhouette 0.200; at rank 3 they are 0.799 and 0.500"},
		{[]float64{0.9, 0.9, 0.95}, []float64{0.5, 0.199, 0.5}, 3, "larger ranks were not tried"},
		{[]float64{0.799, 1}, []float64{0.5, 0.199}, 0, "at no rank the parts recur in all runs"},
	} {
		var points []StabilityPoint[float64]
		for x, s := range c.stability {
			points = append(points, StabilityPoint[float64]{Rank: x + 1, Stability: s, Silhouettes: []float64{1, c.least[x]}})
		}
		if got := adviseByParts(points); got.Rank != c.rank || !strings.Contains(got.Reason, c.says) {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}

// A run has a mask of its fold, and a matrix of drawn columns with their mask and weights.
func TestEstimateCountsMasks(t *testing.T) {
	const rows, cols, entries = 4000, 1000, 4000 * 1000
	of := func(e Evaluation, seen lnmu.Unread[float64], s Settings) int64 {
		seen.Rows, seen.Cols, s.Threads = rows, cols, max(1, s.SideBySide)
		return must.Get(EstimateOf(seen, must.Get(Check(e, lnmu.Matrix[float64](seen), []int{3}, lnmu.NMF{}, &s))(t)))(t).Memory
	}
	gaps := lnmu.Unread[float64]{Rows: rows, Cols: cols, Missing: true}
	run := must.Get(lnmu.EstimateOf(lnmu.Matrix[float64](gaps), 3, lnmu.NMF{}, &lnmu.Settings{Threads: 1, Start: lnmu.Start{Restarts: 1}}))(t).Memory
	if more := of(EvaluateHeldOut, lnmu.Unread[float64]{}, Settings{SideBySide: 2}) - of(EvaluateHeldOut, lnmu.Unread[float64]{}, Settings{SideBySide: 1}); more < run+entries/8 {
		t.Errorf("a second run of a fold needs %d bytes, and its factorization %d", more, run)
	}
	stored := lnmu.Unread[float64]{Sparse: true, Entries: entries / 100}
	if more := of(EvaluateStability, stored, Settings{Resample: Columns}) - of(EvaluateStability, stored, Settings{}); more < int64(12*stored.Entries) || more > entries {
		t.Errorf("drawn columns of a sparse matrix of %d entries need %d bytes", stored.Entries, more)
	}
	for seen, least := range map[lnmu.Unread[float64]]int64{{}: 8 * entries, {Missing: true}: 8*entries + entries/8, {Weighted: true}: 16 * entries} {
		must.AtLeast(t, of(EvaluateStability, seen, Settings{Resample: Columns})-of(EvaluateStability, seen, Settings{}), least, seen, "drawn columns need")
	}
}

// Mean and standard error by hand.
func TestHeldOut(t *testing.T) {
	h := foldErrors([]float64{1, 2, 3})
	if h.Mean != 2 || h.StandardError < 0.57735 || h.StandardError > 0.57736 || !slices.Equal(h.Folds, []float64{1, 2, 3}) {
		t.Errorf("%+v", h)
	}
}
