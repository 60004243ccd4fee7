package compare

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"nmu/lnmu"
)

// weightedSquares is Σ w (M - V W)² over the observed entries.
func weightedSquares(m lnmu.Matrix[float64], v, w lnmu.Dense[float64], weight func(i, j int) float64) (q float64) {
	rows, cols := m.Dims()
	for i := range rows {
		for j := range cols {
			left := m.At(i, j)
			for k := range v.Cols {
				left -= v.At(i, k) * w.At(k, j)
			}
			if u := weight(i, j); u > 0 {
				q += u * left * left
			}
		}
	}
	return q
}

// Q is the weighted sum of squares by its definition, also of equal weights, which change no factor. That of the
// runs is the least one.
func TestQ(t *testing.T) {
	m, _, _ := planted(14, 18, 2, 80, 9)
	mask := lnmu.NewMask(14, 18)
	mask.Set(3, 4, false)
	equal, zero, varied := lnmu.NewDense[float64](14, 18, nil), lnmu.NewDense[float64](14, 18, nil), lnmu.NewDense[float64](14, 18, nil)
	for x := range equal.Data {
		equal.Data[x], zero.Data[x], varied.Data[x] = 0.25, 0.25, 1/(1+m.Data[x])
	}
	zero.Row(0)[0] = 0
	stored := lnmu.Observed[float64]{Matrix: sparseOf(lnmu.NewDense(3, 3, []float64{1, 2, 0, 3, 1, 1, 1, 4, 2})), Weight: 4, StoredOnly: true}
	if run, err := lnmu.Factor(t.Context(), stored, 1, lnmu.NMF{}, nil); err != nil || !(run.Q > 0) || run.ExpectedQ != 8-(3+3-1) {
		t.Errorf("of stored entries alone: Q is %v of %v, %v", run.Q, run.ExpectedQ, err)
	}
	for _, c := range []struct {
		name     string
		of       lnmu.Observed[float64]
		observed float64
	}{
		{"equal", lnmu.Observed[float64]{Matrix: m, Weights: equal}, 14 * 18},
		{"equal, sparse", lnmu.Observed[float64]{Matrix: sparseOf(m), Weights: equal}, 14 * 18},
		{"one weight", lnmu.Observed[float64]{Matrix: sparseOf(m), Weight: 0.25}, 14 * 18},
		{"equal and 0", lnmu.Observed[float64]{Matrix: m, Weights: zero}, 14*18 - 1},
		{"equal and masked", lnmu.Observed[float64]{Matrix: m, Mask: mask, Weights: equal}, 14*18 - 1},
		{"varied", lnmu.Observed[float64]{Matrix: m, Weights: varied}, 14 * 18},
		{"varied and masked", lnmu.Observed[float64]{Matrix: m, Mask: mask, Weights: varied}, 14*18 - 1},
	} {
		weight := func(i, j int) float64 {
			if c.of.Mask != nil && !mask.Observed(i, j) {
				return 0
			}
			if c.of.Weights == nil {
				return c.of.Weight
			}
			return c.of.Weights.At(i, j)
		}
		settings := lnmu.Settings{Iterations: 30, Restarts: 1}
		for _, how := range ways {
			res, err := Stability(t.Context(), c.of, []int{2}, lnmu.NMF{}, &Settings{Runs: 3, Resample: how, Iterations: 30, Restarts: 1})
			if err != nil {
				t.Fatal(err)
			}
			p := res.Points[0]
			if want := weightedSquares(m, p.V, p.W, weight); !res.Weighted || !(math.Abs(p.Q-want) <= 1e-9*want) {
				t.Errorf("%s, %q: Q is %v, want %v; weighted: %v", c.name, how, p.Q, want, res.Weighted)
			}
			if want := c.observed - 2*(14+18-1); p.ExpectedQ != want {
				t.Errorf("%s, %q: expected Q %v, want %v", c.name, how, p.ExpectedQ, want)
			}
			if !(p.RunQ > 0) {
				t.Errorf("%s, %q: Q of the runs is %v", c.name, how, p.RunQ)
			}
			if how != Starts {
				continue // the matrices of the runs are their own
			}
			least := math.Inf(1)
			for q := range uint64(3) {
				settings.Seed = q
				run, err := lnmu.Factor(t.Context(), c.of, 2, lnmu.NMF{}, &settings)
				if err != nil {
					t.Fatal(err)
				}
				q := weightedSquares(m, run.V, run.W, weight)
				if least = min(least, q); !(math.Abs(run.Q-q) <= 1e-9*q) || run.ExpectedQ != p.ExpectedQ {
					t.Errorf("%s: Q of a run is %v of %v, want %v of %v", c.name, run.Q, run.ExpectedQ, q, p.ExpectedQ)
				}
			}
			settings.Seed = 0
			if !(math.Abs(p.RunQ-least) <= 1e-9*least) {
				t.Errorf("%s: the least Q of the runs is %v, want %v", c.name, p.RunQ, least)
			}
		}
	}
}

