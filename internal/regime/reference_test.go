package regime

import (
	"cmp"
	"math"
	"slices"

	"nmu/lnmu"
)

// The references are literal, and slow. They work with the weights of all entries, row by row.

// descend makes coordinate steps for min Σ u (m - v w)² + µ_V Σ V + µ_W Σ W over V, W >= 0. It
// keeps the columns of V and the rows of W that held reports.
func descend(p problem, v, w matrix, muV, muW float64, iterations int, held func(k int, ofV bool) bool) {
	descendTo(p, v, w, elastic{l1: muV}, elastic{l1: muW}, iterations, held)
}

// elastic is the penalty l1 Σ h + l2 Σ h² on the entries h of a factor.
type elastic struct{ l1, l2 float64 }

// of returns the penalty on x.
func (e elastic) of(x matrix) (s float64) {
	for _, a := range x.Data {
		s += e.l1*a + e.l2*a*a
	}
	return s
}

// descendTo is descend with these penalties.
func descendTo(p problem, v, w matrix, ofV, ofW elastic, iterations int, held func(k int, ofV bool) bool) {
	for range iterations {
		for i := range v.Rows {
			coordinate(p.m.Row(i), p.weights.Row(i), v.Row(i), w, ofV, func(k int) bool { return held != nil && held(k, true) })
		}
		vt := transposed(v)
		for j := range w.Cols {
			h := column(w, j)
			coordinate(column(p.m, j), column(p.weights, j), h, vt, ofW, func(k int) bool { return held != nil && held(k, false) })
			setColumn(w, j, h)
		}
	}
}

// coordinate takes the entries of h in turn and minimises Σ u (m - h g)² with the penalty on h.
func coordinate(m, u, h []float64, g matrix, by elastic, held func(k int) bool) {
	e := residual(m, h, g)
	for k := range h {
		if held(k) {
			continue
		}
		var across, within float64
		for j, b := range g.Row(k) {
			if u[j] > 0 {
				across += u[j] * b * (e[j] + h[k]*b)
				within += u[j] * b * b
			}
		}
		if within == 0 {
			continue
		}
		x := math.Max(0, (across-by.l1/2)/(within+by.l2))
		for j, b := range g.Row(k) {
			e[j] += (h[k] - x) * b
		}
		h[k] = x
	}
}

// residual returns m - h G.
func residual(m, h []float64, g matrix) []float64 {
	e := append([]float64(nil), m...)
	for k, a := range h {
		for j, b := range g.Row(k) {
			e[j] -= a * b
		}
	}
	return e
}

// transposed returns the transpose of x.
func transposed(x matrix) matrix {
	y := lnmu.NewDense[float64](x.Cols, x.Rows, nil)
	for j := range y.Rows {
		copy(y.Row(j), column(x, j))
	}
	return y
}

func column(x matrix, j int) []float64 {
	c := make([]float64, x.Rows)
	for i := range c {
		c[i] = x.At(i, j)
	}
	return c
}

func setColumn(x matrix, j int, c []float64) {
	for i, a := range c {
		x.Row(i)[j] = a
	}
}

// sumSteps alternates coordinate steps for one factor with projected gradient steps for the other
// one, whose vectors have the sum 1: the columns of W, or else the rows of V.
func sumSteps(p problem, v, w matrix, ofV bool, iterations int) {
	if ofV {
		q := problem{transposed(p.m), transposed(p.weights), p.name}
		vt, wt := transposed(w), transposed(v)
		sumSteps(q, vt, wt, false, iterations)
		copy(v.Data, transposed(wt).Data)
		copy(w.Data, transposed(vt).Data)
		return
	}
	for range iterations {
		for i := range v.Rows {
			coordinate(p.m.Row(i), p.weights.Row(i), v.Row(i), w, elastic{}, func(int) bool { return false })
		}
		vt := transposed(v)
		for j := range w.Cols {
			h := column(w, j)
			simplexGradient(column(p.m, j), column(p.weights, j), h, vt)
			setColumn(w, j, h)
		}
	}
}

