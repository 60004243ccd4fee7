package lnmu

import (
	"cmp"
	"math"
	"slices"

	"nmu/kernel"
)

// The exact step (the paper's remark on feasible solutions): with one factor
// given, each row of the other solves a convex quadratic program of its own. For
// a row x of M and G = W (r x q) it is
//
//	minimise ||x - h G||²  subject to  h >= 0,  h G <= x
//
// in the r entries of h, with r + q inequalities. qp solves it by the dual
// active set method of D. Goldfarb and A. Idnani (A numerically stable dual
// method for solving strictly convex quadratic programs, Mathematical
// Programming 27, 1983): from the unconstrained minimum, one violated constraint
// after the other is made active, and constraints whose multipliers would become
// negative are dropped on the way. The dual objective grows with every step, so
// that degenerate vertices do no harm.
//
// The variables are y_k = h_k ||G_k|| / ||x||, so that the Hessian has a unit
// diagonal. Two things are done before:
//
//   - h_k can be at most min_j x_j/g_kj. Where this leaves factor k nothing to
//     contribute (a zero of x where g_kj > 0, or G_k = 0), h_k is zero and the
//     variable is taken out; what is left has feasible points with h > 0.
//   - If the Hessian of what is left is singular to working precision (dependent
//     rows of G), a proximal term ε/2 ||y - c||² is added, and c is moved to the
//     solution until it stays: the proximal point method, which ends at a
//     solution of the problem without the term.
//
// All of it runs in float64, sequentially and with fused multiply-adds only, so
// that the bits are the same everywhere.

// constraints is what the programs of all rows share.
type constraints struct {
	g    kernel.Matrix[float64] // r x q
	b    kernel.Matrix[float64] // G Gᵀ
	root []float64              // sqrt(b_kk), or 0 for a factor that is taken out
	unit []float64              // 1/length of the scaled column j of G, or 0
	tiny float64                // contributions below this part of ||x|| are zero
}

const (
	qpTolerance  = 1e-12 // violation, as a distance in y, that counts as none
	qpSingular   = 1e-10 // pivot below which the Hessian counts as singular
	qpProximal   = 1e-8  // ε
	qpCandidates = 48    // violated constraints looked at between two full searches
)