// A part that every run has as an outlier is missing, and W is fitted without it. One of a single run has no
// intervals. Notes say so, also after a state was read.
func TestPartsOfFewRuns(t *testing.T) {
	m, _, _ := planted(20, 18, 3, 300, 2)
	missing, single := 0, 0
	for _, method := range []lnmu.Method{lnmu.KL{}, lnmu.NMF{}} {
		for _, how := range ways {
			set := Settings{Runs: 6, Resample: how, Iterations: 60, Threads: 1}
			var list [][]byte
			set.Checkpoint = states(t, &list)
			res, err := Stability(t.Context(), m, []int{2, 7}, method, &set)
			if err != nil {
				t.Fatal(err)
			}
			set.Checkpoint = nil
			again := set
			again.Checkpoint = &lnmu.Checkpoint{Resume: bytes.NewReader(list[len(list)-1])}
			k := kind{EvaluateStability, method, set}
			if a, b := must(k.of(t.Context(), m, []int{2, 7}, set)), must(k.of(t.Context(), m, []int{2, 7}, again)); a.text != b.text {
				t.Errorf("%T %q: another result from its state", method, how)
			}
			p := res.Points[1]
			some := 0
			for k, n := range p.Kept {
				nan := func(of ...float64) (count int) {
					for _, x := range of {
						if math.IsNaN(x) {
							count++
						}
					}
					return count
				}
				got := nan(p.V.At(3, k), p.W.At(k, 4), p.VLow.At(3, k), p.VHigh.At(3, k), p.WLow.At(k, 4), p.WHigh.At(k, 4))
				want, note := 0, ""
				switch n {
				case 0:
					want, note = 6, "missing"
					missing++
				case 1:
					want, note = 4, "no intervals"
					single++
				}
				if got != want || n < 2 && !(nan(p.V.At(3, k)) == 1-n && nan(p.W.At(k, 4)) == 1-n) {
					t.Errorf("%T %q: part %d of %d runs: %d numbers are missing, want %d", method, how, k+1, n, got, want)
				}
				named := slices.ContainsFunc(res.Notes, func(s string) bool {
					return strings.Contains(s, "rank 7, part "+string(rune('1'+k))+":") && strings.Contains(s, note)
				})
				if named != (n < 2) {
					t.Errorf("%T %q: part %d of %d runs: notes %q", method, how, k+1, n, res.Notes)
				}
				if n > 0 {
					some = k + 1
				}
			}
			if slices.Contains(p.Kept[:some], 0) {
				t.Errorf("missing parts are not the last ones: %v", p.Kept)
			}
			_, kl := method.(lnmu.KL)
			of, err := lnmu.Transform(t.Context(), m, p.V.Slice(0, 20, 0, some), lnmu.Dense[float64]{}, &lnmu.TransformSettings{Divergence: kl})
			if err != nil {
				t.Fatal(err)
			}
			want := of.RelativeError
			if kl {
				want = of.RelativeDivergence
			}
			if !(math.Abs(p.Error-want) <= 1e-3*want) {
				t.Errorf("%T %q: error %v, without the missing parts %v", method, how, p.Error, want)
			}
		}
	}
	if missing == 0 || single == 0 {
		t.Errorf("%d parts of no run, and %d of one: the test says nothing", missing, single)
	}
}

// W of a method that stays below M is fitted below M, whatever of M is observed.
func TestUnderapproximation(t *testing.T) {
	m, _, _ := planted(12, 16, 2, 200, 5)
	mask := lnmu.NewMask(12, 16)
	mask.Set(2, 3, false)
	varied := lnmu.NewDense[float64](12, 16, nil)
	for x := range varied.Data {
		varied.Data[x] = 1 + float64(x%5)
	}
	for name, of := range map[string]lnmu.Observed[float64]{
		"all": {Matrix: m}, "masked": {Matrix: m, Mask: mask}, "weighted": {Matrix: m, Weights: varied}, "both": {Matrix: m, Mask: mask, Weights: varied},
	} {
		for _, method := range []lnmu.Method{lnmu.GNMU{}, lnmu.RNMU{}} {
			for _, how := range []Resample{Starts, Columns} {
				res, err := Stability(t.Context(), of, []int{2}, method, &Settings{Runs: 4, Resample: how, Iterations: 20})
				if err != nil {
					t.Fatal(err)
				}
				p := res.Points[0]
				for i := range 12 {
					for j := range 16 {
						left := m.At(i, j)
						for k := range 2 {
							if x := p.V.At(i, k); !math.IsNaN(x) {
								left -= x * p.W.At(k, j)
							}
						}
						if observed := of.Mask == nil || mask.Observed(i, j); observed && left < -1e-9 {
							t.Fatalf("%s, %T, %q: V W exceeds M by %v at row %d, column %d", name, method, how, -left, i, j)
						}
					}
				}
			}
		}
	}
}
