package regime

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"nmu/internal/must"
	"nmu/lnmu"
)

// The literal forms of the paper's algorithms, in terms of problem: rows and columns one after the
// other, the residual formed anew, no product with M is reused. They start with v and w, and change
// them.

const innerSteps = 2 // T: HALS steps between two updates of the multipliers (section 4.2)

// underapproximate is Algorithm L-NMU: steps for M - Λ, and Λ <- max(0, Λ - (M - V W)/k) where M is
// observed (section 3.2). If nothing is left of V W, the factors of before come back, and Λ is halved.
func underapproximate(p problem, v, w matrix, iterations int, step func(n problem, v, w matrix)) {
	underapproximateBy(p, v, w, iterations, multipliers{}, step)
}

// multipliers are what a caller may choose of Λ.
type multipliers struct {
	violated bool                // begin as max(0, V W - M) of the start, not as 0
	offset   int                 // added to k
	zeros    func(k int) float64 // those of the zeros of M, in parts of its largest entry; nil: as the others
}

// underapproximateBy is underapproximate with these.
func underapproximateBy(p problem, v, w matrix, iterations int, by multipliers, step func(n problem, v, w matrix)) {
	lambda := lnmu.NewDense[float64](p.m.Rows, p.m.Cols, nil)
	update := func(length float64) {
		x := product(v, w)
		for i, a := range p.m.Data {
			if p.weights.Data[i] > 0 {
				lambda.Data[i] = math.Max(0, lambda.Data[i]-(a-x.Data[i])*length)
			}
		}
	}
	if by.violated {
		update(1)
	}
	largest := slices.Max(p.m.Data)
	for k := range iterations {
		n := problem{clone(p.m), p.weights, p.name}
		for i, a := range p.m.Data {
			if a == 0 && by.zeros != nil {
				lambda.Data[i] = largest * by.zeros(k+1)
			}
			n.m.Data[i] -= lambda.Data[i]
		}
		beforeV, beforeW := clone(v), clone(w)
		for range innerSteps {
			step(n, v, w)
		}
		if sum(product(v, w)) == 0 {
			copy(v.Data, beforeV.Data)
			copy(w.Data, beforeW.Data)
			for i := range lambda.Data {
				lambda.Data[i] /= 2
			}
			continue
		}
		update(1 / float64(k+1+by.offset))
	}
}

// halsStep is a step by equations (halsV) and (halsW).
func halsStep(n problem, v, w matrix) { descend(n, v, w, 0, 0, 1, nil) }

// recursion finds blocks of factors one after the other, each of the residual max(0, R - V_k W_k),
// from a start that is scaled to it (equation (scaling)).
func recursion(p problem, v, w matrix, block, iterations int, step func() func(n problem, v, w matrix)) {
	r := problem{clone(p.m), p.weights, p.name}
	for k := 0; k < v.Cols; k += block {
		end := min(k+block, v.Cols)
		vk, wk := lnmu.NewDense[float64](v.Rows, end-k, nil), lnmu.NewDense[float64](end-k, w.Cols, nil)
		for l := range end - k {
			setColumn(vk, l, column(v, k+l))
			copy(wk.Row(l), w.Row(k+l))
		}
		scaled(r, vk, wk)
		underapproximate(r, vk, wk, iterations, step())
		x := product(vk, wk)
		for i := range r.m.Data {
			r.m.Data[i] = math.Max(0, r.m.Data[i]-x.Data[i])
		}
		for l := range end - k {
			setColumn(v, k+l, column(vk, l))
			copy(w.Row(k+l), wk.Row(l))
		}
	}
}

// scaled multiplies v and w by the root of the α that minimises Σ u (m - α v w)².
func scaled(p problem, v, w matrix) {
	x := product(v, w)
	var across, within float64
	for i, u := range p.weights.Data {
		across += u * p.m.Data[i] * x.Data[i]
		within += u * x.Data[i] * x.Data[i]
	}
	for _, y := range [][]float64{v.Data, w.Data} {
		for i := range y {
			y[i] *= math.Sqrt(across / within)
		}
	}
}

