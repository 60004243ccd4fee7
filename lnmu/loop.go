package lnmu

import (
	"math"

	"nmu/lnmu/internal/state"
)

// trace is what the iterations of one problem leave behind.
type trace struct {
	iterations int
	history    []float64
	stop       Stop
	last       float64 // relative error at the last check
	revived    int     // re-initialisations of a factor
	lowered    bool    // a penalty would have left nothing, and was lowered
}

// cut reports whether the iterations ended before their time.
func (tr *trace) cut() bool { return tr.stop == StopCancelled || tr.stop == StopTime }

// iterate makes the iterations k = 1, 2, ... of one problem, as all methods do: until
// one of them returns a reason to stop, the work is over, the error hardly changes
// any more, or all are done. What they change is state, so that they can go on from a
// checkpoint.
func (t *checkpointer[T]) iterate(relative func() float64, report func(k int), fields func() []state.Field, iteration func(k int) Stop) trace {
	tr := trace{stop: StopIterations}
	done, ok := t.resume(&tr, fields)
	if !ok {
		tr.stop = StopCancelled
		return tr
	}
	for k := done + 1; k <= t.Iterations; k++ {
		if stop, ok := t.interrupted(); ok {
			tr.stop = stop
			break
		}
		stop := iteration(k)
		if stop != "" && stop != StopResidual {
			tr.stop = stop
			break
		}
		tr.iterations = k
		if t.Iterated != nil {
			t.Iterated(k)
		}
		if stop != "" { // of an iteration that was made
			tr.stop = stop
			break
		}
		if (t.Record || t.Tolerance > 0 || t.targeted) && k%t.CheckEvery == 0 && t.ends(&tr, relative()) {
			break
		}
		report(k)
		t.checkpoint(k, &tr, fields)
	}
	return tr
}

// ends takes note of the relative error e, and reports whether it is the target or
// hardly differs from the one before.
func (j *job[T]) ends(tr *trace, e float64) bool {
	last, first := tr.last, len(tr.history) == 0
	tr.history, tr.last = append(tr.history, e), e
	switch {
	case j.targeted && e <= j.TargetError:
		tr.stop = StopTarget
	case !first && j.Tolerance > 0 && math.Abs(last-e) <= float64(j.Tolerance*last):
		tr.stop = StopTolerance
	default:
		return false
	}
	return true
}
