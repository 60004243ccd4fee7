package qp

import (
	"math"

	"nmu/kernel"
)

// Constraints is what the programs of all rows share: G and what follows from it.
// It is not changed by solving.
type Constraints struct {
	g    kernel.Matrix[float64] // r x q
	b    kernel.Matrix[float64] // G Gᵀ
	root []float64              // sqrt(b_kk), or 0 for a factor that is taken out
	unit []float64              // 1/length of the scaled column j of G, or 0
	tiny float64                // contributions below this part of ||x|| are zero
}

const (
	tolerance      = 1e-12 // violation, as a distance in y, that counts as none
	singular       = 1e-10 // pivot below which the Hessian counts as singular
	proximal       = 1e-8  // ε
	mostCandidates = 48    // violated Constraints looked at between two full searches
)

// NewConstraints returns the constraints h >= 0, h G <= x for a nonnegative G
// (r x q), which it keeps. A contribution h_k ||G_k|| of less than tiny ||x|| may
// become zero. O(r² q) operations.
func NewConstraints(g kernel.Matrix[float64], tiny float64) *Constraints {
	c := &Constraints{
		g: g, b: kernel.NewMatrix[float64](g.Rows, g.Rows),
		root: make([]float64, g.Rows), unit: make([]float64, g.Cols), tiny: tiny,
	}
	kernel.Gram(c.b, g)
	for k := range c.root {
		bkk := c.b.Row(k)[k]
		if kernel.Reciprocal(bkk) == 0 {
			continue
		}
		c.root[k] = math.Sqrt(bkk)
		for j, x := range g.Row(k) {
			x /= c.root[k]
			c.unit[j] = math.FMA(x, x, c.unit[j])
		}
	}
	for j, x := range c.unit {
		c.unit[j] = kernel.Reciprocal(math.Sqrt(x))
	}
	return c
}

// Solver is the workspace for one program at a time, of O(r² + r + q) numbers.
type Solver struct {
	*Constraints
	x     []float64 // the row, divided by its norm
	p     int       // variables left
	keep  []int     // their numbers
	jt    []float64 // Jᵀ, p x p: J Jᵀ is the inverse of the Hessian, Jᵀ (active normals) = (R 0)
	r     []float64 // R, column after column
	y, a  []float64 // the point; the linear term
	d, z  []float64
	dual  []float64 // R⁻¹ d
	n     []float64 // normal of the constraint to be added
	u     []float64 // multipliers of the active Constraints
	on    []int     // active Constraints: j for column j of G, ^k for variable k
	taken []bool    // of the q + r Constraints: active, or given up
	slack kernel.Matrix[float64]
	minus kernel.Matrix[float64]
	cand  []candidate
	candN []float64   // their normals
	over  func() bool // asked now and then: the row need not be finished any more
}

type candidate struct {
	j         int
	violation float64
}

// New returns a solver. It asks over now and then, at least every O(r² + q r)
// operations: whether the program need not be solved any more.
func New(c *Constraints, over func() bool) *Solver {
	r, q := c.g.Rows, c.g.Cols
	at := func(n int) []float64 { return make([]float64, n) }
	return &Solver{
		Constraints: c, over: over, x: at(q), keep: make([]int, 0, r), jt: at(r * r), r: at(r * r),
		y: at(r), a: at(r), d: at(r), z: at(r), dual: at(r), n: at(r), u: at(r),
		on: make([]int, 0, r), taken: make([]bool, q+r),
		candN: at(mostCandidates * r),
		slack: kernel.NewMatrix[float64](1, q), minus: kernel.NewMatrix[float64](r, 1),
	}
}

// Solve sets h, of length r, to the solution for the nonnegative row x, of length q,
// and returns its KKT residual: the largest of the residual of stationarity, the
// violations, the negative multipliers and the products of multipliers and slacks,
// all in the scaled problem, where ||x|| = 1. If the work is over before that, h is
// of no use. It costs a multiple of r² operations for every constraint that becomes
// active on the way, and of rq for about every tenth of them.
//
// For r = 1 it is the closed solution min(x·g/(g·g), min_j x_j/g_j), and kkt is 0.
func (s *Solver) Solve(h, x []float64) (kkt float64) {
	if len(h) == 1 {
		h[0] = solveOne(x, s.g.Row(0))
		return 0
	}
	clear(h)
	norm := math.Sqrt(kernel.SumSquares(x))
	if kernel.Reciprocal(norm) == 0 {
		return 0
	}
	for j := range x {
		s.x[j] = x[j] / norm
	}
	s.reduce()
	if s.p == 0 {
		return 0
	}
	for l, k := range s.keep {
		s.a[l] = kernel.Dot(s.g.Row(k), s.x) / s.root[k]
	}
	if s.factor(0) {
		s.start(nil)
		s.dualSteps()
	} else {
		s.factor(proximal)
		center := make([]float64, s.p)
		for range 12 {
			s.start(center)
			s.dualSteps()
			var moved float64
			for l := range center {
				moved = max(moved, math.Abs(s.y[l]-center[l]))
			}
			copy(center, s.y)
			if moved <= tolerance {
				break
			}
		}
	}
	for l, k := range s.keep {
		h[k] = max(0, s.y[l]) / s.root[k] * norm
	}
	return s.kkt()
}

