package processes

import (
	"fmt"
	"testing"

	"nmu/lnmu"
)

// TestProcessesWeightsSpan: the weights of all processes decide together how they enter a step,
// where those of each one are equal, too.
func TestProcessesWeightsSpan(t *testing.T) {
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
		seen := incomplete{weights: weights}
		s := lnmu.Settings{Restarts: 1, Iterations: 4}
		whole, err := lnmu.Factor(t.Context(), observing[float64](m, seen), 3, lnmu.NMF{}, &s)
		if err != nil {
			t.Fatal(err)
		}
		parts := inParts(t, 2, &s, func(p lnmu.Processes, s *lnmu.Settings) (*lnmu.Result[float64], error) {
			part := observingPart(m, seen, p)
			method, all, err := lnmu.WithDefaults(part, 3, lnmu.NMF{}, s)
			if err != nil {
				return nil, err
			}
			if all.MissingSolver != "" {
				t.Errorf("process %d takes %q from its own weights", p.Rank(), all.MissingSolver)
			}
			return lnmu.Factor(t.Context(), part, 3, method, &all)
		})
		for _, x := range append(parts, whole) {
			if x.MissingSolver != lnmu.MissingExact {
				t.Errorf("%v: solver %q", shape, x.MissingSolver)
			}
		}
		alike(t, fmt.Sprintf("%d x %d", shape[0], shape[1]), joined(t, m.Rows, m.Cols, parts), whole)
	}
}
