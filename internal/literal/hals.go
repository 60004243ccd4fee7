package literal

import (
	"math"
	"slices"
)

// HALS are steps by equations (halsV) and (halsW): sweeps over V, and then over W.
type HALS struct {
	OfV, OfW Elastic // the penalties
	Sweeps   int     // 0: one
	Majorize bool    // whether N stands for weights and missing entries
	Stored   bool    // the same for the unstored entries, with N from the factors before each half of a step, as of a wide M
	Held     Held    // nil: nothing is fixed
}

// Step makes a step for V and W.
func (a HALS) Step(p Problem, v, w Matrix) {
	n := func() Problem { return p }
	if a.Stored || a.Majorize && (v.Cols > 1 || !p.equal() || a.OfV != Elastic{}) { // else there are closed forms
		n = func() Problem { return p.Majorized(v, w) }
	}
	before := n()
	a.sweep(before, v, w, a.OfV, true, max(1, a.Sweeps), 0)
	if a.Stored || p.M.Rows < p.M.Cols {
		before = n()
	}
	h := w.Transposed()
	a.sweep(before.Transposed(), h, v.Transposed(), a.OfW, false, max(1, a.Sweeps), 0)
	copy(w.Data, h.Transposed().Data)
}

// Steps makes steps.
func (a HALS) Steps(p Problem, v, w Matrix, steps int) {
	for range steps {
		a.Step(p, v, w)
	}
}

// sweep makes at most most sweeps over the rows of h for min Σ u (m - h g)² with a penalty. It ends after
// one that changed h by this part of what the first one did, or less.
func (a HALS) sweep(n Problem, h, g Matrix, by Elastic, ofV bool, most int, part float64) {
	first := 0.0
	for t := range most {
		before := Clone(h)
		for i := range h.Rows {
			e := residual(n.M.Row(i), h.Row(i), g)
			for k := range h.Cols {
				if a.Held == nil || !a.Held(i, k, ofV) {
					coordinate(e, n.U.Row(i), &h.Row(i)[k], g.Row(k), by)
				}
			}
		}
		change := Apart(h, before) * norm(before.Data)
		if t == 0 {
			first = change
		}
		if change <= part*first {
			return
		}
	}
}

// residual returns m - h G.
func residual(m, h []float64, g Matrix) []float64 {
	e := slices.Clone(m)
	for k, a := range h {
		for j, b := range g.Row(k) {
			e[j] -= a * b
		}
	}
	return e
}

// coordinate minimises Σ u e² with a penalty over an entry h >= 0, and keeps the residual e = m - ... - h g.
func coordinate(e, u []float64, h *float64, g []float64, by Elastic) {
	var across, within float64
	for j, b := range g {
		if u[j] > 0 {
			across += u[j] * b * (e[j] + *h*b)
			within += u[j] * b * b
		}
	}
	if within == 0 {
		return
	}
	x := math.Max(0, (across-by.L1/2)/(within+by.L2))
	for j, b := range g {
		e[j] += (*h - x) * b
	}
	*h = x
}

// accelerated is the accelerated solver: HALS with extrapolation of V and W, each formula as the comment of
// package method has it. It returns the objectives of what is kept, and how many iterations were undone.
// entries are those that M stores, for the number of sweeps by default.
func (a HALS) accelerated(p Problem, v, w Matrix, iterations, entries int) (objectives []float64, undone int) {
	if p.M.Rows < p.M.Cols { // the longer side comes first
		h, g := w.Transposed(), v.Transposed()
		a.OfV, a.OfW = a.OfW, a.OfV
		objectives, undone = a.accelerated(p.Transposed(), h, g, iterations, entries)
		copy(w.Data, h.Transposed().Data)
		copy(v.Data, g.Transposed().Data)
		return objectives, undone
	}
	sweeps := func(length, across int) int { // of a factor with so many vectors
		r := v.Cols
		switch ratio := float64(entries+across*r) / float64(length*(r+1)); {
		case r == 1:
			return 1
		case a.Sweeps > 0:
			return a.Sweeps
		default: // 1 + α (1 + ratio), as N. Gillis and F. Glineur have it (Neural Computation 24, 2012)
			return int(min(10, 1+0.5*(1+ratio)))
		}
	}
	sweepsV, sweepsW := sweeps(p.M.Rows, p.M.Cols), sweeps(p.M.Cols, p.M.Rows)
	objective := func(v, w Matrix) float64 { return p.Squares(v, w) + a.OfV.Of(v) + a.OfW.Of(w) }
	least, beforeV, beforeW, beta, bound := objective(v, w), Clone(v), Clone(w), 0.5, 1.0
	var ratios []float64 // the scale of a given start may have a meaning
	for range iterations {
		nextV, g := Clone(v), extrapolated(w, beforeW, beta)
		a.sweep(p, nextV, g, a.OfV, true, sweepsV, 0.1)
		newV := Clone(nextV)
		nextV = extrapolated(newV, beforeV, beta)
		h := g.Transposed()
		a.sweep(p.Transposed(), h, nextV.Transposed(), a.OfW, false, sweepsW, 0.1)
		if now := objective(nextV, h.Transposed()); now <= least {
			least, beforeV, beforeW = now, newV, Clone(w)
			copy(v.Data, nextV.Data)
			copy(w.Data, h.Transposed().Data)
			if a.OfV == (Elastic{}) {
				even([]Matrix{v, beforeV}, []Matrix{w, beforeW}, 0, &ratios)
			}
			bound = math.Min(1, bound*1.01)
			beta = math.Min(bound, beta*1.05)
		} else {
			beforeV, beforeW = Clone(v), Clone(w)
			bound, beta = beta, beta/1.5
			undone++
		}
		objectives = append(objectives, least)
	}
	return objectives, undone
}

// extrapolated returns max(0, x + β (x - before)).
func extrapolated(x, before Matrix, beta float64) Matrix {
	return New(x.Rows, x.Cols, func(i, j int) float64 {
		return math.Max(0, x.At(i, j)+beta*(x.At(i, j)-before.At(i, j)))
	})
}

// even multiplies the columns of all v from the first on, and divides the rows of all w, by powers of two: by 1 if one norm
// of a pair is at most 8 times the other, else by the one nearest to 1 that leaves one norm at most twice the other.
// ratios, if not nil, receives the ratios of the squares of the norms in the first call, near to which later ones keep
// them.
func even(v, w []Matrix, first int, ratios *[]float64) {
	for k := first; k < w[0].Rows; k++ {
		column, row := v[0].Transposed().Row(k), w[0].Row(k)
		a, b, c := dot(column, column), dot(row, row), 1.0
		if ratios != nil {
			if len(*ratios) == k {
				*ratios = append(*ratios, a/b)
			}
			if r := (*ratios)[k]; r > 0 && !math.IsInf(r, 1) {
				b *= r
			}
		}
		switch ratio := b / a; {
		case a == 0 || b == 0:
		case ratio > 64:
			for ratio > 4*c*c*c*c {
				c *= 2
			}
		case ratio < 1.0/64:
			for ratio < c*c*c*c/4 {
				c /= 2
			}
		}
		for _, x := range v {
			for i := range x.Rows {
				x.Row(i)[k] *= c
			}
		}
		for _, x := range w {
			multiply(x.Row(k), 1/c)
		}
	}
}
