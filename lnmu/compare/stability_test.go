package compare

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
)

// unevenCounts returns Poisson counts of five sparse parts, of which the weakest has a quarter of the
// weight of the strongest.
func unevenCounts(seed uint64) lnmu.Dense[float64] {
	const m, n, total = 48, 80, 600
	strengths := []float64{1.6, 1.2, 1, 0.7, 0.4}
	rng := rand.New(rand.NewPCG(seed, 7))
	mean := lnmu.NewDense[float64](m, n, nil)
	for _, strength := range strengths {
		v, sum := make([]float64, m), 0.0
		for i := range v {
			v[i] = 0.002 + math.Pow(rng.Float64(), 6)
			sum += v[i]
		}
		for j := range n {
			w := strength * (0.05 + rng.ExpFloat64()*rng.Float64()) * total / float64(len(strengths)) / sum
			for i := range v {
				mean.Row(i)[j] += float64(v[i] * w)
			}
		}
	}
	for x, y := range mean.Data {
		mean.Data[x] = count(rng, y)
	}
	return mean
}

// Of parts of uneven strength the consensus finds how many there are, where the errors of single runs show
// their elbow too early. The long form has 20 seeds, of which the consensus may miss two.
func TestConsensusFindsWeakPartsThatSingleRunsMiss(t *testing.T) {
	seeds := 1
	if os.Getenv("NMU_FULL") != "" {
		seeds = 20
	}
	ranks := []int{2, 3, 4, 5, 6, 7, 8}
	found, missed := 0, 0
	for seed := range seeds {
		m := unevenCounts(uint64(seed))
		if must.Get(Stability(t.Context(), m, ranks, lnmu.KL{}, &Settings{Runs: 20, Resample: Poisson, Limits: lnmu.Limits{Iterations: 100}}))(t).Advice.Rank == 5 {
			found++
		}
		var single []HeldOutPoint
		for _, r := range ranks {
			one := must.Get(lnmu.Factor(t.Context(), m, r, lnmu.KL{}, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 100}, Start: lnmu.Start{Restarts: 1}}))(t)
			single = append(single, HeldOutPoint{Rank: r, Training: &one.RelativeError})
		}
		if at, _ := elbow(single); at != 5 {
			missed++
		}
	}
	t.Logf("the consensus finds the rank for %d of %d seeds, the elbow of single runs misses it for %d", found, seeds, missed)
	if found*10 < seeds*9 || seeds > 1 && missed < seeds/4 {
		t.Errorf("the consensus finds the rank for %d of %d seeds, the elbow of single runs misses it for %d", found, seeds, missed)
	}
}

// A row with few counts may have medians so small that their squares are 0. It counts as zero, and stops
// no consensus.
func TestRowOfTinyMedians(t *testing.T) {
	m := unevenCounts(0)
	for i := range 24 {
		row := m.Row(i)
		clear(row)
		for j := range 1 + i%2 {
			row[(11*i+7*j)%m.Cols] = 1
		}
	}
	for i, x := range must.Get(Stability(t.Context(), m, []int{5, 6}, lnmu.KL{}, &Settings{Runs: 11, Resample: Poisson, Limits: lnmu.Limits{Iterations: 400}}))(t).Points[1].V.Data {
		if x < 0 || x > 1 {
			t.Errorf("entry %d: %v", i, x)
		}
	}
}

// A row without counts has the exact limit of a Poisson distribution for no event, also in a sparse matrix,
// and only the observed entries count.
func TestIntervalsOfARowWithoutCountsEndAtTheExactLimit(t *testing.T) {
	m, _, _ := model{zeros: 0.3, ofV: 8, ofW: 4, total: 80}.draw(12, 20, 2, 1)
	clear(m.Row(5))
	mask := lnmu.NewMask(12, 20)
	mask.Set(5, 3, false)
	for name, x := range map[string]lnmu.Matrix[float64]{"dense": m, "sparse": lnmu.NewCSR(m), "masked": lnmu.Observed[float64]{Matrix: m, Mask: mask}} {
		for _, level := range []float64{0.8, 0.95} {
			p := must.Get(Stability(t.Context(), x, []int{2}, lnmu.KL{}, &Settings{Runs: 8, Level: level, Resample: Poisson, Limits: lnmu.Limits{Iterations: 50}}))(t).Points[0]
			for k := range 2 {
				var sum float64
				for j, e := range p.W.Row(k) {
					if name != "masked" || j != 3 {
						sum += e
					}
				}
				if got, want := math.Exp(-p.VHigh.At(5, k)*sum), (1-level)/2; math.Abs(got-want) > 1e-9 && p.V.At(5, k) == 0 || p.VLow.At(5, k) != 0 {
					t.Errorf("%s, level %v: the interval begins at %v, and no count has the probability %v at its end, want %v", name, level, p.VLow.At(5, k), got, want)
				}
			}
		}
	}
	if p := must.Get(Stability(t.Context(), m, []int{2}, lnmu.KL{}, &Settings{Runs: 3, Limits: lnmu.Limits{Iterations: 50}}))(t).Points[0]; p.VHigh.At(5, 0) > 1e-9 {
		t.Errorf("runs from other starts show nothing of the noise, and an interval ends at %v", p.VHigh.At(5, 0))
	}
}

