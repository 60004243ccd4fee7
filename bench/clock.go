package bench

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"nmu/lnmu"
)

// leastIterations is the number of iterations from which a clock can tell the
// time of one: the first is no measure, since it has no multipliers to update,
// and the last has no end.
const leastIterations = 3

// clock tells the time of iterations by looking at the step lengths µ_k that the
// algorithm asks for at the start of each: no setup, no scaling, no residual is
// counted. It also counts allocations, if told to.
type clock struct {
	iterations int // of each factor

	begun   time.Time
	total   time.Duration // from the start of iteration 2 to that of the last
	count   int           // iterations within total
	single  []float64     // seconds of each, if it has room
	last    time.Time
	memory  bool // whether to count allocations
	mallocs uint64
	before  runtime.MemStats
	after   runtime.MemStats // not a local variable: that would be an allocation of its own
}

// step is the paper's sequence 1/k.
func (c *clock) step(k int) float64 {
	switch {
	case k == 2:
		if c.memory {
			runtime.ReadMemStats(&c.before)
		}
		c.begun = time.Now()
		c.last = c.begun
	case k > 2 && len(c.single) < cap(c.single):
		now := time.Now()
		c.single = append(c.single, now.Sub(c.last).Seconds())
		c.last = now
	}
	if k == c.iterations && k >= leastIterations {
		c.total += time.Since(c.begun)
		c.count += k - 2
		if c.memory {
			runtime.ReadMemStats(&c.after)
			c.mallocs += c.after.Mallocs - c.before.Mallocs
		}
	}
	return 1 / float64(k)
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
func (c *clock) factor(ctx context.Context, run func(step func(int) float64) (float64, error)) (timing, error) {
	runtime.GC() // not in the middle of the measurement
	begun := time.Now()
	relative, err := run(c.step)
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

// factorOnce factors m once from the seed 1, or the start in opt, and times it.
func factorOnce[T lnmu.Float](ctx context.Context, c *clock, m lnmu.Dense[T], opt lnmu.Options[T]) (timing, error) {
	return c.factor(ctx, func(step func(int) float64) (float64, error) {
		opt.Step = step
		opt.Restarts = 1
		opt.Seed = 1
		opt.Iterations = c.iterations
		if opt.Method != lnmu.NMF {
			opt.Inner = inner
		}
		res, err := lnmu.Factor(ctx, m, opt)
		if err != nil {
			return 0, err
		}
		return res.RelativeError, nil
	})
}

// once factors the problem.
func (p *problem) once(ctx context.Context, c *clock, method lnmu.Method, t Type, threads int) (timing, error) {
	if t == Float32 {
		return factorOnce(ctx, c, p.single, lnmu.Options[float32]{Method: method, Rank: p.rank, Threads: threads})
	}
	return factorOnce(ctx, c, p.m, lnmu.Options[float64]{Method: method, Rank: p.rank, Threads: threads})
}

// sample factors the problem until that has taken at least the given time, and
// returns the means.
func (p *problem) sample(ctx context.Context, method lnmu.Method, t Type, threads, iterations int, least time.Duration) (timing, error) {
	var sum timing
	runs := 0.0
	for ok := true; ok; ok = sum.whole < least.Seconds() {
		one, err := p.once(ctx, &clock{iterations: iterations}, method, t, threads)
		if err != nil {
			return timing{}, fmt.Errorf("bench: %s on %s: %w", method, p.name, err)
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
