package compare

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"nmu/lnmu"
)

// powers returns weights from 1 to span, entry by entry.
func powers(rows, cols int, span float64) lnmu.Dense[float64] {
	rng := rand.New(rand.NewPCG(8, 1))
	w := lnmu.NewDense[float64](rows, cols, nil)
	for x := range w.Data {
		w.Data[x] = math.Pow(span, rng.Float64())
	}
	return w
}

// weightedLoss returns Σ w d(m, (V W)) over Σ w, for the first r factors, over the entries for
// which counts is true.
func weightedLoss(m, weights, v, w lnmu.Dense[float64], r int, counts func(i, j int) bool, d func(m, x float64) float64) float64 {
	var sum, all float64
	for i := range m.Rows {
		for j := range m.Cols {
			if !counts(i, j) {
				continue
			}
			var x float64
			for k := range r {
				x += v.At(i, k) * w.At(k, j)
			}
			sum, all = sum+weights.At(i, j)*d(m.At(i, j), x), all+weights.At(i, j)
		}
	}
	return sum / all
}

// TestWeightedErrors: with weights the errors are those of the definition, of runs with these
// weights, and entries of weight 0 are missing.
func TestWeightedErrors(t *testing.T) {
	const rows, cols, folds = 24, 20, 3
	m, weights := mixture[float64](rows, cols, 3, 0.1, 1), powers(rows, cols, 1e5)
	for x := range 40 {
		i, j := x*7%rows, x*11%cols
		weights.Row(i)[j], m.Row(i)[j] = 0, math.NaN()
	}
	observed := func(i, j int) bool { return weights.At(i, j) > 0 }
	parts := speckle(rows, cols, folds, 5, observed)
	square := func(m, x float64) float64 { return (m - x) * (m - x) }
	zero := lnmu.NewDense[float64](rows, 1, nil)
	ofM := weightedLoss(m, weights, zero, lnmu.NewDense[float64](1, cols, nil), 1, observed, square)
	for _, method := range []lnmu.Method{lnmu.RNMU{}, lnmu.NMF{}} {
		res, err := HeldOut(t.Context(), lnmu.Observed[float64]{Matrix: m, Weights: weights}, []int{1, 4}, method, &Settings{Folds: folds, Seed: 5, Iterations: 20})
		if err != nil {
			t.Fatal(err)
		}
		if !res.Weighted || res.Observed != parts.observed {
			t.Errorf("weighted %t, %d observed entries, want %d", res.Weighted, res.Observed, parts.observed)
		}
		for x, r := range []int{1, 4} {
			for fold := whole; fold < folds; fold++ {
				seen, counts, seed := lnmu.Observed[float64]{Matrix: m, Weights: weights}, observed, uint64(5)
				got := *res.Points[x].Training
				if fold != whole {
					got, seed = res.Points[x].HeldOut.Folds[fold], seed+uint64(fold)
					seen.Mask = parts.mask(fold)
					counts = func(i, j int) bool { return int(parts.row(i)[j]) == fold }
				}
				most := r
				if res.Prefixes { // a recursion draws the start for all ranks
					most = 4
				}
				run, err := lnmu.Factor(t.Context(), seen, most, method, &lnmu.Settings{Seed: seed, Restarts: 1, Iterations: 20})
				if err != nil {
					t.Fatal(err)
				}
				want := math.Sqrt(weightedLoss(m, weights, run.V, run.W, r, counts, square) / ofM)
				if math.Abs(got-want) > 1e-11*want {
					t.Errorf("%T, rank %d, fold %d: %v, want %v", method, r, fold, got, want)
				}
			}
		}
	}
}

// TestWeightedDivergences: likewise the divergences of kl.
func TestWeightedDivergences(t *testing.T) {
	const rows, cols = 20, 16
	rng := rand.New(rand.NewPCG(5, 6))
	m, weights := lnmu.NewDense[float64](rows, cols, nil), powers(rows, cols, 100)
	for x := range m.Data {
		m.Data[x] = float64(rng.IntN(6))
	}
	res, err := HeldOut(t.Context(), lnmu.Observed[float64]{Matrix: m, Weights: weights}, []int{2}, lnmu.KL{}, &Settings{Folds: 3, Iterations: 20})
	if err != nil {
		t.Fatal(err)
	}
	all := func(i, j int) bool { return true }
	zero := lnmu.NewDense[float64](rows, 1, nil)
	nothing := lnmu.NewDense[float64](1, cols, nil)
	center := weightedLoss(m, weights, zero, nothing, 1, all, func(m, _ float64) float64 { return m })
	divergence := func(m, x float64) float64 {
		if m == 0 {
			return x
		}
		return m*math.Log(m/x) - m + x
	}
	deviance := weightedLoss(m, weights, zero, nothing, 1, all, func(m, _ float64) float64 { return divergence(m, center) })
	fit, err := lnmu.Factor(t.Context(), lnmu.Observed[float64]{Matrix: m, Weights: weights}, 2, lnmu.KL{}, &lnmu.Settings{Restarts: 1, Iterations: 20})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := *res.Points[0].Training, fit.RelativeDivergence; math.Abs(got-want) > 1e-10 {
		t.Errorf("training divergence %v, of the run %v", got, want)
	}
	parts := speckle(rows, cols, 3, 0, nil)
	for fold, got := range res.Points[0].HeldOut.Folds {
		run, err := lnmu.Factor(t.Context(), lnmu.Observed[float64]{Matrix: m, Weights: weights, Mask: parts.mask(fold)}, 2, lnmu.KL{}, &lnmu.Settings{Seed: uint64(fold), Restarts: 1, Iterations: 20})
		if err != nil {
			t.Fatal(err)
		}
		want := weightedLoss(m, weights, run.V, run.W, 2, func(i, j int) bool { return int(parts.row(i)[j]) == fold }, func(m, x float64) float64 {
			return divergence(m, max(x, leastPart*center))
		}) / deviance
		if math.Abs(got-want) > 1e-10*want {
			t.Errorf("fold %d: %v, want %v", fold, got, want)
		}
	}
}

// TestWeightsOfNoEffect: equal weights change nothing, and only ratios of weights matter.
func TestWeightsOfNoEffect(t *testing.T) {
	m := mixture[float64](20, 16, 3, 0.1, 1)
	curve := func(m lnmu.Matrix[float64]) *HeldOutResult {
		res, err := HeldOut(t.Context(), m, []int{1, 3}, lnmu.NMF{}, &Settings{Folds: 2, Iterations: 10})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	weights, larger, equal := powers(20, 16, 50), powers(20, 16, 50), lnmu.NewDense[float64](20, 16, nil)
	for x := range equal.Data {
		equal.Data[x] = 7
		larger.Data[x] *= 0x1p1000
	}
	if a, b := curve(m), curve(lnmu.Observed[float64]{Matrix: m, Weights: equal}); !reflect.DeepEqual(a, b) {
		t.Errorf("equal weights: %+v, want %+v", b, a)
	}
	if a, b := curve(lnmu.Observed[float64]{Matrix: m, Weights: weights}), curve(lnmu.Observed[float64]{Matrix: m, Weights: larger}); !reflect.DeepEqual(a, b) {
		t.Errorf("larger weights: %+v, want %+v", b, a)
	}
}
