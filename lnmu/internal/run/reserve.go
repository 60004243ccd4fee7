package run

import (
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/method"
)

// The memory of tasks, teams and records: objects that do not grow with M, and those of a thread with what the runtime rounds
// them up by, up to 11 KiB by measurement.
const (
	Small     = 64 << 10
	perThread = 16 << 10
)

// Reserve takes from an arena what the run takes from every start, given the storage of an estimate. It makes what the run makes,
// and all of it lives: what one phase leaves may still be there in the next.
func (j *Job) Reserve(a *arena.Arena, m Matrix) {
	j.Matrix = m
	workers := j.workers()
	a.Add(Small + perThread*float64(j.Threads))
	a.Times(workers, func() {
		var result core.Factors
		factors := a.Times(1, func() { result = m.Factors(j.Rank) })
		if j.Restarts > 1 { // the best one
			a.Add(factors)
		}
		if j.Checkpoint != nil && workers > 1 { // the state of each restart, in a buffer that has grown, and one to resume
			a.Add(2*float64(m.Bytes) + 7*factors)
		}
		place := m.Open(j.Threads / workers)
		defer place.Close()
		place.Restart(0, false)
		p := place.Problem(min(j.Block, j.Rank))
		method.Reserve(p, j.Plan)
		switch {
		case j.InTheEnd:
			p, done := m.Storage.(core.Rechecking).Reopen(result, j.Threads)
			reserveSteps(p)
			done()
		case j.FeasibleSteps > 0:
			reserveSteps(p.(core.Exact))
		}
		if _, ok := m.Storage.(core.Measuring); ok { // what the measurement of the result copies
			a.Add(factors)
		}
		if n := j.Paused(); n > 0 { // the states of those that wait in a race: factors, perhaps extrapolated, and Gram matrices
			each := factors + 8*float64(j.Rank)*float64(j.Rank)*8
			if j.Accelerated || j.Divergence {
				each += factors
			}
			a.Add(float64(n+1)*each + 2*factors) // with a state that grows, and the best factors before
		}
	})
}

// reserveSteps takes what exact steps take.
func reserveSteps(p core.Exact) {
	for _, v := range []bool{true, false} { // with the factors before, and the best ones
		p.Copies()
		p.Solve(v)
	}
}
