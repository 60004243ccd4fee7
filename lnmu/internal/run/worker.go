package run

import (
	"time"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/method"
	"nmu/lnmu/outcome"
)

// worker runs the method from one start after the other, in a place of its own.
type worker struct {
	checkpointer
	place core.Place
	loop  method.Loop

	// of the present restart
	restart   int // 1-based
	res       *Result
	rank      int     // factors that are finished
	sum, left float64 // Σ|M| and Σ|M - V W|, for the norm l1
}

func newWorker(j *Job, threads int) *worker {
	w := &worker{checkpointer: checkpointer{Job: j}, place: j.Open(threads)}
	w.loop = method.Loop{
		Run: w, Settings: j.Settings.Settings, Norm: j.Norm, Largest: j.Largest, Precision: j.Precision, Incomplete: j.Incomplete, Given: j.FromStart, Scaled: j.FromStart || j.Pure(),
		Whole: j.whole(), Falls: j.Falls,
	}
	if j.Recursive { // the target ends blocks, not iterations
		w.loop.TargetError = 0
	}
	w.factors = func() *Result {
		return &Result{Factors: w.place.Factors(w.rank), Report: outcome.Report{Blocks: w.res.Blocks}}
	}
	return w
}

// run runs the method once: it finds the factors in blocks. A recursion factors R_1 = M, then
// R_2 = max(0, R_1 - V_1 W_1), and so on (section 2.1). Other methods find all factors in one
// block.
//
// The place keeps E = M - V W of the factors so far, not R. Since no factor adds to E,
// R = max(0, E), and the kernels clamp E as they read it. The error of the factorization is
// the norm of E, however small, and its largest violation is -min(E).
func (w *worker) run(restart int) *Result {
	w.restart, w.rank = restart, 0
	w.loop.Until = w.lapEnds()
	w.loop.Seed = w.Seed + uint64(restart-1)
	w.res = &Result{Report: outcome.Report{RelativeError: 1, Stop: outcome.StopTolerance, BestSeed: w.loop.Seed, BestRestart: restart, Level: kernel.Level()}}
	w.place.Restart(w.loop.Seed, w.again)
	for w.rank < w.Rank && w.block() {
	}
	count := w.rank
	if w.res.Stop == outcome.StopExact {
		count = w.Rank
	}
	if w.res.Stop != outcome.StopLeft || w.lead() {
		w.res.Factors = w.place.Factors(count)
	}
	return w.res
}

// lead is leads for the result of the worker.
func (w *worker) lead() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.leads(w.res)
}

// block finds a block of factors, and reports whether another one may come.
func (w *worker) block() (goesOn bool) {
	res, k0 := w.res, w.rank
	p := w.place.Problem(min(w.Block, w.Rank-k0))
	if w.Underapproximates && !p.Reset() && w.Recursive {
		res.Stop = outcome.StopExact
		return false
	}
	if w.L1 && k0 == 0 {
		w.sum = p.(core.Absolute).Absolute()
		w.left = w.sum
	}
	block, tr, finished := w.finishedBlock(len(res.Blocks))
	if finished {
		p.Resume(k0, w.known.Factors)
	} else if !w.start(p, k0) {
		res.Stop, _ = w.Interrupted()
		return false
	} else {
		tr = w.solve(p, k0)
	}
	if tr.Stop == outcome.StopCancelled && w.Recursive {
		res.Stop = outcome.StopCancelled
		return false
	}
	if w.L1 && !finished && !(p.Residual(k0, false).Absolute < w.left) {
		p.Clear() // it is an unchanged start, or long steps have led away from M
	}
	if w.FeasibleSteps > 0 && !w.InTheEnd && !finished && tr.Stop != outcome.StopCancelled && tr.Stop != outcome.StopLeft {
		steps, stop := w.loop.MakeFeasible(p.(core.Exact), k0, k0+p.Rank(), w.FeasibleSteps)
		if steps == nil && w.Recursive {
			res.Stop = stop
			return false
		}
		block.Exact = steps
		if stop != "" {
			tr.Stop = stop
		}
	}
	p.Finish(k0)
	w.rank += p.Rank()
	e := p.Residual(k0, w.rank < w.Rank && !tr.Cut())
	w.exceed(res, e)
	if w.L1 {
		w.left = e.Absolute
		res.RelativeL1 = w.left / w.sum
	}
	if w.Divergence {
		res.RelativeDivergence = w.relativeDivergence(p)
	}
	block.Rank = w.rank
	return w.confirmed(len(res.Blocks), res.RelativeError) && !w.ended(block, tr)
}

