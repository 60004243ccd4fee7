package compare

import (
	"context"
	"testing"

	"nmu/lnmu"
)

// A row with few counts may have medians so small that their squares are 0. It counts as zero, and stops
// no consensus.
func TestRowOfTinyMedians(t *testing.T) {
	for seed := range uint64(1) {
		m := unevenCounts(seed)
		for i := range 24 {
			row := m.Row(i)
			clear(row)
			for j := range 1 + i%2 {
				row[(11*i+7*j)%m.Cols] = 1
			}
		}
		res, err := Stability(context.Background(), m, []int{5, 6}, lnmu.KL{}, &Settings{
			Runs: 11, Resample: Poisson, Iterations: 400,
		})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for i := range m.Rows {
			for _, x := range res.Points[1].V.Row(i) {
				if x < 0 || x > 1 {
					t.Errorf("seed %d, row %d: %v", seed, i, x)
				}
			}
		}
	}
}
