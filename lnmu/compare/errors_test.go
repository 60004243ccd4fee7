package compare

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"nmu/internal/dataset"
	"nmu/lnmu"
)

// mixture returns a rows x cols matrix of a rank that is to be found.
func mixture[T lnmu.Float](rows, cols, rank int, noise float64, seed uint64) lnmu.Dense[T] {
	data := dataset.Mixture(rows, cols, rank, noise, seed)
	m := lnmu.NewDense[T](rows, cols, nil)
	for x, a := range data {
		m.Data[x] = T(a)
	}
	return m
}

// powers returns weights from 1 to span, entry by entry.
func powers(rows, cols int, span float64) lnmu.Dense[float64] {
	rng := rand.New(rand.NewPCG(8, 1))
	w := lnmu.NewDense[float64](rows, cols, nil)
	for x := range w.Data {
		w.Data[x] = math.Pow(span, rng.Float64())
	}
	return w
}

// meanLoss returns Σ w d(m, V W) over Σ w, for the first r factors, over the entries for which counts is true. An entry
// of V W above most counts as most.
func meanLoss(m, weights, v, w lnmu.Dense[float64], r int, counts func(i, j int) bool, most func(i, j int) float64, d func(m, x float64) float64) float64 {
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
			sum, all = sum+weights.At(i, j)*d(m.At(i, j), min(x, most(i, j))), all+weights.At(i, j)
		}
	}
	return sum / all
}

func unbounded(_, _ int) float64 { return math.Inf(1) }

