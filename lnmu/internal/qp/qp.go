package qp

import (
	"math"

	"nmu/kernel"
)

// Solve sets h, of length r, to the solution for the nonnegative row x, of length q,
// and returns its KKT residual: the largest of the residual of stationarity, the
// violations, the negative multipliers and the products of multipliers and slacks,
// all in the scaled problem, where ||x|| = 1. If the run is cancelled before the end, h is
// invalid. Each constraint that becomes active costs O(r²) operations, and about every tenth of
// them O(rq) more.
//
// For r = 1, h is the closed solution min(x·g/(g·g), min_j x_j/g_j), and kkt is 0.
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
		center := s.mid[:s.p]
		clear(center)
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
			return true // cancelled: nothing uses the result
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

// start sets y to the unconstrained minimum J Jᵀ (a + ε center). J may have been rotated before:
// J Jᵀ is the same.
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
