package rank

import (
	"slices"
	"testing"

	"nmu/lnmu"
)

// TestNotes: a comparison of ranks has the notes of its runs, sorted and each once.
func TestNotes(t *testing.T) {
	m := planted[float64](30, 26, 4, 0.1, 1)
	method := lnmu.SNMF{PenaltyV: 1e6, PenaltyW: 1e6}
	settings := lnmu.Settings{Iterations: 5, Restarts: 2}
	var want []string
	for _, r := range []int{2, 3} {
		for q := range uint64(2) {
			res, err := lnmu.Factor(t.Context(), m, r, method, &lnmu.Settings{Iterations: 5, Restarts: 1, Seed: q})
			if err != nil || len(res.Notes) == 0 {
				t.Fatalf("rank %d, seed %d: notes %q, %v", r, q, res.Notes, err)
			}
			want = append(want, res.Notes...)
		}
	}
	slices.Sort(want)
	want = slices.Compact(want)
	for _, threads := range []int{1, 3} {
		settings.Threads = threads
		res, err := Curve(t.Context(), m, []int{2, 3}, method, &Settings{Folds: 1, Settings: settings})
		if err != nil || !slices.Equal(res.Notes, want) {
			t.Errorf("%d threads: notes %q, want %q, %v", threads, res.Notes, want, err)
		}
	}
	res, err := Curve(t.Context(), m, []int{2, 3}, lnmu.SNMF{PenaltyV: 1e-6, PenaltyW: 1e-6}, &Settings{Folds: 2, Settings: settings})
	if err != nil || len(res.Notes) > 0 {
		t.Errorf("with mild penalties: notes %q, %v", res.Notes, err)
	}
}
