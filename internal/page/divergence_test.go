package page

import (
	"math"
	"strings"
	"testing"

	"nmu/lnmu"
	"nmu/lnmu/compare"
	"nmu/lnmu/outcome"
)

// TestDivergencePage: the curves of a run of kl are named after what they show, the relative divergence,
// and end with it. The sentence about it is there also if it is 0.
func TestDivergencePage(t *testing.T) {
	run := factored(t, random(20, 12, 5, 1), 2, lnmu.KL{})
	d, one := 0.25, outcome.Real(0.25)
	run.Divergence, run.RelativeError = &one, 0.5
	run.Blocks, run.CheckEvery = []outcome.Block{{Rank: 2, IterationsDone: 25, History: []float64{0.5, 0.375}}}, 10
	run.Choice = &compare.HeldOutResult{Comparison: compare.Comparison{Measure: compare.Divergence}, Folds: 2, Points: []compare.HeldOutPoint{
		{Rank: 1, HeldOut: &compare.FoldErrors{Mean: 0.5}, Training: &d}, {Rank: 2, HeldOut: &compare.FoldErrors{Mean: 0.4}, Training: &d},
	}}
	text := written(t, run)
	for _, want := range []string{">Deviance explained</dt><dd><data value=\"0.75\">75.00\u00a0%", "2 parts explain 75.00\u00a0% of the deviance of M.", "the relative divergence by iteration, from 50.00\u00a0% to 25.00\u00a0%", "The relative divergence by iteration", "The relative divergence by rank"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, wrong := range []string{"relative error by iteration", "relative error by rank"} {
		if strings.Contains(text, wrong) {
			t.Errorf("the page says %q", wrong)
		}
	}
	one = 0
	if !strings.Contains(written(t, run), "explains 100.00\u00a0%") {
		t.Errorf("the page says nothing of a divergence of 0")
	}
}

// Sentences about numbers of weighted or missing entries say so, and those of a complete matrix do not.
func TestNamedByWhatCounts(t *testing.T) {
	one, real, infinite := 1.0, outcome.Real(1), outcome.Real(math.Inf(1))
	for _, c := range []struct {
		run             Run
		plain, counting string
	}{
		{Run{}, "V\u00a0W equals M.", "V\u00a0W equals M at the observed entries."},
		{Run{Result: Result{Report: outcome.Report{RelativeError: 0.5}}}, "The norm of M − V\u00a0W is", "The weighted norm of M − V\u00a0W at the observed entries is"},
		{Run{Result: Result{RelativeL1: &one}}, "In the l1 norm, the sum", "In the weighted l1 norm at the observed entries, the sum"},
		{Run{Result: Result{Divergence: &real}}, "Of the deviance of M from its mean", "Of the weighted deviance of M at the observed entries from its mean"},
		{Run{Result: Result{Divergence: &infinite}}, "The divergence of M from V\u00a0W", "The weighted divergence of M at the observed entries from V\u00a0W"},
		{Run{Result: Result{Report: outcome.Report{MaxViolation: 0}}}, "V\u00a0W never exceeds M:", "V\u00a0W never exceeds M at the observed entries:"},
	} {
		for _, some := range []bool{false, true} {
			c.run.Weighted, c.run.Missing = some, some
			want := c.plain
			if some {
				want = c.counting
			}
			if text := strings.Join((&page{Run: c.run}).findings(), "\n"); !strings.Contains(text, want) {
				t.Errorf("%q is not in %q", want, text)
			}
		}
	}
}
