package method

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"nmu/kernel"
)

// mixtures are columns of which some are pure, and the others are mixtures of these.
type mixtures struct {
	kernel.Matrix[float64]
	pure []int
}

// newMixtures returns rank pure columns among n, with weights that are uniform on the simplex
// but at most 0.95, and noise of that part of the norm.
func newMixtures(m, n, rank int, noise float64, seed uint64) mixtures {
	rng := rand.New(rand.NewPCG(seed, 3))
	x := mixtures{kernel.NewMatrix[float64](m, n), rng.Perm(n)[:rank]}
	vertices := kernel.NewMatrix[float64](m, rank)
	for i := range m {
		for k := range rank {
			vertices.Row(i)[k] = rng.Float64()
		}
	}
	var all, noises float64
	random := kernel.NewMatrix[float64](m, n)
	for j := range n {
		h := make([]float64, rank)
		for h[0] = 1; slices.Max(h) > 0.95; {
			var sum float64
			for k := range h {
				h[k] = rng.ExpFloat64()
				sum += h[k]
			}
			for k := range h {
				h[k] /= sum
			}
		}
		if k := slices.Index(x.pure, j); k >= 0 {
			clear(h)
			h[k] = 1
		}
		for i := range m {
			for k, a := range h {
				x.Row(i)[j] += a * vertices.Row(i)[k]
			}
			random.Row(i)[j] = rng.NormFloat64()
			all += x.Row(i)[j] * x.Row(i)[j]
			noises += random.Row(i)[j] * random.Row(i)[j]
		}
	}
	for i := range m {
		for j := range n {
			x.Row(i)[j] = max(0, x.Row(i)[j]+noise*math.Sqrt(all/noises)*random.Row(i)[j])
		}
	}
	return x
}

// selected returns the chosen columns of m, by SNPA or by SPA.
func selected(t *testing.T, m kernel.Matrix[float64], rank int, nonnegative bool) *selection[float64] {
	x := newMultiplied(m)
	t.Cleanup(x.Close)
	s := newSelection(x, rank, never)
	find := s.project
	if nonnegative {
		find = s.projectNonnegative
	}
	if !find() {
		t.Fatal("it has ended early")
	}
	return s
}

// TestPureColumns: without noise all pure columns are found, of 20 matrices of either shape,
// and with noise of 1 % of the norm 95 % of them. The weights add up to at most 1, and
// without noise the columns are their mixtures.
func TestPureColumns(t *testing.T) {
	const seeds = 20
	for _, shape := range [][3]int{{120, 60, 5}, {50, 300, 8}} {
		for _, nonnegative := range []bool{false, true} {
			for _, noise := range []float64{0, 0.01} {
				found := 0
				for seed := range uint64(seeds) {
					x := newMixtures(shape[0], shape[1], shape[2], noise, seed)
					s := selected(t, x.Matrix, shape[2], nonnegative)
					for _, j := range s.chosen {
						if slices.Contains(x.pure, j) {
							found++
						}
					}
					for j := range x.Cols {
						sum, left := 0.0, 0.0
						for k := range s.chosen {
							sum += s.weights.Row(k)[j]
						}
						for i := range x.Rows {
							e := x.At(i, j)
							for k := range s.chosen {
								e -= s.columns.Row(k)[i] * s.weights.Row(k)[j]
							}
							left += e * e
						}
						if sum > 1+1e-14 || noise == 0 && left > 1e-20 {
							t.Fatalf("%v, nonnegative %v, seed %d: the weights of column %d add up to %v, squared distance %v", shape, nonnegative, seed, j, sum, left)
						}
					}
				}
				least := 1.0
				if noise > 0 {
					least = 0.95
				}
				part := float64(found) / float64(seeds*shape[2])
				t.Logf("%v, nonnegative %v, noise %v: %.1f %% of the pure columns", shape, nonnegative, noise, 100*part)
				if part < least {
					t.Errorf("%v, nonnegative %v, noise %v: %.1f %% of the pure columns are found, want %v %%", shape, nonnegative, noise, 100*part, 100*least)
				}
			}
		}
	}
}

// TestMoreColumnsThanRank: SNPA finds all corners of a hexagon, of which three dimensions hold
// three directions alone; SPA finds three of them.
func TestMoreColumnsThanRank(t *testing.T) {
	m := kernel.NewMatrix[float64](3, 40)
	rng := rand.New(rand.NewPCG(2, 0))
	for j := range m.Cols {
		size, angle := rng.Float64()/2, 2*math.Pi*rng.Float64()
		if j < 6 {
			size, angle = 1, math.Pi/3*float64(j)
		}
		x, y := size*math.Cos(angle), size*math.Sin(angle)
		for i, a := range [3]float64{2 + x, 2 - x/2 + y, 2 - x/2 - y} {
			m.Row(i)[j] = a
		}
	}
	for _, c := range []struct {
		nonnegative bool
		want        int
	}{{false, 3}, {true, 6}} {
		s := selected(t, m, 6, c.nonnegative)
		if len(s.chosen) != c.want || slices.Max(s.chosen) > 5 {
			t.Errorf("nonnegative %v: columns %v, want %d of the first six", c.nonnegative, s.chosen, c.want)
		}
	}
}
