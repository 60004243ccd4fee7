package run

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"nmu/internal/team"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/method"
)

// Settings say how a method is run. They are those of the type of that name in package
// lnmu, with all defaults.
type Settings struct {
	Iterations, CheckEvery int
	Restarts, Threads      int
	Seed                   uint64
	Tolerance, TargetError float64
	TimeLimit              time.Duration
	Record                 bool
	Checkpoint             *Checkpoint
	Progress               func(Progress)
	Iterated               func(k int)
}

// Progress is a state of the work, for display.
type Progress struct {
	Restart, Restarts     int
	Factor, Rank          int
	Iteration, Iterations int
	RelativeError         float64
	Elapsed, Remaining    time.Duration
}

// Method is what is run.
type Method struct {
	core.Plan

	// Solve finds the factors of a problem from its start.
	Solve func(l *method.Loop, p core.Problem) method.Trace

	// ExactSteps is the largest number of exact steps that make V W <= M exact, or 0: of
	// every block, or of the result in the end.
	ExactSteps int
	InTheEnd   bool
}

// Matrix is what a run has to know of M beside where it is stored.
type Matrix struct {
	core.Storage
	Norm, Largest float64
	Precision     float64       // the distance from 1 to the next number
	Bytes         int           // of its stored entries
	Files         bool          // it is read from files in every pass
	Incomplete    bool          // entries are missing, or have weights
	Reading       time.Duration // what it took to read M, if it is in files
	Loose         bool          // the error of a finished result is measured otherwise than on the way
}

// Job is one factorization: what all its restarts share.
type Job struct {
	Method
	Settings
	Matrix
	Comm    group.Comm     // the processes that have parts of M
	Control *group.Control // what process 0 decides

	// FromStart says that the start is given. StartSums returns the hashes of its V and W.
	FromStart bool
	StartSums func() (v, w string)
	Known     *Result // the first blocks of a recursion, or nil

	// Identity returns what must be the same of a run that has saved a state, but for a
	// given start, one in a line.
	Identity func() string

	ctx      context.Context
	started  time.Time
	deadline time.Time // zero: none

	abandoned atomic.Bool           // a restart has panicked, or cannot go on from its state: all others end
	broken    atomic.Pointer[error] // of the disk

	mu sync.Mutex // guards what follows
	saving
	next     int       // the last restart begun
	begun    int       // restarts that were begun,
	finished int       // and those that were not cut short
	shown    time.Time // of the last progress report
	best     *Result
	early    *Result // of a restart that did not finish
}

// New returns a job that has begun at that time. The fields that follow from M are set
// later.
func New(ctx context.Context, m Method, s Settings, c group.Comm, begun time.Time) *Job {
	j := &Job{Method: m, Settings: s, Comm: c, ctx: ctx, started: begun, shown: begun}
	j.Control = group.NewControl(c, j.decide)
	return j
}

// Result is a factorization and how it came about. Its fields are those of the type of
// that name in package lnmu.
type Result struct {
	core.Factors
	RelativeError, RelativeL1       float64
	MaxViolation                    float64
	ViolationBound                  bool
	RelativeViolation               float64
	Blocks                          []core.Block
	Revived                         int
	Stop                            core.Stop
	Seed                            uint64
	BestRestart                     int
	RestartsBegun, RestartsFinished int
	Level                           string
}

// compare orders the results of restarts, whichever of them ends first: the best
// one comes first, of equal ones the one that began first. An error that is not a
// number, since V W is beyond the range of its type, is the worst.
func (r *Result) compare(other *Result) int {
	return cmp.Or(
		cmp.Compare(-other.objective(), -r.objective()), // -, because Compare puts NaN first
		r.BestRestart-other.BestRestart,
	)
}

// objective is what decides between restarts: the relative error in the norm that
// was minimised.
func (r *Result) objective() float64 {
	if r.RelativeL1 > 0 {
		return r.RelativeL1
	}
	return r.RelativeError
}

// sideBySide is the size of M in bytes up to which restarts run at the same
// time, one thread each: several of them fit the cache, and a pass is too short
// to be shared well.
const sideBySide = 1 << 20

// mostWorkers bounds how many restarts run at the same time, each with memory of
// its own.
const mostWorkers = 64

// Run runs the method from every start and returns the result of least
// error; of equal ones, the first. If the context is cancelled, it returns what is finished
// together with the cause.
func (j *Job) Run() (*Result, error) {
	j.sumStart()
	if err := group.Agree(j.Comm, j.load()); err != nil {
		return nil, err
	}
	workers, threads := 1, j.Threads
	if !j.distributed() && !j.Files && j.Bytes <= sideBySide {
		workers = min(j.Threads, j.Restarts, mostWorkers)
		threads = j.Threads / workers
	}
	j.alone = workers == 1
	if j.TimeLimit > 0 {
		j.deadline = j.started.Add(j.TimeLimit - j.Reading) // M is read once more, to measure the result
	}
	team.Together(workers, func() { j.work(threads) }, func() { j.abandoned.Store(true) })
	if err := j.broken.Load(); err != nil {
		return nil, *err
	}
	if j.failed != nil {
		return nil, j.failed
	}

	res := j.best
	if j.early != nil {
		if res == nil {
			res = j.early
		}
		res.Stop = j.early.Stop
	}
	res.RestartsBegun, res.RestartsFinished = j.begun, j.finished
	if j.InTheEnd && res.Stop != core.StopCancelled && res.Rank() > 0 {
		j.makeFeasible(res)
	}
	if err := j.measure(res); err != nil {
		return nil, err
	}
	if res.Stop == core.StopCancelled {
		return res, fmt.Errorf("factorization stopped early: %w", cmp.Or(context.Cause(j.ctx), errEnded))
	}
	return res, nil
}

