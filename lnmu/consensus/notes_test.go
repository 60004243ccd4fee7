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

// Runs that end at their limit while their error still falls are noted for their rank, also from a state of some
// of them; more iterations or a tolerance end the note.
func TestRunsThatStillMoveAreNoted(t *testing.T) {
	m, _, _ := planted(30, 60, 3, 1000, 1)
	for _, c := range []struct {
		method   lnmu.Method
		settings lnmu.Settings
		want     []string // beginnings of notes
	}{
		{lnmu.KL{}, lnmu.Settings{Iterations: 30}, []string{"rank 2: the runs ended at their limit of 30 iterations", "rank 3: the runs ended at their limit of 30 iterations"}},
		{lnmu.KL{}, lnmu.Settings{}, nil},
		{lnmu.KL{}, lnmu.Settings{Iterations: 30, Tolerance: 1e-6}, []string{"rank 2: the runs ended at their limit of 30 iterations", "rank 3: the runs ended at their limit of 30 iterations"}},
		{lnmu.KL{}, lnmu.Settings{Iterations: 3000, Tolerance: 1e-2}, nil},
		{lnmu.NMF{}, lnmu.Settings{Iterations: 10}, []string{"rank 2: the runs ended at their limit of 10 iterations", "rank 3: the runs ended at their limit of 10 iterations"}},
		{lnmu.NMF{}, lnmu.Settings{}, nil},
		{lnmu.RNMU{}, lnmu.Settings{}, nil},
	} {
		var states [][]byte
		set := consensus.Settings{Runs: 4, SideBySide: 1, Resample: consensus.Poisson, Settings: c.settings}
		set.Checkpoint = &lnmu.Checkpoint{Save: func(w io.WriterTo) {
			var b bytes.Buffer
			if _, err := w.WriteTo(&b); err != nil {
				t.Error(err)
			}
			states = append(states, b.Bytes())
		}}
		check := func(from string) {
			res, err := consensus.Find(t.Context(), m, []int{2, 3}, c.method, &set)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(res.Notes, c.want, strings.HasPrefix) {
				t.Errorf("%T, %d iterations, %s: notes %q, want %q", c.method, c.settings.Iterations, from, res.Notes, c.want)
			}
		}
		check("whole")
		set.Checkpoint = &lnmu.Checkpoint{Resume: bytes.NewReader(states[2])}
		check("from three runs")
	}
}
