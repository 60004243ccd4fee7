package lnmu

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"
	"unsafe"
)

// job is one call of Factor: what all its restarts share.
type job[T Float] struct {
	Options[T]
	ctx      context.Context
	source   Dense[T] // M as given; only the shape of it if M is sparse
	entries  int      // of M that are stored
	open     func(threads int) runner[T]
	norm     float64 // ||M||_F
	supports bool    // what is zero in the given V and W stays zero
	begun    time.Time
	deadline time.Time // zero: none

	mu    sync.Mutex // guards what follows
	next  int        // the last restart taken
	shown time.Time  // of the last progress report
	best  *Result[T]
	early *Result[T] // of a restart that did not finish
}

// runner is a place where the method runs from one start after the other.
type runner[T Float] interface {
	run(restart int) *Result[T]
	close()
}

func newJob[T Float](ctx context.Context, m Dense[T], opt Options[T], norm float64, begun time.Time) *job[T] {
	j := &job[T]{Options: opt, ctx: ctx, source: m, entries: m.Rows * m.Cols, norm: norm, begun: begun, shown: begun}
	j.open = func(threads int) runner[T] { return newAttempt(j, threads) }
	if opt.TimeLimit > 0 {
		j.deadline = begun.Add(opt.TimeLimit)
	}
	return j
}

// sideBySide is the size of M in bytes up to which restarts run at the same
// time, one thread each: several of them fit the cache, and a pass is too short
// to be shared well.
const sideBySide = 1 << 20

// restarts runs the method from every start and returns the result of least
// error; of equal ones, the first.
func (j *job[T]) restarts() (*Result[T], error) {
	teams, threads := 1, j.Threads
	var zero T
	if j.entries <= sideBySide/int(unsafe.Sizeof(zero)) {
		teams = min(j.Threads, j.Restarts)
		threads = j.Threads / teams
	}
	var wg sync.WaitGroup
	for range teams - 1 {
		wg.Go(func() { j.work(threads) })
	}
	j.work(threads)
	wg.Wait()

	res := j.best
	if j.early != nil {
		if res == nil {
			res = j.early
		}
		res.Stop = j.early.Stop
	}
	if j.Feasible == FeasibleFinal && res.Stop != StopCancelled && res.V.Cols > 0 {
		j.makeFeasible(res)
	}
	if res.Stop == StopCancelled {
		return res, fmt.Errorf("factorization stopped early: %w", context.Cause(j.ctx))
	}
	return res, nil
}

// work takes one restart after the other.
func (j *job[T]) work(threads int) {
	a := j.open(threads)
	defer a.close()
	for {
		j.mu.Lock()
		j.next++
		restart := j.next
		over := restart > j.Restarts || j.early != nil
		j.mu.Unlock()
		if over {
			return
		}
		j.settle(a.run(restart))
	}
}

// settle takes note of a result.
func (j *job[T]) settle(res *Result[T]) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if res.Stop == StopCancelled || res.Stop == StopTime {
		if j.early == nil || res.BestRestart < j.early.BestRestart {
			j.early = res
		}
		return
	}
	if j.best == nil || res.compare(j.best) < 0 {
		j.best = res
	}
}

// interrupted reports whether the work must end now, and why.
func (j *job[T]) interrupted() (Stop, bool) {
	switch {
	case j.ctx.Err() != nil:
		return StopCancelled, true
	case !j.deadline.IsZero() && !time.Now().Before(j.deadline):
		return StopTime, true
	}
	return "", false
}

// relative returns the relative error for a sum of squares of M - V W.
func (j *job[T]) relative(squares float64) float64 { return math.Sqrt(squares) / j.norm }

// progress reports a state to the caller, a few times per second.
func (j *job[T]) progress(restart, factor, iteration int, relative func() float64) {
	const interval = 200 * time.Millisecond
	if j.Progress == nil {
		return
	}
	now := time.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	if now.Sub(j.shown) < interval {
		return
	}
	j.shown = now
	blocks := float64((j.Rank + j.Block - 1) / j.Block)
	one := (float64(factor/j.Block) + float64(iteration)/float64(j.Iterations)) / blocks
	done := (float64(restart-1) + one) / float64(j.Restarts)
	elapsed := now.Sub(j.begun)
	j.Progress(Progress{
		Restart: restart, Restarts: j.Restarts,
		Factor: factor, Rank: j.Rank,
		Iteration: iteration, Iterations: j.Iterations,
		RelativeError: relative(),
		Elapsed:       elapsed,
		Remaining:     time.Duration(float64(elapsed) * (1 - done) / done),
	})
}
