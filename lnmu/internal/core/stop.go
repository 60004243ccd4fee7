package core

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
