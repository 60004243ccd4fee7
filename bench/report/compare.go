package report

import (
	"fmt"
	"io"
	"math"

	"nmu/bench/internal/stat"
	"nmu/internal/render"
)

// WriteComparison writes the changes from one report to another. For every quantity in both
// it writes the medians and the change with their intervals, and a verdict if the change is
// significant (Mann-Whitney U test, 5 %).
func WriteComparison(w io.Writer, old, new *Report) error {
	var d render.Document
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
		d.Facts.Rows = append(d.Facts.Rows, []string{now[0], before, now[1] + mark})
	}
	before := map[string]Measurement{}
	for _, m := range old.all() {
		before[m.ID()] = m
	}
	var only []string
	for _, g := range groups(new.all()) {
		table := render.Table{Head: []string{"case", "by", "old " + g[0].Unit, "new " + g[0].Unit, "change", "p", "verdict"}}
		for _, m := range g {
			o, ok := before[m.ID()]
			if !ok || o.Unit != m.Unit {
				only = append(only, "only in the new report: "+m.ID())
				continue
			}
			delete(before, m.ID())
			c := stat.Compare(o.Stat, m.Stat)
			table.Rows = append(table.Rows, []string{
				m.Label(), m.Series, interval(o.Stat), interval(m.Stat), changeText(c), fmt.Sprintf("%.3f", c.P), m.verdict(c),
			})
		}
		d.Sections = append(d.Sections, render.Section{Title: g[0].Group, Table: table})
	}
	for _, m := range old.all() { // in order, not that of the map
		if _, ok := before[m.ID()]; ok {
			only = append(only, "only in the old report: "+m.ID())
		}
	}
	if len(only) > 0 {
		d.Sections = append(d.Sections, render.Section{List: only})
	}
	return d.WriteText(w)
}

// verdict says whether the quantity became better or worse.
func (m Measurement) verdict(c stat.Change) string {
	switch {
	case !c.Significant:
		return "~"
	case (c.Ratio > 1) == m.HigherBetter:
		return "better"
	}
	return "worse"
}

// changeText writes a change in percent with its interval.
func changeText(c stat.Change) string {
	if math.IsNaN(c.Ratio) {
		return "?"
	}
	return fmt.Sprintf("%+.1f %% [%+.1f, %+.1f]", 100*(c.Ratio-1), 100*(c.Low-1), 100*(c.High-1))
}

// interval is the median with its bounds.
func interval(s stat.Stat) string {
	return fmt.Sprintf("%s [%s, %s]", render.Number(s.Median), render.Number(s.Low), render.Number(s.High))
}
