package lnmu

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"nmu/internal/team"
	"nmu/lnmu/internal/group"
)

// job is one call of Factor: what all its restarts share.
type job[T Float] struct {
	resolved
	Settings
	given[T]
	ctx      context.Context
	fixed    fixed[T]
	source   source[T]       // only the shape of it if M is sparse
	part     observations[T] // what is observed of it, in the layout of the passes
	entries  int             // of M that are stored
	open     func(threads int) runner[T]
	norm2    float64        // ||M||_F, weighted
	most     float64        // the largest entry of M
	comm     group.Comm     // the processes that have parts of it
	control  *group.Control // what process 0 decides
	targeted bool           // iterations end at TargetError, rather than blocks
	started  time.Time
	reading  time.Duration // what it took to read M, if it is stored; else 0
	deadline time.Time     // zero: none

	abandoned atomic.Bool           // a restart has panicked, or cannot go on from its state: all others end
	broken    atomic.Pointer[error] // of the disk

	mu sync.Mutex // guards what follows
	saving
	next     int       // the last restart begun
	begun    int       // restarts that were begun,
	finished int       // and those that were not cut short
	shown    time.Time // of the last progress report
	best     *Result[T]
	early    *Result[T] // of a restart that did not finish
}

// runner is a place where the method runs from one start after the other.
type runner[T Float] interface {
	begin(u *restartState) (ok bool)
	run(restart int) *Result[T]
	Close()
}

func newJob[T Float](ctx context.Context, m source[T], start given[T], p resolved, s Settings, norm, most float64, started time.Time) *job[T] {
	j := &job[T]{
		resolved: p, Settings: s, given: start, ctx: ctx,
		source: m, norm2: norm, most: most, started: started, shown: started,
	}
	rows, cols := m.whole()
	j.entries = rows * cols
	j.open = func(threads int) runner[T] { return newWorker(j, threads) }
	if tall := m.cols <= m.rows; s.Observed != nil || s.Weights != nil {
		j.part = observationsOf[T](s, tall)
		if s.Weights != nil {
			j.norm2 = j.part.norm(m, tall)
		}
	}
	j.comm = group.Or(s.Processes)
	j.control = group.NewControl(j.comm, j.decide)
	m.share.Control = j.control
	j.targeted = s.TargetError > 0 && !p.method.Describe().Recursive
	return j
}

// startOf returns the start of a restart: the given one, or a random one.
func (j *job[T]) startOf(restart int) (v, w Dense[T]) {
	if j.given.start {
		return j.given.v, j.given.w
	}
	draw := randomPart[T]
	if j.Init == InitNested {
		draw = nestedPart[T]
	}
	m, n := j.source.whole()
	return draw(m, n, j.rank, j.Seed+uint64(restart-1), j.source.window())
}

// sideBySide is the size of M in bytes up to which restarts run at the same
// time, one thread each: several of them fit the cache, and a pass is too short
// to be shared well.
const sideBySide = 1 << 20

// mostAttempts bounds how many restarts run at the same time, each with memory of
// its own.
const mostAttempts = 64

// restarts runs the method from every start and returns the result of least
// error; of equal ones, the first.
func (j *job[T]) restarts() (*Result[T], error) {
	j.sumStart()
	if err := group.Agree(j.comm, j.load()); err != nil {
		return nil, err
	}
	teams, threads := 1, j.Threads
	var zero T
	if !j.distributed() && j.source.reader == nil && !j.source.tiled && j.entries <= sideBySide/int(unsafe.Sizeof(zero)) {
		teams = min(j.Threads, j.Restarts, mostAttempts)
		threads = j.Threads / teams
	}
	j.alone = teams == 1
	if j.TimeLimit > 0 {
		j.deadline = j.started.Add(j.TimeLimit - j.reading) // M is read once more, to measure the result
	}
	team.Together(teams, func() { j.work(threads) }, func() { j.abandoned.Store(true) })
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
	res.RestartsBegun, res.RestartsFinished, res.LargestEntry = j.begun, j.finished, j.most
	if j.lagrange.Feasible == FeasibleFinal && res.Stop != StopCancelled && res.V.Cols > 0 {
		j.makeFeasible(res)
	}
	if err := inRange[T](res.RelativeError, res.MaxViolation, res.RelativeViolation, res.RelativeL1); err != nil {
		return nil, err
	}
	if res.Stop == StopCancelled {
		return res, fmt.Errorf("factorization stopped early: %w", cmp.Or(context.Cause(j.ctx), errEnded))
	}
	return res, nil
}

// work takes one restart after the other.
func (j *job[T]) work(threads int) {
	a := j.open(threads)
	defer a.Close()
	for u := j.take(); u != nil && a.begin(u); u = j.take() {
		j.settle(u, a.run(u.restart))
	}
}

// settle takes note of the result of a restart.
func (j *job[T]) settle(u *restartState, res *Result[T]) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if res.Stop == StopCancelled || res.Stop == StopTime {
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

// distributed reports whether several processes have parts of M.
func (j *job[T]) distributed() bool { return j.comm.Size() > 1 }

// interrupted reports whether the work must end now, and why. It is asked before
// every HALS step, and within every other phase that may take longer than a pass.
func (j *job[T]) interrupted() (Stop, bool) {
	if j.distributed() {
		stop := stopOf(j.control.Ask())
		return stop, stop != ""
	}
	return j.cut()
}

// cut is interrupted for one process.
func (j *job[T]) cut() (Stop, bool) {
	switch {
	case j.ctx.Err() != nil, j.abandoned.Load():
		return StopCancelled, true
	case !j.deadline.IsZero() && !time.Now().Before(j.deadline):
		return StopTime, true
	}
	return "", false
}

// cancelled is interrupted for those who need not know why. Of several processes it is what
// they have agreed on last, as it may be asked within tasks.
func (j *job[T]) cancelled() bool {
	if j.distributed() {
		return stopOf(j.control.Last()) != ""
	}
	_, over := j.cut()
	return over
}

// relative returns the relative error for a sum of squares of M - V W.
func (j *job[T]) relative(squares float64) float64 { return math.Sqrt(squares) / j.norm2 }

// exceed sets the error and the violations of a result of which e is the residual.
func (j *job[T]) exceed(res *Result[T], e residualStats) {
	res.RelativeError, res.RelativeViolation = j.relative(e.squares), j.relative(e.excess)
	res.MaxViolation = max(0, -e.least)
}

// showing reports whether it is time for a progress report.
func (j *job[T]) showing(now time.Time) bool {
	const interval = 200 * time.Millisecond
	return j.Progress != nil && now.Sub(j.shown) >= interval
}

// progress reports a state to the caller, a few times per second.
func (j *job[T]) progress(restart, factor, iteration int, relative func() float64) {
	if j.distributed() && j.control.Last()&group.Show == 0 || !j.distributed() && j.Progress == nil {
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
		if j.control.Done(group.Show); j.comm.Rank() > 0 {
			return
		}
	}
	j.shown = now
	blocks := float64((j.rank + j.block - 1) / j.block)
	one := (float64(factor/j.block) + float64(iteration)/float64(j.Iterations)) / blocks
	done := (float64(restart-1) + one) / float64(j.Restarts)
	elapsed := now.Sub(j.started)
	j.Progress(Progress{
		Restart: restart, Restarts: j.Restarts,
		Factor: factor, Rank: j.rank,
		Iteration: iteration, Iterations: j.Iterations,
		RelativeError: e,
		Elapsed:       elapsed,
		Remaining:     time.Duration(float64(elapsed) * (1 - done) / done),
	})
}
