package lnmu_test

import (
	"os"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
)

// mapScore returns the mean cosine of the planted maps and the columns of V that are
// matched with them, by the best of all ways to match them.
func mapScore(p plantedCube, v lnmu.Dense[float64]) float64 {
	maps := lnmu.NewDense(p.Rows, p.Rank, p.Maps)
	return meanCosine(maps.Transposed(), v.Transposed())
}

// TestPlantedMaps checks that smoothness and sparsity bring R-NMU nearer to the maps from
// which a cube with noise was made, in at least 8 of 10 cubes and on average.
func TestPlantedMaps(t *testing.T) {
	seeds, wanted := 1, 1
	if os.Getenv("NMU_FULL") != "" {
		seeds, wanted = 10, 8
	}
	better := 0
	var sum, plain float64
	for seed := range seeds {
		p := newCube(uint64(seed), 0.05)
		score := func(method lnmu.RNMU) float64 {
			res := must.Get(lnmu.Factor(t.Context(), lnmu.NewDense(p.Rows, p.Cols, p.Data), p.Rank, method, &lnmu.Settings{Init: lnmu.InitSVD}))(t)
			return mapScore(p, res.V)
		}
		without := score(lnmu.RNMU{})
		with := score(lnmu.RNMU{Priors: lnmu.Priors{
			SmoothV: 0.01, PenaltyV: 0.03,
			ShapeV: lnmu.Shape{Height: p.ImageWidth, Width: p.ImageHeight}, // pixels column by column
		}})
		if with > without {
			better++
		}
		t.Logf("seed %d: %.4f, without priors %.4f", seed, with, without)
		sum, plain = sum+with, plain+without
	}
	n := float64(seeds)
	t.Logf("better in %d of %d, mean %.4f, without priors %.4f", better, seeds, sum/n, plain/n)
	if better < wanted || !(sum > plain) {
		t.Errorf("better in %d of %d, mean %.4f, without priors %.4f; want %d, and a higher mean", better, seeds, sum/n, plain/n, wanted)
	}
}
