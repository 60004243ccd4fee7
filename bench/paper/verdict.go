package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// Agreement is the verdict on a row compared with the printed one.
type Agreement string

// Verdicts. The bars are in deviations.
const (
	Agrees    Agreement = "agrees"
	Explained Agreement = "explained" // every figure beyond a bar has a measured reason
	Differs   Agreement = "differs"
	NotJudged Agreement = "not compared"
)

// Bars of the verdicts.
const (
	nmfBar      = 0.05 // percentage points of Plain, for NMF
	relativeBar = 0.08 // of Plain and Improved
	sparseBar   = 6    // percentage points of s(V) and s(W)
)

// deviation is a figure beyond its bar.
type deviation struct {
	column
	ours, paper Figure
}

func (d deviation) String() string {
	text := fmt.Sprintf("%s %s, paper %s", columns[d.column].name, d.format(d.ours), d.format(d.paper))
	if d.column <= colImproved {
		text += fmt.Sprintf(" (%+.1f %%)", 100*(d.ours-d.paper)/d.paper)
	}
	return text
}

// deviations returns the figures of a row that are beyond the bars. PCA must meet the printed
// errors in both decimals, and NMF the printed Plain within 0.05. Every other row must meet
// Plain and Improved within 8 %, and s(V) and s(W) within 6 points.
func deviations(row string, ours, paper Figures) []deviation {
	var out []deviation
	check := func(c column, within func(a, b float64) bool) {
		d := deviation{c, ours[c], paper[c]}
		if d.paper.Known() && !within(float64(d.ours), float64(d.paper)) {
			out = append(out, d)
		}
	}
	decimals := func(a, b float64) bool { return fmt.Sprintf("%.2f", a) == fmt.Sprintf("%.2f", b) }
	switch row {
	case rowPCA:
		check(colPlain, decimals)
		check(colImproved, decimals)
	case rowNMF:
		check(colPlain, func(a, b float64) bool { return math.Abs(a-b) <= nmfBar })
	default:
		relative := func(a, b float64) bool { return math.Abs(a-b) <= relativeBar*b }
		points := func(a, b float64) bool { return math.Abs(a-b) <= sparseBar }
		check(colPlain, relative)
		check(colImproved, relative)
		check(colSV, points)
		check(colSW, points)
	}
	return out
}

// judge sets the verdict of a row after its variants are measured.
func judge(row *Row) {
	if !row.Paper[colPlain].Known() {
		row.Verdict = NotJudged
		row.Reasons = append(row.Reasons, row.unpublished())
		return
	}
	row.Verdict = Agrees
	for _, d := range deviations(row.Name, row.Figures, row.Paper) {
		reason, ok := explain(row, d)
		row.Reasons = append(row.Reasons, d.String()+": "+reason)
		switch {
		case !ok:
			row.Verdict = Differs
		case row.Verdict == Agrees:
			row.Verdict = Explained
		}
	}
}

// unpublished describes a row for which the paper has no figures.
func (row *Row) unpublished() string {
	ended := "ran all its iterations"
	if row.Stop == outcome.StopStep {
		ended = "stopped, because no step reduced the error"
	}
	return "the paper has no figures, because the algorithm did not converge; here it " + ended
}

// explain looks for a start or a variant that brings a figure within its bar.
func explain(row *Row, d deviation) (reason string, ok bool) {
	within := func(f Figures) bool {
		return !slices.ContainsFunc(deviations(row.Name, f, row.Paper), func(x deviation) bool { return x.column == d.column })
	}
	var reasons []string
	for _, v := range row.Variants {
		text := fmt.Sprintf("with %s %s", v.Variant, d.format(v.Figures[d.column]))
		if within(v.Figures) {
			ok = true
			text += ", within the tolerance"
		}
		reasons = append(reasons, text)
	}
	least, most := row.Least[d.column], row.Most[d.column]
	span := fmt.Sprintf("over the starts %s to %s", d.format(least), d.format(most))
	if within(row.Least) || within(row.Most) || least <= d.paper && d.paper <= most {
		ok = true
		span += ", so the start decides; the paper's starts are unknown"
	}
	if row.Revived > 0 {
		span += fmt.Sprintf("; %s vanished and were re-initialised", render.Plural(row.Revived, "factor"))
	}
	return strings.Join(append(reasons, span), "; "), ok
}

// format writes a figure with the paper's number of decimals.
func (c column) format(x Figure) string {
	switch {
	case !x.Known():
		return "/"
	case c <= colImproved:
		return fmt.Sprintf("%.2f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// difference writes the difference of a figure from the printed one.
func (c column) difference(x, paper Figure) string {
	format, zero := "%+.0f", "0"
	if c <= colImproved {
		format, zero = "%+.2f", "0.00"
	}
	text := fmt.Sprintf(format, x-paper)
	if text[1:] == zero {
		return zero // it has no sign
	}
	return text
}

// variants returns the experiments that may explain why a row differs.
func (r *run) variants(t experiment, row *Row) []experiment {
	beyond := deviations(row.Name, row.Figures, row.Paper)
	paper := inPaper(t.set.Name, t.like)
	switch {
	case t.recursive() && t.set.Name == setSwimmer:
		// After the paper's 180 iterations columns still have tails between 0.1 % and 5 % of
		// their maximum.
		t.variant = fmt.Sprintf("%d iterations", r.long)
		t.iterations = r.long
		return []experiment{t}
	case len(beyond) == 0:
		return nil
	}
	switch method := t.method.(type) {
	case lnmu.SNMF:
		t.variant = "the paper's targets"
		t.impose(float64(paper[colSV])/100, float64(paper[colSW])/100)
		return []experiment{t}
	case lnmu.Hoyer:
		ownTarget, other := t, t
		ownTarget.variant, other.variant = "the paper's target", "the other factor"
		like := t.set.find(t.like)
		if method.HoyerV > 0 {
			ownTarget.imposeHoyer(float64(paper[colSHV])/100, 0)
			other.imposeHoyer(0, like.w.Hoyer)
		} else {
			ownTarget.imposeHoyer(0, float64(paper[colSHW])/100)
			other.imposeHoyer(like.v.Hoyer, 0)
		}
		return []experiment{ownTarget, other}
	}
	return nil
}
