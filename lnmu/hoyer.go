package lnmu

import (
	"cmp"

	"nmu/internal/combination"
	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/method"
)

// Hoyer is NMF in which every column of V, every row of W or both have a given sh(·),
// by Hoyer's algorithm (section 4.1).
type Hoyer struct {
	// HoyerV and HoyerW are the values of sh(·), up to 1, of the columns of
	// V and the rows of W; 0 imposes none. A vector of one entry has no sh(·), so that nothing is
	// imposed on it.
	HoyerV, HoyerW float64
}

// Name implements Method.
func (m Hoyer) Name() string { return combination.Hoyer.Name }

// Underapproximates implements Method.
func (m Hoyer) Underapproximates() bool { return combination.Hoyer.Underapproximates }

func (m Hoyer) prepare(rank int) (resolved, error) {
	if err := cmp.Or(check.Number("sparseness of V", m.HoyerV, 1), check.Number("sparseness of W", m.HoyerW, 1)); err != nil {
		return resolved{}, err
	}
	if m.HoyerV == 0 && m.HoyerW == 0 {
		return resolved{}, fault.Bad("method hoyer needs the sparseness of V, of W or of both")
	}
	return resolved{method: m, block: rank, solve: func(l *method.Loop, p core.Problem) method.Trace {
		return l.Hoyer(p, m.HoyerV, m.HoyerW)
	}}, nil
}
