package core

import "nmu/lnmu/internal/state"

// Residual sums up E = M - V W.
type Residual struct {
	Squares  float64 // of its entries
	Excess   float64 // of its negative ones
	Least    float64 // the least entry, or 0 if none is negative
	Absolute float64 // the sum of the absolute values, if the norm is l1
}

// Plus returns what two parts of a residual come to.
func (a Residual) Plus(b Residual) Residual {
	return Residual{a.Squares + b.Squares, a.Excess + b.Excess, min(a.Least, b.Least), a.Absolute + b.Absolute}
}

// Problem is what is left of M, its state N = M - Λ, and factors of some rank on their way. How
// M is stored, which of its entries are observed, and which threads and processes share it,
// is the affair of the problem.
type Problem interface {
	Rank() int

	// Reset sets Λ = 0, that is N = max(0, E), and reports whether anything is left of
	// what is to be factored.
	Reset() (left bool)
	// Start sets the factors to those from k0 on of the start.
	Start(k0 int)
	// Fix sets what is fixed of the factors, and lets nothing change it.
	Fix(k0 int)
	// Resume sets the factors to those from k0 on of factors that are finished.
	Resume(k0 int, finished Factors)
	// Scale multiplies both factors by the number that brings V W nearest to N (equation
	// (scaling)).
	Scale()
	// Clear sets the factors to zero, but for those that are fixed.
	Clear()
	// Residual returns that of the factors, which are the ones from k0 on, and leaves it
	// in the place of M if told to.
	Residual(k0 int, keep bool) Residual
	// Finish stores the factors in the place, as those from k0 on.
	Finish(k0 int)

	// Energy returns ||V W||² - 2 <M, V W> after a step, from its sums. It is not ok where
	// there are no such sums, or where M is in memory, so that Residual costs little.
	Energy() (energy float64, ok bool)

	// Round begins an iteration, for the threads.
	Round()
	// Begin forms what the first HALS step needs of the factors.
	Begin()
	// Step makes a HALS step on N, V first.
	Step()
	// Aborted reports whether the last pass was cut short, so that what it has summed up
	// is of no use.
	Aborted() bool
	// State returns what the iterations change.
	State() []state.Field

	// Relax returns the problem with the constraint V W <= M in its multipliers, and the
	// mean of M in parts of its largest entry, if the zeros of M have one multiplier, or 0.
	Relax(r Relaxation) (p Relaxed, mean float64)
	// Accelerate returns the problem for the accelerated solver, with at most so many sweeps
	// for each product with M. 0 stands for as many as pay.
	Accelerate(sweeps int) Accelerated
}

// Relaxation is how a constraint is relaxed.
type Relaxation struct {
	Rho       float64 // the first penalty of the augmented Lagrangian, or 0 for Algorithm L-NMU
	FromStart bool    // Λ begins with max(0, V W - M)
	L1        bool    // the norm is l1
	V, W      Prior   // what is known of one factor
}

// Prior is what is known of a factor beforehand, as package lnmu describes it.
type Prior struct {
	Penalty, Sparsity float64
	Smooth            float64
	Absolute          bool // the norm of differences is l1
	Height, Width     int  // of the picture that it shows
}

// Relaxed is a problem of Algorithm L-NMU: its constraint V W <= M is in the multipliers.
type Relaxed interface {
	// Keep begins an iteration: it remembers the factors. In this iteration the multiplier
	// of the zeros of a sparse M is zeros times the largest entry of M.
	Keep(zeros float64)
	// Step makes a HALS step, the first or the last one of an iteration whose update of
	// the multipliers has the length mu, and reports whether anything is left of V and W.
	// It may make that update within the last step.
	Step(mu float64, first, last bool) (alive bool)
	// Update updates the multipliers, at the latest before the next step.
	Update(mu float64)
	// Restore brings the factors of Keep back and halves the multipliers.
	Restore()
	// Multiplied reports whether Λ is not zero. Factors that vanish although it is zero
	// are zero: that is the best that HALS finds from this start.
	Multiplied() bool
	// Clear sets the factors to zero, but for those that are fixed.
	Clear()
	// State returns what the iterations change.
	State() []state.Field
}

// Lowering is a Relaxed that may have lowered a penalty, as it would have left nothing.
type Lowering interface{ Lowered() bool }

// Augmented is a problem of the augmented Lagrangian, whose multipliers are G.
type Augmented interface {
	Relaxed
	// SetPenalty makes ρ the penalty, and leaves the slack as it is.
	SetPenalty(rho float64)
	// Primal returns ||M - V W - S||², after the update that is pending.
	Primal() float64
}

// Accelerated is a problem of the accelerated solver.
type Accelerated interface {
	// Iterate makes an iteration with the given β, and returns ||V W||² - 2 <M, V W>, or
	// +Inf if it was cut short.
	Iterate(beta float64) float64
	// Penalties returns what the penalties add to the square of the error.
	Penalties() float64
	// Back makes the factors those before the iteration.
	Back()
	// State returns what the iterations change.
	State() []state.Field
}

// Penalised is a problem with l1 penalties, those of SNMF.
type Penalised interface {
	Problem
	// Penalise sets the penalties on V and W of the next step.
	Penalise(v, w float64)
	// ClearLost clears what is left of a factor whose other side has vanished.
	ClearLost()
}

// Adaptive is a Penalised whose penalties follow the zeros of its factors.
type Adaptive interface {
	Penalised
	// Revive makes every factor of which one side has vanished a random one, and returns
	// their number. The numbers, uniform in [0, 1), are drawn by random.
	Revive(random func() float64) int
	// Zeros returns the proportions s(V) and s(W) of negligible entries.
	Zeros() (v, w float64)
	// Shift multiplies V by a power of two and W by its reciprocal.
	Shift(c float64)
}
