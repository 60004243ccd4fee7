package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
)

// Counts have the probabilities of the distribution: a chi-square test for means on both sides of
// the change of the method.
func TestPoisson(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 40000
	for _, mean := range []float64{0, 0.1, 1, 5.5, 11.9, 12, 30, 200} {
		times := map[float64]int{}
		for range n {
			times[poisson(rng, mean)]++
		}
		if mean == 0 {
			must.Equal(t, times[0], n, "mean 0", times)
			continue
		}
		square, cells, rest, left := 0.0, 0, float64(n), n
		for k := 0.0; k < mean+8*math.Sqrt(mean)+10; k++ {
			gamma, _ := math.Lgamma(k + 1)
			expected := n * math.Exp(k*math.Log(mean)-mean-gamma)
			if expected < 10 {
				continue
			}
			d := float64(times[k]) - expected
			square += d * d / expected
			cells, rest, left = cells+1, rest-expected, left-times[k]
		}
		if rest > 5 {
			square += (float64(left) - rest) * (float64(left) - rest) / rest
		}
		if most := float64(cells) + 5*math.Sqrt(2*float64(cells)) + 5; square > most {
			t.Errorf("mean %v: chi-square %v of %d cells", mean, square, cells)
		}
	}
	sum, squares := 0.0, 0.0
	for range n {
		x := poisson(rng, 1e12) - 1e12
		sum, squares = sum+x/1e6, squares+x*x/1e12
	}
	if math.Abs(sum/n) > 0.03 || math.Abs(squares/n-1) > 0.05 {
		t.Errorf("mean 1e12: deviations of mean %v and variance %v", sum/n, squares/n)
	}
}

// Functions with bits of their own are those of package math.
func TestFunctions(t *testing.T) {
	for k := range 200 {
		x := -12 * float64(k) / 199
		if got, want := exponential(x), math.Exp(x); math.Abs(got-want) > 1e-13*want {
			t.Errorf("exp %v: %v, want %v", x, got, want)
		}
		if want, _ := math.Lgamma(float64(k) + 1); math.Abs(logFactorial(float64(k))-want) > 1e-9*max(1, want) {
			t.Errorf("log %d!: %v, want %v", k, logFactorial(float64(k)), want)
		}
	}
}

// runsOf returns runs with random parts, a few of them alike.
func runsOf(rng *rand.Rand, n, m, r int, spread float64) []*unit[float64] {
	base := lnmu.NewDense[float64](m, r, nil)
	for x := range base.Data {
		base.Data[x] = rng.Float64() * rng.Float64()
	}
	runs := make([]*unit[float64], n)
	for q := range runs {
		u := &unit[float64]{errs: []float64{rng.Float64()}, v: lnmu.NewDense[float64](m, r, nil), w: lnmu.NewDense[float64](r, 4, nil)}
		for k, from := range rng.Perm(r) {
			for i := range m {
				u.v.Row(i)[k] = base.At(i, from) + spread*rng.Float64()
			}
			for j := range 4 {
				u.w.Row(k)[j] = float64(10*from+j) + rng.Float64()
			}
		}
		scale(u.v, u.w)
		runs[q] = u
	}
	return runs
}

// Parts in any order are matched, and the silhouettes are those of the definition, from all
// pairs of parts.
func TestSilhouettes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 20 {
		n, m, r := 3+trial%4, 9, 1+trial%4
		runs := runsOf(rng, n, m, r, 0.2*float64(trial%3))
		matched := match(runs, 1)
		got, apart := matched.silhouettes()
		cosine := func(q, k, p, l int) float64 {
			var dot, a, b float64
			for i := range m {
				x, y := runs[q].v.At(i, matched.of[q][k]), runs[p].v.At(i, matched.of[p][l])
				dot, a, b = dot+x*y, a+x*x, b+y*y
			}
			return dot / math.Sqrt(a*b)
		}
		for q := range n {
			seen := slices.Clone(matched.of[q])
			slices.Sort(seen)
			for k := range r {
				if seen[k] != k {
					t.Fatalf("%v is no permutation", matched.of[q])
				}
				own, other := 0.0, 1.0
				for l := range r {
					mean := 0.0
					for p := range n {
						if l == k && p == q {
							continue
						}
						mean += 1 - cosine(q, k, p, l)
					}
					if l == k {
						own = mean / float64(n-1)
					} else {
						other = min(other, mean/float64(n))
					}
				}
				if own < 1e-13 {
					own = 0
				}
				if want := (other - own) / max(own, other); math.Abs(got[q][k]-want) > 1e-9 || math.Abs(apart[q][k]-own) > 1e-12 {
					t.Errorf("silhouette %v, want %v; distance %v, want %v", got[q][k], want, apart[q][k], own)
				}
			}
		}
		if trial%3 == 0 && r > 1 {
			for q := range n { // equal parts have equal first rows
				for k := range r {
					if a, b := runs[q].v.At(0, matched.of[q][k]), runs[0].v.At(0, matched.of[0][k]); math.Abs(a-b) > 1e-12 {
						t.Errorf("run %d: part %d is %v instead of %v", q, k, a, b)
					}
				}
			}
		}
	}
}

