package sparse

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// normed is E = M - V W by means of ||V W||²: the zeros of M have that part of it which the stored
// entries leave, and there V W is all violation.
type normed[T kernel.Float] struct {
	of     *measurement[T]
	stored entriesResidual // on the stored entries
	norm   *productNorm[T]
	all    float64 // ||V W||²
	zeros  float64 // its part on the zeros
}

// byNorm sums up E on the stored entries and forms ||V W||².
func (e *measurement[T]) byNorm() normed[T] {
	s, sum := e.residual()
	x := normed[T]{of: e, stored: sum, norm: newProductNorm[T](e.v.Rows, e.w.Cols, e.v.Cols)}
	x.norm.set(s, 0)
	x.all = x.norm.squares(e.v.Cols)
	x.zeros = max(0, x.all-sum.product)
	return x
}

// cancelled reports whether the part of the zeros is so small that the difference has lost a quarter
// of its digits.
func (x *normed[T]) cancelled() bool { return x.zeros <= math.Pow(matrix.Epsilon[T](), 0.25)*x.all }

// residual returns E, given its least entry.
func (x *normed[T]) residual(least float64) core.Residual {
	return core.Residual{Squares: x.stored.squares + x.zeros, Excess: x.stored.excess + x.zeros, Least: least}
}

// leastPossible returns a lower bound on E. It is exact on the stored entries. On the zeros it comes
// from the norms and largest entries of V and W.
func (x *normed[T]) leastPossible() float64 {
	// |v_i · w_j| is at most Σ_k v_ik max_j w_kj and at most ||v_i|| max_j ||w_j||.
	v, w, among := x.of.v, x.of.w, x.of.m.Among()
	most := make([]float64, w.Rows+1) // the last one is max ||w_j||
	longest := &most[w.Rows]
	group.Ring(among, group.Memory(most), func() {
		for k := range w.Rows {
			if w.Cols > 0 {
				most[k] = max(most[k], float64(kernel.Max(w.Row(k))))
			}
		}
		for j := range w.Cols {
			*longest = max(*longest, norm64(x.norm.wt.Row(j)))
		}
	})
	bound := -x.stored.least
	group.Ring(among, group.Bytes(&bound), func() {
		for i := range v.Rows {
			row := v.Row(i)
			var linear float64
			for k, y := range row {
				linear += float64(float64(y) * most[k])
			}
			bound = max(bound, min(linear, norm64(row)**longest))
		}
	})
	return -bound
}

// norm64 returns ||x|| in float64.
func norm64[T kernel.Float](x []T) float64 {
	var sum float64
	for _, y := range x {
		sum += float64(float64(y) * float64(y))
	}
	return math.Sqrt(sum)
}
