package compare

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"nmu/lnmu"
)

// Runs that end at their limit while their error still falls are noted for their rank, also from a state of some
// of them; more iterations or a tolerance end the note.
func TestRunsThatStillMoveAreNoted(t *testing.T) {
	m, _, _ := planted(30, 60, 3, 1000, 1)
	for _, c := range []struct {
		method   lnmu.Method
		settings Settings
		want     []string // beginnings of notes
	}{
		{lnmu.KL{}, Settings{Iterations: 30}, []string{"rank 2: the runs ended at their limit of 30 iterations", "rank 3: the runs ended at their limit of 30 iterations"}},
		{lnmu.KL{}, Settings{}, nil},
		{lnmu.KL{}, Settings{Iterations: 30, Tolerance: 1e-6}, []string{"rank 2: the runs ended at their limit of 30 iterations", "rank 3: the runs ended at their limit of 30 iterations"}},
		{lnmu.KL{}, Settings{Iterations: 3000, Tolerance: 1e-2}, nil},
		{lnmu.NMF{}, Settings{Iterations: 10}, []string{"rank 2: the runs ended at their limit of 10 iterations", "rank 3: the runs ended at their limit of 10 iterations"}},
		{lnmu.NMF{}, Settings{}, nil},
		{lnmu.RNMU{}, Settings{}, nil},
	} {
		var list [][]byte
		set := c.settings
		set.Runs, set.SideBySide, set.Resample, set.Checkpoint = 4, 1, Poisson, states(t, &list)
		check := func(from string) {
			res, err := Stability(t.Context(), m, []int{2, 3}, c.method, &set)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(res.Notes, c.want, strings.HasPrefix) {
				t.Errorf("%T, %d iterations, %s: notes %q, want %q", c.method, c.settings.Iterations, from, res.Notes, c.want)
			}
		}
		check("whole")
		set.Checkpoint = &lnmu.Checkpoint{Resume: bytes.NewReader(list[2])}
		check("from three runs")
	}
}
