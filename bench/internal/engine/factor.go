package engine

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"nmu/bench/internal/machine"
	"nmu/bench/internal/subject"
	"nmu/lnmu"
)

// Factor factors a matrix once, timed by c, with c.Iterations iterations from the seed 1
// or from the start of the source.
func Factor[T lnmu.Float](ctx context.Context, c *Clock, source Source[T], rank int, method lnmu.Method, threads int) (Timing, error) {
	return c.Time(ctx, func(iterated func(int)) (float64, error) {
		res, err := source(ctx, rank, method, &lnmu.Settings{
			Threads: threads, Restarts: 1, Seed: 1, Iterations: c.Iterations, Iterated: iterated,
		})
		if err != nil {
			return 0, err
		}
		return res.RelativeError, nil
	})
}

// FactorProblem factors a problem once in the given precision, timed by c.
func FactorProblem(ctx context.Context, c *Clock, p *subject.Problem, method lnmu.Method, t machine.Type, threads int) (Timing, error) {
	if t == machine.Float32 {
		return Factor(ctx, c, Dense(p.Single), p.Rank, method, threads)
	}
	return Factor(ctx, c, Dense(p.M), p.Rank, method, threads)
}

// Sample factors a problem repeatedly for at least the time least. It returns the mean times and
// the relative error of the last run.
func Sample(ctx context.Context, p *subject.Problem, method subject.Method, t machine.Type, threads, iterations int, least time.Duration) (Timing, error) {
	var sum Timing
	runs := 0.0
	for ok := true; ok; ok = sum.Whole < least.Seconds() {
		one, err := FactorProblem(ctx, &Clock{Iterations: iterations}, p, method.Method, t, threads)
		if err != nil {
			return Timing{}, fmt.Errorf("bench: %s on %s: %w", method.Name, p.Name, err)
		}
		sum.Iteration += one.Iteration
		sum.Whole += one.Whole
		sum.RelativeError = one.RelativeError
		runs++
	}
	sum.Iteration /= runs
	sum.Whole /= runs
	return sum, nil
}

// Occupy factors a matrix for the given time.
func Occupy[T lnmu.Float](ctx context.Context, source Source[T], rank int, method lnmu.Method, threads int, span time.Duration) error {
	_, err := source(ctx, rank, method, &lnmu.Settings{
		Restarts: 1, Seed: 1, Threads: threads, Iterations: 1 << 30, TimeLimit: span,
	})
	return err
}

// Goal holds the start and the stopping rules of a solver.
type Goal struct {
	Seed        uint64
	Iterations  int     // maximum number
	TargetError float64 // stops the factorization; tested after every iteration; 0 means none
}

// Solution describes a finished factorization.
type Solution struct {
	Seconds                          float64
	RelativeError, RelativeViolation float64
	Iterations                       int // of all factors
}

// Solve factors a matrix up to the goal and times the whole.
func Solve[T lnmu.Float](ctx context.Context, source Source[T], rank int, method lnmu.Method, threads int, goal Goal) (Solution, error) {
	settings := lnmu.Settings{Seed: goal.Seed, Iterations: goal.Iterations, Restarts: 1, Threads: threads}
	if goal.TargetError > 0 {
		settings.TargetError, settings.CheckEvery = goal.TargetError, 1
	}
	runtime.GC() // avoids a collection during the measurement
	begun := time.Now()
	res, err := source(ctx, rank, method, &settings)
	took := time.Since(begun).Seconds()
	if err != nil {
		return Solution{}, err
	}
	s := Solution{Seconds: took, RelativeError: res.RelativeError, RelativeViolation: res.RelativeViolation}
	for _, b := range res.Blocks {
		s.Iterations += b.Iterations
	}
	return s, nil
}
