package method

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/state"
	"nmu/lnmu/outcome"
)

// Trace records the iterations of one problem.
type Trace struct {
	Iterations int
	History    []float64
	Stop       outcome.Stop
	Last       float64 // relative error at the last check
	Late       float64 // relative error after nine tenths of the iterations; 0: unknown
	Revived    int     // number of factors drawn anew
	Lowered    bool    // a penalty was lowered, since a factor would have vanished
}

// Cut reports whether a limit or a cancellation ended the iterations.
func (tr *Trace) Cut() bool { return tr.Stop == outcome.StopCancelled || tr.Stop == outcome.StopTime }

// Run is the run to which the iterations belong.
type Run interface {
	// Interrupted reports whether the run must end now, and why.
	Interrupted() (outcome.Stop, bool)
	// Cancelled is Interrupted without the reason. Tasks may call it.
	Cancelled() bool
	// Resume restores the saved trace and fields, if there are any, and returns the number
	// of iterations made before.
	Resume(tr *Trace, fields func() []state.Field) (k int, ok bool)
	// AfterIteration is called after each iteration k.
	AfterIteration(k int, tr *Trace, fields func() []state.Field)
	// Leave is called after iteration k if the run is left there, and may go on later.
	Leave(k int, tr *Trace, fields func() []state.Field)
	// BeforeEnd is called after iteration k, which is at least 1, if the run ends then although
	// the iterations would go on.
	BeforeEnd(k int, tr *Trace, fields func() []state.Field)
}

// Settings say when iterations end and who hears of them: those fields of lnmu.Settings, with all defaults.
type Settings struct {
	Iterations  int
	CheckEvery  int     // iterations between two checks of the error
	Tolerance   float64 // relative change of the error that ends them; 0: none
	TargetError float64 // error that ends them; 0: none
	Record      bool    // errors are recorded even without Tolerance and TargetError
	Iterated    func(k int)
}

// Loop runs iterations until one of its limits ends them.
type Loop struct {
	Run
	Settings
	Norm       float64 // ||M||_F
	Largest    float64 // the largest entry of M
	Precision  float64 // the distance from 1 to the next number
	Incomplete bool    // entries of M are missing, or have weights
	Given      bool    // the start is given
	Scaled     bool    // the scale of its V and W may have a meaning
	Seed       uint64  // of the present start
	Whole      bool    // the run ends after whole iterations only, as their states are saved
	Until      int     // the iteration after which the run is left; 0: none
	Falls      bool    // no iteration raises the error: Trace.Late tells whether it is at rest in the end

	// Passing says that the error may stand still since the last check although it is not at rest: all iterations
	// were undone, or another phase follows. Tolerance ends no run there.
	Passing bool

	// Relative returns the relative error of the present problem. Report shows progress.
	// Aborted reports whether the last pass of the problem was aborted; nil if none can be.
	Relative func() float64
	Aborted  func() bool
	// AtTarget reports whether the error is at most TargetError, where an iteration knows its error;
	// nil elsewhere. Then the target ends the iterations between two checks, too.
	AtTarget func() bool
	// Infinite reports whether the error is infinite, where Relative is a number that the iterations lower
	// instead; nil if it never is.
	Infinite func() bool
	Report   func(k int)
}

// Reserve takes from the arena of the problem p what the start and the steps of a plan take beside it.
func Reserve(p core.Problem, plan core.Plan) {
	if x, ok := p.(core.Startable[float32]); ok {
		reserve(x, plan)
	} else {
		reserve(p.(core.Startable[float64]), plan)
	}
}

func reserve[T kernel.Float](p core.Startable[T], plan core.Plan) {
	if plan.SVD || plan.Pure() {
		p.Load(true)
		p.Load(false)
	}
	switch {
	case plan.SVD:
		singularFor(p, plan.Block, nil)
	case plan.Pure():
		newSelection(p.Multiplier(1), plan.Block, nil)
	}
	if x, ok := p.(core.Products[T]); ok && plan.Products {
		newConstrained(x, true, 0, 1)
		newConstrained(x, false, 0, 1)
	}
}

// iterate makes the iterations k = 1, 2, ... of one problem, until one of them returns a
// reason to stop, the run is cancelled, the error has converged, or all are done. fields returns
// everything that the iterations change, for checkpoints.
func (l *Loop) iterate(fields func() []state.Field, iteration func(k int) outcome.Stop) Trace {
	tr := Trace{Stop: outcome.StopIterations}
	done, ok := l.Resume(&tr, fields)
	if !ok {
		tr.Stop = outcome.StopCancelled
		return tr
	}
	for k := done + 1; k <= l.Iterations; k++ {
		if l.Until > 0 && k > l.Until {
			tr.Stop = outcome.StopLeft
			l.Leave(k-1, &tr, fields)
			break
		}
		if stop, ok := l.Interrupted(); ok && (k > 1 || l.Iterations == 1 || !l.Whole) {
			tr.Stop = stop
			if k > 1 && (l.Aborted == nil || !l.Aborted()) {
				l.BeforeEnd(k-1, &tr, fields)
			}
			break
		}
		stop := iteration(k)
		if stop != "" && stop != outcome.StopResidual {
			tr.Stop = stop
			break
		}
		tr.Iterations = k
		if l.Iterated != nil {
			l.Iterated(k)
		}
		if stop != "" { // reason to stop after this iteration
			tr.Stop = stop
			break
		}
		if (l.Record || l.Tolerance > 0 || l.TargetError > 0) && k%l.CheckEvery == 0 && l.ends(&tr, l.Relative()) {
			break
		}
		if l.TargetError > 0 && l.AtTarget != nil && l.AtTarget() {
			tr.Stop = outcome.StopTarget
			break
		}
		if l.Falls && k == late(l.Iterations) {
			if e := l.Relative(); !math.IsInf(e, 0) {
				tr.Late = e
			}
		}
		l.Report(k)
		l.AfterIteration(k, &tr, fields)
	}
	return tr
}

// late returns nine tenths of a number of iterations, 0 for few.
func late(iterations int) int {
	const few = 20
	if iterations < few {
		return 0
	}
	return iterations - iterations/10
}

// within is Interrupted within an iteration.
func (l *Loop) within() (outcome.Stop, bool) {
	if l.Whole {
		return "", false
	}
	return l.Interrupted()
}

// ends records the relative error e, and reports whether it is the target or has converged.
func (l *Loop) ends(tr *Trace, e float64) bool {
	last, first, shown := tr.Last, len(tr.History) == 0, e
	if l.Infinite != nil && l.Infinite() {
		shown = math.Inf(1)
	}
	tr.History, tr.Last = append(tr.History, shown), e
	switch {
	case l.TargetError > 0 && shown <= l.TargetError:
		tr.Stop = outcome.StopTarget
	case !first && !l.Passing && l.Tolerance > 0 && math.Abs(last-e) <= float64(l.Tolerance*last):
		tr.Stop = outcome.StopTolerance
	default:
		return false
	}
	return true
}

// cutShort returns the reason to stop if the last pass of a problem was aborted, else "".
func (l *Loop) cutShort(p core.Problem) outcome.Stop {
	if !p.Aborted() {
		return ""
	}
	stop, _ := l.Interrupted()
	return stop
}

// HALS makes HALS steps (section 3.1).
func (l *Loop) HALS(p core.Problem) Trace {
	p.Begin()
	return l.iterate(p.State, func(int) outcome.Stop {
		p.Round()
		p.Step()
		return l.cutShort(p)
	})
}
