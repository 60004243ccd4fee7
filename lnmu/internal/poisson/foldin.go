package poisson

import (
	"math"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/matrix"
)

// foldedColumn has the terms of one column.
type foldedColumn struct {
	done       bool
	iterations int
	kkt        float64
	value      float64 // Σ u (m log(m/x) + x), with X = V W and the weights u
	own        float64 // Σ u m log m
	m          float64 // Σ u m
	weights    float64 // Σ u
	missed     bool    // V W is 0 where M is positive
}

// FoldIn sets w (r x n) to the weights that minimise the divergence of each column of M from V W,
// given the transpose of V (r x m), by coordinate steps. They begin with w if given, else with equal
// parts of the sum of the column. An iteration takes O(r) operations for each positive entry of the
// column. Its weights depend on V, the column and the start alone. If the run is cancelled,
// unfinished columns become 0.
//
// The steps for a column end after by.Iterations iterations, or when its KKT residual is at most by.Tolerance. The residual
// is the largest |min(p, g)| over the weights w, with the part p = w s/Σ m of the column sum and the gradient g = 1 - c/s.
// Here s is the sum of the column of V, and c its product with the ratio of M to V W.
//
// column returns column j of M, of at most entries entries. The next call for the same member may
// overwrite its slices.
func FoldIn[T kernel.Float](a *arena.Arena, t *team.Team, over func() bool, vt, w kernel.Matrix[T], given bool, by core.Weighing, entries int, column func(member, j int) Line[T]) (s core.Weighed) {
	c := NewCoordinates[T](a, t.Size(), vt.Rows, vt.Cols, entries)
	found := arena.Slice[foldedColumn](a, w.Cols)
	if a.Dry() {
		return s
	}
	c.Gathered = true
	c.Given(vt)
	t.Run(w.Cols, func(member, j int) {
		r := &c.rooms[member]
		for k := range r.h.Data {
			r.h.Data[k] = w.Row(k)[j]
		}
		found[j] = c.solve(over, r, column(member, j), given, by)
		for k, x := range r.h.Data {
			w.Row(k)[j] = 0
			if found[j].done {
				w.Row(k)[j] = x
			}
		}
	})
	var all foldedColumn
	for _, c := range found {
		if !c.done {
			continue
		}
		s = s.Plus(core.Weighed{Iterations: c.iterations, KKT: c.kkt, Finished: 1})
		all.value, all.own, all.m, all.weights = all.value+c.value, all.own+c.own, all.m+c.m, all.weights+c.weights
		all.missed = all.missed || c.missed
	}
	if all.m > 0 {
		s.Divergence = Reported(all.value-all.m, all.missed)
		s.Null = Null(all.own, all.m, all.weights, matrix.Epsilon[T]())
	}
	return s
}

// solve finds the weights r.h of a column.
func (c *Coordinates[T]) solve(over func() bool, r *room[T], column Line[T], given bool, by core.Weighing) (s foldedColumn) {
	p := c.choose(r, column)
	s.m, s.weights = c.total(&p), float64(len(c.ones))
	if column.Weights != nil {
		s.weights = float64(kernel.Dot(column.Weights, c.ones))
	}
	h := r.h.Data
	for k, sum := range p.sums {
		switch {
		case len(p.m) == 0 || !(sum > 0):
			h[k] = 0
		case !given:
			h[k] = T(s.m / float64(len(h)) / float64(sum))
		}
	}
	if s.done = !over(); len(p.m) == 0 || !s.done {
		return s
	}
	p.least = T(float64(kernel.Max(p.m)) * matrix.Epsilon[T]() * matrix.Epsilon[T]())
	for ; ; s.iterations++ {
		r.form(&p)
		r.product(&p)
		s.kkt = 0
		for k, sum := range p.sums {
			if sum > 0 {
				part, gradient := float64(h[k])*float64(sum)/s.m, 1-float64(r.products.Data[k])/float64(sum)
				s.kkt = max(s.kkt, math.Abs(min(part, gradient)))
			}
		}
		if s.kkt <= by.Tolerance || s.iterations == by.Iterations {
			break
		}
		if s.done = !over(); !s.done {
			return s
		}
		c.renew(r, &p)
	}
	_, s.value = c.objective(r, &p)
	s.missed = Missed(r.x.Row(0)[:len(p.m)], p.um, nil)
	s.own = float64(kernel.DotLog(p.um, p.m))
	return s
}
