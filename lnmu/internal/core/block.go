package core

import "nmu/lnmu/internal/state"

// Block describes the factors that were found together. Its fields are those of outcome.Block.
type Block struct {
	Rank       int
	Iterations int
	Stop       Stop
	Error, L1  float64
	Divergence float64
	History    []float64
	Lowered    bool
	Exact      []ExactStep
}

// Fields returns the fields of a block in a checkpoint, without the exact steps.
func (b *Block) Fields() []state.Field {
	return []state.Field{state.Named("rank", &b.Rank), state.Named("iterations", &b.Iterations), state.Named("error", &b.Error), state.Named("l1", &b.L1), state.Divergence(&b.Divergence), state.Named("history", &b.History), state.Named("stop", (*string)(&b.Stop)), state.Named("lowered", &b.Lowered)}
}

// ExactStep describes one exact step. Its fields are those of outcome.ExactStep.
type ExactStep struct {
	Factors                  int
	Renewed                  string
	Kept                     bool
	Before, After, Violation float64
	KKT                      float64
}

// Fields returns the fields of an exact step in a checkpoint.
func (s *ExactStep) Fields() []state.Field {
	return []state.Field{state.Named("factors", &s.Factors), state.Named("renewed", &s.Renewed), state.Named("kept", &s.Kept), state.Named("before", &s.Before), state.Named("after", &s.After), state.Named("violation", &s.Violation), state.Named("kkt", &s.KKT)}
}

// An error is not at rest if it fell by more than the share Moving in the last tenth of the iterations. Below an error of
// Fitted, M is fitted.
const Moving, Fitted = 0.001, 1e-6

// NotAtRest begins the note on a run that ended while its error still fell.
const NotAtRest = "the iterations have ended before the error was at rest"

// Exceeds begins the note on an underapproximation that exceeds M.
const Exceeds = "V W exceeds M by"

// Stop is the reason why the iterations ended.
type Stop string

// The reasons, as package lnmu describes them.
const (
	StopIterations Stop = "iterations"
	StopTolerance  Stop = "tolerance"
	StopResidual   Stop = "residual"
	StopTarget     Stop = "target error"
	StopExact      Stop = "exact"
	StopStep       Stop = "step underflow"
	StopVanished   Stop = "vanished"
	StopLeft       Stop = "left"
	StopTime       Stop = "time limit"
	StopCancelled  Stop = "cancelled"
)
