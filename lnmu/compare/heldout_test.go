package compare

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/matio"
	"nmu/internal/must"
	"nmu/lnmu"
)

// The curve of a recursion takes as many iterations as one factorization for each fold
// and one more.
func TestCost(t *testing.T) {
	m := mixture[float64](20, 16, 4, 0.1, 1)
	var count atomic.Int64
	settings := lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Watch: lnmu.Watch{Iterated: func(int) { count.Add(1) }}}
	must.Get(lnmu.Factor(t.Context(), m, 8, lnmu.RNMU{}, &settings))(t)
	one := count.Swap(0)
	const folds = 5
	res := must.Get(HeldOut(t.Context(), m, []int{2, 4, 5, 8}, lnmu.RNMU{}, &Settings{Folds: folds, Watch: lnmu.Watch{Iterated: settings.Iterated}}))(t)
	if all := count.Load(); one != 8*180 || all > (folds+1)*one || res.AllRuns != folds+1 {
		t.Errorf("%d iterations in %d runs, one factorization has %d", all, res.AllRuns, one)
	}
}

// TestPlantedRank: the rank of generated data is found, with 5 % of noise, in float32, of counts, and of
// measurements of different precision.
func TestPlantedRank(t *testing.T) {
	seeds, least, ranks := 1, 1, []int{4, 8, 9, 10, 11, 12, 14}
	if os.Getenv("NMU_FULL") != "" {
		seeds, least, ranks = 20, 18, []int{2, 4, 6, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20}
	}
	found := 0
	for seed := range uint64(seeds) {
		res := must.Get(HeldOut(t.Context(), mixture[float64](60, 50, 10, 0.05, seed), ranks, nil, &Settings{Start: lnmu.Start{Seed: seed}, Limits: lnmu.Limits{Iterations: 300}}))(t)
		if res.Advice.Rank == 10 {
			found++
		} else {
			t.Logf("seed %d: %+v", seed, res.Advice)
		}
	}
	if found < least {
		t.Errorf("rank 10 is advised for %d of %d seeds, want %d", found, seeds, least)
	}
	if res := must.Get(HeldOut(t.Context(), mixture[float32](30, 26, 4, 0.05, 1), []int{2, 3, 4, 5, 6}, nil, &Settings{Limits: lnmu.Limits{Iterations: 200}}))(t); res.Advice.Rank != 4 {
		t.Errorf("float32: %+v", res.Advice)
	}
	m, rng := mixture[float64](40, 12, 3, 0, 0), rand.New(rand.NewPCG(0, 7)) // measurements, with weights of six powers of ten
	weights := lnmu.NewDense[float64](40, 12, nil)
	for x := range m.Data {
		deviation := 1e-4 * math.Pow(1000, float64(x%12)/11)
		m.Data[x] = max(0, m.Data[x]+float64(deviation*rng.NormFloat64()))
		weights.Data[x] = 1 / float64(deviation*deviation)
	}
	res := must.Get(HeldOut(t.Context(), lnmu.Observed[float64]{Matrix: m, Weights: weights}, []int{1, 2, 3, 4, 5}, nil, &Settings{Folds: 5}))(t)
	for _, p := range res.Points {
		if !(p.HeldOut.Mean < 1) || res.Advice.Rank != 3 {
			t.Errorf("weights: rank %d has the held-out error %v; %+v", p.Rank, p.HeldOut.Mean, res.Advice)
		}
	}
	counts := lnmu.NewDense[float64](40, 60, nil)
	rng = rand.New(rand.NewPCG(5, 6))
	for i := range 40 {
		for j := range 60 {
			mean := 0.2
			if i*3/40 == j%3 { // topics of words apart
				mean = 6
			}
			counts.Row(i)[j] = count(rng, mean)
		}
	}
	if res := must.Get(HeldOut(t.Context(), counts, []int{1, 2, 3, 5}, lnmu.KL{}, &Settings{Limits: lnmu.Limits{Iterations: 100}, Folds: 3}))(t); res.Advice.Rank != 3 {
		t.Errorf("counts: %+v", res.Advice)
	}
}

