package lnmu_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
)

// TestKLPlanted: the best of some starts finds planted topics in counts of words, by both solvers, and
// nearer than the squared error does.
func TestKLPlanted(t *testing.T) {
	const words, documents, topics = 200, 500, 6
	restarts := 5
	if testing.Short() {
		restarts = 2 // takes long without assembly
	}
	rng := rand.New(rand.NewPCG(4, 4))
	skew := func(rows, cols int, power, sum float64) lnmu.Dense[float64] { // rows of that sum, with few large entries
		x := lnmu.NewDense[float64](rows, cols, nil)
		for i := range rows {
			total := 0.0
			for j := range cols {
				x.Row(i)[j] = math.Pow(rng.ExpFloat64(), power)
				total += x.At(i, j)
			}
			for j := range cols {
				x.Row(i)[j] *= sum / total
			}
		}
		return x
	}
	of, in := skew(topics, words, 3, 1), skew(documents, topics, 3, 25)
	m := countsAbout[float64](rng, of.Transposed(), in.Transposed())
	score := func(method lnmu.Method) float64 {
		res := must.Get(lnmu.Factor(t.Context(), lnmu.NewCSR(m), topics, method, &lnmu.Settings{Start: lnmu.Start{Restarts: restarts, Seed: 1}}))(t)
		return meanCosine(of, res.V.Transposed())
	}
	squared := score(lnmu.NMF{})
	for _, solver := range solversOf(lnmu.KL{}) {
		got := score(lnmu.KL{Solver: solver})
		if !(got >= 0.99) || got <= squared {
			t.Errorf("%s: mean cosine %.4f, by the squared error %.4f", solver, got, squared)
		}
		t.Logf("%s: mean cosine %.4f, by the squared error %.4f", solver, got, squared)
	}
}

// meanCosine returns the mean cosine of the rows of two matrices, each of which has its own partner.
func meanCosine(a, b lnmu.Dense[float64]) float64 {
	cosine := func(x, y []float64) float64 {
		var xy, xx, yy float64
		for i, v := range x {
			xy, xx, yy = xy+v*y[i], xx+v*v, yy+y[i]*y[i]
		}
		return xy / math.Sqrt(max(xx*yy, math.SmallestNonzeroFloat64))
	}
	var best func(i, used int) float64
	best = func(i, used int) (most float64) {
		for j := range b.Rows {
			if i < a.Rows && used>>j&1 == 0 {
				most = max(most, cosine(a.Row(i), b.Row(j))+best(i+1, used|1<<j))
			}
		}
		return most
	}
	return best(0, 0) / float64(a.Rows)
}
