package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"nmu/lnmu"
)

// leastIterations is the number of iterations from which a clock can tell the
// time of one. The first is no measure, since it has no multipliers to update. Nor is
// the last: the update of the multipliers that follows from it may belong to the next.
const leastIterations = 3

// clock tells the time of iterations by their ends: no setup, no scaling, no residual
// is counted. It also counts allocations, if told to.
type clock struct {
	iterations int // of each factor

	begun   time.Time
	total   time.Duration // from the end of iteration 1 to that of the last but one
	count   int           // iterations within total
	single  []float64     // seconds of each, if it has room
	last    time.Time
	memory  bool // whether to count allocations
	mallocs uint64
	before  runtime.MemStats
	after   runtime.MemStats // not a local variable: that would be an allocation of its own
}

// iterated notes the end of iteration k of a factor, or of all.
func (c *clock) iterated(k int) {
	switch {
	case k == 1:
		if c.memory {
			runtime.ReadMemStats(&c.before)
		}
		c.begun = time.Now()
		c.last = c.begun
	case k < c.iterations && len(c.single) < cap(c.single):
		now := time.Now()
		c.single = append(c.single, now.Sub(c.last).Seconds())
		c.last = now
	}
	if k == c.iterations-1 && c.iterations >= leastIterations {
		c.total += time.Since(c.begun)
		c.count += k - 1
		if c.memory {
			runtime.ReadMemStats(&c.after)
			c.mallocs += c.after.Mallocs - c.before.Mallocs
		}
	}
}

// timing is what one factorization took.
type timing struct {
	iteration     float64 // seconds per iteration
	whole         float64 // seconds of Factor
	mallocs       float64 // per iteration, if counted
	relativeError float64
}

// factor runs lnmu.Factor once, watched by c. A matrix whose recursion ends
// early is measured by the factors that were computed in full.
func (c *clock) factor(ctx context.Context, run func(iterated func(k int)) (relativeError float64, err error)) (timing, error) {
	runtime.GC() // not in the middle of the measurement
	begun := time.Now()
	relative, err := run(c.iterated)
	whole := time.Since(begun).Seconds()
	if err != nil {
		return timing{}, err
	}
	if err := ctx.Err(); err != nil {
		return timing{}, err
	}
	if c.count == 0 {
		return timing{}, fmt.Errorf("%w: %d iterations leave none to time; %d are needed", ErrUnmeasured, c.iterations, leastIterations)
	}
	n := float64(c.count)
	return timing{
		iteration: c.total.Seconds() / n, whole: whole,
		mallocs: float64(c.mallocs) / n, relativeError: relative,
	}, nil
}

// factorOnce factors once with the given settings and those of c, from the seed 1
// unless factor has a start, and times it.
func factorOnce[T lnmu.Float](ctx context.Context, c *clock, settings lnmu.Settings, factor func(*lnmu.Settings) (*lnmu.Result[T], error)) (timing, error) {
	return c.factor(ctx, func(iterated func(int)) (float64, error) {
		settings.Iterated = iterated
		settings.Restarts = 1
		settings.Seed = 1
		settings.Iterations = c.iterations
		res, err := factor(&settings)
		if err != nil {
			return 0, err
		}
		return res.RelativeError, nil
	})
}

// once factors the problem.
func (p *problem) once(ctx context.Context, c *clock, method lnmu.Method, t Type, threads int) (timing, error) {
	settings := lnmu.Settings{Threads: threads}
	if t == Float32 {
		return factorOnce(ctx, c, settings, func(s *lnmu.Settings) (*lnmu.Result[float32], error) {
			return lnmu.Factor(ctx, p.single, p.rank, method, s)
		})
	}
	return factorOnce(ctx, c, settings, func(s *lnmu.Settings) (*lnmu.Result[float64], error) {
		return lnmu.Factor(ctx, p.m, p.rank, method, s)
	})
}

// sample factors the problem until that has taken at least the given time, and
// returns the means.
func (p *problem) sample(ctx context.Context, method lnmu.Method, t Type, threads, iterations int, least time.Duration) (timing, error) {
	var sum timing
	runs := 0.0
	for ok := true; ok; ok = sum.whole < least.Seconds() {
		one, err := p.once(ctx, &clock{iterations: iterations}, method, t, threads)
		if err != nil {
			return timing{}, fmt.Errorf("bench: %s on %s: %w", nameOf(method), p.name, err)
		}
		sum.iteration += one.iteration
		sum.whole += one.whole
		sum.relativeError = one.relativeError
		runs++
	}
	sum.iteration /= runs
	sum.whole /= runs
	return sum, nil
}
