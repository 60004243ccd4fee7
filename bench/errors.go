package bench

import "nmu/bench/internal/machine"

// Errors of this package; the errors it returns wrap them.
var (
	ErrOption     = machine.ErrOption
	ErrUnmeasured = machine.ErrUnmeasured
)
