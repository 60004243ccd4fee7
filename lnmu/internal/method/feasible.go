package method

import (
	"math"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/outcome"
)

// leastFall is the relative fall of the error that an exact step needs for another step to
// follow.
const leastFall = 1e-5

// MakeFeasible makes the factors of p, factors k0, k0+1, ..., a feasible underapproximation by
// exact steps, and returns the steps (the remark on feasible solutions, section 3). It tries a
// step for V and one for W, and keeps the better one. Then it makes up to most - 1 steps, V and W
// in turn, as long as the error falls. If the run is cancelled, it returns the reason and
// restores the factors after the last kept step, or those before all steps. factors is the number
// of factors so far, for the report.
func (l *Loop) MakeFeasible(p core.Exact, k0, factors, most int) (steps []outcome.ExactStep, stop outcome.Stop) {
	if stop, over := l.Interrupted(); over {
		return nil, stop
	}
	saveStart, restoreStart := p.Copies()
	saveBest, restoreBest := p.Copies()
	saveStart()
	relative := func(e core.Residual) float64 { return math.Sqrt(e.Squares) / l.Norm }
	e := p.Residual(k0, false)
	before, violation := relative(e), max(0, -e.Least)
	try := func(v bool, restore func()) (step outcome.ExactStep, done bool) {
		step = outcome.ExactStep{Factors: factors, Renewed: "W", Before: before, Violation: violation}
		if v {
			step.Renewed = "V"
		}
		if step.KKT, done = p.Solve(v); !done {
			restore()
			stop, _ = l.Interrupted()
			return step, false
		}
		step.After = relative(p.Residual(k0, false))
		return step, true
	}

	first, ok := try(true, restoreStart)
	if !ok {
		return nil, stop
	}
	saveBest()
	restoreStart()
	second, ok := try(false, restoreStart)
	if !ok {
		return nil, stop
	}
	v := second.After < first.After // whether V is next
	if !v {
		restoreBest()
	}
	first.Kept, second.Kept = !v, v
	steps = []outcome.ExactStep{first, second}
	before, violation = min(first.After, second.After), 0
	for range most - 1 {
		saveBest()
		step, ok := try(v, restoreBest)
		if !ok {
			return steps, stop
		}
		step.Kept = step.After < before
		steps = append(steps, step)
		if !step.Kept {
			restoreBest()
			break
		}
		if before-step.After <= float64(leastFall*before) {
			break
		}
		before, v = step.After, !v
	}
	return steps, ""
}
