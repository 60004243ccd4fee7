package bench

import (
	"math"
	"slices"
	"testing"

	"nmu/bench/internal/machine"
	"nmu/bench/internal/subject"
	"nmu/bench/report"
)

func TestRunSparse(t *testing.T) {
	r := mustRun(t, smallPlan(PartSparse))
	want := []string{
		"rnmu rank=1 float64, nmu", "rnmu rank=1 float64, plain pass", "gnmu rank=10 float64, nmu", "gnmu rank=10 float64, plain pass", "nmf rank=25 float64, nmu", "nmf rank=25 float64, plain pass", "kl rank=25 float64, nmu", "kl rank=25 float64, plain pass",
		"rnmu rank=1 float32, nmu", "rnmu rank=1 float32, plain pass", "gnmu rank=10 float32, nmu", "gnmu rank=10 float32, plain pass", "nmf rank=25 float32, nmu", "nmf rank=25 float32, plain pass", "kl rank=25 float32, nmu", "kl rank=25 float32, plain pass",
	}
	if got := lines(r, report.SparseGroup); !slices.Equal(got, want) {
		t.Errorf("measured %q, want %q", got, want)
	}
	for _, m := range r.Measurements {
		if m.Group == report.SparseGroup && (m.Limit <= 0 || m.LimitBy == "" || m.Ratio <= 0) {
			t.Errorf("%s, %s, has no limit", m.Case, m.Series)
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

// TestSparseLimit compares the limit of an iteration with its three parts, each by hand.
func TestSparseLimit(t *testing.T) {
	work := sparseWork{read: 2, copied: 1, again: 1, entries: 2, columns: 2} // kl
	for _, c := range []struct {
		rates   sparseRates
		seconds float64 // of a million nonzeros at rank 25, float64
		by      string
	}{
		{sparseRates{peak: 50, loads: 1e3, copies: 1e3, stream: 1e3}, 4e-3, "multiply-adds"},  // 200 operations each
		{sparseRates{peak: 1e3, loads: 100, copies: 50, stream: 1e3}, 12e-3, "vectors in L1"}, // 400 bytes read, 400 copied
		{sparseRates{peak: 1e3, loads: 1e3, copies: 1e3, stream: 12}, 2e-3, "nonzeros, read"}, // 24 bytes
	} {
		seconds, by := c.rates.limit(work, 1e6, 25, machine.Float64)
		if math.Abs(seconds-c.seconds) > 1e-12 || by != c.by {
			t.Errorf("%+v: %g s by %s, want %g s by %s", c.rates, seconds, by, c.seconds, c.by)
		}
	}
}
