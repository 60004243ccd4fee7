package method

import (
	"math"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/state"
)

// Trace is what the iterations of one problem leave behind.
type Trace struct {
	Iterations int
	History    []float64
	Stop       core.Stop
	Last       float64 // relative error at the last check
	Revived    int     // re-initialisations of a factor
	Lowered    bool    // a penalty would have left nothing, and was lowered
}

// Cut reports whether the iterations ended before their time.
func (tr *Trace) Cut() bool { return tr.Stop == core.StopCancelled || tr.Stop == core.StopTime }

// Run is the run that iterations are a part of.
type Run interface {
	// Interrupted reports whether the work must end now, and why.
	Interrupted() (core.Stop, bool)
	// Cancelled is Interrupted for those who ask within tasks, and need not know why.
	Cancelled() bool
	// Resume sets the trace, and what the iterations change, to what was saved, and
	// returns the number of iterations that were made by then.
	Resume(tr *Trace, fields func() []state.Field) (k int, ok bool)
	// AfterIteration is called after each iteration k.
	AfterIteration(k int, tr *Trace, fields func() []state.Field)
}

// Loop says when iterations end, and who is told of them.
type Loop struct {
	Run
	Iterations  int
	CheckEvery  int     // iterations from one look at the error to the next
	Tolerance   float64 // they end when the error changes by no more than that, relatively; 0: never
	TargetError float64 // they end at that error; 0: never
	Record      bool    // the errors are recorded anyway
	Norm        float64 // ||M||_F
	Largest     float64 // the largest entry of M
	Precision   float64 // the distance from 1 to the next number
	Incomplete  bool    // entries of M are missing, or have weights
	Seed        uint64  // of the present start
	Iterated    func(k int)

	// Of the present problem: its relative error, and who watches.
	Relative func() float64
	Report   func(k int)
}

// iterate makes the iterations k = 1, 2, ... of one problem, as all methods do: until
// one of them returns a reason to stop, the work is over, the error hardly changes
// any more, or all are done. What they change is state, so that they can go on from a
// checkpoint.
func (l *Loop) iterate(fields func() []state.Field, iteration func(k int) core.Stop) Trace {
	tr := Trace{Stop: core.StopIterations}
	done, ok := l.Resume(&tr, fields)
	if !ok {
		tr.Stop = core.StopCancelled
		return tr
	}
	for k := done + 1; k <= l.Iterations; k++ {
		if stop, ok := l.Interrupted(); ok {
			tr.Stop = stop
			break
		}
		stop := iteration(k)
		if stop != "" && stop != core.StopResidual {
			tr.Stop = stop
			break
		}
		tr.Iterations = k
		if l.Iterated != nil {
			l.Iterated(k)
		}
		if stop != "" { // of an iteration that was made
			tr.Stop = stop
			break
		}
		if (l.Record || l.Tolerance > 0 || l.TargetError > 0) && k%l.CheckEvery == 0 && l.ends(&tr, l.Relative()) {
			break
		}
		l.Report(k)
		l.AfterIteration(k, &tr, fields)
	}
	return tr
}

// ends takes note of the relative error e, and reports whether it is the target or
// hardly differs from the one before.
func (l *Loop) ends(tr *Trace, e float64) bool {
	last, first := tr.Last, len(tr.History) == 0
	tr.History, tr.Last = append(tr.History, e), e
	switch {
	case l.TargetError > 0 && e <= l.TargetError:
		tr.Stop = core.StopTarget
	case !first && l.Tolerance > 0 && math.Abs(last-e) <= float64(l.Tolerance*last):
		tr.Stop = core.StopTolerance
	default:
		return false
	}
	return true
}

// cutShort is the reason to stop if the last pass of a problem was cut short, else "".
func (l *Loop) cutShort(p core.Problem) core.Stop {
	if !p.Aborted() {
		return ""
	}
	stop, _ := l.Interrupted()
	return stop
}

// HALS makes HALS steps (section 3.1).
func (l *Loop) HALS(p core.Problem) Trace {
	p.Begin()
	return l.iterate(p.State, func(int) core.Stop {
		p.Round()
		p.Step()
		return l.cutShort(p)
	})
}
