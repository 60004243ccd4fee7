package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"nmu/lnmu"
	"nmu/lnmu/internal/matrix"
)

// exact is the relative error up to which a factorization counts as exact, like the limit for
// zero entries of factors. A smaller error depends on the iterations more than on M.
const exact = matrix.Negligible

// bent is the least depth of a clear elbow: how far the curve of the training error lies below
// the line between its ends. Only a clear elbow counts while the held-out error still falls.
const bent = 0.2

// adviseByErrors applies the rules of HeldOut to its points, of an m x n matrix with
// m, n >= largest.
func adviseByErrors(points []HeldOutPoint, largest int) Advice {
	knee, depth := elbow(points)
	a := Advice{Elbow: knee}
	var held []HeldOutPoint
	for _, p := range points {
		if p.HeldOut != nil {
			held = append(held, p)
		}
	}
	if held == nil {
		a.Rank = knee
		a.Reason = "nothing was held out, and the training error has no elbow"
		if knee > 0 {
			a.Reason = "nothing was held out; " + a.bend()
		}
		return a
	}
	least := slices.MinFunc(held, func(p, q HeldOutPoint) int { return cmp.Compare(p.HeldOut.Mean, q.HeldOut.Mean) })
	bar := max(least.HeldOut.Mean+least.HeldOut.StandardError, exact)
	from := slices.IndexFunc(held, func(p HeldOutPoint) bool { return p.HeldOut.Mean <= bar })
	a.Least, a.OneStandardError = least.Rank, held[from].Rank
	last := held[len(held)-1].Rank
	larger := len(held) - 1 - slices.IndexFunc(held, func(p HeldOutPoint) bool { return p.Rank == least.Rank })
	switch {
	case larger >= risen, larger > 0 && last >= largest,
		least.HeldOut.Mean <= exact, from == 0, level(len(held)-from, len(held)):
		a.Rank = a.OneStandardError
		a.Reason = a.because(len(held), least.HeldOut)
		return a
	case larger > 0:
		a.Reason = fmt.Sprintf("the held-out error is least at rank %d, but only one larger rank was tried, so it does not show how many there are", least.Rank)
	default:
		a.Reason = fmt.Sprintf("the held-out error still falls at rank %d, the largest that was tried, so it does not show how many there are", least.Rank)
	}
	a.AtEnd = last < largest
	switch at, end, falls := stabilityFrom(points, knee); {
	case knee > 0 && depth >= bent && falls:
		a.Rank = knee
		a.Reason = fmt.Sprintf("%s, and the runs agree less from there: stability %.3f at rank %d, %.3f at rank %d; %s", a.bend(), at, knee, end.Agreement.Stability, end.Rank, a.Reason)
		return a
	case knee > 0 && depth >= bent && end == nil:
		a.Rank = knee
		a.Reason = a.bend() + "; " + a.Reason
		return a
	case knee > 0 && depth >= bent:
		a.Reason += fmt.Sprintf("; %s, but the runs agree as well at larger ranks", a.bend())
	case knee > 0:
		a.Reason += fmt.Sprintf("; the training error hardly bends, most at rank %d", knee)
	default:
		a.Reason += "; the training error has no elbow"
	}
	if a.AtEnd {
		a.Reason += "; try larger ranks"
	}
	return a
}

// risen is the number of ranks above that of the least held-out error which show that the error
// rises. At a single rank a fold may end in a poor local minimum.
const risen = 2

// level reports whether n ranks at the end of those tried, whose held-out errors are
// within one standard error of the least, show that the error no longer falls.
func level(n, tried int) bool { return n >= max(3, (tried+3)/4) }

// stabilityFrom returns the stability at a rank, and the last point above it that has one, or
// nil. falls is true if the stability is lower at the last point, and on average over all
// points above the rank.
func stabilityFrom(points []HeldOutPoint, rank int) (at float64, end *HeldOutPoint, falls bool) {
	var sum float64
	above := 0
	for i := range points {
		switch p := &points[i]; {
		case p.Agreement == nil:
		case p.Rank == rank:
			at = p.Agreement.Stability
		case p.Rank > rank:
			end, above = p, above+1
			sum += p.Agreement.Stability
		}
	}
	return at, end, end != nil && end.Agreement.Stability < at && sum/float64(above) < at
}