// By default runs end at rest. The rank of planted parts, of which each two overlap, is then advised as often as
// after 3000 iterations, and more often than after the default iterations of one run. The long form has all sets.
func TestRestFindsPartsThatOverlap(t *testing.T) {
	counts := model{least: 0.02, ofV: 8, ofW: 4, total: 3000, overlap: 0.7}
	noise, zeros := counts, counts
	noise.noise, zeros.noise, zeros.zeros = 0.1, 0.1, 0.2
	full := os.Getenv("NMU_FULL") != ""
	var rest, few, many, sets int
	for _, c := range []struct {
		of     model
		method lnmu.Method
		how    Resample
		iters  int // of one run by default
		seeds  []uint64
	}{{counts, lnmu.KL{}, Poisson, 200, []uint64{3, 0, 1, 2}}, {noise, lnmu.NMF{}, Columns, 600, []uint64{0, 1}}, {zeros, lnmu.NMF{}, Columns, 600, []uint64{0, 1}}} {
		for x, seed := range c.seeds {
			if !full && x > 0 {
				break
			}
			dense, _, _ := c.of.draw(40, 50, 4, seed)
			m := []lnmu.Matrix[float64]{dense, lnmu.NewCSR(dense)}[x%2]
			found := func(iterations int) int {
				s := Settings{Runs: 10, Resample: c.how, Limits: lnmu.Limits{Iterations: iterations}}
				if must.Get(Stability(t.Context(), m, []int{3, 4, 5}, c.method, &s))(t).Advice.Rank == 4 {
					return 1
				}
				return 0
			}
			sets++
			rest, few = rest+found(0), few+found(c.iters)
			if full {
				many += found(3000)
			}
		}
	}
	t.Logf("of %d sets the rank of %d is advised at rest, of %d by default iterations, of %d after 3000", sets, rest, few, many)
	if !full {
		many = sets
	}
	if rest < many || few >= rest {
		t.Errorf("of %d sets the rank of %d is advised at rest, of %d by default iterations, of %d after 3000", sets, rest, few, many)
	}
}

// Runs that end at their limit while their error still falls are noted with their ranks, also from a state of some
// of them, and in held-out errors; more iterations or a tolerance end the note.
func TestRunsThatStillMoveAreNoted(t *testing.T) {
	m, _, _ := planted(30, 60, 3, 1000, 1)
	for _, c := range []struct {
		method   lnmu.Method
		settings Settings
		want     []string // beginnings of notes
	}{
		{lnmu.KL{}, Settings{Limits: lnmu.Limits{Iterations: 30}}, []string{"the runs ended at their limit of 30 iterations"}},
		{lnmu.KL{}, Settings{}, nil},
		{lnmu.KL{}, Settings{Limits: lnmu.Limits{Iterations: 30, Tolerance: 1e-6}}, []string{"the runs ended at their limit of 30 iterations"}},
		{lnmu.KL{}, Settings{Limits: lnmu.Limits{Iterations: 3000, Tolerance: 1e-2}}, nil},
		{lnmu.NMF{Solver: lnmu.SolverHALS}, Settings{Limits: lnmu.Limits{Iterations: 10}}, []string{"the runs ended at their limit of 10 iterations"}},
		{lnmu.NMF{}, Settings{}, nil},
		{lnmu.RNMU{}, Settings{}, nil},
	} {
		var list [][]byte
		set := c.settings
		set.Runs, set.SideBySide, set.Resample, set.Checkpoint = 4, 1, Poisson, states(t, &list)
		check := func(from string) {
			res := must.Get(Stability(t.Context(), m, []int{2, 3}, c.method, &set))(t)
			if !slices.EqualFunc(res.Notes, c.want, strings.HasPrefix) || c.want != nil && strings.Count(res.Notes[0], " at rank ") != 2 {
				t.Errorf("%T, %d iterations, %s: notes %q, want %q", c.method, c.settings.Iterations, from, res.Notes, c.want)
			}
		}
		check("whole")
		set.Checkpoint = &lnmu.Checkpoint{Resume: bytes.NewReader(list[2])}
		check("from three runs")
		set = c.settings
		set.Folds = 3
		if res := must.Get(HeldOut(t.Context(), m, []int{2, 3}, c.method, &set))(t); !slices.EqualFunc(res.Notes, c.want, strings.HasPrefix) {
			t.Errorf("%T, %d iterations, held-out errors: notes %q, want %q", c.method, c.settings.Iterations, res.Notes, c.want)
		}
	}
}

