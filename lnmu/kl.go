package lnmu

import (
	"cmp"
	"math"

	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/combination"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/method"
)

// KL is nonnegative matrix factorization by the Kullback-Leibler divergence
//
//	min D(M | V W) = Σ m log(m/x) - m + x   over V, W >= 0, with X = V W
//
// up to a constant the negative log-likelihood of counts M with Poisson noise and mean V W. It
// takes multiplicative updates with extrapolation: no iteration raises the divergence, up to
// rounding.
//
// A zero of the start stays zero. V W below a tiny part of the largest entry of M counts as
// that part where M is divided by it: D is finite although V W may be 0 where M is positive.
type KL struct {
	// PenaltyV and PenaltyW are l1 penalties, both positive or 0: Σ V times PenaltyV and Σ W
	// times PenaltyW are added to D. An optimum depends on the product of the penalties alone.
	PenaltyV, PenaltyW float64
}

// Describe implements Method.
func (m KL) Describe() Description {
	return describe(Description{
		Name:       "kl",
		Title:      "nonnegative matrix factorization by the Kullback-Leibler divergence, for counts",
		Problem:    "min D(M | V W) = Σ m log(m/x) - m + x with X = V W, for counts; maybe with l1 penalties on V and W (`--penalty-v`, `--penalty-w`)",
		Factors:    "dense mixtures, topics of counts",
		Iterations: 200,
		needs:      []combination.Feature{combination.Divergence},
		Method:     m,
	})
}

func (m KL) prepare(rank int) (resolved, error) {
	err := cmp.Or(check.Number("penalty of V", m.PenaltyV, math.Inf(1)), check.Number("penalty of W", m.PenaltyW, math.Inf(1)))
	if err != nil {
		return resolved{}, err
	}
	if (m.PenaltyV > 0) != (m.PenaltyW > 0) {
		return resolved{}, core.Bad(oneSided)
	}
	return resolved{method: m, block: rank, penalised: true, divergence: true, solve: m.diverge}, nil
}

// diverge minimises the divergence from a start.
func (m KL) diverge(l *method.Loop, problem core.Problem) method.Trace {
	p := problem.(core.Divergent)
	p.Penalise(m.PenaltyV, m.PenaltyW)
	return l.Diverge(p.Diverge(l.Least()))
}
