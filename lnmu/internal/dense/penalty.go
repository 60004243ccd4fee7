package dense

import (
	"math"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/core"
)

// priorStep renews one factor of rank 1 under its prior, given its products with N.
type priorStep[T kernel.Float] struct {
	core.Prior
	*smoothness[T]         // nil without
	lambda         float64 // λ; negative before the first step
	lowered        bool    // a fixed λ would have left nothing
	inv            [1]T
}

// newPriorStep returns the step for a prior, or nil for the zero one.
func newPriorStep[T kernel.Float](t *team.Team, p core.Prior) *priorStep[T] {
	if p == (core.Prior{}) {
		return nil
	}
	s := &priorStep[T]{Prior: p, lambda: -1}
	if p.Smooth > 0 {
		s.smoothness = newSmoothness[T](t, p)
	}
	return s
}

// The rule by which a penalty is adapted, or lowered.
const (
	partLess, partMore = 0.95, 1.05
	partLeft           = 0.99 // of the largest entry, if a penalty would leave nothing
)

// renew sets x to the solution for the products a (1 x p) with a vector whose square is b
// (1 x 1). Where that is zero, x stays as it is.
func (s *priorStep[T]) renew(x []T, a, b kernel.Matrix[T]) {
	kernel.Reciprocals(s.inv[:], b)
	if s.inv[0] == 0 {
		return
	}
	norm := math.Sqrt(float64(b.Data[0]))
	most := float64(kernel.Max(a.Row(0))) / norm
	if s.lambda < 0 {
		s.lambda = s.Penalty * max(0, most)
	}
	if s.lambda > 0 && most > 0 && s.lambda >= most {
		s.lambda = partLeft * most
		s.lowered = s.Sparsity == 0 // where it is not adapted anyway
	}
	shift := T(s.lambda * norm)
	if s.smoothness != nil {
		s.smoothness.renew(x, a.Row(0), s.inv[0], shift)
	} else {
		h := kernel.Matrix[T]{Rows: 1, Cols: len(x), Data: x, Stride: len(x)}
		kernel.Sweep(h, a, b, s.inv[:], shift, kernel.Matrix[T]{})
	}
	s.adapt(x)
}

// adapt changes λ for the next step towards the part of zeros that is wanted.
func (s *priorStep[T]) adapt(x []T) {
	if s.Sparsity == 0 {
		return
	}
	positive := 0
	for _, e := range x {
		if e > 0 {
			positive++
		}
	}
	switch zeros := len(x) - positive; {
	case float64(zeros) > float64(s.Sparsity*float64(len(x))):
		s.lambda *= partLess
	case float64(zeros) < float64(s.Sparsity*float64(len(x))):
		s.lambda *= partMore
	}
}