var ways = []Resample{Starts, Columns, Poisson}

// A sparse matrix is resampled as the same dense one. Halves are no counts, and noted where they are taken for means.
func TestSparse(t *testing.T) {
	m, _, _ := planted(15, 25, 2, 40, 5)
	halves, whole := lnmu.NewDense(15, 25, slices.Clone(m.Data)), lnmu.NewMask(15, 25)
	halves.Row(3)[4] = 0.5
	whole.Set(3, 4, false)
	for _, how := range ways {
		s := &Settings{Runs: 5, Resample: how, Limits: lnmu.Limits{Iterations: 200}}
		a, b := must.Get(Stability(t.Context(), m, []int{2}, nil, s))(t).Points[0], must.Get(Stability(t.Context(), lnmu.NewCSR(m), []int{2}, nil, s))(t).Points[0]
		for i, x := range a.VHigh.Data {
			if y := b.VHigh.Data[i]; how == Starts && math.Abs(x-y) > 1e-6 {
				t.Errorf("%q: %v of the dense matrix, %v of the sparse one", how, x, y)
			}
		}
		must.AtMost(t, math.Abs(a.Error-b.Error), 0.02*a.Error, how, "error")
		s.Iterations = 5
		for x, of := range []lnmu.Matrix[float64]{m, lnmu.NewCSR(m), halves, lnmu.NewCSR(halves), lnmu.Observed[float64]{Matrix: halves, Mask: whole}} {
			res := must.Get(Stability(t.Context(), of, []int{1}, nil, s))(t)
			noted := slices.ContainsFunc(res.Notes, func(note string) bool { return strings.Contains(note, "are no counts") })
			must.Equal(t, noted, (how == Poisson && (x == 2 || x == 3)), how, "notes of matrix", x, res.Notes)
		}
	}
}