// work takes one restart after the other.
func (j *Job) work(threads int) {
	w := newWorker(j, threads)
	defer w.place.Close()
	for u := j.take(); u != nil && w.begin(u); u = j.take() {
		j.settle(u, w.run(u.restart))
	}
}

// settle takes note of the result of a restart.
func (j *Job) settle(u *restartState, res *Result) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if res.Stop == core.StopCancelled || res.Stop == core.StopTime {
		if j.early == nil || res.BestRestart < j.early.BestRestart {
			j.early = res
		}
		return
	}
	j.finished++
	j.states = slices.DeleteFunc(j.states, func(other *restartState) bool { return other == u })
	if j.best == nil || res.compare(j.best) < 0 {
		j.best = res
	}
}

// makeFeasible makes a finished result feasible.
func (j *Job) makeFeasible(res *Result) {
	p, done := j.Storage.(core.Rechecking).Reopen(res.Factors, j.Threads)
	defer done()
	l := &method.Loop{Run: &checkpointer{Job: j}, Norm: j.Norm}
	steps, stop := l.MakeFeasible(p, 0, res.Rank(), j.ExactSteps)
	if steps == nil {
		res.Stop = stop
		return
	}
	p.Finish(0)
	j.exceed(res, p.Residual(0, false))
	res.Blocks[len(res.Blocks)-1].Exact = steps
	if stop != "" {
		res.Stop = stop
	}
}

// measure sets the errors of a result on a matrix that has them measured in the end, and
// refuses those that are not finite.
func (j *Job) measure(res *Result) error {
	if m, ok := j.Storage.(core.Measuring); ok && res.Rank() == 0 {
		res.RelativeError = 1
	} else if ok {
		done := 0
		for _, b := range res.Blocks {
			done += b.Iterations
		}
		e, bound, err := m.Measure(res.Factors, done)
		if err != nil {
			return err
		}
		j.exceed(res, e)
		res.ViolationBound = bound
		if n := len(res.Blocks); n > 0 {
			res.Blocks[n-1].Error = res.RelativeError
		}
	}
	for _, x := range []float64{res.RelativeError, res.MaxViolation, res.RelativeViolation, res.RelativeL1} {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%w: V W is beyond the range of its numbers; scale M or the start", core.ErrValue)
		}
	}
	return nil
}

// distributed reports whether several processes have parts of M.
func (j *Job) distributed() bool { return j.Comm.Size() > 1 }

// Interrupted reports whether the work must end now, and why. It is asked before
// every HALS step, and within every other phase that may take longer than a pass.
func (j *Job) Interrupted() (core.Stop, bool) {
	if j.distributed() {
		stop := stopOf(j.Control.Ask())
		return stop, stop != ""
	}
	return j.cut()
}

// cut is Interrupted for one process.
func (j *Job) cut() (core.Stop, bool) {
	switch {
	case j.ctx.Err() != nil, j.abandoned.Load():
		return core.StopCancelled, true
	case !j.deadline.IsZero() && !time.Now().Before(j.deadline):
		return core.StopTime, true
	}
	return "", false
}

// Cancelled is Interrupted for those who need not know why. Of several processes it is what
// they have agreed on last, as it may be asked within tasks.
func (j *Job) Cancelled() bool {
	if j.distributed() {
		return stopOf(j.Control.Last()) != ""
	}
	_, over := j.cut()
	return over
}

// Break ends the job for an error of the disk.
func (j *Job) Break(err error) {
	j.broken.CompareAndSwap(nil, &err)
	j.abandoned.Store(true)
}

// relative returns the relative error for a sum of squares of M - V W.
func (j *Job) relative(squares float64) float64 { return math.Sqrt(squares) / j.Norm }

// exceed sets the error and the violations of a result of which e is the residual.
func (j *Job) exceed(res *Result, e core.Residual) {
	res.RelativeError, res.RelativeViolation = j.relative(e.Squares), j.relative(e.Excess)
	res.MaxViolation = max(0, -e.Least)
}

// showing reports whether it is time for a progress report.
func (j *Job) showing(now time.Time) bool {
	const interval = 200 * time.Millisecond
	return j.Progress != nil && now.Sub(j.shown) >= interval
}

// progress reports a state to the caller, a few times per second.
func (j *Job) progress(restart, factor, iteration int, relative func() float64) {
	if j.distributed() && j.Control.Last()&group.Show == 0 || !j.distributed() && j.Progress == nil {
		return
	}
	now := time.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.distributed() && !j.showing(now) {
		return
	}
	e := relative()
	if j.distributed() {
		if j.Control.Done(group.Show); j.Comm.Rank() > 0 {
			return
		}
	}
	j.shown = now
	one := (float64(factor/j.Block) + float64(iteration)/float64(j.Iterations)) / float64(j.Blocks())
	done := (float64(restart-1) + one) / float64(j.Restarts)
	elapsed := now.Sub(j.started)
	j.Progress(Progress{
		Restart: restart, Restarts: j.Restarts,
		Factor: factor, Rank: j.Rank,
		Iteration: iteration, Iterations: j.Iterations,
		RelativeError: e,
		Elapsed:       elapsed,
		Remaining:     time.Duration(float64(elapsed) * (1 - done) / done),
	})
}
