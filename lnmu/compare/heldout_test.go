package compare

import (
	"math"
	"math/rand/v2"
	"os"
	"sync/atomic"
	"testing"

	"nmu/lnmu"
)

// The training errors of a recursion are the errors that one run reports block by
// block; those of other methods are those of a run for each rank.
func TestTrainingError(t *testing.T) {
	m := mixture[float64](40, 30, 5, 0.1, 1)
	for x, method := range []lnmu.Method{lnmu.RNMU{}, lnmu.NMF{}, lnmu.RNMU{Block: 2}, lnmu.GNMU{}} {
		s := &Settings{Folds: 1, Seed: 3, Restarts: 2, Iterations: 40}
		run := s.run()
		res, err := HeldOut(t.Context(), m, []int{4, 2, 6, 2}, method, s)
		if err != nil {
			t.Fatal(err)
		}
		if want := x == 0; res.Prefixes != want {
			t.Errorf("%+v: prefixes %t", method, res.Prefixes)
		}
		whole, err := lnmu.Factor(t.Context(), m, 6, method, &run)
		if err != nil {
			t.Fatal(err)
		}
		for x, r := range []int{2, 4, 6} {
			p := res.Points[x]
			var want float64
			if res.Prefixes {
				want = whole.Blocks[r-1].Error
			} else {
				one, err := lnmu.Factor(t.Context(), m, r, method, &run)
				if err != nil {
					t.Fatal(err)
				}
				want = one.RelativeError
			}
			if p.Rank != r || p.Training == nil || math.Abs(*p.Training-want) > 1e-12 {
				t.Errorf("%T: %+v, want rank %d and %v", method, p, r, want)
			}
			if p.HeldOut != nil || p.Agreement == nil || p.Agreement.Runs != 2 {
				t.Errorf("%T: %+v", method, p)
			}
		}
	}
}

// The held-out errors are those of runs without what the folds hold out, together with
// what the caller does not observe.
func TestHeldOutError(t *testing.T) {
	m := mixture[float64](24, 20, 3, 0.1, 1)
	seen := lnmu.NewMask(24, 20)
	for x := range 60 {
		i, j := x*7%24, x*11%20
		seen.Set(i, j, false)
		m.Row(i)[j] = math.NaN()
	}
	ranks := []int{1, 3, 5}
	for _, method := range []lnmu.Method{lnmu.RNMU{}, lnmu.NMF{}} {
		s := &Settings{Folds: 3, Seed: 5, Iterations: 30}
		res, err := HeldOut(t.Context(), lnmu.Observed[float64]{Matrix: m, Mask: seen}, ranks, method, s)
		if err != nil {
			t.Fatal(err)
		}
		parts := speckle(24, 20, 3, 5, seen.Observed)
		if res.Observed != parts.observed || res.NeverHeldOut != parts.kept || res.Compared != ComparedFolds {
			t.Errorf("%+v", res)
		}
		for x, r := range ranks {
			p := res.Points[x]
			if p.HeldOut == nil || len(p.HeldOut.Folds) != 3 || p.Agreement == nil || p.Agreement.Runs != 3 || p.Training == nil {
				t.Fatalf("%+v", p)
			}
			for f, got := range p.HeldOut.Folds {
				kept := lnmu.Observed[float64]{Matrix: m, Mask: parts.mask(f)}
				run, err := lnmu.Factor(t.Context(), kept, r, method, &lnmu.Settings{Seed: 5 + uint64(f), Restarts: 1, Iterations: 30})
				if err != nil {
					t.Fatal(err)
				}
				// A recursion draws the start for all ranks, so that a run for fewer has another one.
				v, w := run.V, run.W
				if res.Prefixes {
					if run, err = lnmu.Factor(t.Context(), kept, 5, method, &lnmu.Settings{Seed: 5 + uint64(f), Restarts: 1, Iterations: 30}); err != nil {
						t.Fatal(err)
					}
					v, w = run.V, run.W
				}
				var left, all float64
				count := 0
				for i := range m.Rows {
					for j, y := range m.Row(i) {
						if !seen.Observed(i, j) {
							continue
						}
						all += y * y
						if int(parts.row(i)[j]) != f {
							continue
						}
						for k := range r {
							y -= v.At(i, k) * w.At(k, j)
						}
						left += y * y
						count++
					}
				}
				want := math.Sqrt(left / float64(count) / (all / float64(parts.observed)))
				if math.Abs(got-want) > 1e-12 {
					t.Errorf("%T, rank %d, fold %d: %v, want %v", method, r, f, got, want)
				}
			}
		}
	}
}

// The curve of a recursion takes as many iterations as one factorization for each fold
// and one more.
func TestCost(t *testing.T) {
	m := mixture[float64](20, 16, 4, 0.1, 1)
	var count atomic.Int64
	settings := lnmu.Settings{Restarts: 1, Iterated: func(int) { count.Add(1) }}
	if _, err := lnmu.Factor(t.Context(), m, 8, lnmu.RNMU{}, &settings); err != nil {
		t.Fatal(err)
	}
	one := count.Swap(0)
	const folds = 5
	res, err := HeldOut(t.Context(), m, []int{2, 4, 5, 8}, lnmu.RNMU{}, &Settings{Folds: folds, Iterated: settings.Iterated})
	if err != nil {
		t.Fatal(err)
	}
	if all := count.Load(); one != 8*180 || all > (folds+1)*one || res.Runs != folds+1 {
		t.Errorf("%d iterations in %d runs, one factorization has %d", all, res.Runs, one)
	}
}