// TestStructuredNoise: a matrix of rank 3 and smooth patterns of falling size, as scenes
// have. The held-out error falls to the last rank or the last but one, and the elbow and
// the stability decide.
func TestStructuredNoise(t *testing.T) {
	const rows, cols = 40, 150
	for seed, least := range map[uint64]int{0: 8, 14: 7, 16: 7} {
		m := mixture[float64](rows, cols, 3, 0.005, seed)
		phase := rand.New(rand.NewPCG(seed, 1))
		for k, size := 1, 0.1; k <= 20; k, size = k+1, 0.8*size {
			down, across := 6*phase.Float64(), 6*phase.Float64()
			for i := range rows {
				x := math.Cos(float64(float64(k*i)*math.Pi/rows) + down)
				for j := range cols {
					y := math.Cos(float64(float64(k*j)*math.Pi/cols) + across)
					m.Row(i)[j] = max(0, m.At(i, j)+float64(size*float64(x*y)))
				}
			}
		}
		if a := must.Get(HeldOut(t.Context(), m, []int{1, 2, 3, 4, 5, 6, 7, 8}, lnmu.NMF{Solver: lnmu.SolverHALS}, &Settings{Start: lnmu.Start{Seed: seed, Restarts: 5}, Limits: lnmu.Limits{Iterations: 200}}))(t).Advice; a.Rank != 3 || a.Least != least || !a.AtEnd {
			t.Errorf("seed %d: %+v", seed, a)
		}
	}
}

// Matrices of which there is little to find out.
func TestDegenerate(t *testing.T) {
	ones := func(rows, cols int) lnmu.Dense[float64] {
		m := lnmu.NewDense[float64](rows, cols, nil)
		for x := range m.Data {
			m.Data[x] = float64(1+x/cols%3) * float64(2+x%cols%5)
		}
		return m
	}
	for _, method := range []lnmu.Method{lnmu.RNMU{}, lnmu.NMF{}, lnmu.GNMU{}} {
		for _, c := range []struct {
			name  string
			m     lnmu.Dense[float64]
			ranks []int
			folds int
			want  int
		}{
			{"zero", lnmu.NewDense[float64](12, 10, nil), []int{1, 2, 3}, 4, 1},
			{"rank one", ones(12, 10), []int{1, 2, 3}, 4, 1},
			{"one rank", ones(12, 10), []int{2}, 4, 2},
			{"small", ones(3, 3), []int{1, 2, 3}, 2, 0},
			{"nothing held out", ones(12, 10), []int{1, 2, 3}, 1, 0},
			{"one entry", ones(1, 1), []int{1}, 1, 0},
		} {
			res := must.Get(HeldOut(t.Context(), c.m, c.ranks, method, &Settings{Folds: c.folds, Limits: lnmu.Limits{Iterations: 200}}))(t)
			for _, p := range res.Points {
				h, a := p.HeldOut, p.Agreement
				if (h != nil) != (c.folds > 1) || !(*p.Training >= 0 && *p.Training <= 1.01) || h != nil && !(h.Mean >= 0 && h.StandardError >= 0) ||
					a != nil && !(a.Stability >= 0 && a.Stability <= 1 && a.Dispersion >= 0 && a.Dispersion <= 1 && a.Cophenetic <= 1) {
					t.Errorf("%T, %s: %+v, %+v, %+v", method, c.name, p, h, a)
				}
			}
			if c.want > 0 && res.Advice.Rank != c.want {
				t.Errorf("%T, %s: %+v", method, c.name, res.Advice)
			}
		}
	}
}

