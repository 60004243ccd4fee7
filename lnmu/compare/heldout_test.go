package compare

import (
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"nmu/internal/dataset"
	"nmu/internal/matio"
	"nmu/lnmu"
)

// The curve of a recursion takes as many iterations as one factorization for each fold
// and one more.
func TestCost(t *testing.T) {
	m := mixture[float64](20, 16, 4, 0.1, 1)
	var count atomic.Int64
	settings := lnmu.Settings{Start: lnmu.Start{Restarts: 1}, Watch: lnmu.Watch{Iterated: func(int) { count.Add(1) }}}
	must(lnmu.Factor(t.Context(), m, 8, lnmu.RNMU{}, &settings))
	one := count.Swap(0)
	const folds = 5
	res := must(HeldOut(t.Context(), m, []int{2, 4, 5, 8}, lnmu.RNMU{}, &Settings{Folds: folds, Watch: lnmu.Watch{Iterated: settings.Iterated}}))
	if all := count.Load(); one != 8*180 || all > (folds+1)*one || res.Runs != folds+1 {
		t.Errorf("%d iterations in %d runs, one factorization has %d", all, res.Runs, one)
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
		res := must(HeldOut(t.Context(), mixture[float64](60, 50, 10, 0.05, seed), ranks, nil, &Settings{Start: lnmu.Start{Seed: seed}, Limits: lnmu.Limits{Iterations: 300}}))
		if res.Advice.Rank == 10 {
			found++
		} else {
			t.Logf("seed %d: %+v", seed, res.Advice)
		}
	}
	if found < least {
		t.Errorf("rank 10 is advised for %d of %d seeds, want %d", found, seeds, least)
	}
	if res := must(HeldOut(t.Context(), mixture[float32](30, 26, 4, 0.05, 1), []int{2, 3, 4, 5, 6}, nil, &Settings{Limits: lnmu.Limits{Iterations: 200}})); res.Advice.Rank != 4 {
		t.Errorf("float32: %+v", res.Advice)
	}
	m, rng := mixture[float64](40, 12, 3, 0, 0), rand.New(rand.NewPCG(0, 7)) // measurements, with weights of six powers of ten
	weights := lnmu.NewDense[float64](40, 12, nil)
	for x := range m.Data {
		deviation := 1e-4 * math.Pow(1000, float64(x%12)/11)
		m.Data[x] = max(0, m.Data[x]+float64(deviation*rng.NormFloat64()))
		weights.Data[x] = 1 / float64(deviation*deviation)
	}
	res := must(HeldOut(t.Context(), lnmu.Observed[float64]{Matrix: m, Weights: weights}, []int{1, 2, 3, 4, 5}, nil, &Settings{Folds: 5}))
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
	if res := must(HeldOut(t.Context(), counts, []int{1, 2, 3, 5}, lnmu.KL{}, &Settings{Limits: lnmu.Limits{Iterations: 100}, Folds: 3})); res.Advice.Rank != 3 {
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
		if a := must(HeldOut(t.Context(), m, []int{1, 2, 3, 4, 5, 6, 7, 8}, lnmu.NMF{Solver: lnmu.SolverHALS}, &Settings{Start: lnmu.Start{Seed: seed, Restarts: 5}, Limits: lnmu.Limits{Iterations: 200}})).Advice; a.Rank != 3 || a.Least != least || !a.AtEnd {
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
			res := must(HeldOut(t.Context(), c.m, c.ranks, method, &Settings{Folds: c.folds, Limits: lnmu.Limits{Iterations: 200}}))
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
	set := dataset.Swimmer()
	sets := map[string]lnmu.Dense[float64]{"swimmer": lnmu.NewDense(set.Rows, set.Cols, set.Data)}
	f, err := matio.Open(filepath.Join(cmp.Or(os.Getenv("NMU_DATA"), "../../../shared/data"), "CBCL.mat"), matio.Options{})
	switch {
	case err != nil:
		t.Logf("no CBCL faces: %v; set NMU_DATA to the folder of CBCL.mat", err)
	case !testing.Short():
		rows, cols, x, err := matio.Dense[float64](f)
		if err != nil {
			t.Fatal(err)
		}
		sets["CBCL"] = lnmu.NewDense(rows, cols, x)
		fallthrough
	default:
		defer f.Close()
	}
	for name, m := range sets {
		res := must(HeldOut(t.Context(), m, []int{1, 2, 3, 4, 5, 6, 7, 8}, lnmu.RNMU{Lagrangian: lnmu.Lagrangian{Feasible: lnmu.FeasibleEach}}, &Settings{Folds: 1, Limits: lnmu.Limits{Iterations: 30}}))
		if res.Runs != 1 || !res.Prefixes {
			t.Errorf("%s: %d runs", name, res.Runs)
		}
		for x, p := range res.Points[1:] {
			before := res.Points[x]
			if !(*p.Training <= *before.Training) || name == "swimmer" && *p.Training == *before.Training {
				t.Errorf("%s: the training error is %v at rank %d, and %v at rank %d", name, *before.Training, before.Rank, *p.Training, p.Rank)
			}
		}
	}
}
