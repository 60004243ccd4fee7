package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
)

// model says how planted factors and their matrix are drawn.
type model struct {
	zeros    float64 // share of the entries of V and W that are 0
	least    float64 // least other entry of V, if the largest is 1 more
	ofV, ofW float64 // powers of uniform numbers: of a higher one, more entries are small
	total    float64 // mean sum of a column of M
	noise    float64 // standard deviation of Gaussian noise, relative to the mean of M; 0: Poisson counts
	overlap  float64 // share of each even part in the next one
}

// draw returns a matrix and its factors. The columns of V have the sum 1.
func (a model) draw(m, n, r int, seed uint64) (x, v, w lnmu.Dense[float64]) {
	rng := rand.New(rand.NewPCG(seed, 99))
	zero := func() bool { return a.zeros > 0 && rng.Float64() < a.zeros }
	v, w = lnmu.NewDense[float64](m, r, nil), lnmu.NewDense[float64](r, n, nil)
	for k := range r {
		sum := 0.0
		for i := range m {
			if !zero() {
				v.Row(i)[k] = a.least + math.Pow(rng.Float64(), a.ofV)
			}
			sum += v.At(i, k)
		}
		for i := range m {
			if v.Row(i)[k] /= sum; k%2 == 1 {
				v.Row(i)[k] += a.overlap * (v.At(i, k-1) - v.At(i, k))
			}
		}
		for j := range n {
			if !zero() {
				w.Row(k)[j] = (a.ofW + 1) * math.Pow(rng.Float64(), a.ofW) * a.total / float64(r) / (1 - a.zeros)
			}
		}
	}
	x = lnmu.NewDense[float64](m, n, nil)
	for i := range m {
		for j := range n {
			sum := 0.0
			for k := range r {
				sum += v.At(i, k) * w.At(k, j)
			}
			if a.noise > 0 {
				x.Row(i)[j] = max(0, sum+a.noise*a.total/float64(m)*rng.NormFloat64())
			} else {
				x.Row(i)[j] = count(rng, sum)
			}
		}
	}
	return x, v, w
}

// planted returns Poisson counts and their factors, all positive.
func planted(m, n, r int, total float64, seed uint64) (x, v, w lnmu.Dense[float64]) {
	return model{least: 0.02, ofV: 4, ofW: 1, total: total}.draw(m, n, r, seed)
}

// count draws from a Poisson distribution as the events of a unit of time.
func count(rng *rand.Rand, mean float64) float64 {
	n := -1.0
	for at := 0.0; at < mean; n++ {
		at += rng.ExpFloat64()
	}
	return max(n, 0)
}

// held counts entries of planted factors, and those within their intervals.
type held struct{ in, all int }

func (h *held) add(low, x, high float64) {
	h.all++
	if low <= x && x <= high {
		h.in++
	}
}

func (h held) share() float64 { return float64(h.in) / float64(h.all) }

// error returns the standard error of the share p of so many entries, and at least one entry.
func (h held) error(p float64) float64 {
	n := float64(h.all)
	return max(math.Sqrt(p*(1-p)/n), 1/n)
}

// cover adds the entries of planted factors: all of V, all of W, and the zeros of both.
func cover(t *testing.T, p StabilityPoint[float64], v, w lnmu.Dense[float64], ofV, ofW, ofZeros *held) {
	add := func(h *held, low, x, high float64) {
		if h.add(low, x, high); x == 0 {
			ofZeros.add(low, x, high)
		}
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
			add(ofV, p.VLow.At(i, best), v.At(i, k), p.VHigh.At(i, best))
		}
		for j := range w.Cols {
			add(ofW, p.WLow.At(best, j), w.At(k, j), p.WHigh.At(best, j))
		}
	}
}

// TestIntervals checks about half of what TestIntervalsPage does, with one seed and the least number of runs
// that have the quantiles.
func TestIntervals(t *testing.T) { checkIntervals(t, false) }

// TestIntervalsPage: intervals hold the shares of planted entries that docs/consensus.md states, and the number
// of parts is found.
func TestIntervalsPage(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("100 runs of 260 matrices: with NMU_FULL only")
	}
	checkIntervals(t, true)
}

