package method

import (
	"fmt"
	"math"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/state"
	"nmu/lnmu/outcome"
)

// Lagrangian is the relaxation of V W <= M, with all defaults.
type Lagrangian struct {
	Inner          int                 // T
	StepLength     func(k int) float64 // µ_k; nil: 1
	ZeroMultiplier func(k int) float64 // g, in parts of the largest entry; nil: the default, see growth

	Augmented // or zero for Algorithm L-NMU
}

// Relax runs Algorithm L-NMU: each iteration renews V and W by T HALS steps, V first, and
// updates the multipliers with step µ_k. part is the mean of a sparse M over its largest
// entry, or 0 for a dense M, whose zeros have multipliers of their own.
func (l *Loop) Relax(p core.Relaxed, o Lagrangian, part float64) Trace {
	renewed := false // whether an iteration ended with V and W not zero
	fields := func() []state.Field { return append(p.State(), state.Named("renewed", &renewed)) }
	zeros, most := o.Zeros(part, l.Iterations), o.Zeros(part, l.Iterations)(l.Iterations)
	tr := l.iterate(fields, func(k int) outcome.Stop {
		mu := 1.0
		if o.StepLength != nil {
			mu = o.StepLength(k)
		}
		g, rho := zeros(k), o.Penalty(k)
		l.Passing = g < most || rho < o.Rho
		p.Keep(g, rho)
		alive := true
		for i := 1; i <= o.Inner && alive; i++ {
			alive = p.Step(mu, i == 1, i == o.Inner)
			if stop, ok := l.within(); ok {
				return stop
			}
		}
		switch {
		case alive:
			p.Update(mu)
			renewed = true
			if o.Rho > 0 && o.converged(p, k, l.Norm) {
				return outcome.StopResidual
			}
		case !p.Multiplied():
			return outcome.StopVanished
		default:
			p.Restore()
			l.Passing = true
		}
		return ""
	})
	if !renewed && !tr.Cut() {
		p.Clear()
		tr.Stop = outcome.StopVanished
	}
	if x, ok := p.(core.Adaptive); ok {
		tr.Lowered = x.Lowered()
	}
	return tr
}

// Zeros returns g, the multiplier of the zeros of a sparse M over its largest entry.
func (o Lagrangian) Zeros(part float64, iterations int) func(k int) float64 {
	switch {
	case part == 0:
		return func(int) float64 { return 0 }
	case o.ZeroMultiplier != nil:
		return o.ZeroMultiplier
	case o.Rho > 0:
		return growth(part, zeroSpan)
	}
	return growth(part, iterations)
}

// The augmented Lagrangian makes few iterations. It takes the multiplier of the zeros g(k) of
// zeroSpan iterations of Algorithm L-NMU.
const zeroSpan = 20

// growth returns the default multiplier of the zeros of a matrix with the given mean over its
// largest entry: it begins there, grows by the factor ρ in each iteration, and reaches 1 in the
// middle of the iterations.
func growth(part float64, iterations int) func(k int) float64 {
	rho := root(1/part, (iterations+1)/2)
	g, next := part, 1
	return func(k int) float64 { // called with k = 1, 2, ...
		for ; next < k && g < 1; next++ {
			g *= rho
		}
		return min(g, 1)
	}
}

// root returns the n-th root of x >= 1, by bisection: its bits are the same everywhere, unlike
// those of math.Pow.
func root(x float64, n int) float64 {
	lo, hi := 1.0, x
	for {
		mid := lo + float64((hi-lo)/2)
		if mid <= lo || mid >= hi {
			return hi
		}
		p := 1.0
		for square, e := mid, n; e > 0; e /= 2 {
			if e%2 == 1 {
				p *= square
			}
			square *= square
		}
		if p < x {
			lo = mid
		} else {
			hi = mid
		}
	}
}

// CheckZeroMultiplier returns an error that wraps ErrOption, unless the multiplier of the zeros
// is finite, nonnegative and does not decrease.
func (o Lagrangian) CheckZeroMultiplier(iterations int) error {
	if o.ZeroMultiplier == nil {
		return nil
	}
	last := 0.0
	for k := 1; k <= iterations; k++ {
		g := o.ZeroMultiplier(k)
		if !(g >= last) || math.IsInf(g, 0) {
			return fmt.Errorf("%w: the multiplier of the zeros is %v in iteration %d, after %v; it must be finite, nonnegative and must not decrease", fault.ErrOption, g, k, last)
		}
		last = g
	}
	return nil
}
