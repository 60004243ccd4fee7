package method

import (
	"math"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/state"
)

// The accelerated solver of NMF and SNMF: HALS with two remedies for what it is slow
// at. In each iteration
//
//	H <- sweeps from H given A = N Gᵀ and B = G Gᵀ         long factor
//	H <- max(0, H + β (H - H before))                       extrapolation
//	G <- sweeps from G given C = H N and D = H Hᵀ           short factor
//	e  = ||M - V W||² = ||M||² - 2 <C, G> + <D, G Gᵀ>
//
// and if e did not rise, H and G are kept, β grows, and G is extrapolated likewise
// before the next iteration; else H and G go back to what was kept, and β falls.
// The long factor, that of the longer side of M, comes first in either orientation:
// an iteration reads M once, and M and its transpose have the same factors.
//
//   - Several sweeps for one product with M: see hals.PerProduct. They end sooner, block
//     of columns by block, when a sweep changes the block by no more than ε times what
//     the first one did.
//   - Extrapolation with restarts (A. Ang and N. Gillis, Accelerating nonnegative
//     matrix factorization algorithms using extrapolation, Neural Computation 31,
//     2019; arXiv 1805.06604): β begins at ½, grows by 5 % after an iteration that
//     made progress, up to a bound that grows by 1 % up to 1, and is divided by 1.5
//     after one that did not, when the β from before becomes the bound.
//
// What differs from Ang and Gillis: the extrapolated H is projected, so that the
// error that decides is that of two factors that may be kept, rather than of one that
// has negative entries; those are what a step back leads to, and in the end the
// result. So the error of what is kept never rises, up to rounding.
//
// # Rounding
//
// The products are at hand, so e costs O((m+n) r²) operations. But it is a difference
// of numbers near ||M||², rounded to about the precision u of T. A rise by less than
// u ||M||² over the least e so far is therefore none: HALS itself would look like one,
// again and again. And once e is below sqrt(u) ||M||², half of its digits are gone, so
// that from there on it is taken from the residual M - V W itself, which costs as much
// as a product with M.
const (
	firstBeta   = 0.5
	betaGrowth  = 1.05
	boundGrowth = 1.01
	betaFall    = 1.5

	AcceleratedIterations = 100 // by default
)

// Accelerate runs the accelerated solver. If M is incomplete, the error follows from the residual
// alone.
func (l *Loop) Accelerate(p core.Accelerated) Trace {
	whole := float64(l.Norm * l.Norm)
	exact := l.Relative
	e := exact()
	least := float64(float64(e*e)*whole) + p.Penalties() // the objective of what is kept
	beta, bound := firstBeta, 1.0
	fields := func() []state.Field {
		return append(p.State(), state.Named("error", &e), state.Named("least objective", &least), state.Named("beta", &beta), state.Named("bound of beta", &bound))
	}
	quick := *l
	quick.Relative = func() float64 {
		if l.TargetError > 0 && e <= float64(l.TargetError*(1+1e-3)) { // what ends at it must be true
			return exact()
		}
		return e
	}
	return quick.iterate(fields, func(int) core.Stop {
		squares := whole + p.Iterate(beta)
		if stop, over := l.Interrupted(); over && (l.Incomplete || math.IsInf(squares, 1)) { // it was cut short, or its error is not worth a pass
			p.Back()
			return stop
		}
		rounding := float64(l.Precision * whole)
		if l.Incomplete || squares < float64(math.Sqrt(l.Precision)*whole) {
			now := exact()
			squares = float64(float64(now*now) * whole)
			rounding *= now
		}
		objective := squares + p.Penalties()
		if !(objective <= least+rounding) {
			p.Back()
			bound, beta = beta, beta/betaFall
			return ""
		}
		least, e = min(least, objective), math.Sqrt(squares)/l.Norm
		bound = min(1, float64(bound*boundGrowth))
		beta = min(bound, float64(beta*betaGrowth))
		return ""
	})
}
