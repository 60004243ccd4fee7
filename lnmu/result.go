package lnmu

import (
	"fmt"
	"math"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/outline"
	"nmu/lnmu/internal/source"
)

// Stop is the reason why the iterations ended.
type Stop string

const (
	StopIterations Stop = "iterations"     // all iterations were done
	StopTolerance  Stop = "tolerance"      // the error hardly changed any more (every block)
	StopResidual   Stop = "residual"       // the primal residual is small (SolverADMM; every block)
	StopTarget     Stop = "target error"   // the error reached TargetError
	StopExact      Stop = "exact"          // nothing was left to factor
	StopStep       Stop = "step underflow" // no step of Hoyer made the error smaller
	StopVanished   Stop = "vanished"       // zero is the best underapproximation that this start leads to
	StopTime       Stop = "time limit"     // TimeLimit was reached
	StopCancelled  Stop = "cancelled"      // the context was cancelled
)

// Result is a factorization M ≈ V W and the record of its run. Of a Part of a tall M, V holds
// the rows of this process alone, maybe none; of a wide M, W holds its columns. The other
// factor is whole. Part.Factors gives access to the whole of both.
type Result[T Float] struct {
	V Dense[T] // basis, m x r
	W Dense[T] // weights, r x n

	// RelativeError is ||M - V W||_F / ||M||_F, from the residual itself. It is 0 for M = 0.
	RelativeError float64

	// RelativeL1 is Σ|M - V W| / Σ|M| with Norm L1, else 0.
	RelativeL1 float64

	// RelativeDivergence is D(M | V W) with the method KL, over the divergence of M from the mean
	// of its entries, else 0. 1 - RelativeDivergence is the proportion of the deviance of M that
	// V W explains. If the mean leaves no deviance, up to rounding, it is D over the sum of M. It is +Inf
	// if V W is 0 where M is positive, as is the History of a state with such factors.
	RelativeDivergence float64

	// MaxViolation is the largest entry of V W - M, or 0 if none is positive. If
	// ViolationBound, it is an upper bound: see CSR.
	MaxViolation   float64
	ViolationBound bool

	// RelativeViolation is ||max(0, V W - M)||_F / ||M||_F: RelativeError of the entries where
	// V W exceeds M. It is 0 for M = 0.
	RelativeViolation float64

	// Q is the sum of w (M - V W)² over the observed entries, with the weights w as they were given, also
	// equal ones. ExpectedQ is its expectation, ExpectedQ of this package, if w are the reciprocals of the squares
	// of standard deviations. Without weights both are 0.
	Q, ExpectedQ float64

	// Blocks are the blocks of factors of a recursion, in order; other methods find
	// all factors in one.
	Blocks []Block

	// Revived counts the factors of the winning run that vanished under the penalties of
	// SNMF and were drawn anew (section 4.6).
	Revived int

	Stop        Stop
	Seed        uint64 // of the winning run
	BestRestart int    // 1-based

	// RestartsBegun counts the runs that began, RestartsFinished those that neither a time
	// limit nor a cancellation ended. V and W are the best of the finished ones or, if none
	// has finished, the state of the first.
	RestartsBegun, RestartsFinished int

	LargestEntry float64 // of M

	MissingSolver MissingSolver // as the run used it, with the default of Settings.MissingSolver; empty without one

	Level string // instruction level of the kernels

	// Notes say what a caller might not expect: penalties that leave nothing of V and W or had to be
	// lowered, or a missing solver that is not for the weights.
	Notes []string

	divergence, sumToOne bool    // what the method minimises, and demands of W: for Transform
	noise                float64 // bound on the rounding errors of RelativeError² and RelativeViolation², for the notes
}

// weigh sets Q and ExpectedQ, given M and its survey, in whose norm the largest weight is 1.
func (res *Result[T]) weigh(m outline.Matrix, of source.Survey) {
	w := m.Entries.Largest
	if w == 0 {
		return
	}
	left := float64(res.RelativeError * of.Norm)
	observed := m.Rows*m.Cols - m.Entries.Missing
	if m.StoredOnly {
		observed = of.Entries
	}
	res.Q, res.ExpectedQ = float64(w*left*left), ExpectedQ(observed, res.V.Cols, m.Rows, m.Cols)
}

// ExpectedQ returns the expectation of Q at so many observed entries of an m x n matrix: their number without
// that of the numbers in V and W, but for the scale of each factor. It is 0 if V and W have more.
func ExpectedQ(observed, rank, m, n int) float64 {
	return math.Max(0, float64(observed)-float64(float64(rank)*float64(m+n-1)))
}

// inRange returns an error if one of the measures of V W is not finite.
func inRange[T Float](measures ...float64) error {
	for _, x := range measures {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%w: V W is beyond the range of %T; scale M or the start", ErrValue, T(0))
		}
	}
	return nil
}

// Block describes factors that were computed together.
type Block struct {
	Rank       int // the number of factors by then
	Iterations int
	Stop       Stop // why its iterations ended

	// Error is the relative error of V W up to these factors. L1 is the RelativeL1 with Norm
	// L1, else 0. L1 never rises from block to block; Error may, in either norm.
	Error, L1 float64

	// Divergence is the RelativeDivergence with the method KL, else 0.
	Divergence float64

	// History holds the relative errors, of KL the relative divergences, one for every CheckEvery iterations. It is empty
	// without Tolerance, TargetError and Record.
	History []float64

	// Lowered reports that Priors.PenaltyV or PenaltyW was lowered, since the factor would
	// have vanished under it.
	Lowered bool

	// Exact holds the exact steps of Lagrangian.Feasible, in order: the first one for V, the
	// first one for W, and the following ones. With FeasibleFinal the last block has them,
	// for all factors, and the errors of all blocks are those after these steps.
	Exact []ExactStep
}

// blocksOf converts blocks from those of the engine, coreBlocks to them.
func blocksOf(blocks []core.Block) []Block {
	var all []Block
	for _, b := range blocks {
		var exact []ExactStep
		for _, e := range b.Exact {
			exact = append(exact, ExactStep(e))
		}
		all = append(all, Block{b.Rank, b.Iterations, Stop(b.Stop), b.Error, b.L1, b.Divergence, b.History, b.Lowered, exact})
	}
	return all
}

func coreBlocks(blocks []Block) []core.Block {
	var all []core.Block
	for _, b := range blocks {
		var exact []core.ExactStep
		for _, e := range b.Exact {
			exact = append(exact, core.ExactStep(e))
		}
		all = append(all, core.Block{Rank: b.Rank, Iterations: b.Iterations, Stop: core.Stop(b.Stop), Error: b.Error, L1: b.L1, Divergence: b.Divergence, History: b.History, Lowered: b.Lowered, Exact: exact})
	}
	return all
}