// medianStep is a step of rank one in the l1 norm: each entry becomes the weighted median of
// m_ij / w_j with the weights w_j.
func medianStep(n problem, v, w matrix) {
	side := func(m, u []float64, old float64, g []float64) float64 {
		type point struct{ at, weight float64 }
		var points []point
		var total, sum float64
		for j, b := range g {
			if b > 0 && u[j] > 0 {
				points, total = append(points, point{m[j] / b, b}), total+b
			}
		}
		slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.at, b.at) })
		for _, p := range points {
			if sum += p.weight; sum >= total/2 {
				return math.Max(0, p.at)
			}
		}
		return old
	}
	for i := range v.Rows {
		v.Data[i] = side(n.m.Row(i), n.weights.Row(i), v.Data[i], w.Row(0))
	}
	for j := range w.Cols {
		w.Data[j] = side(column(n.m, j), column(n.weights, j), w.Data[j], v.Data)
	}
}

// priorStep returns a step of rank one with soft thresholds λ ||g||: λ begins as that part of the
// largest <m, g> / ||g|| and follows the target part of zeros by 5 %.
func priorStep(penaltyV, penaltyW, sparsityV, sparsityW float64) func(n problem, v, w matrix) {
	side := func(penalty, sparsity float64) func(m matrix, x, g []float64) {
		lambda := -1.0
		return func(m matrix, x, g []float64) {
			products, square, most := make([]float64, len(x)), 0.0, 0.0
			for j, b := range g {
				square += b * b
				for i := range x {
					products[i] += m.At(i, j) * b
				}
			}
			for _, a := range products {
				most = math.Max(most, a/math.Sqrt(square))
			}
			if square == 0 {
				return
			}
			if lambda < 0 {
				lambda = penalty * most
			}
			if lambda >= most && most > 0 { // which leaves nothing
				lambda = 0.99 * most
			}
			zeros := 0
			for i, a := range products {
				if x[i] = math.Max(0, (a-lambda*math.Sqrt(square))/square); x[i] == 0 {
					zeros++
				}
			}
			switch want := sparsity * float64(len(x)); {
			case sparsity == 0:
			case float64(zeros) > want:
				lambda *= 0.95
			case float64(zeros) < want:
				lambda *= 1.05
			}
		}
	}
	ofV, ofW := side(penaltyV, sparsityV), side(penaltyW, sparsityW)
	return func(n problem, v, w matrix) {
		if size := norm2(w.Data); size > 0 { // thresholds let V grow and W shrink; V W stays
			for i := range v.Data {
				v.Data[i] *= size
			}
			for j := range w.Data {
				w.Data[j] /= size
			}
		}
		if penaltyV > 0 {
			ofV(n.m, v.Data, w.Row(0))
		} else {
			descend(n, v, w, 0, 0, 1, func(_ int, isV bool) bool { return !isV })
		}
		if penaltyW > 0 {
			ofW(transposed(n.m), w.Data, v.Data)
		} else {
			descend(n, v, w, 0, 0, 1, func(_ int, isV bool) bool { return isV })
		}
	}
}

// adaptTo is sNMF with the rule of section 4.4: each penalty grows by 5 % while its factor has
// fewer zeros than its target, and shrinks otherwise. A nil step is a HALS step.
func adaptTo(p problem, v, w matrix, targetV, targetW float64, iterations int, step func(p problem, v, w matrix, muV, muW float64)) {
	if step == nil {
		step = func(p problem, v, w matrix, muV, muW float64) { descend(p, v, w, muV, muW, 1, nil) }
	}
	var most float64
	for _, a := range p.m.Data {
		most = math.Max(most, a)
	}
	muV := 0.1 * most * math.Sqrt(most)
	muW := muV
	next := func(mu float64, vectors matrix, target float64) float64 {
		zeros := 0
		for i := range vectors.Rows {
			largest := slices.Max(vectors.Row(i))
			for _, a := range vectors.Row(i) {
				if a < 1e-3*largest || largest == 0 {
					zeros++
				}
			}
		}
		if float64(zeros) < target*float64(len(vectors.Data)) {
			return 1.05 * mu
		}
		return 0.95 * mu
	}
	for range iterations {
		step(p, v, w, muV, muW)
		muV, muW = next(muV, transposed(v), targetV), next(muW, w, targetW)
	}
}

