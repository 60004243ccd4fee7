package main

import (
	"path/filepath"
	"testing"

	"nmu/internal/must"
	"nmu/internal/record"
	"nmu/lnmu"
)

// TestRankWeights: nmu rank takes the weights that nmu factor takes. Noise of little weight does
// not hide the planted rank.
func TestRankWeights(t *testing.T) {
	input := plantedFile(t, 30, 24, 3)
	m := must.Get(readFactor[float64](input))(t)
	weights, mask := lnmu.NewDense[float64](30, 24, nil), lnmu.NewDense[float64](30, 24, nil)
	for i := range m.Rows {
		for j := range m.Row(i) {
			weights.Row(i)[j], mask.Row(i)[j] = 1, 1
			switch {
			case (i+j)%9 == 0:
				weights.Row(i)[j], mask.Row(i)[j] = 0, 0
			case j%4 == 0:
				weights.Row(i)[j] = 1e-6
				m.Row(i)[j] += float64(i * j * 37 % 11)
			}
		}
	}
	dir := t.TempDir()
	noisy, weighing, seen := filepath.Join(dir, "noisy.npy"), filepath.Join(dir, "weights.npy"), filepath.Join(dir, "seen.npy")
	writeMatrix(t, noisy, m)
	writeMatrix(t, weighing, weights)
	writeMatrix(t, seen, mask)
	found := func(args ...string) record.Rank {
		return parsed[record.Rank](t, succeed(t, append([]string{"rank", noisy, "--ranks", "2:4", "--folds", "3", "--json"}, args...)...))
	}
	equal, by := found("--mask", seen), found("--weights", weighing)
	if by.Observed != equal.Observed || !by.Weighted || equal.Weighted {
		t.Errorf("%+v with weights, %+v without", by.HeldOutResult, equal.HeldOutResult)
	}
	if by.Advice.Rank != 3 || equal.Advice.Rank == 3 {
		t.Errorf("rank %d with weights, %d without", by.Advice.Rank, equal.Advice.Rank)
	}
	contains(t, succeed(t, "rank", noisy, "--ranks", "3", "--folds", "1", "--weights", weighing), "with weights")
	turned := filepath.Join(dir, "turned.npy")
	writeMatrix(t, turned, weights.Transposed())
	fails(t, []string{"--weights", "24 x 30"}, "rank", noisy, "--ranks", "3", "--weights", turned)
}
