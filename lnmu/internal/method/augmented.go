package method

import (
	"math"

	"nmu/lnmu/internal/core"
)

// The augmented Lagrangian splits off the slack S = M - V W >= 0,
//
//	min 1/2 ||S||²  over  V, W, S >= 0  with  V W + S = M
//
// and with scaled multipliers G of that equation and a penalty ρ > 0 it renews the
// three one after the other (M. Tepper and G. Sapiro, Compressed nonnegative matrix factorization is fast and
// accurate, 2016, with two more copies of the factors):
//
//	V, W  <-  T HALS steps on the target N = M - S + G
//	Y      =  M - V W + G
//	S     <-  max(0, ρ/(1+ρ) Y)
//	G     <-  Y - S
//
// S and G are positive in the same entries: Y >= 0 gives G = Y/(1+ρ), S = ρ G, and Y < 0
// gives G = Y, S = 0. So S = ρ max(0, G) after every update, G is the whole state, and
// N = M + min(G, (1-ρ) G). Where G < 0, -G is the multiplier Λ of Algorithm L-NMU with a
// constant step. Where G > 0, it holds a part of the slack.
//
// Two numbers measure the distance to a solution, the primal residual ||M - V W - S|| and the
// dual residual ρ ||S' - S||. Since M - V W - S' = G' - G and S = ρ max(0, G), the dual
// residual is at most ρ² times the primal one. So only the primal one is measured.

// residualEvery is the number of iterations between two checks of the residual. A check costs
// two thirds of an iteration.
const residualEvery = 5

// ρ begins as firstRho and is doubled every raiseEvery iterations until it is Rho. With a high ρ
// from the beginning, the factors would stay near the start.
const (
	firstRho   = 1
	raiseEvery = 10
)

// Augmented are the options of the augmented Lagrangian.
type Augmented struct {
	Rho               float64 // the penalty ρ
	ResidualTolerance float64 // on the primal residual, relative to ||M||
}

// Penalty returns ρ in iteration k = 1, 2, ...
func (o Augmented) Penalty(k int) float64 {
	rho := min(o.Rho, firstRho)
	for ; k > raiseEvery && rho < o.Rho; k -= raiseEvery {
		rho = min(2*rho, o.Rho)
	}
	return rho
}

// AugmentedIterations returns the default for the largest number of iterations of the
// augmented Lagrangian with penalty ρ, for blocks of that many factors.
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

// converged reports whether the primal residual is small. It checks it every residualEvery
// iterations.
func (o Augmented) converged(p core.Relaxed, k int, norm float64) bool {
	if k%residualEvery != 0 || o.Penalty(k) < o.Rho {
		return false
	}
	return math.Sqrt(p.(core.Split).Primal()) <= float64(o.ResidualTolerance*norm)
}
