package core

import (
	"nmu/lnmu/internal/state"
	"nmu/lnmu/outcome"
)

// BlockFields returns the fields of a block in a checkpoint, without the exact steps.
func BlockFields(b *outcome.Block) []state.Field {
	return []state.Field{state.Named("rank", &b.Rank), state.Named("iterations", &b.IterationsDone), state.Named("error", &b.Error), state.Named("l1", &b.L1), state.Divergence(&b.Divergence), state.Named("history", &b.History), state.Named("stop", (*string)(&b.Stop)), state.Named("lowered", &b.Lowered)}
}

// StepFields returns the fields of an exact step in a checkpoint.
func StepFields(s *outcome.ExactStep) []state.Field {
	return []state.Field{state.Named("factors", &s.Factors), state.Named("renewed", &s.Renewed), state.Named("kept", &s.Kept), state.Named("before", &s.Before), state.Named("after", &s.After), state.Named("violation", &s.Violation), state.Named("kkt", &s.KKT)}
}

// An error is not at rest if it fell by more than the share Moving in the last tenth of the iterations. Below an error of
// Fitted, M is fitted.
const Moving, Fitted = 0.001, 1e-6

// NotAtRest begins the note on a run that ended while its error still fell.
const NotAtRest = "the iterations have ended before the error was at rest"

// Exceeds begins the note on an underapproximation that exceeds M.
const Exceeds = "V W exceeds M by"
