package lnmu

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/matrix"
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
//   - Several sweeps for one product with M (N. Gillis and F. Glineur, Accelerated
//     multiplicative updates and hierarchical ALS algorithms for nonnegative matrix
//     factorization, Neural Computation 24, 2012): 1 + α (1 + ratio) of them, where
//     ratio is what the product with M and the Gram matrix cost, over what a sweep
//     costs. They end sooner, block of columns by block, when a sweep changes the
//     block by no more than ε times what the first one did.
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
// as a product with M (for a sparse M there is no better way to have it; see
// FactorSparse).
const (
	firstBeta    = 0.5
	betaGrowth   = 1.05
	boundGrowth  = 1.01
	betaFall     = 1.5
	sweepShare   = 0.5 // α
	sweepsEnough = 0.1 // ε
	mostSweeps   = 10  // of those that the ratio gives: the sweeps of a short factor are cheap, but not free

	acceleratedIterations = 100 // by default
)

// solvers are those of NMF and SNMF.
var solvers = []Solver{SolverHALS, SolverAccelerated}

// checkSolver fills in the default of a solver and checks the number of sweeps,
// which the accelerated one alone has.
func checkSolver(solver *Solver, sweeps int) error {
	if *solver == "" {
		*solver = SolverHALS
	}
	if err := known("solver", *solver, solvers); err != nil {
		return err
	}
	switch {
	case sweeps < 0:
		return core.Bad("number of sweeps %d is negative", sweeps)
	case sweeps > 0 && *solver != SolverAccelerated:
		return core.Bad("%d sweeps for solver %s, which makes one; choose %s", sweeps, *solver, SolverAccelerated)
	}
	return nil
}

// solverOptions are those on a command line.
func solverOptions(solver *Solver, sweeps *int) []Option {
	return []Option{
		{"solver", "`SOLVER` hals (the paper's) or accelerated (several sweeps for each product with M, and extrapolation: the same error in about a sixth of the time, 100 iterations by default); default hals, with missing entries or weights accelerated", word[Solver]{solver, solvers}},
		{"sweeps", "with --solver accelerated at most `N` HALS sweeps for each product with M (default by the ratio of their costs)", count{sweeps}},
	}
}

// acceleration is what the accelerated solver is asked for.
type acceleration struct {
	on     bool
	sweeps int // at most, for each product with M; 0: as many as pay
}

func accelerationOf(solver Solver, sweeps int) acceleration {
	return acceleration{on: solver == SolverAccelerated, sweeps: sweeps}
}

// iterations is the default number of iterations, 0 for that of the method.
func (a acceleration) iterations() int {
	if a.on {
		return acceleratedIterations
	}
	return 0
}

// of returns the sweeps of a factor with so many columns for one product with M, which
// has so many stored entries; across is the other side of M.
func (a acceleration) of(entries, across, columns, rank int, over func() bool) sweeping {
	w := sweeping{most: a.sweeps, enough: sweepsEnough, over: over}
	if rank == 1 {
		w.most = 1 // which is exact
	}
	if w.most > 0 {
		return w
	}
	m, n, r := float64(across), float64(columns), float64(rank)
	ratio := (float64(entries) + float64(m*r)) / float64(n*(r+1))
	w.most = int(min(1+float64(sweepShare*(1+ratio)), mostSweeps))
	return w
}

// sweeping says how many sweeps are made for one product with N.
type sweeping struct {
	most   int
	enough float64     // they end after one whose change is at most so many times that of the first; 0: never
	over   func() bool // they end as well when the work is over; asked now and then
}

const sweepsPerAsk = 16 // sweeps between two questions whether the work is over

// sweep sweeps a block of columns of a factor. before is scratch of the shape of h, if
// the sweeps may end before the last one.
func sweep[T Float](w sweeping, before, h, a, b kernel.Matrix[T], inv []T, penalty T, mask kernel.Matrix[T]) {
	measured := w.enough > 0 && w.most > 1
	if measured {
		matrix.CopyRows(before, h)
	}
	var least T
	for t := 1; ; t++ {
		kernel.Sweep(h, a, b, inv, penalty, mask)
		if t >= w.most || t%sweepsPerAsk == 0 && w.over() {
			return
		}
		if !measured {
			continue
		}
		change := kernel.Extrapolate(h, before, 0) // by nothing, but it measures
		if t == 1 {
			least = T(w.enough*w.enough) * change
		}
		if change <= least {
			return
		}
	}
}

// accelerator is what the accelerated solver does on a matrix, dense or sparse.
type accelerator interface {
	// iteration makes one with the given β, and returns ||V W||² - 2 <M, V W>, or +Inf if
	// it was cut short.
	iteration(beta float64) float64
	// penalties returns what the penalties add to the square of the error.
	penalties() float64
	// back makes the factors those before the iteration.
	back()
	// state returns what the iterations change.
	state() []state.Field
}

// accelerate runs the accelerated solver in numbers of the given precision. exact
// returns the relative error of the factors from their residual.
func (t *checkpointer[T]) accelerate(x accelerator, precision float64, exact func() float64, report func(k int)) trace {
	whole := float64(t.norm2 * t.norm2)
	e := exact()
	least := float64(float64(e*e)*whole) + x.penalties() // the objective of what is kept
	beta, bound := firstBeta, 1.0
	relative := func() float64 {
		if t.targeted && e <= float64(t.TargetError*(1+1e-3)) { // what ends at it must be true
			return exact()
		}
		return e
	}
	state := func() []state.Field {
		return append(x.state(), state.Named("error", &e), state.Named("least objective", &least), state.Named("beta", &beta), state.Named("bound of beta", &bound))
	}
	return t.iterate(relative, report, state, func(int) Stop {
		squares := whole + x.iteration(beta)
		if stop, over := t.interrupted(); over && math.IsInf(squares, 1) { // it was cut short
			x.back()
			return stop
		}
		rounding := float64(precision * whole)
		if t.incomplete() || squares < float64(math.Sqrt(precision)*whole) {
			now := exact()
			squares = float64(float64(now*now) * whole)
			rounding *= now
		}
		objective := squares + x.penalties()
		if !(objective <= least+rounding) {
			x.back()
			bound, beta = beta, beta/betaFall
			return ""
		}
		least, e = min(least, objective), t.relative(squares)
		bound = min(1, float64(bound*boundGrowth))
		beta = min(bound, float64(beta*betaGrowth))
		return ""
	})
}
