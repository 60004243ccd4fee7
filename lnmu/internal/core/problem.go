package core

import "nmu/lnmu/internal/state"

// Residual sums up E = M - V W.
type Residual struct {
	Squares  float64 // of its entries
	Excess   float64 // of its negative ones
	Least    float64 // the least entry, or 0 if none is negative
	Absolute float64 // the sum of the absolute values, if the norm is l1
	Noise    float64 // bound on the rounding errors of Squares and Excess, where they may matter
}

// Plus returns the sum of two parts of a residual.
func (a Residual) Plus(b Residual) Residual {
	return Residual{a.Squares + b.Squares, a.Excess + b.Excess, min(a.Least, b.Least), a.Absolute + b.Absolute, a.Noise + b.Noise}
}

// Factors are V and W of some rank, or the parts of them that a process has. They may share
// memory with their source.
type Factors interface {
	Rank() int
	// First returns the first rank factors.
	First(rank int) Factors
	// Fields returns V and W as fields of a checkpoint.
	Fields() []state.Field
}

// Problem is the residual of M with its state N = M - Λ and the factors of some rank. A problem
// hides how M is stored, which of its entries are observed, and which threads and processes
// share it.
type Problem interface {
	Rank() int

	// Reset sets Λ = 0, that is N = max(0, E), and reports whether N has a positive entry.
	Reset() (left bool)
	// Start sets the factors to factors k0, k0+1, ... of the start.
	Start(k0 int)
	// Fix sets the fixed factors from k0 on. No step changes them.
	Fix(k0 int)
	// Resume sets the factors to the finished ones from k0 on.
	Resume(k0 int, finished Factors)
	// Scale multiplies both factors by the number that brings V W nearest to N (equation
	// (scaling)). Fixed factors, and those that have the sums of Summed, do not change.
	Scale()
	// Clear sets all factors to zero except the fixed ones.
	Clear()
	// Summed reports whether all vectors that must have the sum 1 have it, up to rounding.
	// SetSums divides the other ones by their sums.
	Summed() bool
	SetSums()
	// Residual returns the residual of the factors, which are factors k0, k0+1, ... of the
	// result. If keep, it replaces M.
	Residual(k0 int, keep bool) Residual
	// Finish stores the factors in the place, as factors k0, k0+1, ...
	Finish(k0 int)

	// Energy returns ||V W||² - 2 <M, V W> after a step, from its sums. It is not ok if there
	// are no such sums, or if M is in memory, where Residual is cheap.
	Energy() (energy float64, ok bool)

	// Round begins an iteration, for the threads.
	Round()
	// Begin forms the products that the first HALS step needs.
	Begin()
	// Step makes a HALS step on N, V first.
	Step()
	// Aborted reports whether the last pass was aborted, so that its sums are invalid.
	Aborted() bool
	// State returns the fields that the iterations change.
	State() []state.Field

	// Relax returns the problem with the constraint V W <= M in its multipliers. If the
	// zeros of M share a multiplier, it also returns the mean of M over its largest entry,
	// else 0.
	Relax(r Relaxation) (p Relaxed, mean float64)
	// Accelerate returns the problem for the accelerated solver, with at most that many
	// sweeps for each product with M. 0 chooses the number by the ratio of their costs.
	Accelerate(sweeps int) Momentum
	// Diverge returns the problem of the Kullback-Leibler divergence Σ m log(m/x) - m + x of M from
	// X = V W. An entry of X below least counts as least where M is divided by it.
	Diverge(least float64) Divergent
}

// Relaxation says how the constraint V W <= M is relaxed.
type Relaxation struct {
	Rho       float64 // the first penalty of the augmented Lagrangian, or 0 for Algorithm L-NMU
	FromStart bool    // Λ begins with max(0, V W - M)
	L1        bool    // the norm is l1
	V, W      Prior   // priors of the factors
}

// Prior is prior knowledge of one factor, see lnmu.RNMU.
type Prior struct {
	Penalty, Sparsity float64
	Smooth            float64
	Absolute          bool // the norm of differences is l1
	Height, Width     int  // of the picture that it shows
}

