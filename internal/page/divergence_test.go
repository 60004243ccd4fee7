package page

import (
	"strings"
	"testing"

	"nmu/lnmu"
	"nmu/lnmu/rank"
)

// TestDivergencePage: the curves of a run of kl are named after what they show, the relative divergence,
// and end with it. The sentence about it is there also if it is 0.
func TestDivergencePage(t *testing.T) {
	run := factored(t, random(20, 12, 5, 1), 2, lnmu.KL{})
	d := 0.25
	run.Divergence, run.RelativeError = &d, 0.5
	run.History, run.CheckEvery, run.Iterations = [][]float64{{0.5, 0.375}}, 10, []int{25}
	run.Choice = &rank.Result{Measure: rank.Divergence, Folds: 2, Points: []rank.Point{
		{Rank: 1, HeldOut: &rank.HeldOut{Mean: 0.5}, Training: &d}, {Rank: 2, HeldOut: &rank.HeldOut{Mean: 0.4}, Training: &d},
	}}
	text := written(t, run)
	for _, want := range []string{"the relative divergence by iteration, from 50.00\u00a0% to 25.00\u00a0%", "The relative divergence by iteration", "The relative divergence by rank"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, wrong := range []string{"relative error by iteration", "relative error by rank"} {
		if strings.Contains(text, wrong) {
			t.Errorf("the page says %q", wrong)
		}
	}
	d = 0
	if !strings.Contains(written(t, run), "explains 100.00\u00a0%") {
		t.Errorf("the page says nothing of a divergence of 0")
	}
}
