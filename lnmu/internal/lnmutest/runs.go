package lnmutest

import (
	"context"
	"sync/atomic"

	"nmu/lnmu"
	"nmu/lnmu/factors"
)

// NameOf returns the name of a method.
func NameOf(method lnmu.Method) string { return method.Name() }

// Underapproximation returns R-NMU by blocks of factors, or G-NMU for a block of 0.
func Underapproximation(block int, l lnmu.GNMU) lnmu.Method {
	if block == 0 {
		return l
	}
	return lnmu.RNMU{GNMU: l, Block: block}
}

// AugmentedOf returns GNMU or RNMU by the augmented Lagrangian.
func AugmentedOf(block int, rho float64, steps int) lnmu.Method {
	l := lnmu.GNMU{Solver: lnmu.SolverADMM, Rho: rho, Inner: steps, ResidualTolerance: 1e-300}
	return Underapproximation(block, l)
}

// Countdown is a context that is cancelled after a number of calls of Err.
type Countdown struct {
	context.Context
	left atomic.Int64

	Asked atomic.Int64 // the calls of Err
}

// NewCountdown returns a Countdown that is cancelled after asks calls.
func NewCountdown(asks int64) *Countdown {
	c := &Countdown{Context: context.Background()}
	c.left.Store(asks)
	return c
}

// Err counts the call.
func (c *Countdown) Err() error {
	c.Asked.Add(1)
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// SameBits reports whether two results are the same, bit for bit.
func SameBits[T lnmu.Float](a, b *lnmu.Result[T]) bool {
	return factors.SHA256(a.V) == factors.SHA256(b.V) && factors.SHA256(a.W) == factors.SHA256(b.W) && a.RelativeError == b.RelativeError && a.MaxViolation == b.MaxViolation
}
