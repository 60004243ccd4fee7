package consensus

import (
	"fmt"
	"slices"

	"nmu/lnmu"
)

// Parts are taken to recur if the mean of their silhouettes is at least stable, and each of them
// at least distinct (S. M. A. Islam and others, Uncovering novel mutational signatures by de novo
// extraction with SigProfilerExtractor, 2022).
const (
	stable   = 0.8
	distinct = 0.2
)

// advise returns the largest rank whose parts recur.
func advise[T lnmu.Float](points []Point[T]) Advice {
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
		return Advice{p.Rank, reason + "; larger ranks were not tried"}
	}
	next := points[at+1]
	return Advice{p.Rank, reason + fmt.Sprintf("; at rank %d they are %.3f and %.3f", next.Rank, next.Stability, slices.Min(next.Silhouettes))}
}