// A mask and weights count in all runs. Q is the weighted sum of squares by its definition, also of equal weights, which
// change no factor, and near its expectation for counts. That of the runs is the least one.
func TestQ(t *testing.T) {
	m, _, _ := planted(14, 18, 2, 80, 9)
	gaps, mask := lnmu.NewDense(14, 18, slices.Clone(m.Data)), lnmu.NewMask(14, 18)
	fill := func(of func(x int) float64) lnmu.Dense[float64] {
		w := lnmu.NewDense[float64](14, 18, nil)
		for x := range w.Data {
			w.Data[x] = of(x)
		}
		return w
	}
	equal, varied := fill(func(int) float64 { return 0.25 }), fill(func(x int) float64 { return 1 / max(1, m.Data[x]) })
	zero := fill(func(x int) float64 { return 0.25 * float64(min(1, x)) })
	for x := 0; x < 14*18; x += 11 {
		mask.Set(x/18, x%18, false)
		gaps.Row(x / 18)[x%18] = 1e6
	}
	stored := lnmu.Observed[float64]{Matrix: lnmu.NewCSR(lnmu.NewDense(3, 3, []float64{1, 2, 0, 3, 1, 1, 1, 4, 2})), Weight: 4, StoredOnly: true}
	if run, err := lnmu.Factor(t.Context(), stored, 1, lnmu.NMF{}, nil); err != nil || !(run.Q > 0) || run.ExpectedQ != 8-(3+3-1) {
		t.Errorf("of stored entries alone: Q is %v of %v, %v", run.Q, run.ExpectedQ, err)
	}
	for name, c := range map[string]struct {
		of      lnmu.Observed[float64]
		weights lnmu.Dense[float64]
	}{
		"equal":             {lnmu.Observed[float64]{Matrix: m, Weights: equal}, equal},
		"equal, sparse":     {lnmu.Observed[float64]{Matrix: lnmu.NewCSR(m), Weights: equal}, equal},
		"one weight":        {lnmu.Observed[float64]{Matrix: lnmu.NewCSR(m), Weight: 0.25}, equal},
		"equal and 0":       {lnmu.Observed[float64]{Matrix: m, Weights: zero}, zero},
		"equal and masked":  {lnmu.Observed[float64]{Matrix: gaps, Mask: mask, Weights: equal}, equal},
		"varied":            {lnmu.Observed[float64]{Matrix: m, Weights: varied}, varied},
		"varied and masked": {lnmu.Observed[float64]{Matrix: gaps, Mask: mask, Weights: varied}, varied},
	} {
		counts := func(i, j int) bool {
			return c.weights.At(i, j) > 0 && (c.of.Mask == nil || mask.Observed(i, j))
		}
		observed, all := 0, 0.0
		for x, w := range c.weights.Data {
			if counts(x/18, x%18) {
				observed, all = observed+1, all+w
			}
		}
		squares := func(v, w lnmu.Dense[float64]) float64 {
			return all * meanLoss(m, c.weights, v, w, 2, counts, unbounded, func(m, x float64) float64 { return (m - x) * (m - x) })
		}
		near := func(x, want float64) bool { return math.Abs(x-want) <= 1e-9*want }
		for _, how := range ways {
			res := must.Get(Stability(t.Context(), c.of, []int{2}, nil, &Settings{Runs: 3, Resample: how, Limits: lnmu.Limits{Iterations: 30}}))(t)
			p := res.Points[0]
			if want := squares(p.V, p.W); !res.Weighted || res.Observed != observed || !near(p.Q, want) || p.ExpectedQ != float64(observed-2*(14+18-1)) || !(p.RunQ > 0) {
				t.Errorf("%s, %q: Q is %v of %v, want %v; %v of the runs; weighted: %v", name, how, p.Q, p.ExpectedQ, want, p.RunQ, res.Weighted)
			}
			if strings.HasPrefix(name, "varied") && (p.Q > 2*p.ExpectedQ || p.Q < p.ExpectedQ/2) {
				t.Errorf("%s, %q: Q %v of the planted counts is far from its expectation %v", name, how, p.Q, p.ExpectedQ)
			}
			if how != Starts {
				continue // the matrices of the runs are their own
			}
			least := math.Inf(1)
			for q := range uint64(3) {
				run := must.Get(lnmu.Factor(t.Context(), c.of, 2, lnmu.NMF{}, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 30}, Start: lnmu.Start{Restarts: 1, Seed: q}}))(t)
				want := squares(run.V, run.W)
				if least = min(least, want); !near(run.Q, want) || run.ExpectedQ != p.ExpectedQ {
					t.Errorf("%s: Q of a run is %v of %v, want %v of %v", name, run.Q, run.ExpectedQ, want, p.ExpectedQ)
				}
			}
			if !near(p.RunQ, least) {
				t.Errorf("%s: the least Q of the runs is %v, want %v", name, p.RunQ, least)
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
			set := Settings{Runs: 6, Resample: how, Limits: lnmu.Limits{Iterations: 60}, Threads: 1}
			var list [][]byte
			set.Checkpoint = states(t, &list)
			res := must.Get(Stability(t.Context(), m, []int{2, 7}, method, &set))(t)
			set.Checkpoint = nil
			again := set
			again.Checkpoint = &lnmu.Checkpoint{Resume: bytes.NewReader(list[len(list)-1])}
			k := kind{EvaluateStability, method, set}
			if a, b := must.Get(k.of(t.Context(), m, []int{2, 7}, set))(t), must.Get(k.of(t.Context(), m, []int{2, 7}, again))(t); a.text != b.text {
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
			of := must.Get(lnmu.Transform(t.Context(), m, p.V.Slice(0, 20, 0, some), lnmu.Dense[float64]{}, &lnmu.TransformSettings{Divergence: kl}))(t)
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
	mask, varied := lnmu.NewMask(12, 16), powers(12, 16, 5)
	mask.Set(2, 3, false)
	for name, of := range map[string]lnmu.Observed[float64]{
		"all": {Matrix: m}, "masked": {Matrix: m, Mask: mask}, "weighted": {Matrix: m, Weights: varied}, "both": {Matrix: m, Mask: mask, Weights: varied},
	} {
		for _, method := range []lnmu.Method{lnmu.GNMU{}, lnmu.RNMU{}} {
			for _, how := range []Resample{Starts, Columns} {
				p := must.Get(Stability(t.Context(), of, []int{2}, method, &Settings{Runs: 4, Resample: how, Limits: lnmu.Limits{Iterations: 20}}))(t).Points[0]
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
