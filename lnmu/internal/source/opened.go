package source

import (
	"math"
	"time"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/start"
)

// Opened is an M that is to be factored: dense or sparse, in memory or in files. The methods are
// called in this order, by all processes together.
type Opened[T kernel.Float] interface {
	// Survey checks every entry of M. If the run is over before M was read once, the error is
	// group.ErrInterrupted.
	Survey() (Survey, error)

	// Storage returns M for a run. v and w are the given start, or zero matrices if there is
	// none. f has the fixed factors of all processes.
	Storage(v, w kernel.Matrix[T], f start.Fixed[T]) core.Storage

	// Measure compares V and W with M, in the place of a run.
	Measure(v, w kernel.Matrix[T]) (Measured, error)

	// Result returns V and W. They belong to the part of M that this process was given.
	Result(f core.Factors) (v, w kernel.Matrix[T])

	// Transfers returns the bytes that an iteration of one block of factors reads from files, and writes to them.
	Transfers() (reads, writes float64)

	// Close removes the files.
	Close()
}

// Survey holds what is known of M after it was read once.
type Survey struct {
	Norm, Largest float64
	Entries       int           // that are stored, in all processes
	Reading       time.Duration // the time of reading M once, if it is in files
}

// Measured holds what is measured of V W: the residual M - V W, the α that minimises
// ||M - α V W||, which is not a finite number if V W = 0, and the residual of α V W.
type Measured struct {
	E      core.Residual
	Alpha  float64
	Scaled core.Residual
}

// Fitted reports whether α is a finite number.
func (m Measured) Fitted() bool { return !math.IsNaN(m.Alpha) && !math.IsInf(m.Alpha, 0) }

// CheckNorm returns an error if the matrix of that name holds an entry that is negative or not
// finite, or if its squares leave the range of T.
func CheckNorm[T kernel.Float](name string, m kernel.Matrix[T], threads int) error {
	_, _, err := Whole(m).Norm(name, threads)
	return err
}
