package method

import (
	"math"
	"math/rand/v2"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/state"
)

// Problem (sNMF) of section 4.1,
//
//	min ||M - V W||² + µ_V ||V||_1 + µ_W ||W||_1   over V, W >= 0,
//
// by HALS: the closed forms (halsV) and (halsW) with half the penalty taken off
// the numerator, half because the square has the factor 2 in its derivative.
//
// # What the penalties determine
//
// The error does not change if V is multiplied by c and W by 1/c. The smallest
// penalty over all c is 2 sqrt(µ_V µ_W ||V||_1 ||W||_1), so what an optimum looks
// like depends on the product µ_V µ_W alone, and their ratio only sets its scale.
// One penalty without the other has no optimum and is refused.
//
// HALS approaches the optimal scale slowly, though. The paper's rule (section
// 4.4) lives on that: each penalty grows or shrinks by 5 % per iteration as its
// factor has too few zeros or enough, the ratio drifts, and the scale that lags
// behind makes one factor sparser than the other. This is how it meets two
// targets with one degree of freedom, and why its penalties have no limit: on
// hard targets both grow until factors vanish, and they stay away or come back
// for an iteration only.
//
// # Safeguards
//
// They leave the rule as it is as long as no factor vanishes.
//
//   - If a factor vanishes (V_:k = 0 or W_k: = 0), it is re-initialised, and each
//     penalty is reduced to 0.7 of its value. So the penalties are bounded by
//     those under which a factor vanishes. Of the values from 0.5 to 1, 0.7 came
//     nearest to the paper's results on its hard targets (swimmer and CBCL with
//     the sparsities of R-NMU); with 1, re-initialising alone, factors go on
//     vanishing.
//   - If one penalty becomes 4 times the other, both penalties and both factors
//     are multiplied by powers of two that undo it. V W keeps its bits, and the
//     drift cannot overflow.
//
// The rule counts zeros by the 0.1 % rule, which is also what is reported. It
// costs O((m+n)r) operations, beside the O(mnr) of the step.
const (
	firstPenalty = 0.1  // for data whose largest entry is 1
	penaltyStep  = 0.05 // part by which a penalty changes per iteration
	relief       = 0.7  // what is left of it when a factor vanishes
	mostSkewed   = 4    // ratio of the penalties that is undone
)

// Penalties are those of SNMF: fixed, or adapted towards targets.
type Penalties struct {
	V, W             float64 // µ_V, µ_W; 0 for those that are adapted
	TargetV, TargetW float64 // s(V), s(W); 0 for none
}

// Penalise runs HALS for sNMF. What vanishes on the way is drawn anew from a generator with
// the seed of the start.
func (l *Loop) Penalise(p core.Penalised, rule Penalties) Trace {
	adaptive, adapts := p.(core.Adaptive)
	if adapts = adapts && rule.V == 0; adapts {
		rule.V = firstPenalty * float64(l.Largest*math.Sqrt(l.Largest)) // M -> c² M scales V and W by c, the objective by c⁴
		rule.W = rule.V
	}
	source := rand.NewPCG(l.Seed, 1)
	random := rand.New(source).Float64
	revived := 0
	p.Begin()
	fields := func() []state.Field {
		return append(p.State(), state.Named("penalty of V", &rule.V), state.Named("penalty of W", &rule.W), state.Named("generator", source), state.Named("revived", &revived))
	}
	tr := l.iterate(fields, func(k int) core.Stop {
		p.Round()
		p.Penalise(rule.V, rule.W)
		p.Step()
		if stop := l.cutShort(p); stop != "" {
			return stop
		}
		if adapts && k < l.Iterations {
			if lost := adaptive.Revive(random); lost > 0 {
				revived += lost
				rule.relieve()
			} else {
				rule.adapt(adaptive.Zeros())
			}
			if c := rule.Unskew(); c != 1 {
				adaptive.Shift(c)
			}
		}
		return ""
	})
	tr.Revived = revived
	p.ClearLost()
	return tr
}

// adapt is the paper's rule: more penalty while there are fewer zeros than
// wanted, less otherwise. Without a target of its own a factor gets the penalty
// of the other one.
func (p *Penalties) adapt(sparseV, sparseW float64) {
	next := func(penalty, sparsity, target float64) float64 {
		if sparsity < target {
			return penalty * (1 + penaltyStep)
		}
		return penalty * (1 - penaltyStep)
	}
	p.V, p.W = next(p.V, sparseV, p.TargetV), next(p.W, sparseW, p.TargetW)
	switch {
	case p.TargetV == 0:
		p.V = p.W
	case p.TargetW == 0:
		p.W = p.V
	}
}

// relieve reduces the penalties after a factor has vanished.
func (p *Penalties) relieve() {
	p.V *= relief
	p.W *= relief
}

// Unskew brings the penalties together, by a power of two: it returns what V is to be
// multiplied by, so that the products V W, and what the next steps do, stay the same bit
// for bit.
func (p *Penalties) Unskew() (c float64) {
	c = 1
	switch {
	case p.V >= mostSkewed*p.W:
		c = 2
	case p.W >= mostSkewed*p.V:
		c = 0.5
	}
	p.V /= c
	p.W *= c
	return c
}