// hoyer is the algorithm of P. O. Hoyer (JMLR 5, 2004): projected gradient steps for a factor with a
// given sh, multiplicative updates for another. The rows of W have the norm 1.
func hoyer(p problem, v, w matrix, shV, shW float64, iterations int) {
	unit := func() {
		for k := range w.Rows {
			size := norm2(w.Row(k))
			for j := range w.Row(k) {
				w.Row(k)[j] /= size
			}
			c := column(v, k)
			for i := range c {
				c[i] *= size
			}
			setColumn(v, k, c)
		}
	}
	unit()
	if shV > 0 {
		for k := range v.Cols {
			c := column(v, k)
			setColumn(v, k, ontoSparse(c, shV, norm2(c)))
		}
	}
	if shW > 0 {
		for k := range w.Rows {
			copy(w.Row(k), ontoSparse(w.Row(k), shW, 1))
		}
	}
	var most float64
	for _, a := range p.m.Data {
		most = math.Max(most, a)
	}
	alpha := clone(v)
	one := clone(w)
	scaled(p, alpha, one)
	for i := range v.Data { // V takes the whole of α
		if v.Data[i] > 0 {
			v.Data[i] = alpha.Data[i] * alpha.Data[i] / v.Data[i]
		}
	}
	turned := problem{transposed(p.m), transposed(p.weights), p.name}
	stepV, stepW := 1.0, 1/(most*most)
	for range iterations {
		vt := transposed(v)
		if !gradientStep(turned, vt, transposed(w), shV, &stepV, false) { // M' = W' V'
			return
		}
		copy(v.Data, transposed(vt).Data)
		if !gradientStep(p, w, v, shW, &stepW, true) {
			return
		}
		if shW == 0 {
			unit()
		}
	}
}

// gradientStep renews the rows of x in ||M - g x||, whose sh is given; 0: by a multiplicative
// update. It reports whether a step lowers the error.
func gradientStep(p problem, x, g matrix, sh float64, step *float64, ofUnit bool) bool {
	y, grad, below := product(g, x), lnmu.NewDense[float64](x.Rows, x.Cols, nil), lnmu.NewDense[float64](x.Rows, x.Cols, nil)
	for k := range x.Rows {
		for j := range x.Cols {
			for i := range g.Rows {
				grad.Row(k)[j] += g.At(i, k) * (y.At(i, j) - p.m.At(i, j))
				below.Row(k)[j] += g.At(i, k) * y.At(i, j)
			}
		}
	}
	if sh == 0 {
		for i := range x.Data {
			if below.Data[i] > 0 {
				x.Data[i] *= (below.Data[i] - grad.Data[i]) / below.Data[i]
			}
		}
		return true
	}
	before := p.squares(g, x)
	for ; *step > 1e-30; *step /= 2 {
		next := clone(x)
		for k := range x.Rows {
			row := next.Row(k)
			for j := range row {
				row[j] -= *step * grad.Row(k)[j]
			}
			size := 1.0
			if !ofUnit {
				size = norm2(row)
			}
			copy(row, ontoSparse(row, sh, size))
		}
		if p.squares(g, next) <= before {
			copy(x.Data, next.Data)
			*step *= 1.2
			return true
		}
	}
	return false
}

func norm2(x []float64) float64 {
	var squares float64
	for _, a := range x {
		squares += a * a
	}
	return math.Sqrt(squares)
}

// ontoSparse is Hoyer's projection onto the nonnegative vectors of that norm and sh: onto the plane
// of the l1 norm, from its centre onto the sphere, negative entries to 0, and again.
func ontoSparse(x []float64, sh, size float64) []float64 {
	n := len(x)
	root := math.Sqrt(float64(n))
	l1 := size * (root - (root-1)*sh)
	s, zero := slices.Clone(x), make([]bool, n)
	for free := n; ; {
		var sum float64
		for _, a := range s {
			sum += a
		}
		centre := l1 / float64(free)
		var d2, room float64
		for j := range s {
			if !zero[j] {
				s[j] += (l1-sum)/float64(free) - centre
				d2 += s[j] * s[j]
			}
		}
		room = size*size - l1*l1/float64(free)
		negative := false
		for j := range s {
			if zero[j] {
				continue
			}
			if s[j] = centre + s[j]*math.Sqrt(math.Max(0, room)/d2); s[j] < 0 {
				s[j], zero[j], negative = 0, true, true
				free--
			}
		}
		if !negative {
			return s
		}
	}
}

// rival is the literal reference of a method from a given start.
type rival struct {
	name   string
	method lnmu.Method
	kinds  []string
	run    func(p problem, v, w matrix, iterations int)
	loss   func(p problem, v, w matrix) float64 // its root is compared
}

