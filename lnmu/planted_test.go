package lnmu_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/must"
	"nmu/lnmu"
)

// TestPlantedMaps checks that smoothness and sparsity bring R-NMU nearer to the maps from
// which an image of the ground was made, with noise of 5 % of its largest entry, in at least 8 of 10 images and on average.
func TestPlantedMaps(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("10 images, of which some may fail: with NMU_FULL only")
	}
	const seeds, wanted = 10, 8
	better := 0
	var sum, plain float64
	for seed := range uint64(seeds) {
		scene := dataset.Ground(seed)
		pixels, rng, noise := scene.Height*scene.Width, rand.New(rand.NewPCG(seed, 2)), 0.05*slices.Max(scene.Data)
		for i, x := range scene.Data {
			scene.Data[i] = max(0, x+float64(noise*rng.NormFloat64()))
		}
		m, maps := lnmu.NewDense(len(scene.Wavelengths), pixels, scene.Data).Transposed(), lnmu.NewDense(len(scene.Materials), pixels, scene.Abundances)
		score := func(method lnmu.RNMU) float64 {
			res := must.Get(lnmu.Factor(t.Context(), m, maps.Rows, method, &lnmu.Settings{Start: lnmu.Start{Init: lnmu.InitSVD}}))(t)
			return meanCosine(maps, res.V.Transposed())
		}
		without := score(lnmu.RNMU{})
		with := score(lnmu.RNMU{SmoothV: 0.01, ThresholdV: 0.03, ShapeV: [2]int{scene.Height, scene.Width}})
		if with > without {
			better++
		}
		t.Logf("seed %d: %.4f, without priors %.4f", seed, with, without)
		sum, plain = sum+with, plain+without
	}
	if n := float64(seeds); better < wanted || !(sum > plain) {
		t.Errorf("better in %d of %d, mean %.4f, without priors %.4f; want %d, and a higher mean", better, seeds, sum/n, plain/n, wanted)
	}
}
