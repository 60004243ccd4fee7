package record

import (
	"slices"
	"testing"
)

// A note says where the error rises.
func TestNoteRising(t *testing.T) {
	rep := Factor{Method: "rnmu", LargestEntry: 1, ErrorPerRank: []float64{0.5, 0.25, 0.3, 0.4}, RankOfError: []int{1, 2, 3, 4}}
	if rep.note(); !slices.Equal(rep.Notes, []string{"the error rises from 25.00 % at rank 2 to 30.00 % at rank 3"}) {
		t.Errorf("notes %q", rep.Notes)
	}
}
