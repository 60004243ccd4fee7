package regime

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nmu/internal/gonum"
	"nmu/internal/literal"
)

func (p problem) squares(v, w matrix) float64    { return p.Squares(v, w) }
func (p problem) divergence(v, w matrix) float64 { return p.Divergence(v, w) }

func setColumn(x matrix, j int, c []float64) {
	for i, a := range c {
		x.Row(i)[j] = a
	}
}

// sumSteps alternates coordinate steps for one factor with projected gradient steps for the other
// one, whose vectors have the sum 1: the columns of W, or else the rows of V.
func sumSteps(p literal.Problem, v, w matrix, ofV bool, iterations int) {
	q, h, g := p.Transposed(), w.Transposed(), v.Transposed() // rows of h have the sum 1
	if ofV {
		q, h, g = p, literal.Clone(v), literal.Clone(w)
	}
	for range iterations {
		turned := g.Transposed()
		literal.HALS{Held: func(_, _ int, ofV bool) bool { return !ofV }}.Step(q.Transposed(), turned, h.Transposed())
		g = turned.Transposed()
		for i := range h.Rows {
			simplexGradient(q.M.Row(i), q.U.Row(i), h.Row(i), g)
		}
	}
	if ofV {
		copy(v.Data, h.Data)
		copy(w.Data, g.Data)
		return
	}
	copy(v.Data, g.Transposed().Data)
	copy(w.Data, h.Transposed().Data)
}

// simplexGradient lowers Σ u (m - h G)² over the h >= 0 with the sum 1, by projected gradient steps.
func simplexGradient(m, u, h []float64, g matrix) {
	var lipschitz float64
	for k := range h {
		for j, b := range g.Row(k) {
			lipschitz += u[j] * b * b
		}
	}
	for range 50 {
		if lipschitz == 0 {
			return
		}
		e := slices.Clone(m)
		for k, a := range h {
			for j, b := range g.Row(k) {
				e[j] -= a * b
			}
		}
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
	var t, sum, total float64
	for n, x := range sorted {
		sum += x
		if next := (sum - 1) / float64(n+1); n == 0 || x > next {
			t = next
		}
	}
	for k, x := range h {
		h[k] = math.Max(0, x-t)
		total += h[k]
	}
	for k := range h {
		h[k] /= total
	}
}

// leastSquare returns the least Σ (m - v w)² at rank one of a complete M >= 0: the squares of all singular
// values but the first.
func leastSquare(p problem) (sum float64) {
	var svd mat.SVD
	svd.Factorize(gonum.To(p.M), mat.SVDNone)
	for _, sigma := range svd.Values(nil)[1:] {
		sum += sigma * sigma
	}
	return sum
}

// leastDivergence returns the least divergence at rank one of a complete M, whose V W is the
// product of its row and column sums over the sum of all entries.
func leastDivergence(p problem) float64 {
	rows, cols := literal.Product(p.M, p.U.Transposed()), literal.Product(p.U.Transposed(), p.M)
	return p.Divergence(literal.New(p.M.Rows, 1, func(i, _ int) float64 { return rows.At(i, 0) }),
		literal.New(1, p.M.Cols, func(_, j int) float64 { return cols.At(0, j) / p.Total() }))
}

// leastMeans returns the least Σ u (m - v w)² at rank one if the entries of w must be 1: v has the
// weighted means of the rows.
func leastMeans(p problem) float64 {
	means := literal.New(p.M.Rows, 1, func(i, _ int) float64 {
		var total, weight float64
		for j, a := range p.M.Row(i) {
			total += p.U.At(i, j) * a
			weight += p.U.At(i, j)
		}
		return total / weight
	})
	return p.Squares(means, literal.New(1, p.M.Cols, func(int, int) float64 { return 1 }))
}