// relativeDivergence returns the divergence of M from V W, divided by the divergence of M from
// its mean.
func (w *worker) relativeDivergence(p core.Problem) float64 {
	d := p.Diverge(w.loop.Least())
	_, null := d.Null()
	return d.Divergence() / null
}

// start sets the start of a problem of the factors from k0 on. It returns false if the run is
// cancelled before that.
func (w *worker) start(p core.Problem, k0 int) (ok bool) {
	p.Start(k0)
	cancelled := w.Cancelled
	if k0 == 0 && !w.distributed() { // nothing is lost yet
		cancelled = func() bool { _, over := w.cut(); return over }
	}
	switch {
	case w.SVD:
		ok = method.StartSVD(p, cancelled)
	case w.Pure():
		w.res.Light, ok = method.StartColumns(p, w.SNPA, cancelled)
	default:
		ok = true
	}
	if !ok {
		return false
	}
	p.Fix(k0)
	return true
}

// solve finds the factors of a problem, those from k0 on, from its start.
func (w *worker) solve(p core.Problem, k0 int) method.Trace {
	if !w.FromStart || w.Recursive {
		p.Scale()
		if p.Aborted() {
			p.Clear() // an unscaled start may be far away from M
		}
	}
	w.loop.Relative = func() float64 { return w.relative(p.Residual(k0, false).Squares) }
	shown := w.shown(p, w.loop.Relative)
	if w.Divergence {
		w.loop.Relative = func() float64 { return w.relativeDivergence(p) }
	}
	w.loop.Aborted = p.Aborted
	w.loop.Report = func(k int) { w.progress(w.restart, k0, k, shown) }
	return w.Solve(&w.loop, p)
}

// looksAfter is the least time between two readings of M that only report the error, in units
// of the time of one reading.
const looksAfter = 20

// shown returns a function that computes the relative error of the factors of p for progress
// reports, also of a method that minimises another number. If M is in files, it reads M rarely:
// NMF computes the error, up to rounding, from its sums, and other methods show the last known
// error, at first 1. A recursion shows the error of its finished blocks.
func (w *worker) shown(p core.Problem, relative func() float64) func() float64 {
	switch {
	case w.Recursive:
		return func() float64 { return w.res.RelativeError }
	case !w.Form.Files:
		return relative
	}
	last, looked := 1.0, time.Now()
	return func() float64 {
		if energy, ok := p.Energy(); ok {
			return w.relative(max(0, float64(w.Norm*w.Norm)+energy))
		}
		due := time.Since(looked) > looksAfter*w.Reading
		if w.Comm.Broadcast(group.Bytes(&due)); due {
			last, looked = relative(), time.Now()
		}
		return last
	}
}

// ended adds a block with its trace to the result, and reports whether the run ends with it
// although factors are left to find.
func (w *worker) ended(block outcome.Block, tr method.Trace) bool {
	res := w.res
	block.IterationsDone, block.History, block.Stop = tr.Iterations, tr.History, tr.Stop
	block.Error, block.L1, block.Divergence = res.RelativeError, res.RelativeL1, res.RelativeDivergence
	block.Lowered = tr.Lowered
	res.Blocks = append(res.Blocks, block)
	res.Revived = tr.Revived
	if fell := 1 - w.objective(res)/tr.Late; tr.Late > 0 && tr.Stop == outcome.StopIterations && fell > 0 {
		res.Fell = fell
	}
	switch {
	case !w.Recursive, tr.Cut():
		res.Stop = tr.Stop
		return true
	case tr.Stop == outcome.StopTarget, w.TargetError > 0 && res.RelativeError <= w.TargetError:
		res.Stop = outcome.StopTarget
		return true
	case tr.Stop == outcome.StopIterations:
		res.Stop = outcome.StopIterations
	case tr.Stop == outcome.StopResidual && res.Stop == outcome.StopTolerance:
		res.Stop = outcome.StopResidual
	}
	return false
}
