package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"nmu/internal/render"
)

// document returns the report as a document: every group, then the checks and the notes.
func (r *Report) document() render.Document {
	d := render.Document{
		Title:   "nmu-lab bench, " + strings.TrimSpace(r.CPU+" "+r.Date.Format(time.DateOnly)),
		Heading: "nmu-lab bench",
		Facts:   render.Table{Rows: r.facts()},
	}
	for _, g := range groups(r.all()) {
		d.Sections = append(d.Sections, render.Section{Title: g[0].Group, Table: groupTable(g)})
	}
	if len(r.Checks) > 0 {
		d.Sections = append(d.Sections, render.Section{Title: "check", Table: checkTable(r.Checks)})
	}
	if len(r.Notes) > 0 {
		d.Sections = append(d.Sections, render.Section{Title: "notes", List: r.Notes})
	}
	return d
}

// WriteTable writes the report as text.
func (r *Report) WriteTable(w io.Writer) error { return r.document().WriteText(w) }

// WritePage writes the report as one HTML page that needs no other file.
func (r *Report) WritePage(w io.Writer) error {
	plots, err := r.Plots()
	if err != nil {
		return err
	}
	d := r.document()
	for i, p := range plots { // one for each group, in their order
		d.Sections[i].SVG = p.SVG
	}
	return d.WriteHTML(w)
}

// groupTable returns one row per measurement of a group, without empty columns.
func groupTable(g []Measurement) render.Table {
	head := []string{"case", g[0].XName, "by", "median " + g[0].Unit, "spread", "limit", "of limit", "predicted", "predicted/measured", "error", "note"}
	var rows [][]string
	for _, m := range g {
		row := []string{m.Case, "", m.Series, render.Number(m.Median), render.Percent(m.Spread), "", "", "", "", "", m.Note}
		if m.XName != "" {
			row[1] = render.Number(m.X)
		}
		if m.Limit > 0 {
			row[5], row[6] = render.Number(m.Limit), render.Percent(m.Ratio)
			if m.LimitBy != "" {
				row[5] += " (" + m.LimitBy + ")"
			}
		}
		if m.Predicted > 0 {
			row[7], row[8] = fmt.Sprintf("%s (%s)", render.Number(m.Predicted), m.PredictedBy), fmt.Sprintf("%.2f", m.PredictionRatio())
		}
		if m.RelativeError > 0 {
			row[9] = fmt.Sprintf("%.4f %%", 100*m.RelativeError)
		}
		rows = append(rows, row)
	}
	for c := len(head) - 1; c >= 0; c-- {
		used := false
		for _, row := range rows {
			used = used || row[c] != ""
		}
		if !used {
			head = slices.Delete(head, c, c+1)
			for i, row := range rows {
				rows[i] = slices.Delete(row, c, c+1)
			}
		}
	}
	return render.Table{Head: head, Rows: rows}
}

// checkTable returns a row per check.
func checkTable(checks []Check) render.Table {
	table := render.Table{Head: []string{"name", "what", "measured", "bar", "ratio", "verdict", "note"}}
	for _, k := range checks {
		text := func(x float64) string { return strings.TrimSpace(render.Number(x) + " " + k.Unit) }
		sign := ">="
		if k.AtMost {
			sign = "<="
		}
		bar := sign + " " + text(k.Bar)
		if k.Bar == 0 && k.Unit != "" {
			bar = "-" // the bar depends on the missing measurement
		}
		if k.Noise > 0 {
			bar += fmt.Sprintf(", noise %.0f %%", 100*k.Noise)
		}
		row := []string{k.Name, k.What, "-", bar, "-", string(k.Verdict), k.Note}
		if k.Verdict != Unmeasured {
			row[2], row[4] = text(k.Value), fmt.Sprintf("%.3f", k.Ratio)
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}
