// Package engine factors matrices with lnmu and times the iterations. It is the only
// package of bench that runs the library's methods.
package engine

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"nmu/bench/internal/machine"
)

// MinIterations is the smallest number of iterations that a Clock can time. A Clock leaves out
// the first iteration, which has no multipliers to update. It also leaves out the last one, whose
// update of the multipliers may belong to the next iteration.
const MinIterations = 3

// Clock measures the time between the ends of iterations, without setup, scaling and residual.
type Clock struct {
	Iterations  int       // of each factor
	Allocations bool      // whether to count allocations
	Single      []float64 // seconds of each iteration, as many as its capacity holds

	begun   time.Time
	total   time.Duration // from the end of the first iteration to the end of the last but one
	count   int           // iterations within total
	last    time.Time
	mallocs uint64
	before  runtime.MemStats
	after   runtime.MemStats // a field, since a local variable would be an allocation
}

// iterated records the end of iteration k.
func (c *Clock) iterated(k int) {
	switch {
	case k == 1:
		if c.Allocations {
			runtime.ReadMemStats(&c.before)
		}
		c.begun = time.Now()
		c.last = c.begun
	case k < c.Iterations && len(c.Single) < cap(c.Single):
		now := time.Now()
		c.Single = append(c.Single, now.Sub(c.last).Seconds())
		c.last = now
	}
	if k == c.Iterations-1 && c.Iterations >= MinIterations {
		c.total += time.Since(c.begun)
		c.count += k - 1
		if c.Allocations {
			runtime.ReadMemStats(&c.after)
			c.mallocs += c.after.Mallocs - c.before.Mallocs
		}
	}
}

// Timing holds the times of one factorization.
type Timing struct {
	Iteration     float64 // seconds per iteration
	Whole         float64 // seconds of the whole factorization
	Allocations   float64 // per iteration, if counted
	RelativeError float64
}

// Time times run, which calls iterated at the end of every iteration k = 1, 2, ... A
// factor whose iterations end early does not count. The error wraps machine.ErrUnmeasured
// if there is no iteration to time.
func (c *Clock) Time(ctx context.Context, run func(iterated func(k int)) (relativeError float64, err error)) (Timing, error) {
	runtime.GC() // avoids a collection during the measurement
	begun := time.Now()
	relative, err := run(c.iterated)
	whole := time.Since(begun).Seconds()
	if err != nil {
		return Timing{}, err
	}
	if err := ctx.Err(); err != nil {
		return Timing{}, err
	}
	if c.count == 0 {
		return Timing{}, fmt.Errorf("%w: %d iterations leave none to time; %d are needed", machine.ErrUnmeasured, c.Iterations, MinIterations)
	}
	n := float64(c.count)
	return Timing{
		Iteration: c.total.Seconds() / n, Whole: whole,
		Allocations: float64(c.mallocs) / n, RelativeError: relative,
	}, nil
}
