package run

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/outcome"
)

// Job is one factorization. It holds what all restarts share.
type Job struct {
	Method
	Settings
	Task
	Matrix
	Control *group.Control // of process 0

	ctx      context.Context
	started  time.Time
	deadline time.Time // zero: none

	worked    atomic.Bool           // the restarts have ended
	abandoned atomic.Bool           // a restart has panicked, or its state is damaged: all others end
	broken    atomic.Pointer[error] // error of the disk

	mu   sync.Mutex // guards what follows
	turn *sync.Cond // of those who wait until all restarts have made a lap
	racing
	saving
	next     int       // number of the last restart begun
	begun    int       // restarts begun
	finished int       // restarts finished
	shown    time.Time // of the last progress report
	best     *Result
	early    *Result // of a restart that did not finish
}

// New returns a job that began at that time.
func New(ctx context.Context, m Method, s Settings, t Task, begun time.Time) *Job {
	j := &Job{Method: m, Settings: s, Task: t, ctx: ctx, started: begun, shown: begun}
	j.turn, j.laps = sync.NewCond(&j.mu), laps(s.Restarts, s.Iterations, s.Race)
	j.Control = group.NewControl(t.Comm, j.decide)
	return j
}

// settle records the result of a restart.
func (j *Job) settle(u *restartState, res *Result) {
	j.mu.Lock()
	defer j.mu.Unlock()
	defer j.turn.Broadcast()
	if res.Stop == outcome.StopCancelled || res.Stop == outcome.StopTime {
		if j.early == nil || res.BestRestart < j.early.BestRestart {
			j.early = res
		}
		return
	}
	j.ran = append(j.ran, res.ran(j.objective(res)))
	if res.Stop == outcome.StopLeft {
		u.taken, u.left = false, true
		j.leave(res)
		return
	}
	j.finished++
	j.states = slices.DeleteFunc(j.states, func(other *restartState) bool { return other == u })
	if j.best == nil || res.compare(j.best, j.objective) < 0 {
		j.best = res
	}
}

// distributed reports whether several processes have parts of M.
func (j *Job) distributed() bool { return j.Comm.Size() > 1 }

// Interrupted reports whether the run must end now, and why. Methods call it before every
// HALS step, and within every other phase that may take longer than a pass.
func (j *Job) Interrupted() (outcome.Stop, bool) {
	if j.distributed() {
		stop := stopOf(j.Control.Ask())
		return stop, stop != ""
	}
	return j.cut()
}

// Over reports whether this process may cut a pass over files short. The processes agree at the
// end of the pass.
func (j *Job) Over() bool {
	if j.Comm.Rank() > 0 {
		return j.Cancelled() || j.late()
	}
	_, over := j.cut()
	return over
}

// Limit sets the deadline, given the time of reading M once. It reserves the time for the readings of M that follow the deadline.
// Processes that read files cut their passes short by themselves, by the clock of process 0.
func (j *Job) Limit(reading time.Duration) {
	readings := 1 // to measure the result
	if j.FeasibleSteps > 0 {
		readings++ // after an exact step
	}
	if j.InTheEnd {
		readings += j.Blocks() - 1 // for the errors of the blocks
	}
	if j.L1 {
		readings += 2 // to check that a block lowers the error
	}
	if j.Divergence {
		readings += 5 // for the last updates, the divergences from the result and from the mean, and where V W is 0
	}
	if j.Accelerated && j.Incomplete {
		readings++ // for the error of an iteration
	}
	j.deadline = time.Time{}
	if j.TimeLimit > 0 {
		j.deadline = j.started.Add(j.TimeLimit - time.Duration(readings)*reading)
	}
	if !j.distributed() || !j.Form.Files {
		return
	}
	left := time.Duration(math.MaxInt64)
	if !j.deadline.IsZero() {
		left = time.Until(j.deadline)
	}
	if j.Comm.Broadcast(group.Bytes(&left)); j.Comm.Rank() > 0 && left < math.MaxInt64 {
		j.deadline = time.Now().Add(left)
	}
}

func (j *Job) late() bool { return !j.deadline.IsZero() && !time.Now().Before(j.deadline) }

// cut is Interrupted for one process.
func (j *Job) cut() (outcome.Stop, bool) {
	switch {
	case j.ctx.Err() != nil, j.abandoned.Load():
		return outcome.StopCancelled, true
	case j.late():
		return outcome.StopTime, true
	}
	return "", false
}

// Cancelled is Interrupted without the reason. Tasks may call it: with several processes it
// returns the last common decision.
//
// A run that ends after whole iterations is not cancelled before all of its restarts have ended.
func (j *Job) Cancelled() bool {
	if j.whole() && !j.worked.Load() {
		return j.abandoned.Load() && !j.distributed() // processes decide together
	}
	if j.distributed() {
		return stopOf(j.Control.Last()) != ""
	}
	_, over := j.cut()
	return over
}

// Break ends the job after an aborted pass over files, in all processes: with an error of the
// disk, or, if err is nil, because the run is over in one of them. From then on process 0
// signals it, even if its own clock is late.
func (j *Job) Break(err error) {
	if err != nil {
		j.broken.CompareAndSwap(nil, &err)
		j.abandoned.Store(true)
	} else if _, over := j.cut(); !over {
		j.deadline = time.Now()
	}
}

// relative returns the relative error for a sum of squares of M - V W.
func (j *Job) relative(squares float64) float64 { return math.Sqrt(squares) / j.Norm }

// exceed sets the error and the violations of a result from its residual e.
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
	done := j.share(restart, (float64(factor/j.Block)+float64(iteration)/float64(j.Iterations))/float64(j.Blocks()))
	elapsed := now.Sub(j.started)
	j.Progress(outcome.Progress{
		Restart: restart, Restarts: j.Restarts,
		Factor: factor, Rank: j.Rank,
		Iteration: iteration, Iterations: j.Iterations,
		RelativeError: e,
		Elapsed:       elapsed,
		Remaining:     time.Duration(float64(elapsed) * (1 - done) / done),
	})
}

// decide returns the signals that process 0 sends to all processes.
func (j *Job) decide() (s group.Signal) {
	switch stop, _ := j.cut(); stop {
	case outcome.StopCancelled:
		s |= group.Cancelled
	case outcome.StopTime:
		s |= group.TimeOver
	}
	if j.showing(time.Now()) {
		s |= group.Show
	}
	if j.Checkpoint != nil && j.Checkpoint.Save != nil && !time.Now().Before(j.due) {
		s |= group.Save
	}
	return s
}

// stopOf returns the reason to stop in a signal of process 0, or "".
func stopOf(s group.Signal) outcome.Stop {
	switch {
	case s&group.Cancelled != 0:
		return outcome.StopCancelled
	case s&group.TimeOver != 0:
		return outcome.StopTime
	}
	return ""
}

// take returns the next restart, a saved one or a new one, or nil if none is left. It waits while others make the lap
// that decides which one that is.
func (j *Job) take() *restartState {
	j.mu.Lock()
	defer j.mu.Unlock()
	for {
		if j.early != nil || j.abandoned.Load() {
			return nil
		}
		running := false
		for _, u := range j.states {
			if !u.taken && !u.left {
				u.taken, u.epoch = true, j.epoch
				return u
			}
			running = running || u.taken
		}
		switch {
		case j.next < j.Restarts:
			j.next++
			j.begun++
			u := &restartState{restart: j.next, taken: true, epoch: j.epoch}
			j.states = append(j.states, u)
			return u
		case running && j.lap < len(j.laps)-1:
			j.turn.Wait()
		case running || !j.nextLap():
			return nil
		}
	}
}
