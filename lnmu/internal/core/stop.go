package core

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