// The training error of R-NMU never rises with a factor that is an underapproximation of
// what the others leave, as FeasibleEach makes it, on the faces and on the swimmer set;
// and one run gives it for all ranks. Without that it may rise: on the faces, for this
// seed, from 17.44 % at rank 23 to 17.48 %.
func TestRecursionFalls(t *testing.T) {
	for _, name := range []string{"swimmer", "CBCL"} {
		t.Run(name, func(t *testing.T) {
			set := dataset.Swimmer()
			m := lnmu.NewDense(set.Rows, set.Cols, set.Data)
			if name == "CBCL" && !testing.Short() {
				f := must.Get(matio.Open(must.PaperFile(t, "CBCL.mat"), matio.Options{}))(t)
				defer f.Close()
				rows, cols, x, err := matio.Dense[float64](f)
				must.Do(t, err)
				m = lnmu.NewDense(rows, cols, x)
			}
			res := must.Get(HeldOut(t.Context(), m, []int{1, 2, 3, 4, 5, 6, 7, 8}, lnmu.RNMU{GNMU: lnmu.GNMU{Feasible: lnmu.FeasibleEach}}, &Settings{Folds: 1, Limits: lnmu.Limits{Iterations: 30}}))(t)
			if res.AllRuns != 1 || !res.Prefixes {
				t.Errorf("%d runs", res.AllRuns)
			}
			for x, p := range res.Points[1:] {
				before := res.Points[x]
				if !(*p.Training <= *before.Training) || name == "swimmer" && *p.Training == *before.Training {
					t.Errorf("the training error is %v at rank %d, and %v at rank %d", *before.Training, before.Rank, *p.Training, p.Rank)
				}
			}
		})
	}
}

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
		must.Do(t, err)
		plan := must.Get(Check(EvaluateHeldOut, lnmu.Matrix[float64](given), []int{last}, c.method, &Settings{Limits: lnmu.Limits{Iterations: 20}}))(t) // the runs of the folds have other defaults
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
				run := must.Get(lnmu.Factor(t.Context(), seen, most, plan.Method, &lnmu.Settings{Start: lnmu.Start{Seed: from, Restarts: 1}, Limits: lnmu.Limits{Iterations: 20}, MissingSolver: plan.Settings.MissingSolver}))(t)
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
			must.AtMost(t, math.Abs(got-want), 1e-10*want, name, "point", x, what)
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
		return must.Get(HeldOut(t.Context(), lnmu.Observed[float64]{Matrix: m, Weights: weights}, []int{1, 3}, lnmu.NMF{}, &Settings{Folds: 2, Limits: lnmu.Limits{Iterations: 10}}))(t)
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

// Every observed entry is held out by one fold, as many in each row as by any other
// fold but for one, and no row or column is left without an entry.
func TestSpeckle(t *testing.T) {
	for _, c := range []struct {
		rows, cols, folds, kept int // kept < 0: some
		observed                func(i, j int) bool
	}{
		{40, 30, 5, 0, nil},
		{30, 41, 2, 0, nil},
		{50, 50, 10, 0, func(i, j int) bool { return (i*7+j*3)%4 != 0 }},
		{3, 3, 2, -1, nil},
		{1, 6, 3, 6, nil},
		{6, 1, 3, 6, nil},
		{1, 1, 2, 1, nil},
		{20, 20, 5, 20, func(i, j int) bool { return i == j }},
	} {
		name := fmt.Sprintf("%d x %d in %d", c.rows, c.cols, c.folds)
		p := speckle(c.rows, c.cols, c.folds, 3, c.observed)
		held, observed, kept := make([]int, c.folds), 0, 0
		for i := range c.rows {
			row, keptBefore := make([]int, c.folds), kept
			for j, l := range p.row(i) {
				if seen := c.observed == nil || c.observed(i, j); seen != (l != missing) {
					t.Fatalf("%s: (%d, %d) observed: %t, label %d", name, i, j, seen, l)
				}
				switch l {
				case missing:
				case always:
					kept++
				default:
					row[l]++
					held[l]++
					observed++
				}
			}
			must.AtMost(t, slices.Max(row)-slices.Min(row), 1+kept-keptBefore, name, "row", i, "is shared out as", row)
		}
		if observed += kept; p.observed != observed || p.kept != kept || !slices.Equal(p.held, held) || c.kept >= 0 && kept != c.kept || c.kept < 0 && kept == 0 {
			t.Errorf("%s: %d observed, %d kept, held out %v; counted are %d, %d (want %d), %v", name, p.observed, p.kept, p.held, observed, kept, c.kept, held)
		}
		for f := range c.folds {
			k := p.mask(f)
			lines := make([]bool, c.rows+c.cols)
			for i := range c.rows {
				for j, l := range p.row(i) {
					in := k.Observed(i, j)
					if in != (l != missing && int(l) != f) {
						t.Fatalf("%s: fold %d masks (%d, %d) with label %d", name, f, i, j, l)
					}
					lines[i], lines[c.rows+j] = lines[i] || in, lines[c.rows+j] || in
				}
			}
			must.Below(t, slices.Index(lines, false), 0, name, "fold", f, "leaves nothing in row or column")
		}
	}
	// The folds are the same on every machine.
	p := speckle(20, 13, 4, 7, func(i, j int) bool { return (i+j)%5 != 0 })
	const want = "0f0da70bd3c8cd42"
	must.Equal(t, fmt.Sprintf("%.8x", sha256.Sum256(p.label)), want, "hash")
	if q := speckle(20, 13, 4, 8, nil); string(q.label) == string(p.label) {
		t.Error("another seed gives the same folds")
	}
}
