package qp

import (
	"cmp"
	"math"
	"slices"

	"nmu/kernel"
)

// dualSteps adds violated Constraints until there are none.
func (s *Solver) dualSteps() {
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
func (s *Solver) choose() (c int, ok bool) {
	most := tolerance
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
	return c, most > tolerance
}

// search makes the most violated Constraints the candidates.
func (s *Solver) search() {
	s.slacks()
	s.cand = s.cand[:0]
	for j, e := range s.slack.Row(0) {
		if v := -e * s.unit[j]; v > tolerance && !s.taken[j] {
			if len(s.cand) == cap(s.cand) {
				s.cut()
			}
			s.cand = append(s.cand, candidate{j, v})
		}
	}
	if len(s.cand) > mostCandidates {
		s.cut()
	}
	for i, x := range s.cand {
		s.normal(x.j)
		copy(s.candN[i*s.p:], s.n[:s.p])
	}
}

// cut keeps the candidates with the largest violations. It may cut the same list several times:
// their order is that of all constraints.
func (s *Solver) cut() {
	slices.SortFunc(s.cand, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.violation, a.violation), cmp.Compare(a.j, b.j))
	})
	s.cand = s.cand[:mostCandidates]
}

// slacks sets slack to x - h G at the current point.
func (s *Solver) slacks() {
	clear(s.minus.Data)
	for l, k := range s.keep {
		s.minus.Row(k)[0] = -s.y[l] / s.root[k]
	}
	copy(s.slack.Row(0), s.x)
	kernel.AddProduct(s.slack, s.minus, s.g)
}

// normal sets n to the unit normal of the constraint -h G_:j >= -x_j in y.
func (s *Solver) normal(j int) {
	for l, k := range s.keep {
		s.n[l] = -s.g.Data[k*s.g.Stride+j] / s.root[k] * s.unit[j]
	}
}

// add makes constraint c active, dropping others as it must.
func (s *Solver) add(c int) {
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
func (s *Solver) append(c int, multiplier float64) {
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
func (s *Solver) drop(i int) {
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