// absolute returns Σ u |m - v w|, squared since the root of a loss is compared.
func absolute(p problem, v, w matrix) float64 {
	x := product(v, w)
	var sum float64
	for i, u := range p.weights.Data {
		if u > 0 {
			sum += math.Abs(p.m.Data[i] - x.Data[i])
		}
	}
	return sum * sum
}

func rivals() []rival {
	plain := func() func(n problem, v, w matrix) { return halsStep }
	withPriors := func() func(n problem, v, w matrix) { return priorStep(0.1, 0.1, 0, 0.3) }
	all := []rival{
		{"gnmu", lnmu.GNMU{}, []string{"dense", "exact", "weights"}, func(p problem, v, w matrix, iterations int) {
			underapproximate(p, v, w, iterations, halsStep)
		}, squared},
		{"rnmu", lnmu.RNMU{}, []string{"dense", "missing", "exact", "weights"}, func(p problem, v, w matrix, iterations int) {
			recursion(p, v, w, 1, iterations, plain)
		}, squared},
		{"rnmu blocks", lnmu.RNMU{Block: 2}, []string{"dense", "exact", "weights"}, func(p problem, v, w matrix, iterations int) {
			recursion(p, v, w, 2, iterations, plain)
		}, squared},
		{"rnmu l1", lnmu.RNMU{Norm: lnmu.L1}, []string{"dense", "missing", "exact"}, func(p problem, v, w matrix, iterations int) {
			recursion(p, v, w, 1, iterations, func() func(n problem, v, w matrix) { return medianStep })
		}, absolute},
		{"rnmu priors", lnmu.RNMU{Priors: lnmu.Priors{PenaltyV: 0.1, SparsityW: 0.3}}, []string{"dense"}, func(p problem, v, w matrix, iterations int) {
			recursion(p, v, w, 1, iterations, withPriors)
		}, squared},
		{"snmf targets", lnmu.SNMF{SparsityV: 0.4, SparsityW: 0.3}, []string{"dense"}, func(p problem, v, w matrix, iterations int) {
			adaptTo(p, v, w, 0.4, 0.3, iterations, nil)
		}, squared},
	}
	for _, sh := range [][2]float64{{0.5, 0}, {0, 0.6}, {0.4, 0.5}} {
		all = append(all, rival{fmt.Sprintf("hoyer %v", sh), lnmu.Hoyer{SparsenessV: sh[0], SparsenessW: sh[1]}, []string{"dense"}, func(p problem, v, w matrix, iterations int) {
			hoyer(p, v, w, sh[0], sh[1], iterations)
		}, squared})
	}
	return all
}

// TestRivals compares methods with their literal forms from the same starts: no error is more than
// 1 % larger.
func TestRivals(t *testing.T) {
	tall, flat := planted(12, 9, 3, 0.05, 1), planted(7, 15, 3, 0.05, 2)
	counts := []int{1, 40}
	if full() {
		counts = []int{1, 5, 40, 200, 600}
	}
	compared := map[string]int{}
	for _, r := range append(rivals(), incompleteRivals()...) {
		for _, kind := range r.kinds {
			if strings.HasSuffix(kind, "in files") && !full() { // which has the bits of the matrix in memory
				continue
			}
			defer func() {
				if compared[r.name+kind] < 2*len(counts) {
					t.Errorf("%s, %s: only %d runs are compared", r.name, kind, compared[r.name+kind])
				}
			}()
			for _, p := range []problem{tall, flat} {
				for _, rank := range []int{1, 3} {
					for _, iterations := range counts {
						p := p.with(kind)
						s := scene{p: p, rank: rank, scale: 1, start: "good"}
						v, w := s.factors()
						settings := &lnmu.Settings{Iterations: iterations, Threads: 1, MissingSolver: solverOf(kind)}
						res := must.Get(lnmu.FactorFrom(t.Context(), given[float64](p, kind), v, w, r.method, settings))(t)
						if res.Revived > 0 { // factors that penalties cleared are drawn anew
							continue
						}
						compared[r.name+kind]++
						r.run(p, v, w, iterations)
						size := math.Sqrt(r.loss(p, nothing(v), nothing(w)))
						got, want := math.Sqrt(r.loss(p, res.V, res.W))/size, math.Sqrt(r.loss(p, v, w))/size
						if !(got <= 1.01*want+1e-9) {
							t.Errorf("%s, %s, rank %d, %d iterations: relative error %v, literally %v", r.name, p.name, rank, iterations, got, want)
						}
					}
				}
			}
		}
	}
}
