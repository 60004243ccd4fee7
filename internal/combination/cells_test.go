package combination

import (
	"slices"
	"testing"
)

// TestCells checks that each feature has a cell for each condition and for each other feature.
func TestCells(t *testing.T) {
	for f := range Features {
		for _, c := range Conditions {
			if x := table[f][c.column]; x == "" || x == up && c.Within == nil {
				t.Errorf("the cell %s | %s is empty: say yes, or a reason", Features[f], c.Name)
			}
		}
		for g := range f {
			if slices.Contains(asCondition, Feature(f)) || slices.Contains(asCondition, Feature(g)) {
				continue
			}
			if x := pairs[f][g]; x == "" || x == up {
				t.Errorf("the cell %s | %s is empty: say yes, or a reason", Features[f], Features[g])
			}
		}
	}
}
