package consensus_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"nmu/lnmu"
	"nmu/lnmu/consensus"
)

// planted returns a matrix of Poisson counts with known factors: the columns of V have the sum 1,
// those of W about the sum total.
func planted(m, n, r int, total float64, seed uint64) (x, v, w lnmu.Dense[float64]) {
	rng := rand.New(rand.NewPCG(seed, 99))
	v, w = lnmu.NewDense[float64](m, r, nil), lnmu.NewDense[float64](r, n, nil)
	for k := range r {
		sum := 0.0
		for i := range m {
			v.Row(i)[k] = 0.02 + math.Pow(rng.Float64(), 4)
			sum += v.At(i, k)
		}
		for i := range m {
			v.Row(i)[k] /= sum
		}
		for j := range n {
			w.Row(k)[j] = 2 * rng.Float64() * total / float64(r)
		}
	}
	x = lnmu.NewDense[float64](m, n, nil)
	for i := range m {
		for j := range n {
			sum := 0.0
			for k := range r {
				sum += v.At(i, k) * w.At(k, j)
			}
			x.Row(i)[j] = count(rng, sum)
		}
	}
	return x, v, w
}

// count draws from a Poisson distribution as the events of a unit of time.
func count(rng *rand.Rand, mean float64) float64 {
	n := -1.0
	for at := 0.0; at < mean; n++ {
		at += rng.ExpFloat64()
	}
	return max(n, 0)
}

// covered returns the share of the entries of the truth within their intervals, and that of its zeros.
func covered(t *testing.T, p consensus.Point[float64], v, w lnmu.Dense[float64]) (ofV, ofW, ofZeros float64) {
	zeros, within := 0, 0
	holds := func(low, x, high float64) float64 {
		in := 0
		if low <= x && x <= high {
			in = 1
		}
		if x == 0 {
			zeros, within = zeros+1, within+in
		}
		return float64(in)
	}
	taken := map[int]bool{}
	for k := range p.Rank {
		best, most := 0, -1.0
		for l := range p.Rank {
			var dot, a, b float64
			for i := range v.Rows {
				dot += v.At(i, k) * p.V.At(i, l)
				a += v.At(i, k) * v.At(i, k)
				b += p.V.At(i, l) * p.V.At(i, l)
			}
			if c := dot / math.Sqrt(a*b); c > most {
				best, most = l, c
			}
		}
		if taken[best] {
			t.Errorf("two planted parts are nearest to part %d", best)
		}
		taken[best] = true
		for i := range v.Rows {
			ofV += holds(p.VLow.At(i, best), v.At(i, k), p.VHigh.At(i, best)) / float64(v.Rows*v.Cols)
		}
		for j := range w.Cols {
			ofW += holds(p.WLow.At(best, j), w.At(k, j), p.WHigh.At(best, j)) / float64(w.Rows*w.Cols)
		}
	}
	return ofV, ofW, float64(within) / max(1, float64(zeros))
}

// The number of planted parts is found, and the intervals hold the truth as often as they
// should. The long form has 20 seeds, two methods and both ways to resample.
func TestPlanted(t *testing.T) {
	type kind struct {
		method lnmu.Method
		how    consensus.Resample
	}
	seeds, runs, least, kinds := 1, 20, 0.8, []kind{{lnmu.NMF{}, consensus.Poisson}} // few runs have no rare quantiles
	if os.Getenv("NMU_FULL") != "" {
		kl := lnmu.KL{Solver: lnmu.SolverCoordinate}
		seeds, runs, least, kinds = 20, 100, 0.9, append(kinds, kind{lnmu.NMF{}, consensus.Columns}, kind{kl, consensus.Poisson}, kind{kl, consensus.Columns})
	}
	for _, c := range kinds {
		found, ofV, ofW := 0, 0.0, 0.0
		for seed := range seeds {
			m, v, w := planted(30, 60, 3, 1000, uint64(seed))
			res, err := consensus.Find(context.Background(), m, []int{2, 3, 4}, c.method, &consensus.Settings{
				Runs: runs, Resample: c.how, Settings: lnmu.Settings{Iterations: 200},
			})
			if err != nil {
				t.Fatal(err)
			}
			if res.Advice.Rank == 3 {
				found++
			}
			a, b, _ := covered(t, res.Points[1], v, w)
			ofV, ofW = ofV+a/float64(seeds), ofW+b/float64(seeds)
		}
		name := c.method.Describe().Name + " " + string(c.how)
		t.Logf("%s: found %d of %d, intervals hold %.3f of V, %.3f of W", name, found, seeds, ofV, ofW)
		if found*10 < seeds*9 {
			t.Errorf("%s: the rank is found for %d of %d seeds", name, found, seeds)
		}
		if ofV < least || ofV > 0.99 || ofW < least || ofW > 0.99 {
			t.Errorf("%s: the intervals hold %.3f of V and %.3f of W", name, ofV, ofW)
		}
	}
}
