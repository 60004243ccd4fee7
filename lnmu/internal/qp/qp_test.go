package qp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/must"
	"nmu/kernel"
)

// program is a quadratic program: minimise ||x - h g||² over h >= 0, h g <= x.
type program struct {
	name string
	g    [][]float64
	x    []float64
}

func (p program) objective(h []float64) float64 {
	var sum float64
	for _, e := range p.residual(h) {
		sum += e * e
	}
	return sum
}

func (p program) residual(h []float64) []float64 {
	e := append([]float64(nil), p.x...)
	for k, g := range p.g {
		for j := range e {
			e[j] -= h[k] * g[j]
		}
	}
	return e
}

// enumerate solves the program by trying every set of active constraints: of all
// minima under equality constraints that are feasible, the least is the solution.
func (p program) enumerate() (h []float64, objective float64) {
	r, q := len(p.g), len(p.x)
	objective = math.Inf(1)
	for set := range 1 << (r + q) {
		var on []int
		for c := range r + q {
			if set>>c&1 == 1 {
				on = append(on, c)
			}
		}
		if len(on) > r {
			continue
		}
		n := r + len(on)
		a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
		for k := range r {
			for l := range r {
				a.Set(k, l, dotPlain(p.g[k], p.g[l]))
			}
			b.SetVec(k, dotPlain(p.g[k], p.x))
		}
		for i, c := range on {
			for k := range r {
				v := 0.0
				if c >= r {
					v = p.g[k][c-r]
				} else if c == k {
					v = 1
				}
				a.Set(r+i, k, v)
				a.Set(k, r+i, v)
			}
			if c >= r {
				b.SetVec(r+i, p.x[c-r])
			}
		}
		var svd mat.SVD
		if !svd.Factorize(a, mat.SVDThin) {
			continue
		}
		rank := 0
		for _, s := range svd.Values(nil) {
			if s > 1e-12*svd.Values(nil)[0] {
				rank++
			}
		}
		var z mat.VecDense
		if rank == 0 {
			z = *mat.NewVecDense(n, nil)
		} else {
			svd.SolveVecTo(&z, b, rank)
		}
		cand := make([]float64, r)
		feasible := true
		for k := range r {
			cand[k] = z.AtVec(k)
			feasible = feasible && cand[k] > -1e-11
		}
		for _, e := range p.residual(cand) {
			feasible = feasible && e > -1e-11
		}
		if o := p.objective(cand); feasible && o < objective {
			h, objective = cand, o
		}
	}
	return h, objective
}

func dotPlain(x, y []float64) float64 {
	var s float64
	for i := range x {
		s += x[i] * y[i]
	}
	return s
}

// ascent solves the program by cyclic coordinate ascent on its dual (Hildreth's
// procedure), one constraint after the other, until nothing moves. The Hessian
// must be regular.
func (p program) ascent(t *testing.T) []float64 {
	r, q := len(p.g), len(p.x)
	hessian, a := mat.NewSymDense(r, nil), mat.NewVecDense(r, nil)
	for k := range r {
		for l := range k + 1 {
			hessian.SetSym(k, l, dotPlain(p.g[k], p.g[l]))
		}
		a.SetVec(k, dotPlain(p.g[k], p.x))
	}
	var chol mat.Cholesky
	if !chol.Factorize(hessian) {
		t.Fatal("singular Hessian")
	}
	var h mat.VecDense
	must.Do(t, chol.SolveVecTo(&h, a))
	type constraint struct{ normal, step *mat.VecDense }
	cons := make([]constraint, r+q)
	bound := make([]float64, r+q) // normal·h <= bound
	for c := range cons {
		n := mat.NewVecDense(r, nil)
		if c < r {
			n.SetVec(c, -1)
		} else {
			for k := range r {
				n.SetVec(k, p.g[k][c-r])
			}
			bound[c] = p.x[c-r]
		}
		var s mat.VecDense
		must.Do(t, chol.SolveVecTo(&s, n))
		cons[c] = constraint{n, &s}
	}
	u := make([]float64, r+q)
	for range 200000 {
		moved := 0.0
		for c, x := range cons {
			nn := mat.Dot(x.normal, x.step)
			if nn == 0 {
				continue
			}
			d := max(-u[c], (mat.Dot(x.normal, &h)-bound[c])/nn)
			u[c] += d
			h.AddScaledVec(&h, -d, x.step)
			moved = max(moved, math.Abs(d)*math.Sqrt(nn))
		}
		if moved < 1e-14 {
			break
		}
	}
	return h.RawVector().Data
}

