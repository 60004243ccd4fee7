package lnmu

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/observed"
	"nmu/lnmu/internal/outline"
	"nmu/lnmu/internal/run"
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
	StopLeft       Stop = "left"           // of a restart: others had a smaller error by then
	StopTime       Stop = "time limit"     // TimeLimit was reached
	StopCancelled  Stop = "cancelled"      // the context was cancelled
)

// Result is a factorization M ≈ V W and the record of its run. Of a Part of a tall M, V holds
// the rows of this process alone, maybe none; of a wide M, W holds its columns. The other
// factor is whole. Part.Factors gives access to the whole of both.
type Result[T Float] struct {
	V Dense[T] // basis, m x r
	W Dense[T] // weights, r x n
	Report

	divergence, sumToOne bool    // what the method minimises, and demands of W: for Transform
	light                float64 // the median sum of the weights of a column in a start from columns of M, else 0
	fell                 float64 // part of the error, or of what the method minimises, by which it fell in the last tenth of the iterations
	noise                float64 // bound on the rounding errors of RelativeError² and RelativeViolation², for the notes
}

// Report is the record of a run: what it reached, and how it ended. Its JSON is that of result.json of the
// command, except that encoding/json refuses an infinite RelativeDivergence or Q.
type Report struct {
	// RelativeError is ||M - V W||_F / ||M||_F, from the residual itself. It is 0 for M = 0.
	RelativeError float64 `json:"relative_error"`

	// RelativeL1 is Σ|M - V W| / Σ|M| with Norm L1, else 0.
	RelativeL1 float64 `json:"relative_l1,omitempty"`

	// RelativeDivergence is D(M | V W) with the method KL, over the divergence of M from the mean
	// of its entries, else 0. 1 - RelativeDivergence is the proportion of the deviance of M that
	// V W explains. If the mean leaves no deviance, up to rounding, it is D over the sum of M. It is +Inf
	// if V W is 0 where M is positive, as is the History of a state with such factors.
	RelativeDivergence float64 `json:"relative_divergence,omitempty"`

	// MaxViolation is the largest entry of V W - M, or 0 if none is positive. If
	// ViolationBound, it is an upper bound: see CSR.
	MaxViolation   float64 `json:"max_violation"`
	ViolationBound bool    `json:"violation_bound,omitempty"`

	// RelativeViolation is ||max(0, V W - M)||_F / ||M||_F: RelativeError of the entries where
	// V W exceeds M. It is 0 for M = 0.
	RelativeViolation float64 `json:"relative_violation"`

	// Q is the sum of w (M - V W)² over the observed entries, with the weights w as they were given, also
	// equal ones. ExpectedQ is its expectation, the number of observed entries without that of the numbers in V and W but
	// for the scale of each factor, if w are the reciprocals of the squares
	// of standard deviations. Without weights both are 0.
	Q         float64 `json:"q,omitempty"`
	ExpectedQ float64 `json:"expected_q,omitempty"`

	// Blocks are the blocks of factors of a recursion, in order; other methods find
	// all factors in one.
	Blocks []Block `json:"blocks,omitempty"`

	// Revived counts the factors of the winning run that vanished under the penalties of
	// SNMF and were drawn anew (section 4.6).
	Revived int `json:"revived,omitempty"`

	Stop        Stop   `json:"stop"`
	BestSeed    uint64 `json:"best_seed"`    // of the winning run
	BestRestart int    `json:"best_restart"` // 1-based

	// RestartsBegun counts the runs that began, RestartsFinished those that neither a time
	// limit nor a cancellation ended. V and W are the best of the finished ones or, if none
	// has finished, the state of the first; in a race, the best that there is. Restarts says how far those of
	// several went that made their part of a race, or ended by themselves.
	RestartsBegun    int       `json:"restarts_begun"`
	RestartsFinished int       `json:"restarts_finished"`
	Restarts         []Restart `json:"restarts,omitempty"`

	LargestEntry float64 `json:"largest_entry"` // of M

	MissingSolver Choice `json:"missing_solver,omitempty"` // as the run used it, with the default of Settings.MissingSolver; empty without one

	Level string `json:"level"` // instruction level of the kernels

	// Notes say what a caller might not expect: penalties that leave nothing of V and W or had to be
	// lowered, or a missing solver that is not for the weights.
	Notes []string `json:"notes,omitempty"`
}

// Restart is a run from one of several starts.
type Restart struct {
	Seed           uint64 `json:"seed"`
	IterationsDone int    `json:"iterations_done"`
	Error          Real   `json:"error"` // what decides: the relative error, the RelativeL1 with Norm L1, or the RelativeDivergence with KL
	Stop           Stop   `json:"stop"`
}

