package processes

import (
	"slices"
	"testing"

	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
)

// TestProcessesNotes: every process has the notes of a run in one process, in memory and in files. The
// weights of each process are equal: all of them together have the wide range.
func TestProcessesNotes(t *testing.T) {
	for _, shape := range [][2]int{{500, 7}, {7, 500}} {
		m := positive[float64](shape[0], shape[1], 3)
		weights := lnmu.NewDense[float64](shape[0], shape[1], nil)
		first, _ := lnmu.Share(shape[0], shape[1], 1, 2)
		for i := range m.Rows {
			for j := range m.Cols {
				if weights.Row(i)[j] = 1; max(i, j) >= first {
					weights.Row(i)[j] = 1e4
				}
			}
		}
		for _, c := range []struct {
			name   string
			method lnmu.Method
			seen   incomplete
			s      lnmu.Settings
			notes  int
		}{
			{"weights", lnmu.NMF{}, incomplete{weights: weights}, lnmu.Settings{MissingSolver: lnmu.MissingMajorize}, 1},
			{"weights, by default", lnmu.NMF{}, incomplete{weights: weights}, lnmu.Settings{}, 0},
			{"penalties", lnmu.SNMF{PenaltyV: 1e6, PenaltyW: 1e6}, incomplete{}, lnmu.Settings{}, 1},
			{"penalties of priors", lnmu.RNMU{Priors: lnmu.Priors{PenaltyV: 1, PenaltyW: 1}}, incomplete{}, lnmu.Settings{}, 1},
			{"both", lnmu.SNMF{PenaltyV: 1e6, PenaltyW: 1e6}, incomplete{weights: weights}, lnmu.Settings{MissingSolver: lnmu.MissingMajorize}, 2},
		} {
			c.s.Restarts, c.s.Iterations = 1, 4
			whole, err := lnmu.Factor(t.Context(), observing[float64](m, c.seen), 3, c.method, &c.s)
			if err != nil {
				t.Fatal(err)
			}
			if len(whole.Notes) != c.notes {
				t.Errorf("%s: notes %q", c.name, whole.Notes)
			}
			for _, files := range []bool{false, true} {
				if files {
					c.s.Scratch = t.TempDir()
				}
				for _, x := range inParts(t, 2, &c.s, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float64], error) {
					part := share(m, p)
					if files {
						part.Matrix = &lnmutest.LinesOf[float64]{Dense: part.Matrix.(lnmu.Dense[float64])}
					}
					seen := c.seen
					shareMissing(&seen, p)
					return lnmu.Factor(t.Context(), observing[float64](part, seen), 3, c.method, s)
				}) {
					if !slices.Equal(x.Notes, whole.Notes) {
						t.Errorf("%s, files %v, %v: notes %q, in one process %q", c.name, files, shape, x.Notes, whole.Notes)
					}
				}
			}
		}
	}
}
