package method

import (
	"math"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/state"
	"nmu/lnmu/outcome"
)

// The accelerated solver of NMF and SNMF: HALS with several sweeps for each product, and
// extrapolation. In each iteration
//
//	H <- sweeps from H given A = N Gᵀ and B = G Gᵀ         long factor
//	H <- max(0, H + β (H - H before))                       extrapolation
//	G <- sweeps from G given C = H N and D = H Hᵀ           short factor
//	e  = ||M - V W||² = ||M||² - 2 <C, G> + <D, G Gᵀ>
//
// If e did not rise, H and G are kept, β grows, and G is extrapolated likewise before the next
// iteration. Otherwise H and G are restored, and β falls. The long factor, which belongs to the
// longer side of M, comes first in either orientation: an iteration reads M once, and M and
// its transpose have the same factors.
//
//   - Several sweeps for one product with M: see hals.PerProduct. In a block of columns
//     they end early, when a sweep changes the block by at most ε times the change of the
//     first sweep.
//   - Extrapolation with restarts (A. Ang and N. Gillis, Accelerating nonnegative
//     matrix factorization algorithms using extrapolation, Neural Computation 31,
//     2019; arXiv 1805.06604): β begins at ½. After an iteration that made progress it
//     grows by 5 %, up to a bound, which itself grows by 1 % up to 1. After any other
//     iteration β becomes the bound and is then divided by 1.5.
//
// Ang and Gillis leave negative entries in the extrapolated H. Here H is projected, so that e is
// the error of two valid factors. The error of the kept factors never rises, up to rounding.
//
// Where a part of M is fitted exactly, the error does not depend on the scale of a vector of H, and the
// momentum multiplies it in each iteration while the one of G shrinks. So powers of two keep the norms of
// both near to each other; V W keeps its bits. The scale of a given start, or of columns of M, may have a meaning:
// there they keep the ratio of the norms near to that of the first iteration.
//
// A vector whose entries must have the sum 1 is not extrapolated. SumStart gives a start these sums.
//
// # Rounding
//
// e costs O((m+n) r²) operations, since its products are known. But it is a difference of numbers
// near ||M||², rounded to about the precision u of T. A rise by less than u ||M||² over the least
// e so far counts as none: HALS itself causes such rises. Below sqrt(u) ||M||², half of the
// digits of e are lost. From there on e comes from the residual M - V W itself, which costs as
// much as a product with M.
const (
	firstBeta   = 0.5
	betaGrowth  = 1.05
	boundGrowth = 1.01
	betaFall    = 1.5

	// After so many iterations in a row that were undone β is below 1/50 of what it was. Plain sweeps make no
	// progress then: the error is at rest.
	undoneAtRest = 10
)

// SumStart divides the vectors of a start that must have the sum 1 by their sums, and scales the
// other factor. A start without these sums may have a smaller error than all factors with them, so
// that no iteration seems to make progress. If the entries of M are far from 1, the first step from
// it would choose the same vertex of the simplex for all vectors. SumStart changes no start that
// has the sums.
func SumStart(p core.Problem) {
	if p.Summed() {
		return
	}
	p.SetSums()
	if p.Scale(); p.Aborted() {
		p.Clear() // an unscaled start may be far away from M
		p.SetSums()
	}
}

// extrapolated runs iterations of p with momentum, from the objective first, without its penalties.
// It keeps the factors of those that do not raise the objective. iterate makes iteration k with β,
// and returns the objective without its penalties, what counts as rounding of it, and kept, which is
// called if the factors are kept. A reason to stop undoes the iteration. fields are fields of
// a checkpoint, beside those of p and of the momentum.
func (l *Loop) extrapolated(p core.Momentum, first float64, fields []state.Field, iterate func(k int, beta float64) (value, rounding float64, stop outcome.Stop), kept func(value float64)) Trace {
	least := first + p.Penalties()           // the objective of the kept factors
	beta, bound, undone := firstBeta, 1.0, 0 // β, its upper bound, and the iterations since one was kept
	all := func() []state.Field {
		return append(append(p.State(), fields...),
			state.Named("least objective", &least), state.Named("undone", &undone), state.Named("beta", &beta), state.Named("bound of beta", &bound))
	}
	return l.iterate(all, func(k int) outcome.Stop {
		l.Passing = false
		value, rounding, stop := iterate(k, beta)
		if stop != "" {
			p.Back()
			return stop
		}
		objective := value + p.Penalties()
		if !(objective <= least+rounding) {
			p.Back()
			bound, beta = beta, beta/betaFall
			undone++
			l.Passing = l.Passing || undone >= l.CheckEvery && undone < undoneAtRest
			return ""
		}
		least, undone = min(least, objective), 0
		kept(value)
		bound = min(1, float64(bound*boundGrowth))
		beta = min(bound, float64(beta*betaGrowth))
		return ""
	})
}

// Accelerate runs the accelerated solver. If M is incomplete, e always comes from the
// residual.
func (l *Loop) Accelerate(p core.Momentum) Trace {
	whole := float64(l.Norm * l.Norm)
	exact := l.Relative
	e := exact()
	quick := *l
	quick.Relative = func() float64 {
		if l.TargetError > 0 && e <= float64(l.TargetError*(1+1e-3)) { // the target must be reached exactly
			return exact()
		}
		return e
	}
	quick.AtTarget = func() bool { return e <= l.TargetError && exact() <= l.TargetError }
	iterate := func(_ int, beta float64) (squares, rounding float64, stop outcome.Stop) {
		squares = whole + p.Iterate(beta)
		if stop, over := l.within(); over && (l.Incomplete || math.IsInf(squares, 1)) { // the pass was aborted, or its error would cost another pass
			return 0, 0, stop
		}
		rounding = float64(l.Precision * whole)
		if l.Incomplete || squares < float64(math.Sqrt(l.Precision)*whole) {
			now := exact()
			squares = float64(float64(now*now) * whole)
			rounding *= now
		}
		return squares, rounding, ""
	}
	var ratios *[]float64
	kept := func(squares float64) {
		e = math.Sqrt(squares) / l.Norm
		p.Even(ratios)
	}
	fields := []state.Field{state.Named("error", &e)}
	if l.Scaled {
		ratios = &[]float64{}
		fields = append(fields, state.Named("ratios", ratios))
	}
	return quick.extrapolated(p, float64(float64(e*e)*whole), fields, iterate, kept)
}