// programs are small ones with every kind of degeneracy.
func programs() []program {
	rng := rand.New(rand.NewPCG(5, 5))
	var all []program
	for i := range 240 {
		r, q := 1+rng.IntN(3), 1+rng.IntN(6)
		p := program{name: fmt.Sprintf("random %d", i), x: make([]float64, q)}
		for range r {
			g := make([]float64, q)
			for j := range g {
				g[j] = max(0, rng.Float64()-0.3)
			}
			p.g = append(p.g, g)
		}
		for j := range p.x {
			p.x[j] = rng.Float64()
		}
		switch i % 8 {
		case 1: // zeros in x
			p.x[rng.IntN(q)] = 0
		case 2: // a zero row
			clear(p.g[rng.IntN(r)])
		case 3: // duplicated rows
			copy(p.g[rng.IntN(r)], p.g[0])
		case 4: // dependent rows
			for j := range q {
				p.g[r-1][j] = 2 * p.g[0][j]
			}
		case 5: // a row that is reached exactly
			clear(p.x)
			for k := range r {
				for j := range q {
					p.x[j] += p.g[k][j]
				}
			}
		case 6: // ties
			for j := range q {
				p.x[j] = 1
				for k := range r {
					p.g[k][j] = float64(rng.IntN(2))
				}
			}
		case 7: // ties, zeros
			for j := range q {
				p.x[j] = float64(rng.IntN(2))
				for k := range r {
					p.g[k][j] = float64(rng.IntN(3))
				}
			}
		}
		all = append(all, p)
	}
	return all
}

// solveProgram runs qp on one program.
func solveProgram(p program) (h []float64, kkt float64) {
	g := kernel.NewMatrix[float64](len(p.g), len(p.x))
	for k := range p.g {
		copy(g.Row(k), p.g[k])
	}
	s := New(nil, NewConstraints(nil, g, 1e-14), func() bool { return false })
	h = make([]float64, len(p.g))
	return h, s.Solve(h, p.x)
}

// TestQPSmall compares with the enumeration of all active sets. Where rows of G
// depend on each other, only the objective is unique.
func TestQPSmall(t *testing.T) {
	for _, p := range programs() {
		h, kkt := solveProgram(p)
		_, want := p.enumerate()
		must.Below(t, kkt, 1e-10, p.name, "KKT residual")
		scale := dotPlain(p.x, p.x)
		if got := p.objective(h); !(math.Abs(got-want) <= 1e-10*scale) {
			t.Errorf("%s: objective %v at %v, want %v\n%v", p.name, got, h, want, p)
		}
		for j, e := range p.residual(h) {
			if !(e >= -1e-10*math.Sqrt(scale)) {
				t.Errorf("%s: entry %d is exceeded by %.3g", p.name, j, -e)
			}
		}
		for k, x := range h {
			must.AtLeast(t, x, 0, p.name, "h[", k, "]")
		}
	}
}

// TestQPAgainstDual compares the solution with coordinate ascent on the dual, on
// programs with more constraints than qp looks at together.
func TestQPAgainstDual(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for i := range 40 {
		r, q := 2+rng.IntN(7), 10+rng.IntN(190)
		p := program{x: make([]float64, q)}
		for j := range p.x {
			p.x[j] = 0.2 + rng.Float64()
		}
		for range r {
			g := make([]float64, q)
			for j := range g {
				g[j] = max(0, rng.Float64()-0.5)
			}
			p.g = append(p.g, g)
		}
		h, kkt := solveProgram(p)
		must.Below(t, kkt, 1e-12, "program", i, "KKT residual")
		for k, want := range p.ascent(t) {
			if !(math.Abs(h[k]-want) <= 1e-8) {
				t.Errorf("program %d (%d x %d): h[%d] = %v, want %v", i, r, q, k, h[k], want)
			}
		}
	}
}

