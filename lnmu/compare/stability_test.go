package compare

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

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
		if must(Stability(t.Context(), m, ranks, lnmu.KL{}, &Settings{Runs: 20, Resample: Poisson, Limits: lnmu.Limits{Iterations: 100}})).Advice.Rank == 5 {
			found++
		}
		var single []HeldOutPoint
		for _, r := range ranks {
			one := must(lnmu.Factor(t.Context(), m, r, lnmu.KL{}, &lnmu.Settings{Limits: lnmu.Limits{Iterations: 100}, Start: lnmu.Start{Restarts: 1}}))
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
	for i, x := range must(Stability(t.Context(), m, []int{5, 6}, lnmu.KL{}, &Settings{Runs: 11, Resample: Poisson, Limits: lnmu.Limits{Iterations: 400}})).Points[1].V.Data {
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
			p := must(Stability(t.Context(), x, []int{2}, lnmu.KL{}, &Settings{Runs: 8, Level: level, Resample: Poisson, Limits: lnmu.Limits{Iterations: 50}})).Points[0]
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
	if p := must(Stability(t.Context(), m, []int{2}, lnmu.KL{}, &Settings{Runs: 3, Limits: lnmu.Limits{Iterations: 50}})).Points[0]; p.VHigh.At(5, 0) > 1e-9 {
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
				if must(Stability(t.Context(), m, []int{3, 4, 5}, c.method, &s)).Advice.Rank == 4 {
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

// Runs that end at their limit while their error still falls are noted for their rank, also from a state of some
// of them, and in held-out errors; more iterations or a tolerance end the note.
func TestRunsThatStillMoveAreNoted(t *testing.T) {
	m, _, _ := planted(30, 60, 3, 1000, 1)
	for _, c := range []struct {
		method   lnmu.Method
		settings Settings
		want     []string // beginnings of notes
	}{
		{lnmu.KL{}, Settings{Limits: lnmu.Limits{Iterations: 30}}, []string{"rank 2: the runs ended at their limit of 30 iterations", "rank 3: the runs ended at their limit of 30 iterations"}},
		{lnmu.KL{}, Settings{}, nil},
		{lnmu.KL{}, Settings{Limits: lnmu.Limits{Iterations: 30, Tolerance: 1e-6}}, []string{"rank 2: the runs ended at their limit of 30 iterations", "rank 3: the runs ended at their limit of 30 iterations"}},
		{lnmu.KL{}, Settings{Limits: lnmu.Limits{Iterations: 3000, Tolerance: 1e-2}}, nil},
		{lnmu.NMF{Solver: lnmu.SolverHALS}, Settings{Limits: lnmu.Limits{Iterations: 10}}, []string{"rank 2: the runs ended at their limit of 10 iterations", "rank 3: the runs ended at their limit of 10 iterations"}},
		{lnmu.NMF{}, Settings{}, nil},
		{lnmu.RNMU{}, Settings{}, nil},
	} {
		var list [][]byte
		set := c.settings
		set.Runs, set.SideBySide, set.Resample, set.Checkpoint = 4, 1, Poisson, states(t, &list)
		check := func(from string) {
			res, err := Stability(t.Context(), m, []int{2, 3}, c.method, &set)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.EqualFunc(res.Notes, c.want, strings.HasPrefix) {
				t.Errorf("%T, %d iterations, %s: notes %q, want %q", c.method, c.settings.Iterations, from, res.Notes, c.want)
			}
		}
		check("whole")
		set.Checkpoint = &lnmu.Checkpoint{Resume: bytes.NewReader(list[2])}
		check("from three runs")
		set = c.settings
		set.Folds = 3
		if res := must(HeldOut(t.Context(), m, []int{2, 3}, c.method, &set)); !slices.EqualFunc(res.Notes, c.want, strings.HasPrefix) {
			t.Errorf("%T, %d iterations, held-out errors: notes %q, want %q", c.method, c.settings.Iterations, res.Notes, c.want)
		}
	}
}
