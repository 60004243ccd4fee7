package page

import (
	"strconv"
	"strings"
	"testing"

	"nmu/lnmu"
)

// Below the heat map of W stand the names of its columns, unless there are too many.
func TestHeatLabels(t *testing.T) {
	for _, n := range []int{20, mostLabels, mostLabels + 1} {
		run := factored(t, random(6, n, 1, 1), 2, lnmu.NMF{})
		for j := range n {
			run.ColNames = append(run.ColNames, "PM<"+strconv.Itoa(j))
		}
		text := written(t, run)
		if got := strings.Contains(text, "<li>PM&lt;0</li><li>PM&lt;1</li>"); got != (n <= mostLabels) {
			t.Errorf("%d columns: named below the map: %v", n, got)
		}
	}
}
