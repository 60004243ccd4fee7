package kernel

import (
	"fmt"
	"math"
)

// The augmented Lagrangian of an underapproximation splits off the slack
// S = M - V W >= 0 and keeps scaled multipliers G for that equation, with a penalty
// ρ > 0. S need not be kept: after an update it is ρ max(0, G). With p = (V W)_ij and
// m⁺ = max(m, 0), an update is
//
//	y = g + (m⁺ - p);  g <- fma(1/(1+ρ), max(y, 0), min(y, 0))
//
// and the HALS steps approximate the target N = M - S + G, that is
//
//	n = min(m⁺ + g, fma(1-ρ, g, m⁺))
//
// A negative m counts as zero, as in UpdateMultiplier. max and min with 0 are +0 for
// NaN. ρ must be positive and finite: the kernels panic otherwise.

// UpdateAugmented updates the multipliers G of the augmented Lagrangian, given P = V W in N,
// and overwrites N by the target of the next HALS steps. G, N and M are of one shape; none may
// overlap another.
func UpdateAugmented[T Float](g, n, m Matrix[T], rho T) {
	writes("G", g, g.Rows, g.Cols)
	writes("N", n, g.Rows, g.Cols)
	reads("M", m, g.Rows, g.Cols)
	checkPenalty(rho)
	if g.Rows == 0 || g.Cols == 0 {
		return
	}
	if !updateAugmentedTiled(g, n, m, rho) {
		updateAugmentedGeneric(g, n, m, rho)
	}
}

// Target sets N = M + min(a G, b G), entry by entry, with m⁺ = max(m, 0) for m:
//
//	s = fma(a, g, m⁺);  t = fma(b, g, m⁺);  n = t if t < s, else s
//
// With a = 1 and b = 1-ρ that is the target of the HALS steps, with a = 0 and
// b = -ρ it is M - S, the part of M that V W has to reach. N, G and M are of one
// shape; N may overlap neither of the others.
func Target[T Float](n, g, m Matrix[T], a, b T) {
	writes("N", n, n.Rows, n.Cols)
	reads("G", g, n.Rows, n.Cols)
	reads("M", m, n.Rows, n.Cols)
	if n.Rows == 0 || n.Cols == 0 {
		return
	}
	if !targetTiled(n, g, m, a, b) {
		targetGeneric(n, g, m, a, b)
	}
}

// Augmented describes the multiplier update that RankOneAugmented includes.
type Augmented[T Float] struct {
	When When
	M    Matrix[T] // shape of G
	Rho  T
}

// RankOneAugmented is RankOne on the target N of the augmented Lagrangian, which is
// formed on the way and never stored. For i = 0, 1, ...
//
//	[g_i <- the update with P = v w]   if up.When is Before
//	v_i <- max(0, n_i·w) · inv         with n_i of g_i
//	[g_i <- the update with P = v w]   if up.When is After
//	acc <- fma(v_i, n_i, acc);  vv <- fma(v_i, v_i, vv)
//
// and it returns vv. G is p x q, v has p elements, w and acc have q, inv is
// Reciprocal(w·w); where inv = 0, v stays as it is. The bits are those of Contract,
// Sweep, Product, UpdateAugmented, Target and Accumulate with r = 1, in one pass that
// reads G and M once. No argument may overlap another.
func RankOneAugmented[T Float](acc, v []T, g Matrix[T], w []T, inv, vv T, up Augmented[T]) T {
	writesIf(up.When != Never, "G", g, len(v), len(w))
	reads("M", up.M, len(v), len(w))
	writesLen("acc", acc, len(w))
	writesLen("v", v, len(v))
	readsLen("w", w, len(w))
	checkWhen(up.When)
	checkPenalty(up.Rho)
	if len(v) == 0 || len(w) == 0 {
		return vv
	}
	if vv, ok := rankOneAugmentedTiled(acc, v, g, w, inv, vv, up); ok {
		return vv
	}
	return rankOneAugmentedGeneric(acc, v, g, w, inv, vv, up)
}

func checkPenalty[T Float](rho T) {
	if !(rho > 0) || math.IsInf(float64(rho), 0) {
		panic(fmt.Sprintf("kernel: penalty %v of the augmented Lagrangian; it must be positive and finite", rho))
	}
}

// weights returns 1/(1+ρ), the part of a positive y that the multipliers take, and
// 1-ρ, the part of a positive multiplier in the target.
func (up Augmented[T]) weights() (take, part T) { return 1 / (1 + up.Rho), 1 - up.Rho }
