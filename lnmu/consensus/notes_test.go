package consensus_test

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"nmu/lnmu"
	"nmu/lnmu/consensus"
)

// TestNotes: a comparison has the notes of its runs, sorted and each once, and so has one that goes on
// from a state, whose own runs may note nothing.
func TestNotes(t *testing.T) {
	m, _, _ := planted(12, 20, 2, 60, 4)
	method, settings := lnmu.SNMF{PenaltyV: 1e6, PenaltyW: 1e6}, lnmu.Settings{Iterations: 5, Restarts: 1}
	var want []string
	for q := range uint64(3) {
		run := settings
		run.Seed = q
		res, err := lnmu.Factor(t.Context(), m, 2, method, &run)
		if err != nil || len(res.Notes) == 0 {
			t.Fatalf("the run with seed %d: notes %q, %v", q, res.Notes, err)
		}
		want = append(want, res.Notes...)
	}
	slices.Sort(want)
	want = slices.Compact(want)

	var states [][]byte
	set := consensus.Settings{Runs: 3, SideBySide: 1, Settings: settings}
	set.Checkpoint = &lnmu.Checkpoint{Save: func(w io.WriterTo) {
		var b bytes.Buffer
		if _, err := w.WriteTo(&b); err != nil {
			t.Error(err)
		}
		states = append(states, b.Bytes())
	}}
	whole, err := consensus.Find(t.Context(), m, []int{2}, method, &set)
	if err != nil || !slices.Equal(whole.Notes, want) {
		t.Errorf("notes %q, want %q, %v", whole.Notes, want, err)
	}
	for x, state := range states { // of the last one, no run is left
		set.Checkpoint = &lnmu.Checkpoint{Resume: bytes.NewReader(state)}
		if res, err := consensus.Find(t.Context(), m, []int{2}, method, &set); err != nil || !slices.Equal(res.Notes, want) {
			t.Errorf("from state %d of %d: notes %q, want %q, %v", x, len(states), res.Notes, want, err)
		}
	}
	if len(states) < 3 {
		t.Errorf("%d states", len(states))
	}

	set = consensus.Settings{Runs: 3, Settings: settings}
	if res, err := consensus.Find(t.Context(), m, []int{1}, lnmu.SNMF{PenaltyV: 1e-6, PenaltyW: 1e-6}, &set); err != nil || len(res.Notes) > 0 {
		t.Errorf("with mild penalties: notes %q, %v", res.Notes, err)
	}
	res, err := consensus.Find(t.Context(), m, []int{2, 3}, lnmu.RNMU{Priors: lnmu.Priors{PenaltyV: 1, PenaltyW: 1}}, &set)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Notes) < 2 || !slices.IsSorted(res.Notes[:2]) || !strings.Contains(res.Notes[0], "would have left nothing of 2 factors") {
		t.Errorf("of several ranks: notes %q", res.Notes)
	}
}