// TestErrors: the errors are those of the definition, at each rank, of runs without what the folds hold out, and of the
// best run of all entries. What M holds at a missing entry, or one of weight 0, has no influence.
func TestErrors(t *testing.T) {
	const rows, cols, folds, seed, last = 24, 20, 3, 5, 5
	for name, c := range map[string]struct {
		method            lnmu.Method
		missing, weighted bool
	}{
		"recursion": {lnmu.RNMU{}, false, false}, "recursion with gaps": {lnmu.RNMU{}, true, false}, "weighted recursion": {lnmu.RNMU{}, true, true},
		"blocks": {lnmu.RNMU{Block: 2}, false, false}, "underapproximation": {lnmu.GNMU{}, false, false},
		"nmf": {lnmu.NMF{}, false, false}, "nmf with gaps": {lnmu.NMF{}, true, false}, "weighted nmf": {lnmu.NMF{}, true, true},
		"divergence": {lnmu.KL{}, false, false}, "divergence with gaps": {lnmu.KL{}, true, false}, "weighted divergence": {lnmu.KL{}, false, true},
	} {
		_, divergence := c.method.(lnmu.KL)
		m, weights, mask := mixture[float64](rows, cols, 3, 0.1, 1), powers(rows, cols, 1), lnmu.NewMask(rows, cols)
		if divergence {
			rng := rand.New(rand.NewPCG(5, 6))
			for x := range m.Data {
				m.Data[x] = float64(rng.IntN(3) * rng.IntN(9)) // with many zeros, so that V W is near 0 somewhere
			}
		}
		given := lnmu.Observed[float64]{Matrix: m}
		if c.weighted {
			weights = powers(rows, cols, map[bool]float64{false: 1e5, true: 100}[divergence])
			given.Weights = weights
		}
		for x := 0; c.missing && x < 60; x++ {
			i, j := x*7%rows, x*11%cols
			mask.Set(i, j, false)
			m.Row(i)[j] = math.NaN()
			if given.Mask = mask; c.weighted {
				given.Mask = nil
				weights.Row(i)[j] = 0
			}
		}
		res, err := HeldOut(t.Context(), given, []int{last, 1, 3, last}, c.method, &Settings{Folds: folds, Start: lnmu.Start{Restarts: 2, Seed: seed}, Limits: lnmu.Limits{Iterations: 20}})
		if err != nil {
			t.Fatal(err)
		}
		plan := must(WithDefaults(EvaluateHeldOut, lnmu.Matrix[float64](given), []int{last}, c.method, &Settings{Limits: lnmu.Limits{Iterations: 20}})) // the runs of the folds have other defaults
		parts := speckle(rows, cols, folds, seed, mask.Observed)
		if res.Observed != parts.observed || res.NeverHeldOut != parts.kept || res.Compared != ComparedRestarts || res.Weighted != c.weighted || (res.Measure == Divergence) != divergence ||
			res.Prefixes != (name == "recursion" || name == "recursion with gaps" || name == "weighted recursion") {
			t.Errorf("%s: %+v", name, res)
		}
		none, nothing := lnmu.NewDense[float64](rows, 1, nil), lnmu.NewDense[float64](1, cols, nil)
		least := 0.0
		loss := func(m, x float64) float64 { return (m - x) * (m - x) }
		ofM := meanLoss(m, weights, none, nothing, 1, mask.Observed, unbounded, loss)
		if divergence {
			loss = func(m, x float64) float64 {
				if x = max(x, least); m == 0 {
					return x
				}
				return m*math.Log(m/x) - m + x
			}
			center := meanLoss(m, weights, none, nothing, 1, mask.Observed, unbounded, func(m, _ float64) float64 { return m })
			least = center
			ofM = meanLoss(m, weights, none, nothing, 1, mask.Observed, unbounded, loss)
			least = leastPart * center
		}
		// errs returns the errors of the run of a fold.
		errs := func(fold int, from uint64) (list []float64) {
			seen, counts, bound := given, mask.Observed, unbounded
			if fold != whole {
				seen.Mask = parts.mask(fold)
				if c.weighted {
					bound = func(i, j int) (most float64) { // of what the run has seen of row i and column j
						for x := range rows * cols {
							if k, l := x/cols, x%cols; (k == i || l == j) && seen.Mask.Observed(k, l) {
								most = max(most, m.At(k, l))
							}
						}
						return most
					}
				}
				counts = func(i, j int) bool { return int(parts.row(i)[j]) == fold }
			}
			for _, r := range []int{1, 3, last} {
				most := r
				if res.Prefixes { // a recursion draws the start for all ranks
					most = last
				}
				run, err := lnmu.Factor(t.Context(), seen, most, plan.Method, &lnmu.Settings{Start: lnmu.Start{Seed: from, Restarts: 1}, Limits: lnmu.Limits{Iterations: 20}, MissingSolver: plan.Settings.MissingSolver})
				if err != nil {
					t.Fatal(err)
				}
				e := meanLoss(m, weights, run.V, run.W, r, counts, bound, loss) / ofM
				switch {
				case !divergence:
					e = math.Sqrt(e)
				case fold == whole:
					e = run.RelativeDivergence
				}
				list = append(list, e)
			}
			return list
		}
		near := func(what string, x int, got, want float64) {
			if !(math.Abs(got-want) <= 1e-10*want) {
				t.Errorf("%s, point %d, %s: %v, want %v", name, x, what, got, want)
			}
		}
		for fold := range folds {
			for x, want := range errs(fold, seed+uint64(fold)) {
				near("held out", x, res.Points[x].HeldOut.Folds[fold], want)
			}
		}
		first, second := errs(whole, seed), errs(whole, seed+1)
		for x := range first {
			p, want := res.Points[x], min(first[x], second[x])
			if res.Prefixes && second[2] < first[2] { // the best run is that at the largest rank
				want = second[x]
			} else if res.Prefixes {
				want = first[x]
			}
			if near("training", x, *p.Training, want); p.Agreement.Runs != 2 || p.Rank != []int{1, 3, last}[x] {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
}

// TestWeightsOfNoEffect: equal weights change nothing, and only ratios of weights matter.
func TestWeightsOfNoEffect(t *testing.T) {
	m := mixture[float64](20, 16, 3, 0.1, 1)
	of := func(weights lnmu.Matrix[float64]) *HeldOutResult {
		return must(HeldOut(t.Context(), lnmu.Observed[float64]{Matrix: m, Weights: weights}, []int{1, 3}, lnmu.NMF{}, &Settings{Folds: 2, Limits: lnmu.Limits{Iterations: 10}}))
	}
	larger, equal := powers(20, 16, 50), lnmu.NewDense[float64](20, 16, nil)
	for x := range equal.Data {
		equal.Data[x] = 7
		larger.Data[x] *= 0x1p1000
	}
	if a, b := of(nil), of(equal); !reflect.DeepEqual(a, b) {
		t.Errorf("equal weights: %+v, want %+v", b, a)
	}
	if a, b := of(powers(20, 16, 50)), of(larger); !reflect.DeepEqual(a, b) {
		t.Errorf("larger weights: %+v, want %+v", b, a)
	}
}
