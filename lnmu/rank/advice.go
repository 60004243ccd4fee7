package rank

import (
	"fmt"
	"math"

	"nmu/lnmu/internal/matrix"
)

// exact is the relative error up to which a factorization counts as exact, by the rule
// that holds for entries of factors: what is left then says more about how far the
// iterations came than about M.
const exact = matrix.Negligible

// Advice is which rank to choose, and why.
type Advice struct {
	// Rank is the one to choose: OneStandardError, or Elbow if nothing was held out; 0 if
	// there is neither.
	Rank int `json:"rank"`

	// Least is the rank of the least held-out error, OneStandardError the smallest one
	// whose held-out error is at most that plus its standard error (L. Breiman and others,
	// Classification and regression trees, 1984, section 3.4.3); 0 if nothing was held
	// out.
	Least            int `json:"least,omitempty"`
	OneStandardError int `json:"one_standard_error,omitempty"`

	// Elbow is the rank at which the curve of the training error lies farthest below the
	// line between its ends, when both axes have length 1 (V. Satopää and others, Finding
	// a "kneedle" in a haystack, 2011); 0 if there is none.
	Elbow int `json:"elbow,omitempty"`

	// AtEnd says that the held-out error is least at the largest rank that was tried, so
	// that a larger one may be better.
	AtEnd bool `json:"at_end,omitempty"`

	Reason string `json:"reason"` // in words
}

// advise applies the rules to the points of a curve, of an m x n matrix with
// m, n >= largest.
func advise(points []Point, largest int) Advice {
	a := Advice{Elbow: elbow(points)}
	var best *Point
	tried := 0
	for i := range points {
		if p := &points[i]; p.HeldOut != nil {
			tried++
			a.AtEnd = false
			if best == nil || p.HeldOut.Mean < best.HeldOut.Mean {
				best, a.AtEnd = p, tried > 1
			}
		}
	}
	if best == nil {
		a.Rank = a.Elbow
		a.Reason = "nothing was held out, and the training error has no elbow"
		if a.Elbow > 0 {
			a.Reason = fmt.Sprintf("nothing was held out; the training error falls fast up to rank %d and slowly after it", a.Elbow)
		}
		return a
	}
	h := best.HeldOut
	bar := max(h.Mean+h.StandardError, exact)
	for i := range points {
		if p := &points[i]; p.HeldOut != nil && p.HeldOut.Mean <= bar {
			a.OneStandardError = p.Rank
			break
		}
	}
	a.Rank, a.Least = a.OneStandardError, best.Rank
	a.AtEnd = a.AtEnd && best.Rank < largest && a.Rank > points[0].Rank
	a.Reason = a.because(tried, h)
	return a
}

// because gives the reason for the rule of one standard error.
func (a Advice) because(tried int, least *HeldOut) string {
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
	switch {
	case a.AtEnd:
		reason += "; it still falls at the end of the ranks that were tried, so a larger one may be better"
	case a.Elbow == a.Rank:
		reason += "; the elbow of the training error is there too"
	}
	if a.Elbow > 0 && a.Elbow != a.Rank {
		reason += fmt.Sprintf("; the elbow of the training error is at rank %d", a.Elbow)
	}
	return reason
}

// percent writes a fraction in percent with three digits.
func percent(x float64) string { return fmt.Sprintf("%.3g %%", 100*x) }

// elbow returns the rank of the elbow of the training error, 0 if there is none: fewer
// than three ranks, an error that does not fall, or one that falls along a line or
// above it.
func elbow(points []Point) int {
	var ranks, errs []float64
	for _, p := range points {
		if p.Training != nil {
			ranks, errs = append(ranks, float64(p.Rank)), append(errs, *p.Training)
		}
	}
	last := len(ranks) - 1
	if last < 2 || !(errs[0]-errs[last] > exact) {
		return 0
	}
	at, most := 0, 1e-9 // more than rounding
	for i := range ranks {
		right := (ranks[i] - ranks[0]) / (ranks[last] - ranks[0])
		up := (errs[i] - errs[last]) / (errs[0] - errs[last])
		if below := 1 - right - up; below > most {
			at, most = int(math.Round(ranks[i])), below
		}
	}
	return at
}
