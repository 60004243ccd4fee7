package lnmu

import (
	"cmp"
	"math"

	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/core"
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

// checkPenalties checks fixed penalties on V and W. boundV and boundW report whether sums of 1 keep V
// or W from growing.
func checkPenalties(v, w core.Penalty, boundV, boundW bool) error {
	most := math.Inf(1)
	err := cmp.Or(
		check.Number("penalty of V", v.L1, most), check.Number("penalty of W", w.L1, most),
		check.Number("l2 penalty of V", v.L2, most), check.Number("l2 penalty of W", w.L2, most),
	)
	onV, onW := v != core.Penalty{}, w != core.Penalty{}
	if err == nil && (onV && !onW && !boundW || onW && !onV && !boundV) {
		err = core.Bad(oneSided)
	}
	return err
}