// solveOne returns the minimum of ||x - h g|| over h >= 0, h g <= x.
func solveOne(x, g []float64) float64 {
	inv := kernel.Reciprocal(kernel.SumSquares(g))
	if inv == 0 {
		return 0
	}
	h := kernel.Dot(x, g) * inv
	for j, b := range g {
		if b > 0 && x[j] < h*b {
			h = x[j] / b
		}
	}
	return h
}

// reduce chooses the variables that can be larger than zero.
func (s *Solver) reduce() {
	s.keep = s.keep[:0]
	for k := range s.root {
		if s.root[k] == 0 {
			continue
		}
		bound := math.Inf(1)
		for j, g := range s.g.Row(k) {
			if g > 0 && s.x[j] < bound*g {
				bound = s.x[j] / g
			}
		}
		if bound*s.root[k] > s.tiny {
			s.keep = append(s.keep, k)
		}
	}
	s.p = len(s.keep)
}

// factor sets Jᵀ to L⁻¹ for the Hessian L Lᵀ plus ε on its diagonal, and reports
// whether the Hessian is regular.
func (s *Solver) factor(epsilon float64) bool {
	p := s.p
	l := s.r[:p*p] // L, row after row; R is not in use yet
	for i, ki := range s.keep {
		if s.over() {
			return true // of no use, as all that follows
		}
		for j, kj := range s.keep[:i+1] {
			h := s.b.Row(ki)[kj] / s.root[ki] / s.root[kj]
			if i == j {
				h = 1 + epsilon
			}
			h = h - dotFMA(l[i*p:i*p+j], l[j*p:j*p+j])
			if i > j {
				l[i*p+j] = h / l[j*p+j]
			} else if h > singular || epsilon > 0 && h > 0 {
				l[i*p+i] = math.Sqrt(h)
			} else {
				return false
			}
		}
	}
	// Row i of L⁻¹ is (e_i - Σ_{k<i} L_ik row k) / L_ii.
	for i := range p {
		if s.over() {
			return true
		}
		row := s.jt[i*p : i*p+p]
		clear(row)
		row[i] = 1
		for k := range i {
			axpy(-l[i*p+k], s.jt[k*p:k*p+k+1], row)
		}
		for k := range row[:i+1] {
			row[k] /= l[i*p+i]
		}
	}
	return true
}

// start sets y to the unconstrained minimum J Jᵀ (a + ε center). That J may have
// been rotated before does not matter.
func (s *Solver) start(center []float64) {
	clear(s.taken)
	s.on = s.on[:0]
	copy(s.n[:s.p], s.a)
	axpy(proximal, center, s.n)
	clear(s.y[:s.p])
	for k := range s.p {
		row := s.jt[k*s.p : k*s.p+s.p]
		axpy(dotFMA(row, s.n), row, s.y)
	}
}

// kkt returns the KKT residual at the current point.
func (s *Solver) kkt() float64 {
	var worst float64
	grad := s.z[:s.p] // H y - a - Σ u n
	for i, ki := range s.keep {
		t := -s.a[i]
		for j, kj := range s.keep {
			t = math.FMA(s.b.Row(ki)[kj]/s.root[ki]/s.root[kj], s.y[j], t)
		}
		grad[i] = t
		worst = max(worst, -s.y[i])
	}
	s.slacks()
	for j, e := range s.slack.Row(0) {
		worst = max(worst, -e*s.unit[j])
	}
	for i, c := range s.on {
		worst = max(worst, -s.u[i])
		if c < 0 {
			grad[^c] -= s.u[i]
			worst = max(worst, math.Abs(s.u[i]*s.y[^c]))
			continue
		}
		s.normal(c)
		axpy(-s.u[i], s.n[:s.p], grad)
		worst = max(worst, math.Abs(s.u[i]*s.slack.Row(0)[c]*s.unit[c]))
	}
	for _, g := range grad {
		worst = max(worst, math.Abs(g))
	}
	return worst
}
