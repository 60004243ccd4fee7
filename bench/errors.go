package bench

import "nmu/bench/internal/machine"

// Errors of this package. Its functions return errors that wrap them.
var (
	ErrOption     = machine.ErrOption
	ErrUnmeasured = machine.ErrUnmeasured
)