// simplexGradient lowers Σ u (m - h G)² over the h >= 0 with the sum 1, by projected gradient steps.
func simplexGradient(m, u, h []float64, g matrix) {
	var lipschitz float64
	for k := range h {
		for j, b := range g.Row(k) {
			lipschitz += u[j] * b * b
		}
	}
	if lipschitz == 0 {
		return
	}
	for range 50 {
		e := residual(m, h, g)
		for k := range h {
			for j, b := range g.Row(k) {
				h[k] += u[j] * e[j] * b / lipschitz
			}
		}
		ontoSimplex(h)
	}
}

// ontoSimplex projects h onto the vectors h >= 0 with the sum 1: it subtracts the number t for which
// the positive parts have this sum, those of the n largest entries.
func ontoSimplex(h []float64) {
	sorted := slices.Clone(h)
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Compare(b, a) })
	var t, sum float64
	for n, x := range sorted {
		sum += x
		if next := (sum - 1) / float64(n+1); n == 0 || x > next {
			t = next
		}
	}
	var total float64
	for k, x := range h {
		h[k] = math.Max(0, x-t)
		total += h[k]
	}
	for k := range h {
		h[k] /= total
	}
}

// multiply makes multiplicative updates for the divergence with penalties.
func multiply(p problem, v, w matrix, ofV, ofW elastic, iterations int) {
	for range iterations {
		multiplySide(p.m, p.weights, v, w, ofV)
		wt := transposed(w)
		multiplySide(transposed(p.m), transposed(p.weights), wt, transposed(v), ofW)
		copy(w.Data, transposed(wt).Data)
	}
}

// multiplySide makes a multiplicative update of each row of h for the divergence of m from h g, with
// the weights u and penalties.
func multiplySide(m, u, h, g matrix, by elastic) {
	for i := range h.Rows {
		x := product(lnmu.NewDense(1, h.Cols, h.Row(i)), g).Row(0)
		for k, a := range h.Row(i) {
			var num, den float64
			for j, b := range g.Row(k) {
				if u.At(i, j) > 0 && x[j] > 0 {
					num += u.At(i, j) * b * m.At(i, j) / x[j]
				}
				den += u.At(i, j) * b
			}
			switch den += by.l1; {
			case by.l2 > 0: // the positive root of 2 l2 h² + den h = a num
				h.Row(i)[k] = (math.Sqrt(den*den+8*by.l2*a*num) - den) / (4 * by.l2)
			case den > 0:
				h.Row(i)[k] = a * num / den
			}
		}
	}
}

// leastSquare returns the least Σ (m - v w)² at rank one of a complete M >= 0, ||M||² less the
// square of its largest singular value, by power iterations.
func leastSquare(p problem) float64 {
	w := make([]float64, p.m.Cols)
	for j := range w {
		w[j] = 1
	}
	var top float64
	for range 20000 {
		v := make([]float64, p.m.Rows)
		for i := range v {
			for j, a := range p.m.Row(i) {
				v[i] += a * w[j]
			}
		}
		next := make([]float64, len(w))
		for i, x := range v {
			for j, a := range p.m.Row(i) {
				next[j] += a * x
			}
		}
		var squares float64
		for _, x := range next {
			squares += x * x
		}
		length := math.Sqrt(squares)
		for j := range w {
			w[j] = next[j] / length
		}
		top = length
	}
	return math.Max(0, p.norm()*p.norm()-top)
}

// leastDivergence returns the least divergence at rank one of a complete M, whose V W is the
// product of its row and column sums over the sum of all entries.
func leastDivergence(p problem) float64 {
	v, w := lnmu.NewDense[float64](p.m.Rows, 1, nil), lnmu.NewDense[float64](1, p.m.Cols, nil)
	var total float64
	for i := range v.Rows {
		for j, a := range p.m.Row(i) {
			v.Row(i)[0] += a
			w.Row(0)[j] += a
			total += a
		}
	}
	for j := range w.Row(0) {
		w.Row(0)[j] /= total
	}
	return p.divergence(v, w)
}

// leastMeans returns the least Σ u (m - v w)² at rank one if the entries of w must be 1: v has the
// weighted means of the rows.
func leastMeans(p problem) (sum float64) {
	for i := range p.m.Rows {
		var total, weight float64
		for j, a := range p.m.Row(i) {
			total += p.weights.At(i, j) * a
			weight += p.weights.At(i, j)
		}
		for j, a := range p.m.Row(i) {
			sum += p.weights.At(i, j) * (a - total/weight) * (a - total/weight)
		}
	}
	return sum
}
