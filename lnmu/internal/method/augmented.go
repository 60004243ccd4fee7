package method

import (
	"math"

	"nmu/lnmu/internal/core"
)

// The augmented Lagrangian splits off the slack S = M - V W >= 0,
//
//	min 1/2 ||S||²  over  V, W, S >= 0  with  V W + S = M
//
// and with scaled multipliers G of that equation and a penalty ρ > 0 it takes the
// three in turn (M. Tepper and G. Sapiro, Compressed nonnegative matrix factorization
// is fast and accurate, 2016, have it with two more copies of the factors):
//
//	V, W  <-  T HALS steps on the target N = M - S + G
//	Y      =  M - V W + G
//	S     <-  max(0, ρ/(1+ρ) Y)
//	G     <-  Y - S
//
// An entry of S is positive where that of G is: Y >= 0 gives G = Y/(1+ρ), S = ρ G,
// Y < 0 gives G = Y, S = 0. So S = ρ max(0, G) after every update, G is all the state
// there is, and N = M + min(G, (1-ρ) G). Where G < 0 its negative is the multiplier Λ
// of Algorithm L-NMU with a constant step; where G > 0 it remembers a part of the
// slack.
//
// Two numbers say how near an iteration is to a solution, the primal residual
// ||M - V W - S|| and the dual one ρ ||S' - S||. As M - V W - S' is G' - G, and S is
// ρ max(0, G), the second is at most ρ² times the first: one is enough.

// residualEvery is the number of iterations from one look at the residual to the
// next. A look costs two thirds of an iteration.
const residualEvery = 5

// Every raiseEvery iterations, ρ is doubled until it is what was asked for: from a
// high one at once the first factors that come along could not be left any more.
const (
	firstRho   = 1
	raiseEvery = 10
)

// zeroSpan is the number of iterations of Algorithm L-NMU in the first half of which
// its g(k) grows as it does here, where there are far fewer.
const zeroSpan = 20

// Penalty returns ρ in iteration k = 1, 2, ...
func (o Lagrangian) Penalty(k int) float64 {
	rho := min(o.Rho, firstRho)
	for ; k > raiseEvery && rho < o.Rho; k -= raiseEvery {
		rho = min(2*rho, o.Rho)
	}
	return rho
}

// AugmentedIterations returns the default of the largest number of iterations of the
// augmented Lagrangian with the penalty ρ, for blocks of so many factors.
func AugmentedIterations(rho float64, block int) int {
	most := 60
	if block == 1 {
		most = 30
	}
	for at := float64(firstRho); at < rho; at *= 2 {
		most += raiseEvery
	}
	return most
}

// converged reports whether the primal residual is small, every few iterations.
func (o Lagrangian) converged(p core.Augmented, k int, norm float64) bool {
	if k%residualEvery != 0 || o.Penalty(k) < o.Rho {
		return false
	}
	return math.Sqrt(p.Primal()) <= float64(o.ResidualTolerance*norm)
}