// TestPlantedRank: the rank of generated data with 5 % of noise is found.
func TestPlantedRank(t *testing.T) {
	seeds, least := 2, 2
	if os.Getenv("NMU_FULL") != "" {
		seeds, least = 20, 18
	}
	ranks := []int{2, 4, 6, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20}
	found := 0
	for seed := range uint64(seeds) {
		m := mixture[float64](60, 50, 10, 0.05, seed)
		res, err := HeldOut(t.Context(), m, ranks, lnmu.NMF{}, &Settings{Seed: seed, Iterations: 300})
		if err != nil {
			t.Fatal(err)
		}
		if res.Advice.Rank == 10 {
			found++
		} else {
			t.Logf("seed %d: %+v", seed, res.Advice)
		}
	}
	if found < least {
		t.Errorf("rank 10 is advised for %d of %d seeds, want %d", found, seeds, least)
	}
}

// TestStructuredNoise: a matrix of rank 3 and smooth patterns of falling size, as scenes
// have. The held-out error falls to the last rank or the last but one, and the elbow and
// the stability decide.
func TestStructuredNoise(t *testing.T) {
	const rows, cols = 40, 150
	ranks := []int{1, 2, 3, 4, 5, 6, 7, 8}
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
		res, err := HeldOut(t.Context(), m, ranks, lnmu.NMF{}, &Settings{Seed: seed, Iterations: 200, Restarts: 5})
		if err != nil {
			t.Fatal(err)
		}
		if a := res.Advice; a.Rank != 3 || a.Least != least || !a.AtEnd {
			t.Errorf("seed %d: %+v", seed, a)
		}
	}
}

// Matrices of which there is little to find out.
func TestDegenerate(t *testing.T) {
	ones := func(rows, cols int) lnmu.Dense[float64] {
		m := lnmu.NewDense[float64](rows, cols, nil)
		for i := range rows {
			for j := range cols {
				m.Row(i)[j] = float64(1+i%3) * float64(2+j%5)
			}
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
			res, err := HeldOut(t.Context(), c.m, c.ranks, method, &Settings{Folds: c.folds, Iterations: 200})
			if err != nil {
				t.Errorf("%T, %s: %v", method, c.name, err)
				continue
			}
			for _, p := range res.Points {
				if (p.HeldOut != nil) != (c.folds > 1) || p.Training == nil || !(*p.Training >= 0 && *p.Training <= 1.01) {
					t.Errorf("%T, %s: %+v", method, c.name, p)
				}
				if h := p.HeldOut; h != nil && !(h.Mean >= 0 && h.StandardError >= 0) {
					t.Errorf("%T, %s: %+v", method, c.name, h)
				}
				if a := p.Agreement; a != nil && !(a.Stability >= 0 && a.Stability <= 1 && a.Dispersion >= 0 && a.Dispersion <= 1 && a.Cophenetic <= 1) {
					t.Errorf("%T, %s: %+v", method, c.name, a)
				}
			}
			if c.want > 0 && res.Advice.Rank != c.want {
				t.Errorf("%T, %s: %+v", method, c.name, res.Advice)
			}
		}
	}
}

// float32 gives the same advice.
func TestFloat32(t *testing.T) {
	res, err := HeldOut(t.Context(), mixture[float32](30, 26, 4, 0.05, 1), []int{2, 3, 4, 5, 6}, lnmu.NMF{}, &Settings{Iterations: 200})
	if err != nil || res.Advice.Rank != 4 {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestCurveDivergence: counts of a rank are measured by the divergence, which the training error
// of the run itself confirms, and the held-out divergence is least at their rank.
func TestHeldOutDivergence(t *testing.T) {
	const rows, cols, planted = 40, 60, 3
	rng := rand.New(rand.NewPCG(5, 6))
	m := lnmu.NewDense[float64](rows, cols, nil)
	for i := range rows {
		for j := range cols {
			mean := 0.2
			if i*planted/rows == j%planted { // topics of words apart
				mean = 6
			}
			for p := rng.Float64(); p > math.Exp(-mean); p *= rng.Float64() {
				m.Row(i)[j]++
			}
		}
	}
	s := Settings{Iterations: 100, Threads: 2, Folds: 3}
	res, err := HeldOut(t.Context(), m, []int{1, 2, 3, 5}, lnmu.KL{}, &s)
	if err != nil {
		t.Fatal(err)
	}
	if res.Measure != Divergence || res.Advice.Rank != planted {
		t.Errorf("measure %q, advice %+v", res.Measure, res.Advice)
	}
	for _, p := range res.Points {
		fit, err := lnmu.Factor(t.Context(), m, p.Rank, lnmu.KL{}, &lnmu.Settings{Iterations: 100, Restarts: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := *p.Training, fit.RelativeDivergence; math.Abs(got-want) > 1e-11 {
			t.Errorf("rank %d: training divergence %v, of the run %v", p.Rank, got, want)
		}
		if p.HeldOut.Mean < *p.Training {
			t.Errorf("rank %d: held-out divergence %v, training %v", p.Rank, p.HeldOut.Mean, *p.Training)
		}
	}
	other, err := HeldOut(t.Context(), m, []int{1}, lnmu.NMF{}, &s)
	if err != nil || other.Measure != "" {
		t.Errorf("nmf: measure %q, error %v", other.Measure, err)
	}
}