// weigh sets Q and ExpectedQ, given M and its survey, in whose norm the largest weight is 1.
func (res *Result[T]) weigh(m outline.Matrix, of source.Survey) {
	w := m.Entries.Largest
	if w == 0 {
		return
	}
	left := float64(res.RelativeError * of.Norm)
	count := m.Rows*m.Cols - m.Entries.Missing
	if m.StoredOnly {
		count = of.Entries
	}
	res.Q, res.ExpectedQ = float64(w*left*left), observed.ExpectedQ(count, res.V.Cols, m.Rows, m.Cols)
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
	Rank           int  `json:"rank"` // the number of factors by then
	IterationsDone int  `json:"iterations_done"`
	Stop           Stop `json:"stop"` // why its iterations ended

	// Error is the relative error of V W up to these factors. L1 is the RelativeL1 with Norm
	// L1, else 0. L1 never rises from block to block; Error may, in either norm.
	Error float64 `json:"relative_error"`
	L1    float64 `json:"relative_l1,omitempty"`

	// Divergence is the RelativeDivergence with the method KL, else 0.
	Divergence float64 `json:"relative_divergence,omitempty"`

	// History holds the relative errors, of KL the relative divergences, one for every CheckEvery iterations. It is empty
	// without Tolerance, TargetError and Record.
	History []float64 `json:"history,omitempty"`

	// Lowered reports that Priors.ThresholdV or ThresholdW was lowered, since the factor would
	// have vanished under it.
	Lowered bool `json:"lowered,omitempty"`

	// Exact holds the exact steps of Lagrangian.Feasible, in order: the first one for V, the
	// first one for W, and the following ones. With FeasibleFinal the last block has them,
	// for all factors, and the errors of all blocks are those after these steps.
	Exact []ExactStep `json:"exact_steps,omitempty"`
}

// MarshalJSON implements json.Marshaler. Numbers are written as Real writes them.
func (b Block) MarshalJSON() ([]byte, error) {
	type block Block
	history := make([]Real, len(b.History))
	for i, e := range b.History {
		history[i] = Real(e)
	}
	return json.Marshal(struct {
		block
		Divergence Real   `json:"relative_divergence,omitempty"`
		History    []Real `json:"history,omitempty"`
	}{block(b), Real(b.Divergence), history})
}

// UnmarshalJSON implements json.Unmarshaler. Numbers are read as Real reads them.
func (b *Block) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil // as other structs
	}
	type block Block
	var x struct {
		block
		Divergence Real   `json:"relative_divergence"`
		History    []Real `json:"history"`
	}
	if err := json.Unmarshal(text, &x); err != nil {
		return err
	}
	*b = Block(x.block)
	b.Divergence = float64(x.Divergence)
	if x.History != nil {
		b.History = make([]float64, len(x.History))
	}
	for i, e := range x.History {
		b.History[i] = float64(e)
	}
	return nil
}

// Real is a number in JSON that may be infinite. JSON has no such number: it is null there.
type Real float64

// MarshalJSON implements json.Marshaler.
func (x Real) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(x), 1) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// UnmarshalJSON implements json.Unmarshaler.
func (x *Real) UnmarshalJSON(text []byte) (err error) {
	if string(text) == "null" {
		*x = Real(math.Inf(1))
		return nil
	}
	*(*float64)(x), err = strconv.ParseFloat(string(text), 64)
	return err
}

// restartsOf returns the restarts of a run, if there are several.
func restartsOf(r *run.Result, s Settings) (all []Restart) {
	for _, x := range r.Ran {
		if s.Restarts > 1 {
			all = append(all, Restart{s.Seed + uint64(x.Restart-1), x.Iterations, Real(x.Value), Stop(x.Stop)})
		}
	}
	return all
}

// blocksOf converts blocks from those of the engine, coreBlocks to them.
func blocksOf(blocks []core.Block) []Block {
	return converted(blocks, func(b core.Block) Block {
		exact := converted(b.Exact, func(e core.ExactStep) ExactStep { return ExactStep(e) })
		return Block{b.Rank, b.Iterations, Stop(b.Stop), b.Error, b.L1, b.Divergence, b.History, b.Lowered, exact}
	})
}

func coreBlocks(blocks []Block) []core.Block {
	return converted(blocks, func(b Block) core.Block {
		exact := converted(b.Exact, func(e ExactStep) core.ExactStep { return core.ExactStep(e) })
		return core.Block{Rank: b.Rank, Iterations: b.IterationsDone, Stop: core.Stop(b.Stop), Error: b.Error, L1: b.L1, Divergence: b.Divergence, History: b.History, Lowered: b.Lowered, Exact: exact}
	})
}

func converted[A, B any](a []A, one func(A) B) (b []B) {
	for _, x := range a {
		b = append(b, one(x))
	}
	return b
}
