package qp

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
)

// Constraints holds G and what follows from it, which the programs of all rows share. Solving
// does not change it.
type Constraints struct {
	g    kernel.Matrix[float64] // r x q
	b    kernel.Matrix[float64] // G Gᵀ
	root []float64              // sqrt(b_kk), or 0 for a factor that is removed
	unit []float64              // 1/length of the scaled column j of G, or 0
	tiny float64                // contributions below this part of ||x|| are zero
}

const (
	tolerance      = 1e-12 // violation, as a distance in y, that counts as none
	singular       = 1e-10 // pivot below which the Hessian counts as singular
	proximal       = 1e-8  // ε
	mostCandidates = 48    // violated Constraints that are candidates until the next full search
)

// NewConstraints returns the constraints h >= 0, h G <= x for a nonnegative G
// (r x q), which it keeps. A contribution h_k ||G_k|| of less than tiny ||x|| may become zero. It
// takes O(r² q) operations.
func NewConstraints(a *arena.Arena, g kernel.Matrix[float64], tiny float64) *Constraints {
	c := &Constraints{
		b:    arena.Matrix[float64](a, g.Rows, g.Rows),
		root: make([]float64, g.Rows), unit: arena.Slice[float64](a, g.Cols), tiny: tiny,
	}
	if c.g = g; !a.Dry() {
		c.set(g)
	}
	return c
}

// set makes c the constraints for G, which has as many rows as the first one and at most as many
// columns.
func (c *Constraints) set(g kernel.Matrix[float64]) {
	c.g, c.unit = g, c.unit[:g.Cols]
	clear(c.root)
	clear(c.unit)
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
}

// Solver is the workspace for one program at a time, of O(r² + r + q) numbers.
type Solver struct {
	*Constraints
	x     []float64 // the row, divided by its norm
	p     int       // number of variables that remain
	keep  []int     // their numbers
	jt    []float64 // Jᵀ, p x p: J Jᵀ is the inverse of the Hessian, Jᵀ (active normals) = (R 0)
	r     []float64 // R, column after column
	y, a  []float64 // the point; the linear term
	d, z  []float64
	dual  []float64              // R⁻¹ d
	n     []float64              // normal of the constraint to be added
	u     []float64              // multipliers of the active Constraints
	on    []int                  // active Constraints: j for column j of G, ^k for variable k
	taken []bool                 // of the q + r Constraints: active, or given up
	room  kernel.Matrix[float64] // of slack
	slack kernel.Matrix[float64]
	minus kernel.Matrix[float64]
	cand  []candidate
	candN []float64   // their normals
	mid   []float64   // the center of a proximal step
	over  func() bool // reports whether the run is cancelled
}

type candidate struct {
	j         int
	violation float64
}

// New returns a solver for c. Solve calls over at least every O(r² + q r) operations, and ends
// early if over returns true.
func New(a *arena.Arena, c *Constraints, over func() bool) *Solver {
	r, q := c.g.Rows, c.g.Cols
	at := func(n int) []float64 { return arena.Slice[float64](a, n) }
	s := &Solver{
		Constraints: c, over: over, x: at(q), keep: make([]int, 0, r), jt: at(r * r), r: at(r * r),
		y: at(r), a: at(r), d: at(r), z: at(r), dual: at(r), n: at(r), u: at(r),
		on: make([]int, 0, r), taken: arena.Slice[bool](a, q+r),
		cand: arena.Slice[candidate](a, 2*mostCandidates)[:0], candN: at(mostCandidates * r), mid: at(r),
		room: arena.Matrix[float64](a, 1, q), minus: arena.Matrix[float64](a, r, 1),
	}
	s.slack = s.room
	return s
}

// Renew replaces G, in the constraints too, which no other solver may share. G has as many rows as the
// first one and at most as many columns. Renew allocates nothing.
func (s *Solver) Renew(g kernel.Matrix[float64]) {
	s.set(g)
	s.x, s.taken, s.slack = s.x[:g.Cols], s.taken[:g.Cols+g.Rows], s.room.Slice(0, 1, 0, g.Cols)
}
