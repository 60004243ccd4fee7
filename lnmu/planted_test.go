package lnmu_test

import (
	"math"
	"os"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
)

// mapScore returns the mean cosine of the planted maps and the columns of V that are
// matched with them, by the best of all ways to match them.
func mapScore(p plantedCube, v lnmu.Dense[float64]) float64 {
	cosine := func(k, l int) float64 {
		var xy, xx, yy float64
		for i := range p.Rows {
			x, y := p.Maps[i*p.Rank+k], v.Row(i)[l]
			xy += x * y
			xx += x * x
			yy += y * y
		}
		if xx == 0 || yy == 0 {
			return 0
		}
		return xy / math.Sqrt(xx*yy)
	}
	var best func(k int, used uint) float64
	best = func(k int, used uint) float64 {
		if k == p.Rank {
			return 0
		}
		most := 0.0
		for l := range v.Cols {
			if used&(1<<l) == 0 {
				most = max(most, cosine(k, l)+best(k+1, used|1<<l))
			}
		}
		return most
	}
	return best(0, 0) / float64(p.Rank)
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
