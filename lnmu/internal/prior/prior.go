// Package prior updates a factor under a prior: that it is sparse, or that it shows a picture
// whose neighbouring pixels are alike. It needs a whole factor of rank 1 and its products with
// the state N. It does not depend on how M is stored or shared.
package prior

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/state"
)

// Step updates one factor of rank 1 under its prior, given its products with N.
type Step[T kernel.Float] struct {
	core.Prior
	smoothness *smoothness[T] // nil: none
	lambda     float64        // λ; negative before the first step
	lowered    bool           // a fixed λ would have left nothing
	inv        [1]T
}

// New returns the step for a prior, or nil for the zero one.
func New[T kernel.Float](t core.Team, p core.Prior) *Step[T] {
	if p == (core.Prior{}) {
		return nil
	}
	s := &Step[T]{Prior: p, lambda: -1}
	if p.Smooth > 0 {
		s.smoothness = newSmoothness[T](t, p)
	}
	return s
}

// The factors by which a penalty is adapted, or lowered.
const (
	partLess, partMore = 0.95, 1.05
	partLeft           = 0.99 // of the largest entry, if a penalty would leave nothing
)

// Renew sets x to the solution under the prior, given the products a (1 x p) of N with a
// vector, and the square b (1 x 1) of this vector. If b has no reciprocal, x is unchanged.
// Renew overwrites a.
func (s *Step[T]) Renew(x []T, a, b kernel.Matrix[T]) {
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
		s.lowered = s.Sparsity == 0 // an adapted penalty changes in any case
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

// adapt changes λ for the next step, towards the target sparsity.
func (s *Step[T]) adapt(x []T) {
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

// Lowered reports whether a penalty was lowered because it would have left only zeros.
func (s *Step[T]) Lowered() bool { return s.lowered }

// State returns the fields that the steps change, except the factor.
func (s *Step[T]) State() []state.Field {
	return []state.Field{state.Named("penalty of a prior", &s.lambda), state.Named("penalty was lowered", &s.lowered)}
}
