package qp

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/must"
	"nmu/kernel"
)

// nearestByFaces returns the least squared distance of x from the simplex of the rows of g, by
// trying the planes through all sets of vertices.
func nearestByFaces(g [][]float64, x []float64) float64 {
	least := math.Inf(1)
	for set := 1; set < 1<<len(g); set++ {
		var on []int
		for k := range g {
			if set>>k&1 == 1 {
				on = append(on, k)
			}
		}
		n := len(on) + 1
		a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
		for i, k := range on {
			for j, l := range on {
				a.Set(i, j, dotPlain(g[k], g[l]))
			}
			a.Set(i, n-1, 1)
			a.Set(n-1, i, 1)
			b.SetVec(i, dotPlain(g[k], x))
		}
		b.SetVec(n-1, 1)
		var h mat.VecDense
		if h.SolveVec(a, b) != nil {
			continue // a smaller set has the same plane
		}
		inside, distance := true, append([]float64(nil), x...)
		for i, k := range on {
			inside = inside && h.AtVec(i) >= -1e-12
			for j := range distance {
				distance[j] -= h.AtVec(i) * g[k][j]
			}
		}
		if inside {
			least = min(least, dotPlain(distance, distance))
		}
	}
	return least
}

// TestSimplex compares the distances from simplices with those that all of their faces have:
// random ones, with dependent vertices, with vertices next to each other, with zeros, and from
// a good or a bad start.
func TestSimplex(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	vary := func(r, q int, shape string) [][]float64 {
		g := make([][]float64, r)
		for k := range g {
			g[k] = make([]float64, q)
			for j := range g[k] {
				g[k][j] = rng.Float64()
			}
			switch {
			case shape == "twins" && k > 0 && k%2 == 0:
				copy(g[k], g[k-1])
			case shape == "near" && k > 0:
				for j, x := range g[0] {
					g[k][j] = x + 1e-4*g[k][j]
				}
			case shape == "zeros" && k%3 == 2:
				clear(g[k])
			}
		}
		return g
	}
	for _, shape := range []string{"random", "twins", "near", "zeros"} {
		for round := range 400 {
			r, q := 1+round%6, 1+rng.IntN(7)
			g := vary(r, q, shape)
			s, c, h, x := NewSimplex(r), make([]float64, r), make([]float64, r), make([]float64, q)
			for j := range x {
				x[j] = 2*rng.Float64() - 0.5
			}
			for k := range g {
				c[k] = dotPlain(g[k], x)
				h[k] = rng.Float64() * float64(round%3) // sums of 0, of about 1, or neither
				for l := range g {
					s.Gram.Row(k)[l] = dotPlain(g[k], g[l])
				}
			}
			if round%3 == 1 {
				var sum float64
				for _, a := range h {
					sum += a
				}
				for k := range h {
					h[k] /= sum
				}
			}
			kkt := s.Solve(h, c)
			var sum float64
			left := append([]float64(nil), x...)
			for k, a := range h {
				if !(a >= 0) {
					t.Fatalf("%s %d: weight %v", shape, round, a)
				}
				sum += a
				for j := range left {
					left[j] -= a * g[k][j]
				}
			}
			if math.Abs(sum-1) > 1e-15*float64(r) {
				t.Errorf("%s %d: the sum is 1 %+.1e", shape, round, sum-1)
			}
			must.AtMost(t, kkt, 1e-11, shape, round, "KKT residual")
			if got, want := dotPlain(left, left), nearestByFaces(g, x); !(math.Abs(got-want) <= 1e-9*dotPlain(x, x)) {
				t.Errorf("%s %d (%d vertices in %d dimensions): squared distance %v, want %v", shape, round, r, q, got, want)
			}
		}
	}
}

// TestSimplexAgain: from its own result a search returns the same bits, and from no other
// numbers than those it is to find it finds vertices exactly.
func TestSimplexAgain(t *testing.T) {
	s := NewSimplex(3)
	kernel.Gram(s.Gram, kernel.Matrix[float64]{Rows: 3, Cols: 2, Stride: 2, Data: []float64{1, 0, 0, 1, 1, 1}})
	h := make([]float64, 3)
	s.Solve(h, []float64{3, -1, 2}) // of the point (3, -1), beyond the first vertex
	if h[0] != 1 || h[1] != 0 || h[2] != 0 {
		t.Errorf("weights %v, want 1 0 0", h)
	}
	c := []float64{0.75, 0.5, 1.25}
	s.Solve(h, c)
	again := append([]float64(nil), h...)
	s.Solve(again, c)
	for k := range h {
		must.Equal(t, h[k], again[k], "weights", h, "and from there", again)
	}
	must.Equal(t, testing.AllocsPerRun(10, func() { s.Solve(h, c) }), 0, "a search allocates memory")
}
