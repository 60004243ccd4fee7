// Package outcome describes what a run of package lnmu reached, and why it ended. The types have the JSON of the
// files that the command writes.
package outcome

import (
	"encoding/json"
	"time"
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

// Progress describes the progress of a run for display, or that of a comparison, whose runs count as
// restarts. The fields of a block are 0 there.
type Progress struct {
	Restart, Restarts     int           // 1-based
	Factor, Rank          int           // factors finished before the current block, of how many
	Iteration, Iterations int           // of the current block
	RelativeError         float64       // also with KL
	Elapsed, Remaining    time.Duration // Remaining is an estimate
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

	MissingSolver string `json:"missing_solver,omitempty"` // as the run used it, with the default of Settings.MissingSolver; empty without one

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

	// Lowered reports that RNMU.ThresholdV or ThresholdW was lowered, since the factor would
	// have vanished under it.
	Lowered bool `json:"lowered,omitempty"`

	// Exact holds the exact steps of GNMU.Feasible, in order: the first one for V, the
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

// ExactStep describes one exact step.
type ExactStep struct {
	Factors int    `json:"factors"` // number of factors by then
	Renewed string `json:"renewed"` // "V" (with W given) or "W" (with V given)
	Kept    bool   `json:"kept"`    // whether the factors were replaced

	// Before and After are the relative errors of V W before and after the step,
	// Violation is the largest violation before it; afterwards it is 0.
	Before    float64 `json:"relative_error_before"`
	After     float64 `json:"relative_error_after"`
	Violation float64 `json:"max_violation_before"`

	// KKT is the largest residual of the optimality conditions of the quadratic
	// programs, in the scale where every row (column) of M has norm 1, before the
	// solution was rounded to T; 0 for the closed solution.
	KKT float64 `json:"kkt"`
}

// Fit says how well weights were found. Its JSON is like that of Report.
type Fit struct {
	// RelativeError is ||M - V W||_F / ||M||_F, or 0 for M = 0. MaxViolation is
	// the largest entry of V W - M, or 0 if none is positive.
	//
	// For a sparse M of more than 2^24 entries, RelativeError comes from the squares of the rows of V W. Below about
	// 1e-7 it may be rounding if the residual on the entries of the rows where they cancel would take longer
	// than the sweeps. If the search for MaxViolation would, it is an upper bound, and
	// ViolationBound is true: see CSR.
	RelativeError  float64 `json:"relative_error"`
	MaxViolation   float64 `json:"max_violation"`
	ViolationBound bool    `json:"violation_bound,omitempty"`

	// RelativeDivergence is 0 without Divergence. With it, it is D(M | V W), divided by the
	// divergence of M from the mean of its entries, both for the columns that were found. It is +Inf if V W
	// is 0 where M is positive, as where a row of V is 0.
	RelativeDivergence float64 `json:"relative_divergence,omitempty"`

	IterationsDone int     `json:"iterations_done"` // the most sweeps that a column took; 0 with Feasible and SumToOne
	KKT            float64 `json:"kkt"`             // the largest KKT residual of a column
	Stop           Stop    `json:"stop"`            // StopTolerance, StopIterations if some column did not get there, or StopCancelled

	// Finished counts the columns of W that were found. After a cancelled context the
	// others are zero, and RelativeError and MaxViolation are those with them.
	Finished int `json:"finished"`
}

// Sparsity measures the columns of V or the rows of W after rounding by the 0.1 % rule: an
// entry counts as zero if it is "less than 0.1% of the largest entry in its column" of V, or
// row of W (section 4.4).
type Sparsity struct {
	Zeros float64 // s(·): the proportion of zeros (section 2.2)
	Hoyer float64 // sh(·): Hoyer's measure, mean over the nonzero vectors (section 4.1); 0 if all are zero
}