func checkIntervals(t *testing.T, full bool) {
	const path, rank = "../../docs/consensus.md", 3
	text, err := os.ReadFile(path)
	must.Do(t, err)
	page := string(text)
	counts := model{least: 0.02, ofV: 4, ofW: 1, total: 1000}
	small := model{zeros: 0.3, ofV: 8, ofW: 4, total: 80}
	many := model{least: 0.02, ofV: 4, ofW: 1, total: 1e5}
	unique := model{zeros: 0.3, ofV: 4, ofW: 1, total: 1e5}
	noise := model{zeros: 0.4, ofV: 1, ofW: 1, total: 1000, noise: 0.1}
	hals, nmf, kl, coordinate := lnmu.NMF{Solver: lnmu.SolverHALS}, lnmu.NMF{}, lnmu.KL{}, lnmu.KL{Solver: lnmu.SolverCoordinate}
	rows := 0
	for _, c := range []struct {
		row    string // of the table
		of     model
		method lnmu.Method
		how    Resample
		level  float64
		short  bool // in the short form too
	}{
		{"| 1000 counts | `nmf --solver hals` | poisson | 95 % |", counts, hals, Poisson, 0.95, true},
		{"| 1000 counts | `nmf --solver hals` | columns | 95 % |", counts, hals, Columns, 0.95, false},
		{"| 1000 counts | `kl` | poisson | 95 % |", counts, kl, Poisson, 0.95, false},
		{"| 1000 counts | `kl` | columns | 95 % |", counts, kl, Columns, 0.95, false},
		{"| 80 counts, zeros | `nmf` | poisson | 95 % |", small, nmf, Poisson, 0.95, false},
		{"| 80 counts, zeros | `nmf` | columns | 95 % |", small, nmf, Columns, 0.95, true},
		{"| 80 counts, zeros | `kl` | poisson | 95 % |", small, kl, Poisson, 0.95, true},
		{"| 80 counts, zeros | `kl` | columns | 95 % |", small, kl, Columns, 0.95, true},
		{"| 80 counts, zeros | `kl --solver coordinate` | poisson | 95 % |", small, coordinate, Poisson, 0.95, true},
		{"| 80 counts, zeros | `kl --solver coordinate` | columns | 95 % |", small, coordinate, Columns, 0.95, false},
		{"| 100,000 counts | `kl` | poisson | 90 % |", many, kl, Poisson, 0.9, true},
		{"| 100,000 counts, zeros | `kl` | poisson | 90 % |", unique, kl, Poisson, 0.9, false},
		{"| noise, zeros | `nmf --solver hals` | columns | 90 % |", noise, hals, Columns, 0.9, true},
	} {
		rows++
		if !full && !c.short {
			continue
		}
		t.Run(strings.Trim(c.row, "| "), func(t *testing.T) {
			_, rest, found := strings.Cut(page, "\n"+c.row)
			if !found {
				t.Fatalf("%s has no row %s", path, c.row)
			}
			seeds, runs, ranks := 1, int(math.Round(2/(1-c.level)))-1, []int{rank}
			if full {
				seeds, runs = 20, 100
			}
			if c.of == counts {
				ranks = []int{rank - 1, rank, rank + 1}
			}
			advised := 0
			var ofV, ofW, ofZeros held
			for seed := range seeds {
				m, v, w := c.of.draw(30, 60, rank, uint64(seed))
				_, single := must.Two(lnmu.Check(m, rank, c.method, nil))(t)
				res := must.Get(Stability(t.Context(), m, ranks, c.method, &Settings{Runs: runs, Level: c.level, Resample: c.how, Limits: lnmu.Limits{Iterations: single.Iterations}}))(t)
				if res.Advice.Rank == rank {
					advised++
				}
				cover(t, res.Points[len(ranks)/2], v, w, &ofV, &ofW, &ofZeros)
			}
			if len(ranks) > 1 && advised < seeds {
				t.Errorf("the rank is advised for %d of %d seeds", advised, seeds)
			}
			cells := strings.Split(rest, " |")
			for x, h := range []held{ofV, ofW, ofZeros} {
				if h.all == 0 {
					continue
				}
				t.Logf("the intervals hold %.1f %% of %d entries", 100*h.share(), h.all)
				var stated float64
				if _, err := fmt.Sscanf(cells[x], "%f %%", &stated); err != nil {
					t.Fatalf("%q: %v", cells[x], err)
				}
				stated /= 100
				within := 0.00051 // rounding
				if !full {
					within += 4 * h.error(stated)
				}
				must.AtMost(t, math.Abs(h.share()-stated), within, "the page states")
			}
		})
	}
	must.Equal(t, strings.Count(page, "| poisson | 9")+strings.Count(page, "| columns | 9"), rows, path, "states")
}
