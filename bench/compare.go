package bench

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"
)

// WriteComparison writes what changed from one report to another: for every
// quantity in both, the medians with the bounds of their intervals, the change
// with its own, and a verdict where the samples differ more than chance
// explains (Mann-Whitney U, 5 %).
func WriteComparison(w io.Writer, old, new *Report) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	was := old.facts()
	for i, now := range new.facts() {
		before := "" // a revision may be missing
		if i < len(was) {
			before = was[i][1]
		}
		mark := ""
		if before != now[1] && now[0] != "date" && now[0] != "revision" {
			mark = "  <- differs"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s%s\n", now[0], before, now[1], mark)
	}
	before := map[string]Measurement{}
	for _, m := range old.all() {
		before[m.key()] = m
	}
	var only []string
	for _, g := range groups(new.all()) {
		fmt.Fprintf(tw, "\n%s\n", strings.ToUpper(g[0].Group))
		fmt.Fprintf(tw, "case\tby\told %s\tnew %s\tchange\tp\tverdict\n", g[0].Unit, g[0].Unit)
		for _, m := range g {
			o, ok := before[m.key()]
			if !ok || o.Unit != m.Unit {
				only = append(only, "only in the new report: "+m.key())
				continue
			}
			delete(before, m.key())
			c := CompareStats(o.Stat, m.Stat)
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%.3f\t%s\n", m.label(), m.Series,
				interval(o.Stat), interval(m.Stat), c.text(), c.P, m.verdict(c))
		}
	}
	for _, m := range old.all() { // in order, not that of the map
		if _, ok := before[m.key()]; ok {
			only = append(only, "only in the old report: "+m.key())
		}
	}
	if len(only) > 0 {
		fmt.Fprintf(tw, "\n%s\n", strings.Join(only, "\n"))
	}
	return tw.Flush()
}

// key identifies the quantity across reports.
func (m Measurement) key() string {
	return fmt.Sprintf("%s: %s, %s", m.Group, m.label(), m.Series)
}

// label is the case with its size, if it has one.
func (m Measurement) label() string {
	if m.XName == "" {
		return m.Case
	}
	return fmt.Sprintf("%s %s=%s", m.Case, m.XName, number(m.X))
}

// verdict says in which direction the quantity moved.
func (m Measurement) verdict(c Change) string {
	switch {
	case !c.Significant:
		return "~"
	case (c.Ratio > 1) == m.HigherBetter:
		return "better"
	}
	return "worse"
}

// text is the change in percent with its interval.
func (c Change) text() string {
	if math.IsNaN(c.Ratio) {
		return "?"
	}
	return fmt.Sprintf("%+.1f %% [%+.1f, %+.1f]", 100*(c.Ratio-1), 100*(c.Low-1), 100*(c.High-1))
}

// interval is the median with its bounds.
func interval(s Stat) string {
	return fmt.Sprintf("%s [%s, %s]", number(s.Median), number(s.Low), number(s.High))
}
