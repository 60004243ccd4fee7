package bench

import (
	"slices"
	"testing"

	"nmu/bench/internal/subject"
	"nmu/bench/report"
)

func TestRunSparse(t *testing.T) {
	r := mustRun(t, smallPlan(PartSparse))
	want := []string{
		"rnmu rank=1 float64, nmu", "rnmu rank=1 float64, plain pass", "gnmu rank=10 float64, nmu", "gnmu rank=10 float64, plain pass", "nmf rank=25 float64, nmu", "nmf rank=25 float64, plain pass",
		"rnmu rank=1 float32, nmu", "rnmu rank=1 float32, plain pass", "gnmu rank=10 float32, nmu", "gnmu rank=10 float32, plain pass", "nmf rank=25 float32, nmu", "nmf rank=25 float32, plain pass",
	}
	if got := lines(r, groupSparse); !slices.Equal(got, want) {
		t.Errorf("measured %q, want %q", got, want)
	}
	for _, m := range r.Measurements {
		if m.Group == groupSparse && m.Series == "nmu" && (m.Limit <= 0 || m.LimitBy == "") {
			t.Errorf("%s has no limit", m.Case)
		}
	}
	measured := 0
	for _, k := range Check(r) {
		if k.Verdict != report.Unmeasured {
			measured++
		}
	}
	if measured != len(barPasses)*len(subject.Types) {
		t.Errorf("%d checks of what was measured", measured)
	}
}
