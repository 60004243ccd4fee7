package literal

import (
	"cmp"
	"math"
	"slices"

	"nmu/lnmu"
)

// Step renews V and W of a problem.
type Step func(n Problem, v, w Matrix)

// relax is Algorithm L-NMU (section 3.2) or, by SolverADMM, the augmented Lagrangian. It makes T steps for
// N = M - S + G, and then, where M is observed,
//
//	S  <-  max(0, S - µ_k (M - V W)),                                 which is Λ, with G = 0, or
//	Y  =   M - V W + G,   S  <-  max(0, ρ/(1+ρ) Y),   G  <-  Y - S.
//
// The zeros of a sparse matrix share one multiplier. If nothing is left of V W, the factors of before come
// back, and Λ is halved. If this is so in every iteration, they are zero in the end.
func relax(of lnmu.GNMU, p Problem, v, w Matrix, iterations int, zero func(i int) bool, step Step) {
	admm, largest := of.Solver == lnmu.SolverADMM, slices.Max(p.M.Data)
	s, g := New(p.M.Rows, p.M.Cols, func(int, int) float64 { return 0 }), New(p.M.Rows, p.M.Cols, func(int, int) float64 { return 0 })
	update := func(mu, rho float64) {
		x := Product(v, w)
		for i, m := range p.M.Data {
			switch e := m - x.Data[i]; {
			case p.U.Data[i] == 0:
			case admm:
				y := e + g.Data[i]
				s.Data[i] = math.Max(0, rho/(1+rho)*y)
				g.Data[i] = y - s.Data[i]
			default:
				s.Data[i] = math.Max(0, s.Data[i]-mu*e)
			}
		}
	}
	if of.Multipliers == lnmu.MultipliersStart {
		update(1, 0)
	}
	rho := func(k int) float64 { return min(cmp.Or(of.Rho, 1), math.Exp2(float64((k-1)/10))) } // doubled every ten iterations
	span, part := iterations, Sum(p.M)/float64(len(p.M.Data))/largest
	if admm {
		span = 20
	}
	zeros := func(k int) float64 { return min(1, part*math.Pow(1/part, float64(k-1)/float64((span+1)/2))) }
	if of.ZeroMultiplier != nil {
		zeros = of.ZeroMultiplier
	}
	renewed := false
	for k := 1; k <= iterations; k++ {
		n := Problem{Clone(p.M), p.U}
		for i := range n.M.Data {
			if admm && k > 1 { // scaled multipliers: ρ G stays
				g.Data[i] *= rho(k-1) / rho(k)
			}
			if n.M.Data[i] += g.Data[i] - s.Data[i]; zero(i) {
				n.M.Data[i] = -largest * zeros(k)
			}
		}
		beforeV, beforeW := Clone(v), Clone(w)
		for range of.Inner {
			step(n, v, w)
		}
		if Sum(Product(v, w)) == 0 {
			copy(v.Data, beforeV.Data)
			copy(w.Data, beforeW.Data)
			multiply(s.Data, 0.5)
			continue
		}
		renewed = true
		update(1/float64(k+of.StepOffset), rho(k))
	}
	if !renewed {
		clear(v.Data)
		clear(w.Data)
	}
}

// recurse lets do find blocks of factors one after the other, each of the residual max(0, R - V_k W_k).
func recurse(p Problem, v, w Matrix, block int, do func(r Problem, v, w Matrix, at int)) {
	r := Problem{Clone(p.M), p.U}
	for at := 0; at < v.Cols && slices.Max(r.M.Data) > 0; at += block {
		size := min(block, v.Cols-at)
		vk, wk := New(v.Rows, size, func(i, k int) float64 { return v.At(i, at+k) }), New(size, w.Cols, func(k, j int) float64 { return w.At(at+k, j) })
		do(r, vk, wk, at)
		for i := range r.M.Rows {
			copy(v.Row(i)[at:], vk.Row(i))
			for j, m := range r.M.Row(i) {
				r.M.Row(i)[j] = math.Max(0, m-Entry(vk, wk, i, j))
			}
		}
		copy(w.Data[at*w.Cols:], wk.Data)
	}
}

// medianStep is a step of rank one in the l1 norm: each entry becomes the weighted median of m_ij / w_j
// with the weights w_j.
func medianStep(n Problem, v, w Matrix) {
	half := func(n Problem, h, g []float64) {
		for i := range h {
			type point struct{ at, weight float64 }
			var points []point
			var total, sum float64
			for j, b := range g {
				if b > 0 && n.U.At(i, j) > 0 {
					points, total = append(points, point{n.M.At(i, j) / b, b}), total+b
				}
			}
			slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(a.at, b.at) })
			for _, p := range points {
				if sum += p.weight; sum >= total/2 {
					h[i] = math.Max(0, p.at)
					break
				}
			}
		}
	}
	half(n, v.Data, w.Data)
	half(n.Transposed(), w.Data, v.Data)
}

// priorStep returns a step of rank one with soft thresholds λ ||g||: λ begins as that part of the largest
// <m, g> / ||g||, and follows the target part of zeros by 5 %.
func priorStep(by lnmu.RNMU) Step {
	side := func(penalty, sparsity float64) func(m Matrix, x, g []float64) {
		lambda := -1.0
		return func(m Matrix, x, g []float64) {
			products, size, most := make([]float64, len(x)), norm(g), 0.0
			for i := range x {
				products[i] = dot(m.Row(i), g)
				most = math.Max(most, products[i]/size)
			}
			if size == 0 {
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
				if x[i] = math.Max(0, (a-lambda*size)/(size*size)); x[i] == 0 {
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
	initial := func(penalty, sparsity float64) float64 {
		if penalty == 0 && sparsity > 0 {
			return 0.1
		}
		return penalty
	}
	penaltyV, penaltyW := initial(by.ThresholdV, by.SparsityV), initial(by.ThresholdW, by.SparsityW)
	ofV, ofW := side(penaltyV, by.SparsityV), side(penaltyW, by.SparsityW)
	return func(n Problem, v, w Matrix) {
		if size := norm(w.Data); size > 0 { // thresholds let V grow and W shrink; V W stays
			multiply(v.Data, size)
			multiply(w.Data, 1/size)
		}
		if penaltyV > 0 {
			ofV(n.M, v.Data, w.Data)
		} else {
			HALS{Held: func(_, _ int, ofV bool) bool { return !ofV }}.Step(n, v, w)
		}
		if penaltyW > 0 {
			ofW(n.M.Transposed(), w.Data, v.Data)
		} else {
			HALS{Held: func(_, _ int, ofV bool) bool { return ofV }}.Step(n, v, w)
		}
	}
}