// TestQPRange solves one program in very different scales of x and of the rows
// of G; the solution scales along.
func TestQPRange(t *testing.T) {
	base := program{x: []float64{1, 2, 3, 2}, g: [][]float64{{1, 1, 0, 0}, {0, 1, 1, 1}, {1, 0, 1, 2}}}
	want, _ := solveProgram(base)
	for _, c := range []struct{ x, g float64 }{{1, 1e-100}, {1e-100, 1}, {1e100, 1e-30}, {1e-120, 1e100}} {
		p := program{x: make([]float64, 4)}
		for j := range p.x {
			p.x[j] = c.x * base.x[j]
		}
		for k := range base.g {
			f := c.g * math.Pow(1000, float64(k))
			g := make([]float64, 4)
			for j := range g {
				g[j] = f * base.g[k][j]
			}
			p.g = append(p.g, g)
		}
		h, kkt := solveProgram(p)
		must.Below(t, kkt, 1e-12, "scales", c, "KKT residual")
		for k := range h {
			if got := h[k] / c.x * c.g * math.Pow(1000, float64(k)); !(math.Abs(got-want[k]) < 1e-10) {
				t.Errorf("scales %v: h[%d] = %v after scaling back, want %v", c, k, got, want[k])
			}
		}
	}
}

// TestSolveOne compares the closed solution for one factor with enumeration.
func TestSolveOne(t *testing.T) {
	for _, p := range programs() {
		p.g = p.g[:1]
		_, want := p.enumerate()
		must.AtMost(t, math.Abs(p.objective([]float64{solveOne(p.x, p.g[0])})-want), 1e-12*dotPlain(p.x, p.x), p.name, "objective")
	}
}

// TestOver: a program asks often whether it is over, and ends then.
func TestOver(t *testing.T) {
	const r, q = 30, 50
	rng := rand.New(rand.NewPCG(9, 9))
	g, h, x := kernel.NewMatrix[float64](r, q), make([]float64, r), make([]float64, q)
	for k := range r {
		for j := range q {
			g.Row(k)[j] = rng.Float64()
			x[j] += g.Row(k)[j] / float64(1+k)
		}
	}
	asked := 0
	s := New(nil, NewConstraints(nil, g, 0), func() bool { asked++; return false })
	if s.Solve(h, x); asked < 2*r {
		t.Errorf("asked %d times", asked)
	}
	for most := range asked {
		left := most
		s.over = func() bool { left--; return left < 0 }
		if s.Solve(h, x); left < -8 {
			t.Errorf("over after %d asks, but asked %d times more", most, -left)
		}
	}
}

// The candidates are the most violated constraints, in the order of a sort of all of them.
func TestCandidates(t *testing.T) {
	const q = 500
	r := rand.New(rand.NewPCG(7, 8))
	g := kernel.NewMatrix[float64](2, q)
	for i := range g.Data {
		g.Data[i] = r.Float64()
	}
	for violated := 0; violated <= q; violated += 20 {
		s := New(nil, NewConstraints(nil, g, 0), func() bool { return false })
		var all []candidate
		for j := range q {
			s.x[j] = 1
			if j < violated {
				s.x[j] = -float64(1+r.IntN(9)) / s.unit[j] // many alike
			}
			if v := -s.x[j] * s.unit[j]; v > tolerance {
				all = append(all, candidate{j, v})
			}
		}
		if len(all) > mostCandidates {
			sort.SliceStable(all, func(a, b int) bool { return all[a].violation > all[b].violation })
			all = all[:mostCandidates]
		}
		if s.search(); !slices.Equal(s.cand, all) {
			t.Errorf("of %d violated constraints the candidates are %v, want %v", violated, s.cand, all)
		}
	}
}
