package run

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"nmu/internal/team"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/method"
	"nmu/lnmu/outcome"
)

// sideBySide is the size of M in bytes up to which restarts run at the same
// time, one thread each: several of them fit the cache, and a pass is too short
// to be shared well.
const sideBySide = 1 << 20

// mostWorkers bounds how many restarts run at the same time, each with memory of
// its own.
const mostWorkers = 64

// SideBySide returns how many restarts run at the same time on a matrix of so many bytes in the memory
// of one process.
func SideBySide(bytes, threads, restarts int) int {
	if bytes > sideBySide {
		return 1
	}
	return min(threads, restarts, mostWorkers)
}

// workers returns how many restarts run at the same time.
func (j *Job) workers() int {
	if j.distributed() || j.Form.Files {
		return 1
	}
	return SideBySide(j.Bytes, j.Threads, j.Restarts)
}

// Run runs the method on M from every start and returns the result of least
// error; of equal ones, the first. If the context is cancelled, it returns what is finished
// together with the cause.
func (j *Job) Run(m Matrix) (*Result, error) {
	j.Matrix = m
	j.sumStart()
	if err := group.Agree(j.Comm, j.load()); err != nil {
		return nil, err
	}
	workers := j.workers()
	j.alone = workers == 1
	j.Limit(m.Reading)
	team.Together(workers, func() { j.work(j.Threads / workers) }, j.abandon)
	j.worked.Store(true)
	j.saveLast()
	if err := j.ended(); err != nil {
		return nil, err
	}

	res := j.best
	if j.early != nil {
		if res == nil || j.leader != nil {
			res = j.first(res, j.leader, j.early)
		}
		res.Stop = j.early.Stop
	}
	res.RestartsBegun, res.RestartsFinished, res.Ran = j.begun, j.finished, j.all()
	if j.InTheEnd && res.Stop != outcome.StopCancelled && res.Rank() > 0 {
		j.makeFeasible(res)
		if err := j.ended(); err != nil {
			return nil, err
		}
	}
	if err := j.measure(res); err != nil {
		return nil, err
	}
	return res, j.Early(res.Stop)
}

// Early returns the error of a run that has stopped for a reason: the cause if it was
// cancelled, else nil.
func (j *Job) Early(stop outcome.Stop) error {
	if stop != outcome.StopCancelled {
		return nil
	}
	return fmt.Errorf("factorization stopped early: %w", cmp.Or(context.Cause(j.ctx), errEnded))
}

// ended returns the error that has ended the job, of the disk or of a state.
func (j *Job) ended() error {
	if err := j.broken.Load(); err != nil {
		return *err
	}
	return j.failed
}

func (j *Job) abandon() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.abandoned.Store(true)
	j.turn.Broadcast()
}

// work takes one restart after the other.
func (j *Job) work(threads int) {
	w := newWorker(j, threads)
	defer w.place.Close()
	defer j.turn.Broadcast()
	for u := j.take(); u != nil && w.begin(u); u = j.take() {
		j.settle(u, w.run(u.restart))
	}
}

// makeFeasible makes a finished result feasible. If it ends early, the state that it saves has the
// result as it was before: a resumed run compares it with the restart that it repeats.
func (j *Job) makeFeasible(res *Result) {
	storage, last := j.Storage.(core.Rechecking), len(res.Blocks)-1
	p, done := storage.Reopen(res.Factors, j.Threads)
	defer done()
	l := &method.Loop{Run: &checkpointer{Job: j}, Norm: j.Norm}
	steps, stop := l.MakeFeasible(p, 0, res.Rank(), j.FeasibleSteps)
	if stop != "" {
		j.saveUnfinished(res)
		res.Stop = stop
	}
	if steps == nil {
		return
	}
	p.Finish(0)
	j.exceed(res, p.Residual(0, false))
	res.Blocks[last].Exact, res.Blocks[last].Error = steps, res.RelativeError
	for i, b := range res.Blocks[:last] {
		first, done := storage.Reopen(res.First(b.Rank), j.Threads)
		res.Blocks[i].Error = j.relative(first.Residual(0, false).Squares)
		done()
	}
}

// digits is the relative precision that the square of the error of a block should have.
const digits = 1e-6

// measure sets the errors of a result if the storage measures them only at the end. It returns
// an error if one of them is not finite, except an infinite divergence.
func (j *Job) measure(res *Result) error {
	if m, ok := j.Storage.(core.Measuring); ok && res.Rank() == 0 {
		res.RelativeError = 1
	} else if ok {
		done := 0
		for _, b := range res.Blocks {
			done += b.IterationsDone
		}
		e, bound, err := m.Remeasure(res.Factors, done)
		if err != nil {
			return err
		}
		j.exceed(res, e)
		res.ViolationBound, res.Noise = bound, e.Noise/j.Norm/j.Norm
		for i := range res.Blocks {
			b := &res.Blocks[i]
			switch {
			case b.Rank == res.Rank():
				b.Error = res.RelativeError
			case float64(b.Error*b.Error*digits) < j.Precision: // that of the iterations may be rounding
				e, _, err := m.Remeasure(res.First(b.Rank), done)
				if err != nil {
					return err
				}
				b.Error = j.relative(e.Squares)
			}
		}
	}
	return fault.InRange(res.RelativeError, res.MaxViolation, res.RelativeViolation, res.RelativeL1, min(res.RelativeDivergence, math.MaxFloat64))
}
