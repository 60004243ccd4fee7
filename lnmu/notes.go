package lnmu

import (
	"fmt"
	"math"
	"slices"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/outcome"
)

// evenLight is the least median of the sums of the weights in the start for which sums of one look right. That of
// pixels of equal light and a little noise is above it, and that of a light from 0.9 to 1 below.
const evenLight = 0.97

// muchExceeded is the part of the largest entry of M up to which an underapproximation may exceed M without a note.
const muchExceeded = 0.01

// notesOn returns the notes on a result, which has its factors.
func notesOn[T Float](res *Result[T], p resolved, s Settings, sparse bool) (notes []string) {
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if x := res.MaxViolation; p.Underapproximates && x > muchExceeded*res.LargestEntry {
		most, way := "up to", "; feasible final prevents that"
		if res.ViolationBound {
			most = "perhaps up to"
		}
		switch {
		case s.fixes() || p.priors != [2]core.Prior{}:
			way = ""
		case sparse:
			way = "; made dense and with feasible final it does not"
		}
		add(core.Exceeds+" %s %.3g, %.0f %% of the largest entry of M%s", most, x, 100*x/res.LargestEntry, way)
	}
	if s.MissingSolver == MissingMajorize && p.missingSolver() == MissingExact {
		add("with weights of this range the missing solver majorize may stop far from the minimum; exact, the default, does not")
	}
	if s.MissingSolver != "" && !p.Incomplete() {
		add("the missing solver %s has no effect: M has neither missing entries nor weights that differ", s.MissingSolver)
	}
	if x := res.noise; x > 0 {
		below := func(value float64) float64 { return math.Sqrt(float64(value*value) + x) }
		add("the sums of squares of this large sparse matrix cancel, and measuring its entries would take longer than the run: the relative error is at most %.3g, and the relative violation %.3g", below(res.RelativeError), below(res.RelativeViolation))
	}
	if x := res.fell; x > core.Moving && res.RelativeError > core.Fitted {
		add(core.NotAtRest+": it fell by %.2g %% in the last tenth of them; more iterations lower it further", 100*x)
	}
	if p.lagrange.Feasible != "" && res.Stop == outcome.StopTarget && res.RelativeError > s.TargetError {
		add("the iterations ended at the target error %.4g, and the exact steps after them have raised the error to %.4g; choose a smaller target error", s.TargetError, res.RelativeError)
	}
	if p.sumW && res.light > 0 && res.light < evenLight {
		add("half of the columns of M are at most %.2f times a mixture of the pure columns of the start, as pixels of unequal light are: sums of one look wrong; leave them out, and divide W by its column sums", res.light)
	}
	lowered := 0
	for _, b := range res.Blocks {
		if b.Lowered {
			lowered++
		}
	}
	switch {
	case lowered == 1:
		add("the penalty would have left nothing of 1 factor, and was lowered there; choose a smaller one")
	case lowered > 1:
		add("the penalty would have left nothing of %d factors, and was lowered there; choose a smaller one", lowered)
	}
	switch penalised := p.targets || p.penalties != [2]core.Penalty{}; {
	case !penalised || !noneLeft(res):
		if math.IsInf(res.RelativeDivergence, 1) {
			instead := "; choose a start or fixed factors without these zeros"
			if !p.coordinates {
				instead = ", and multiplicative updates keep the zeros of a start" + instead + ", or solver coordinate"
			}
			add("the divergence is infinite: V W is 0 where M is positive%s", instead)
		}
	case p.targets:
		add("the penalties of the target sparsities have left nothing of V and W, so that these targets cannot be met; choose smaller ones")
	case p.mild == nil:
		add("the penalties have left nothing of V and W; choose smaller ones")
	default:
		add("the penalties have left nothing of V and W; choose smaller ones, for example %.1g for both", p.mild(res.LargestEntry))
	}
	return notes
}

// noneLeft reports whether V W = 0. Each of several processes looks at its own part of V or W, and
// at the error, which is the same for all.
func noneLeft[T Float](res *Result[T]) bool {
	if rounding := 1e3 * matrix.Epsilon[T](); !(res.RelativeError >= 1-rounding) {
		return false
	}
	positive, basis := func(a T) bool { return a > 0 }, res.V.Transposed()
	for k := range basis.Rows {
		if slices.ContainsFunc(basis.Row(k), positive) && slices.ContainsFunc(res.W.Row(k), positive) {
			return false
		}
	}
	return true
}