// A part that only one run has is an outlier, and does not count for the median and the interval.
func TestOutlier(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	runs := runsOf(rng, 20, 9, 2, 0.01)
	for i := range 9 {
		runs[7].v.Row(i)[0] = float64(1 - min(i, 1))
	}
	j := &stability[float64]{job: &job[float64]{rows: 9, cols: 4, Plan: Plan{Settings: Settings{Level: 0.9}}}}
	matched := match(runs, 1)
	kept := filter(matched.silhouettes())
	out, at := 0, 0
	for q := range kept {
		for k := range kept[q] {
			if !kept[q][k] {
				out++
				at = q
				if matched.of[q][k] != 0 {
					t.Errorf("part %d of run %d is an outlier", matched.of[q][k], q)
				}
			}
		}
	}
	if out != 1 || at != 7 {
		t.Fatalf("%d outliers, the last one in run %d", out, at)
	}
	p := &StabilityPoint[float64]{Rank: 2}
	j.summarise(p, runs, matched.of, kept, 1)
	for k := range 2 {
		var x []float64
		medians := 0.0
		for i := range 9 {
			x = x[:0]
			for q, u := range runs {
				if kept[q][k] {
					x = append(x, u.v.At(i, matched.of[q][k]))
				}
			}
			slices.Sort(x)
			n := len(x)
			median := (x[(n-1)/2] + x[n/2]) / 2
			medians += median
			p.V.Row(i)[k] /= median // the same factor for all rows
			place := 0.05*float64(n+1) - 1
			low := x[0]
			if place > 0 {
				low = x[int(place)] + (place-math.Floor(place))*(x[int(place)+1]-x[int(place)])
			}
			must.AtMost(t, math.Abs(p.VLow.At(i, k)-low), 1e-15, "least V")
		}
		for i := range 9 {
			must.AtMost(t, math.Abs(p.V.At(i, k)*medians-1), 1e-12, "V of part", k, "is", p.V.At(i, k), "times the median, want", 1/medians)
		}
	}
}

// Drawn columns and rows are those of M, of a dense matrix and of a sparse one.
func TestDrawn(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	m := lnmu.NewDense[float64](5, 8, nil)
	for x := range m.Data {
		m.Data[x] = max(0, rng.Float64()-0.5)
	}
	s := lnmu.NewCSR(m)
	for _, n := range []int{5, 8} {
		at := draw(rng, n)
		if len(at) != n || !slices.IsSorted(at) || len(slices.Compact(slices.Clone(at))) == n {
			t.Errorf("drawn %v of %d", at, n)
		}
	}
	for _, d := range []data[float64]{{Observed: lnmu.Observed[float64]{Matrix: m}, dense: m}, {Observed: lnmu.Observed[float64]{Matrix: s}, sparse: &s}} {
		rows, cols := []int{0, 3, 3, 4, 4}, []int{1, 1, 2, 5, 5, 5, 7, 7}
		var p, q data[float64]
		d.part(nil, []int{0, 1, 1, 3, 4, 5, 6, 7}, &p) // whose memory the rows take
		d.part(rows, nil, &p)
		d.part(nil, cols, &q)
		a, b := p.Observed, q.Observed
		for i := range 5 {
			for j := range 8 {
				if a.At(i, j) != m.At(rows[i], j) || b.At(i, j) != m.At(i, cols[j]) {
					t.Errorf("entry %d, %d: %v of the rows and %v of the columns", i, j, a.At(i, j), b.At(i, j))
				}
			}
		}
	}
}
