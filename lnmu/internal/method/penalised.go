package method

import (
	"math"
	"math/rand/v2"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/state"
	"nmu/lnmu/outcome"
)

// Problem (sNMF) of section 4.1,
//
//	min ||M - V W||² + µ_V ||V||_1 + µ_W ||W||_1   over V, W >= 0,
//
// by HALS. It takes half the penalty off the numerators of the closed forms (halsV) and (halsW):
// half, since the derivative of the square has the factor 2. l2 penalties λ_V ||V||² + λ_W ||W||² add
// λ_V and λ_W to the denominators. They are for fixed penalties: those adapted to targets change the
// scale of V and W, to which λ_V and λ_W refer.
//
// # What the penalties determine
//
// The error does not change if V is multiplied by c and W by 1/c. The smallest penalty over
// all c is 2 sqrt(µ_V µ_W ||V||_1 ||W||_1). So an optimum depends on the product µ_V µ_W
// alone, and the ratio of the penalties only sets its scale. One penalty without the other has
// no optimum and is refused.
//
// HALS approaches the optimal scale slowly. The paper's rule (section 4.4) relies on that:
// each penalty grows by 5 % in an iteration if its factor has too few zeros, and shrinks by
// 5 % otherwise. The ratio drifts, and the lagging scale makes one factor sparser than the
// other. So the rule meets two targets with one degree of freedom, and its penalties have no
// limit. On hard targets both grow until factors vanish in all but single iterations, or for
// good.
//
// # Safeguards
//
// They do not change the rule as long as no factor vanishes.
//
//   - If a factor vanishes (V_:k = 0 or W_k: = 0), it is drawn anew, and each penalty is
//     reduced to 0.7 of its value. So the penalties stay below those under which a factor
//     vanishes. Of the values from 0.5 to 1, 0.7 came nearest to the paper's results on its
//     hard targets (swimmer and CBCL with the sparsities of R-NMU). With 1, factors go on
//     vanishing.
//   - If one penalty becomes 4 times the other, powers of two bring both penalties and both
//     factors together. V W keeps its bits, and the drift cannot overflow.
//
// The rule counts zeros by the 0.1 % rule, as the results do. It costs O((m+n)r) operations,
// beside the O(mnr) of a step.
const (
	firstPenalty = 0.1  // for data whose largest entry is 1
	penaltyStep  = 0.05 // relative change of a penalty in an iteration
	relief       = 0.7  // factor on the penalties when a factor vanishes
	mostSkewed   = 4    // largest ratio of the penalties
	nearTarget   = 0.02 // largest distance of a sparsity from its target at which the error may come to rest
	mostError    = 2    // largest relative error of a given start that fixed penalties take as it is
)

// Penalties are those of SNMF: fixed, or adapted towards targets.
type Penalties struct {
	V, W             core.Penalty // fixed ones have an L1 or an L2
	TargetV, TargetW float64      // s(V), s(W); 0 for none
}

// PenaltyStart brings a start near to the scale that fixed penalties determine. Else the first step
// from a small W may see less gain than penalty in all of V, and clear both factors for good. It
// evens out factors whose penalties on V and W are far apart, and scales a given start whose V W
// has a relative error above mostError. Other starts keep their bits.
func (l *Loop) PenaltyStart(p core.Penalised, v, w core.Penalty) {
	p.Balance(v, w)
	if l.Given && l.Relative() > mostError {
		p.Scale()
	}
}

// Penalise runs HALS for sNMF. Factors that vanish are drawn anew by a generator with the seed
// of the start.
func (l *Loop) Penalise(p core.Penalised, rule Penalties) Trace {
	adapts := rule.V == core.Penalty{}
	if adapts {
		rule.V.L1 = firstPenalty * float64(l.Largest*math.Sqrt(l.Largest)) // M -> c² M scales V and W by c, the objective by c⁴
		rule.W.L1 = rule.V.L1
	}
	source := rand.NewPCG(l.Seed, 1)
	random := rand.New(source).Float64
	revived := 0
	p.Penalise(rule.V, rule.W)
	p.Begin()
	fields := func() []state.Field {
		return append(p.State(), state.Named("penalty of V", &rule.V.L1), state.Named("penalty of W", &rule.W.L1), state.Named("generator", source), state.Named("revived", &revived))
	}
	tr := l.iterate(fields, func(k int) outcome.Stop {
		p.Round()
		p.Penalise(rule.V, rule.W)
		p.Step()
		if stop := l.cutShort(p); stop != "" {
			return stop
		}
		if adapts && k < l.Iterations {
			if lost := p.Revive(random); lost > 0 {
				revived += lost
				rule.V.L1 *= relief
				rule.W.L1 *= relief
				l.Passing = true
			} else {
				l.Passing = rule.adapt(p.Zeros())
			}
			if c := rule.Unskew(); c != 1 {
				p.Shift(c)
			}
		}
		return ""
	})
	tr.Revived = revived
	p.ClearLost()
	return tr
}

// adapt is the paper's rule: a penalty grows while its factor has fewer zeros than its target,
// and shrinks otherwise. A factor without a target has the penalty of the other one. adapt reports
// whether a factor is far below its target, so that its penalty will go on growing.
func (p *Penalties) adapt(sparseV, sparseW float64) (below bool) {
	next := func(penalty, sparsity, target float64) float64 {
		if sparsity < target {
			return penalty * (1 + penaltyStep)
		}
		return penalty * (1 - penaltyStep)
	}
	p.V.L1, p.W.L1 = next(p.V.L1, sparseV, p.TargetV), next(p.W.L1, sparseW, p.TargetW)
	switch {
	case p.TargetV == 0:
		p.V = p.W
	case p.TargetW == 0:
		p.W = p.V
	}
	return sparseV < p.TargetV-nearTarget || sparseW < p.TargetW-nearTarget
}

// Unskew brings the penalties together by a power of two, and returns the factor for V. With
// W divided by it, V W and all later steps keep their bits.
func (p *Penalties) Unskew() (c float64) {
	c = 1
	switch {
	case p.V.L1 >= mostSkewed*p.W.L1:
		c = 2
	case p.W.L1 >= mostSkewed*p.V.L1:
		c = 0.5
	}
	p.V.L1 /= c
	p.W.L1 *= c
	return c
}