// Relaxed is a problem with the constraint V W <= M in the multipliers: of Algorithm L-NMU, or of
// the augmented Lagrangian, whose multipliers are G.
type Relaxed interface {
	// Keep begins an iteration and saves the factors. In this iteration the multiplier of
	// the zeros of a sparse M is zeros times the largest entry of M. rho is the penalty ρ of the
	// augmented Lagrangian; a change of ρ keeps the slack.
	Keep(zeros, rho float64)
	// Step makes a HALS step, maybe the first or the last one of an iteration, and reports
	// whether V and W are not zero. mu is the step length of the update of the multipliers
	// after the last step, which may be made within it.
	Step(mu float64, first, last bool) (alive bool)
	// Update makes the update of the multipliers if Step has not made it. It may leave it to the
	// next step.
	Update(mu float64)
	// Restore restores the factors of Keep and halves the multipliers.
	Restore()
	// Multiplied reports whether Λ is not zero. If factors vanish with Λ = 0, zero is the
	// best that HALS finds from this start.
	Multiplied() bool
	// Clear sets all factors to zero except the fixed ones.
	Clear()
	// State returns the fields that the iterations change.
	State() []state.Field
}

// Split is a Relaxed of the augmented Lagrangian. Primal makes the pending update and returns ||M - V W - S||².
type Split interface{ Primal() float64 }

// Adaptive is a Relaxed with priors. Lowered reports whether a penalty was lowered under which a factor would have vanished.
type Adaptive interface{ Lowered() bool }

// Momentum is a problem whose iterations extrapolate the factors.
type Momentum interface {
	// Iterate makes an iteration with the given β, and returns the objective without its
	// penalties, up to a constant, or +Inf if it was aborted. The objective of the accelerated
	// solver is ||V W||² - 2 <M, V W>.
	Iterate(beta float64) float64
	// Penalties returns the terms that the penalties add to the objective.
	Penalties() float64
	// Even multiplies each V_:k by a power of two and divides W_k: by it, so that neither norm is far above
	// the other one. Factors with penalties or sums of one, and fixed ones, do not change. Only an
	// iteration whose factors are kept, or the last one, may come before. ratios, if not nil, receives the
	// ratios of the squares of the norms in the first call, near to which later ones keep them.
	Even(ratios *[]float64)
	// Back restores the factors from before the iteration.
	Back()
	// State returns the fields that the iterations change.
	State() []state.Field
}

// Penalty is the penalty L1 Σ h + L2 Σ h² on the entries h of a factor.
type Penalty struct{ L1, L2 float64 }

// Penalised is a problem with penalties on V and W.
type Penalised interface {
	Problem
	// Penalise sets the penalties on V and W of the next step. Begin needs those on the squares.
	Penalise(v, w Penalty)
	// Balance multiplies each V_:k by a power of two and divides W_k: by it, so that no penalty is far
	// above the other one, given the penalties on V and W. Fixed factors, and those whose entries have
	// the sum 1, do not change.
	Balance(v, w Penalty)
	// ClearLost clears every factor whose column of V or row of W has vanished.
	ClearLost()

	// Revive draws every factor anew whose column of V or row of W has vanished, and returns the
	// number of these factors. random returns uniform numbers in [0, 1).
	Revive(random func() float64) int
	// Zeros returns the proportions s(V) and s(W) of negligible entries.
	Zeros() (v, w float64)
	// Shift multiplies V by a power of two and W by its reciprocal.
	Shift(c float64)
}

// Divergent is a problem of the divergence: of multiplicative updates and of coordinate steps. All
// sums are over the observed entries, with their weights.
type Divergent interface {
	Momentum
	// Null returns the sum of the entries of M, and the divergence of M from their mean.
	Null() (total, divergence float64)
	// Divergence returns the divergence of M from V W. It is +Inf if Infinite, and not a number if it
	// overflows.
	Divergence() float64
	// Infinite reports whether V W is 0 where M is positive, so that the divergence is infinite. The
	// divergences of the other functions are finite there, so that steps can leave such factors.
	Infinite() bool
	// Lift replaces the zeros of both factors by small numbers after Renew, but not those of fixed factors.
	// Renew must follow.
	Lift()
	// Begin forms the sums that the first update needs, and returns the divergence.
	Begin() float64
	// Renew is Iterate by coordinate steps, for each entry of both factors.
	Renew() float64
	// Conclude makes a plain update of V, and then one of W. It takes no note of a cancellation.
	// It changes nothing if its passes are aborted all the same.
	Conclude()
}
