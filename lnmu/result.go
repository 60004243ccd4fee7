package lnmu

import (
	"fmt"
	"math"

	"nmu/lnmu/internal/core"
)

// Stop is the reason why the iterations ended.
type Stop string

const (
	StopIterations Stop = "iterations"     // all iterations were done
	StopTolerance  Stop = "tolerance"      // the error hardly changed any more (every block)
	StopResidual   Stop = "residual"       // the constraints hold nearly (SolverADMM; every block)
	StopTarget     Stop = "target error"   // the error reached TargetError
	StopExact      Stop = "exact"          // nothing was left to factor
	StopStep       Stop = "step underflow" // no step of Hoyer made the error smaller
	StopVanished   Stop = "vanished"       // zero is the best underapproximation that this start leads to
	StopTime       Stop = "time limit"     // TimeLimit was over
	StopCancelled  Stop = "cancelled"      // the context was cancelled
)

// Result is a factorization M ≈ V W and how it came about. Of a Part, V has
// the rows of the part of this process alone, or if M is wide, W its columns, maybe none;
// the other factor is whole, and a DistributedFactor reads the whole of this one.
type Result[T Float] struct {
	V Dense[T] // basis, m x r
	W Dense[T] // weights, r x n

	// RelativeError is ||M - V W||_F / ||M||_F, from the residual itself; 0 for
	// M = 0.
	RelativeError float64

	// RelativeL1 is Σ|M - V W| / Σ|M| with Norm L1, else 0.
	RelativeL1 float64

	// MaxViolation is the largest entry of V W - M, or 0 if none is positive. For
	// a large sparse M it is an upper bound, see CSR; ViolationBound
	// says so.
	MaxViolation   float64
	ViolationBound bool

	// RelativeViolation is ||max(0, V W - M)||_F / ||M||_F, the part of RelativeError
	// that is above M; 0 for M = 0.
	RelativeViolation float64

	// Blocks are the blocks of factors of a recursion, in order; other methods find
	// all factors in one.
	Blocks []Block

	// Revived counts the factors that vanished under the penalties of SNMF and
	// were re-initialised (section 4.6), in the winning run.
	Revived int

	Stop        Stop
	Seed        uint64 // of the winning run
	BestRestart int    // 1-based

	// RestartsBegun counts the runs that were begun, RestartsFinished those that
	// were not cut short by a time limit or a cancelled context: of these V and W
	// are the best, or if there is none, the state of the first.
	RestartsBegun, RestartsFinished int

	LargestEntry float64 // of M

	Level string // instruction level of the kernels
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

// Block is what was found about the factors that were found together.
type Block struct {
	Rank       int // the number of factors by then
	Iterations int
	Stop       Stop // why its iterations ended

	// Error is the relative error of V W with these factors, and L1 its RelativeL1
	// with Norm L1, else 0. The latter never rises from block to block; the former
	// may, in either norm.
	Error, L1 float64

	// History holds the relative errors so far, every CheckEvery iterations; empty
	// without Tolerance, TargetError and Record.
	History []float64

	// Lowered says that Priors.PenaltyV or PenaltyW would have left nothing of the
	// factor, so that it was lowered.
	Lowered bool

	// Exact holds the exact steps that Lagrangian.Feasible asked for, in order: the
	// first one for V, the first one for W, and those that follow. With FeasibleFinal
	// they are in the last block, for all factors; the errors of the blocks are those
	// before.
	Exact []ExactStep
}

// blocksOf and coreBlocks convert blocks from and to those of the engine.
func blocksOf(blocks []core.Block) []Block {
	var all []Block
	for _, b := range blocks {
		var exact []ExactStep
		for _, e := range b.Exact {
			exact = append(exact, ExactStep(e))
		}
		all = append(all, Block{b.Rank, b.Iterations, Stop(b.Stop), b.Error, b.L1, b.History, b.Lowered, exact})
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
		all = append(all, core.Block{Rank: b.Rank, Iterations: b.Iterations, Stop: core.Stop(b.Stop), Error: b.Error, L1: b.L1, History: b.History, Lowered: b.Lowered, Exact: exact})
	}
	return all
}
