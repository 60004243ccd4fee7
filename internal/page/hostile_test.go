package page

import (
	"bytes"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/compare"
)

// Characters that reorder or hide the text around them are shown as escapes, wherever a text of
// a file is on the page.
func TestPageShowsNoControls(t *testing.T) {
	const bad = "evil\u202egnp.exe\u2066\u200b\x07"
	v, w := lnmu.NewDense(3, 1, []float64{1, 2, 3}), lnmu.NewDense(1, 2, []float64{4, 5})
	run := Run{
		Input: bad, Rows: 3, Cols: 2, RankAsked: 1, V: FactorOf(v), W: FactorOf(w),
		RowAxis: bad, ColAxis: bad, Choice: &compare.HeldOutResult{Points: []compare.HeldOutPoint{{Rank: 1}}, Comparison: compare.Comparison{Advice: compare.Advice{Reason: bad}, Notes: []string{bad}}},
		Facts: render.Facts{{Name: bad, Value: bad}}, Result: Result{Rank: 1, Report: lnmu.Report{Notes: []string{bad}}}, Without: bad,
		RowNames: []string{bad, "b", "c"}, ColNames: []string{"d", bad},
		Library: &Library{File: bad, Names: []string{bad}, Angles: lnmu.NewDense(1, 1, []float64{0.5})},
	}
	var b bytes.Buffer
	must.Do(t, Write(&b, run))
	page := b.String()
	for _, c := range []string{"\u202e", "\u2066", "\u200b", "\x07", `"evil\u202e`} {
		if i := strings.Index(page, c); i >= 0 {
			t.Errorf("%q is on the page: %q", c, page[max(0, i-60):i+20])
		}
	}
	if strings.Count(page, `evil\u202e`)+strings.Count(page, `evil\\u202e`) < 5 {
		t.Error("the names are not on the page")
	}
	if run.RowNames[0] != bad {
		t.Error("the run has changed")
	}
}

// Where drawings are inverted, lighter means larger, and the page says so.
func TestPageSaysWhichIsLarger(t *testing.T) {
	if !strings.Contains(pageText, `<span class="light">Darker</span><span class="dark">Lighter</span>`) || strings.Contains(pageText, " Darker means") {
		t.Error("the page says the same of both")
	}
	dark := pageStyle[strings.Index(pageStyle, ".dark { display: none; }"):]
	if !strings.Contains(dark, ".light { display: none; }") || !strings.Contains(dark, ".dark { display: inline; }") {
		t.Error("the style shows the same in both")
	}
}
