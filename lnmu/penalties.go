package lnmu

import (
	"cmp"
	"math"

	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/matrix"
)

// Fixed penalties on the factors, of NMF, SNMF and KL:
//
//	PenaltyV Σ V + PenaltyW Σ W + L2V ||V||² + L2W ||W||²
//
// is added to ||M - V W||², or to the divergence D. A penalty on one factor alone has no optimum: the
// product V W stays the same if that factor shrinks and the other one grows. Either factor may have the
// l1 penalty, the l2 penalty or both (elastic net). With weights, the largest weight counts as 1.
//
// The objective of scikit-learn's NMF is half of the one with the squares, and the one with D. Its
// penalties are, for a p x q matrix and its factors W and H, which are V and W here,
//
//	PenaltyV = 2 q alpha_W l1_ratio,   L2V = q alpha_W (1 - l1_ratio)     with the squares,
//	PenaltyV = q alpha_W l1_ratio,     L2V = q alpha_W (1 - l1_ratio)/2   with D,
//
// and the same for W with p and alpha_H.

// oneSided is the error of a penalty on one factor.
const oneSided = "a penalty on one factor alone is no bound, as the other one can grow instead; set both"

// checkPenalties checks fixed penalties on V and W. scaled reports whether sums of 1 fix the scale of V
// or W, so that neither one can grow while the other one shrinks.
func checkPenalties(v, w core.Penalty, scaled bool) error {
	most := math.Inf(1)
	err := cmp.Or(
		check.Number("penalty of V", v.L1, most), check.Number("penalty of W", w.L1, most),
		check.Number("l2 penalty of V", v.L2, most), check.Number("l2 penalty of W", w.L2, most),
	)
	onV, onW := v != core.Penalty{}, w != core.Penalty{}
	if err == nil && onV != onW && !scaled {
		err = fault.Bad(oneSided)
	}
	return err
}

// penaltiesInRange refuses fixed penalties whose ratio leads to factors whose squares T does not hold: V
// is larger than W by the ratio of l1 penalties, or by the root of the ratio of l2 penalties.
func penaltiesInRange[T Float](p resolved) error {
	v, w := p.penalties[0], p.penalties[1]
	for _, x := range [][2]float64{{v.L1, w.L1}, {math.Sqrt(v.L2), math.Sqrt(w.L2)}} {
		if x[0] > 0 && x[1] > 0 && math.Abs(math.Log2(x[0])-math.Log2(x[1])) > 0.47*math.Log2(matrix.Largest[T]()) {
			return fault.Bad("penalties of V and W that differ by a factor of %.3g lead to factors beyond the range of %T; only their product determines V W, so choose equal ones", max(x[0]/x[1], x[1]/x[0]), T(0))
		}
	}
	return nil
}
