package record

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"nmu/internal/fileset"
	"nmu/internal/options"
	"nmu/internal/page"
	"nmu/internal/render"
	"nmu/lnmu/compare"
)

// About is what rank.json and consensus.json have beside a result.
type About struct {
	Head
	Seconds float64           `json:"seconds"`
	Files   map[string]string `json:"files,omitempty"` // SHA-256 of those beside it
}

// presented is what people see of a comparison.
type presented struct {
	render.Document
	plot     func() ([]byte, error)
	names    []string // of the files: JSON, plot and page
	list     []string // of the page, below its table
	sections func() []render.Section
	tables   []fileset.File
	more     string // what is written beside the files with names
}

// show writes a report, whose JSON is that of all, to the folder dir, if it is not nil, and prints it.
func (a *About) show(all any, p presented, out io.Writer, folder *fileset.Folder, dir string, asJSON bool) error {
	writeJSON := func(w io.Writer) error { return render.WriteJSON(w, all) }
	if folder != nil {
		svg, err := p.plot()
		if err != nil {
			return err
		}
		_, sums, err := folder.Write(slices.Concat([]fileset.File{
			{Name: p.names[0], Write: writeJSON},
			ContentFile(p.names[1], svg),
			{Name: p.names[2], Write: func(w io.Writer) error {
				page := p.Document
				page.Sections = slices.Concat(p.Sections, p.sections())
				ranks := &page.Sections[0]
				ranks.SVG, ranks.List = [][]byte{svg}, slices.Concat(ranks.List[1:], p.list) // the first is the answer
				return page.WriteHTML(w)
			}},
		}, p.tables))
		if err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		a.Files = sums
		p.Facts.Add("written", "%s%s in %s", strings.Join(p.names, ", "), p.more, dir)
	}
	if asJSON {
		return writeJSON(out)
	}
	return p.WriteText(out)
}

// document is the report for people, with facts about the runs between those about the matrix and the time, and with the
// ranks in a table.
func (a *About) document(c *compare.Comparison, program, title, method string, runs render.Facts, ranks render.Table) render.Document {
	input := a.Matrix.text(&a.Settings)
	if c.Observed < c.Rows*c.Cols {
		input += fmt.Sprintf(", %d entries observed", c.Observed)
	}
	if c.Weighted {
		input += ", with weights"
	}
	advice := "no clear rank: " + c.Advice.Reason
	if c.Advice.Rank > 0 {
		advice = fmt.Sprintf("advice: rank %d: %s", c.Advice.Rank, c.Advice.Reason)
	}
	d := render.Document{
		Brand: program, Title: fmt.Sprintf("%s of %s", title, filepath.Base(filepath.ToSlash(a.Input))), Answer: []string{page.Advice(c)},
		Sections: []render.Section{{Title: "Ranks", Table: ranks, List: []string{advice}}},
	}
	d.Facts.Add("input", "%s", input)
	d.Facts.Add("method", "%s, at most %d iterations, %s start%s", c.Method, a.Settings.Iterations, a.Settings.Init, method)
	d.Facts = append(d.Facts, runs...)
	d.Facts.Add("time", "%.3g s, %s, %s", a.Seconds, render.Plural(a.Settings.Threads, "thread"), a.Settings.Precision)
	return d
}

// lineOf returns a line of a plot: a field of points by rank, in percent if it has a unit.
func lineOf[P any](name string, fields []options.Field, points []P, field string) render.Line {
	l, unit := render.Line{Name: name}, 1.0
	if options.Pick(fields, field)[0].Unit != "" {
		unit = 100
	}
	options.Curve(fields, points, field, func(rank, value float64) {
		l.Points = append(l.Points, render.Spread{X: rank, Y: unit * value})
	})
	return l
}

// advised marks the row of a rank in a table.
func advised(c *compare.Comparison, rank int) string {
	if rank == c.Advice.Rank {
		return "<- advised"
	}
	return ""
}

// measure names the error of a comparison.
func measure(c *compare.Comparison) string {
	name := "error"
	if c.Measure == compare.Divergence {
		name = "divergence"
	}
	return page.Named(name, c.Weighted)
}