func newConstraints(g kernel.Matrix[float64], tiny float64) *constraints {
	c := &constraints{
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

// qp is the workspace for one row at a time.
type qp struct {
	*constraints
	x     []float64 // the row, divided by its norm
	p     int       // variables left
	keep  []int     // their numbers
	jt    []float64 // Jᵀ, p x p: J Jᵀ is the inverse of the Hessian, Jᵀ (active normals) = (R 0)
	r     []float64 // R, column after column
	y, a  []float64 // the point; the linear term
	d, z  []float64
	dual  []float64 // R⁻¹ d
	n     []float64 // normal of the constraint to be added
	u     []float64 // multipliers of the active constraints
	on    []int     // active constraints: j for column j of G, ^k for variable k
	taken []bool    // of the q + r constraints: active, or given up
	slack kernel.Matrix[float64]
	minus kernel.Matrix[float64]
	cand  []candidate
	candN []float64   // their normals
	err   float64     // KKT residual of the last row
	over  func() bool // asked now and then: the row need not be finished any more
}

type candidate struct {
	j         int
	violation float64
}

func newQP(c *constraints, over func() bool) *qp {
	r, q := c.g.Rows, c.g.Cols
	at := func(n int) []float64 { return make([]float64, n) }
	return &qp{
		constraints: c, over: over, x: at(q), keep: make([]int, 0, r), jt: at(r * r), r: at(r * r),
		y: at(r), a: at(r), d: at(r), z: at(r), dual: at(r), n: at(r), u: at(r),
		on: make([]int, 0, r), taken: make([]bool, q+r),
		candN: at(qpCandidates * r),
		slack: kernel.NewMatrix[float64](1, q), minus: kernel.NewMatrix[float64](r, 1),
	}
}

// solve sets h to the solution for the row x and err to its KKT residual: the
// largest of the residual of stationarity, the violations, the negative
// multipliers and the products of multipliers and slacks, all in the scaled
// problem, where ||x|| = 1. If the work is over before that, h is of no use.
func (s *qp) solve(h, x []float64) {
	clear(h)
	s.err = 0
	norm := math.Sqrt(kernel.SumSquares(x))
	if kernel.Reciprocal(norm) == 0 {
		return
	}
	for j := range x {
		s.x[j] = x[j] / norm
	}
	s.reduce()
	if s.p == 0 {
		return
	}
	for l, k := range s.keep {
		s.a[l] = kernel.Dot(s.g.Row(k), s.x) / s.root[k]
	}
	if s.factor(0) {
		s.start(nil)
		s.dualSteps()
	} else {
		s.factor(qpProximal)
		center := make([]float64, s.p)
		for range 12 {
			s.start(center)
			s.dualSteps()
			var moved float64
			for l := range center {
				moved = max(moved, math.Abs(s.y[l]-center[l]))
			}
			copy(center, s.y)
			if moved <= qpTolerance {
				break
			}
		}
	}
	s.err = s.kkt()
	for l, k := range s.keep {
		h[k] = max(0, s.y[l]) / s.root[k] * norm
	}
}

// reduce chooses the variables that can be larger than zero.
func (s *qp) reduce() {
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
func (s *qp) factor(epsilon float64) bool {
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
			} else if h > qpSingular || epsilon > 0 && h > 0 {
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
func (s *qp) start(center []float64) {
	clear(s.taken)
	s.on = s.on[:0]
	copy(s.n[:s.p], s.a)
	axpy(qpProximal, center, s.n)
	clear(s.y[:s.p])
	for k := range s.p {
		row := s.jt[k*s.p : k*s.p+s.p]
		axpy(dotFMA(row, s.n), row, s.y)
	}
}

// dualSteps adds violated constraints until there are none.
func (s *qp) dualSteps() {
	s.cand = s.cand[:0]
	for range 1000 + 40*s.p {
		c, ok := s.choose()
		if !ok {
			s.search()
			if c, ok = s.choose(); !ok {
				return
			}
		}
		if s.over() {
			return
		}
		s.add(c)
	}
}

// choose returns the most violated of the bounds and the candidates.
func (s *qp) choose() (c int, ok bool) {
	most := qpTolerance
	for l, y := range s.y[:s.p] {
		if -y > most && !s.taken[len(s.x)+l] {
			c, most = ^l, -y
		}
	}
	for i, x := range s.cand {
		if s.taken[x.j] {
			continue
		}
		if v := -(dotFMA(s.candN[i*s.p:(i+1)*s.p], s.y) + float64(s.x[x.j]*s.unit[x.j])); v > most {
			c, most = x.j, v
		}
	}
	return c, most > qpTolerance
}

// search makes the most violated constraints the candidates.
func (s *qp) search() {
	s.slacks()
	s.cand = s.cand[:0]
	for j, e := range s.slack.Row(0) {
		if v := -e * s.unit[j]; v > qpTolerance && !s.taken[j] {
			s.cand = append(s.cand, candidate{j, v})
		}
	}
	if len(s.cand) > qpCandidates {
		slices.SortFunc(s.cand, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(b.violation, a.violation), cmp.Compare(a.j, b.j))
		})
		s.cand = s.cand[:qpCandidates]
	}
	for i, x := range s.cand {
		s.normal(x.j)
		copy(s.candN[i*s.p:], s.n[:s.p])
	}
}

// slacks sets slack to x - h G at the current point.
func (s *qp) slacks() {
	clear(s.minus.Data)
	for l, k := range s.keep {
		s.minus.Row(k)[0] = -s.y[l] / s.root[k]
	}
	copy(s.slack.Row(0), s.x)
	kernel.AddProduct(s.slack, s.minus, s.g)
}

// normal sets n to the unit normal of the constraint -h G_:j >= -x_j in y.
func (s *qp) normal(j int) {
	for l, k := range s.keep {
		s.n[l] = -s.g.Data[k*s.g.Stride+j] / s.root[k] * s.unit[j]
	}
}

// add makes constraint c active, dropping others as it must.
func (s *qp) add(c int) {
	p := s.p
	var gap float64 // by how much c is violated
	if c < 0 {
		clear(s.n)
		s.n[^c] = 1
		gap = -s.y[^c]
		s.taken[len(s.x)+^c] = true
	} else {
		s.normal(c)
		gap = -(dotFMA(s.n[:p], s.y) + float64(s.x[c]*s.unit[c]))
		s.taken[c] = true
	}
	multiplier := 0.0
	for !s.over() {
		q := len(s.on)
		for k := range p {
			s.d[k] = dotFMA(s.jt[k*p:k*p+p], s.n)
		}
		free := dotFMA(s.d[q:p], s.d[q:p])
		for k := q - 1; k >= 0; k-- {
			t := s.d[k]
			for l := k + 1; l < q; l++ {
				t = math.FMA(-s.r[l*p+k], s.dual[l], t)
			}
			s.dual[k] = t / s.r[k*p+k]
		}
		full := math.Inf(1)
		if q < p && free > 1e-20*dotFMA(s.d[:p], s.d[:p]) {
			full = gap / free
		}
		step, drop := full, -1
		for k := range q {
			if s.dual[k] > 0 && s.u[k] < step*s.dual[k] {
				step, drop = s.u[k]/s.dual[k], k
			}
		}
		if math.IsInf(step, 1) {
			return // only rounding can make c contradict the others: leave it out
		}
		axpy(-step, s.dual[:q], s.u)
		multiplier += step
		if !math.IsInf(full, 1) {
			clear(s.z[:p])
			for k := q; k < p; k++ {
				axpy(s.d[k], s.jt[k*p:k*p+p], s.z)
			}
			axpy(step, s.z[:p], s.y)
			gap = math.FMA(-step, free, gap)
		}
		if drop < 0 {
			s.append(c, multiplier)
			return
		}
		s.drop(drop)
	}
}

// append puts constraint c, with d = Jᵀ n, at the end of the active ones.
func (s *qp) append(c int, multiplier float64) {
	p, q := s.p, len(s.on)
	for k := p - 1; k > q; k-- {
		if cos, sin, ok := givens(s.d[k-1], s.d[k]); ok {
			s.d[k-1] = math.FMA(cos, s.d[k-1], float64(sin*s.d[k]))
			rotate(cos, sin, s.jt[(k-1)*p:k*p], s.jt[k*p:k*p+p])
		}
	}
	copy(s.r[q*p:q*p+q+1], s.d)
	s.u[q] = multiplier
	s.on = append(s.on, c)
}

// drop takes the i-th active constraint out.
func (s *qp) drop(i int) {
	p, q := s.p, len(s.on)
	if c := s.on[i]; c < 0 {
		s.taken[len(s.x)+^c] = false
	} else {
		s.taken[c] = false
	}
	for l := i + 1; l < q; l++ {
		copy(s.r[(l-1)*p:(l-1)*p+l+1], s.r[l*p:l*p+l+1])
		s.u[l-1], s.on[l-1] = s.u[l], s.on[l]
	}
	s.on = s.on[:q-1]
	for k := i; k < q-1; k++ { // zero the entry below the diagonal of column k
		if cos, sin, ok := givens(s.r[k*p+k], s.r[k*p+k+1]); ok {
			for l := k; l < q-1; l++ {
				a, b := s.r[l*p+k], s.r[l*p+k+1]
				s.r[l*p+k] = math.FMA(cos, a, float64(sin*b))
				s.r[l*p+k+1] = math.FMA(cos, b, -float64(sin*a))
			}
			rotate(cos, sin, s.jt[k*p:k*p+p], s.jt[(k+1)*p:(k+2)*p])
		}
	}
}

// kkt returns the KKT residual at the current point.
func (s *qp) kkt() float64 {
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

// givens returns the rotation that takes (a, b) to (length, 0), unless b is 0.
func givens(a, b float64) (cos, sin float64, ok bool) {
	if b == 0 {
		return 1, 0, false
	}
	big := max(math.Abs(a), math.Abs(b))
	a, b = a/big, b/big
	length := math.Sqrt(math.FMA(a, a, float64(b*b)))
	return a / length, b / length, true
}

// rotate sets x, y to cos x + sin y, cos y - sin x.
func rotate(cos, sin float64, x, y []float64) {
	for i, a := range x {
		b := y[i]
		x[i] = math.FMA(cos, a, float64(sin*b))
		y[i] = math.FMA(cos, b, -float64(sin*a))
	}
}

// axpy adds a x to the front of y.
func axpy(a float64, x, y []float64) {
	y = y[:len(x)]
	for i, b := range x {
		y[i] = math.FMA(a, b, y[i])
	}
}

// dotFMA returns x·(front of y) in four lanes.
func dotFMA(x, y []float64) float64 {
	var s0, s1, s2, s3 float64
	y = y[:len(x)]
	for len(x) >= 4 {
		s0 = math.FMA(x[0], y[0], s0)
		s1 = math.FMA(x[1], y[1], s1)
		s2 = math.FMA(x[2], y[2], s2)
		s3 = math.FMA(x[3], y[3], s3)
		x, y = x[4:], y[4:]
	}
	for i, a := range x {
		s0 = math.FMA(a, y[i], s0)
	}
	return (s0 + s2) + (s1 + s3)
}