// bend returns the text about the elbow.
func (a Advice) bend() string {
	return fmt.Sprintf("the training error falls fast up to rank %d and slowly after it", a.Elbow)
}

// because returns the reason for the rule of one standard error.
func (a Advice) because(tried int, least *FoldErrors) string {
	var reason string
	switch {
	case tried == 1:
		return fmt.Sprintf("rank %d is the only one of which all folds are finished", a.Rank)
	case least.Mean <= exact:
		reason = fmt.Sprintf("rank %d is the smallest whose factors give the held-out entries, to %s", a.Rank, percent(exact))
	case a.Rank == a.Least:
		reason = fmt.Sprintf("the held-out error is least at rank %d, %s with a standard error of %s, and above their sum at every smaller rank",
			a.Rank, percent(least.Mean), percent(least.StandardError))
	default:
		reason = fmt.Sprintf("the held-out error is least at rank %d, %s, but that of rank %d is within one standard error of it, %s",
			a.Least, percent(least.Mean), a.Rank, percent(least.StandardError))
	}
	if a.Elbow == a.Rank {
		reason += "; the elbow of the training error is there too"
	} else if a.Elbow > 0 {
		reason += fmt.Sprintf("; the elbow of the training error is at rank %d", a.Elbow)
	}
	return reason
}

// percent writes a fraction in percent with three digits.
func percent(x float64) string { return fmt.Sprintf("%.3g %%", 100*x) }

// elbow returns the rank of the elbow of the training error, and how far the curve lies
// below the line between its ends there, when both axes have length 1. The rank is 0 if
// there is none: fewer than three ranks, an error that does not fall, or one that falls
// along a line or above it.
func elbow(points []HeldOutPoint) (rank int, depth float64) {
	var ranks, errs []float64
	for _, p := range points {
		if p.Training != nil {
			ranks, errs = append(ranks, float64(p.Rank)), append(errs, *p.Training)
		}
	}
	last := len(ranks) - 1
	if last < 2 || !(errs[0]-errs[last] > exact) {
		return 0, 0
	}
	depth = 1e-9 // more than rounding
	for i := range ranks {
		right := (ranks[i] - ranks[0]) / (ranks[last] - ranks[0])
		up := (errs[i] - errs[last]) / (errs[0] - errs[last])
		if below := 1 - right - up; below > depth {
			rank, depth = int(math.Round(ranks[i])), below
		}
	}
	return rank, depth
}

// Parts are taken to recur if the mean of their silhouettes is at least stable, and each of them
// at least distinct (S. M. A. Islam and others, Uncovering novel mutational signatures by de novo
// extraction with SigProfilerExtractor, 2022).
const (
	stable   = 0.8
	distinct = 0.2
)

// adviseByParts returns the largest rank whose parts recur.
func adviseByParts[T lnmu.Float](points []StabilityPoint[T]) Advice {
	at := -1
	for x, p := range points {
		if p.Stability >= stable && slices.Min(p.Silhouettes) >= distinct {
			at = x
		}
	}
	if at < 0 {
		return Advice{Reason: fmt.Sprintf("at no rank the parts recur in all runs, with a stability of %v and silhouettes of %v", stable, distinct)}
	}
	p := points[at]
	reason := fmt.Sprintf("rank %d is the largest whose parts recur: stability %.3f, least silhouette %.3f", p.Rank, p.Stability, slices.Min(p.Silhouettes))
	if at == len(points)-1 {
		return Advice{Rank: p.Rank, Reason: reason + "; larger ranks were not tried"}
	}
	next := points[at+1]
	return Advice{Rank: p.Rank, Reason: reason + fmt.Sprintf("; at rank %d they are %.3f and %.3f", next.Rank, next.Stability, slices.Min(next.Silhouettes))}
}
