package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"nmu/cmd/internal/message"
	"nmu/internal/fileset"
	"nmu/internal/page"
	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/rank"
)

// The files of nmu rank.
const (
	NameRank     = "rank.json"
	NameRankPlot = "rank.svg"
	NameRankPage = "rank.html"
)

// RankNames are the names of the files of nmu rank.
var RankNames = []string{NameRank, NameRankPlot, NameRankPage}

// RankSchema names the format of rank.json.
const RankSchema = "nmu-rank/1"

// Rank is what rank.json holds.
type Rank struct {
	Schema string `json:"schema"`
	Origin
	Iterations int    `json:"iterations"`
	Init       string `json:"init"`
	Manner
	*rank.Result

	Files map[string]string `json:"files,omitempty"` // SHA-256 of those beside rank.json
}

// validate reports what cannot be so in a rank.json.
func (r *Rank) validate() error {
	if r.Schema != RankSchema || r.Result == nil {
		return fmt.Errorf("its schema is %q, want %q", r.Schema, RankSchema)
	}
	if len(r.Points) == 0 {
		return errors.New("it has no points")
	}
	var c checks
	c.count("rows", r.Rows, 1)
	c.count("cols", r.Cols, 1)
	c.count("folds", r.Folds, 0)
	c.count("restarts", r.Restarts, 0)
	c.count("runs", r.Runs, 0)
	c.count("runs_finished", r.Finished, 0)
	c.nonnegative("seconds", r.Seconds)
	oneOf(&c, "measure", r.Measure, "", rank.Divergence)
	oneOf(&c, "compared", r.Compared, "", rank.Restarts, rank.Folds)
	oneOf(&c, "stop", r.Stop, slices.Concat(stops, []lnmu.Stop{""})...)
	before := 0
	for _, p := range r.Points {
		c.that(p.Rank > before, "points have rank %d after %d", p.Rank, before)
		before = p.Rank
		if p.Training != nil {
			c.fractions("training_error", *p.Training)
		}
		if h := p.HeldOut; h != nil {
			c.fractions("held_out", h.Mean, h.StandardError)
		}
		if a := p.Agreement; a != nil {
			c.share("stability", a.Stability)
			c.share("dispersion", a.Dispersion)
			c.that(a.Cophenetic >= -1.000001 && a.Cophenetic <= 1.000001, "cophenetic is %v", a.Cophenetic)
		}
	}
	c.count("advice: rank", r.Advice.Rank, 0)
	return c.err
}

// Show writes the report to the folder dir, if it is not nil, and prints it.
func (r *Rank) Show(out io.Writer, folder *fileset.Folder, dir string, asJSON bool) error {
	var written []string
	d := r.document()
	if folder != nil {
		svg, err := rankPlot(r.Result)
		if err != nil {
			return err
		}
		var sums map[string]string
		written, sums, err = folder.Write([]fileset.File{
			{Name: NameRank, Write: r.writeJSON},
			ContentFile(NameRankPlot, svg),
			{Name: NameRankPage, Write: func(w io.Writer) error {
				page := d
				page.Sections = slices.Clone(d.Sections)
				page.Sections[0].SVG, page.Sections[0].List = svg, slices.Concat(d.Sections[0].List, r.Notes)
				return page.WriteHTML(w)
			}},
		})
		if err != nil {
			return fmt.Errorf("--out: %w", err)
		}
		r.Files = sums
	}
	if asJSON {
		return r.writeJSON(out)
	}
	if written != nil {
		d.Facts.Rows = append(d.Facts.Rows, []string{"written", strings.Join(written, ", ") + " in " + dir})
	}
	return d.WriteText(out)
}

func (r *Rank) writeJSON(w io.Writer) error { return render.WriteJSON(w, r) }

// ReadRank reads what nmu rank has found from a folder, in at most limit bytes of memory.
func ReadRank(dir string, limit int64) (*rank.Result, error) {
	var text []byte
	err := fileset.Read(dir, func() (err error) {
		text, err = readRecord(filepath.Join(dir, NameRank), limit)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no results of nmu rank --out: %w", dir, err)
	}
	if err != nil {
		return nil, err
	}
	var r Rank
	if err := decode(text, &r, nil, ""); err != nil {
		return nil, fmt.Errorf("%s is not that of nmu rank: %w", filepath.Join(dir, NameRank), err)
	}
	return r.Result, nil
}

// compared returns what a comparison of runs says of its matrix.
func compared(input, variable string, transposed bool, rows, cols, observed int, weighted bool) string {
	if variable != "" {
		input += ", variable " + variable
	}
	if transposed {
		input += ", transposed"
	}
	input += fmt.Sprintf(", %d x %d", rows, cols)
	if observed < rows*cols {
		input += fmt.Sprintf(", %d entries observed", observed)
	}
	if weighted {
		input += ", with weights"
	}
	return input
}

// document is the report for people.
func (r *Rank) document() render.Document {
	input := compared(r.Input, r.Variable, r.Transpose, r.Rows, r.Cols, r.Observed, r.Weighted)
	held := "nothing"
	if r.Folds > 1 {
		held = fmt.Sprintf("%d folds", r.Folds)
		if r.NeverHeldOut > 0 {
			held += fmt.Sprintf(", without %s alone in their row or column", render.Plural(r.NeverHeldOut, "entry"))
		}
	}
	runs := fmt.Sprintf("%d", r.Runs)
	if r.Finished < r.Runs {
		runs = fmt.Sprintf("%d of %d, ended by %s", r.Finished, r.Runs, r.Stop)
	}
	return render.Document{
		Title: "nmu rank", Heading: "Choice of the rank",
		Facts: render.Table{Rows: [][]string{
			{"input", input},
			{"method", fmt.Sprintf("%s, %d iterations, %s start, seed %d", r.Method, r.Iterations, r.Init, r.Seed)},
			{"held out", held},
			{"runs", runs},
			{"time", fmt.Sprintf("%.3g s, %s, %s", r.Seconds, render.Plural(r.Threads, "thread"), r.Precision)},
		}},
		Sections: []render.Section{rankSection(r.Result)},
	}
}

// rankSection is what a report shows of a comparison of ranks, without its plot.
func rankSection(res *rank.Result) render.Section {
	measure := page.Named("error", res.Weighted)
	t := render.Table{Head: []string{"rank", "held-out " + measure, "+-", "training " + measure, "stability", "cophenetic", "dispersion", ""}, Align: "rrrrrrrl"}
	number := func(x float64) string { return fmt.Sprintf("%.3f", x) }
	for _, p := range res.Points {
		row := []string{fmt.Sprint(p.Rank), "", "", "", "", "", "", ""}
		if h := p.HeldOut; h != nil {
			row[1], row[2] = message.Percent(h.Mean), message.Percent(h.StandardError)
		}
		if p.Training != nil {
			row[3] = message.Percent(*p.Training)
		}
		if a := p.Agreement; a != nil {
			row[4], row[5], row[6] = number(a.Stability), number(a.Cophenetic), number(a.Dispersion)
		}
		if p.Rank == res.Advice.Rank {
			row[7] = "<- advised"
		}
		t.Rows = append(t.Rows, row)
	}
	advice := "no clear rank: " + res.Advice.Reason
	if res.Advice.Rank > 0 {
		advice = fmt.Sprintf("advice: rank %d: %s", res.Advice.Rank, res.Advice.Reason)
	}
	list := []string{advice}
	switch res.Compared {
	case rank.Restarts:
		list = append(list, fmt.Sprintf("stability, cophenetic correlation and dispersion are those of %d runs of all entries", res.Restarts))
	case rank.Folds:
		list = append(list, "stability, cophenetic correlation and dispersion are those of the runs of the folds")
	}
	return render.Section{Title: "ranks", Table: t, List: list}
}

// rankPlot draws the errors, and below them how far runs agree.
func rankPlot(res *rank.Result) ([]byte, error) {
	measure := page.Named("error", res.Weighted)
	heldOut, training := render.Line{Name: "held-out " + measure}, render.Line{Name: "training " + measure}
	stability, cophenetic, dispersion := render.Line{Name: "stability"}, render.Line{Name: "cophenetic"}, render.Line{Name: "dispersion"}
	add := func(l *render.Line, r int, y, spread float64) {
		l.Points = append(l.Points, render.Spread{X: float64(r), Y: y, Error: spread})
	}
	for _, p := range res.Points {
		if h := p.HeldOut; h != nil {
			add(&heldOut, p.Rank, 100*h.Mean, 100*h.StandardError)
		}
		if p.Training != nil {
			add(&training, p.Rank, 100**p.Training, 0)
		}
		if a := p.Agreement; a != nil {
			add(&stability, p.Rank, a.Stability, 0)
			add(&cophenetic, p.Rank, a.Cophenetic, 0)
			add(&dispersion, p.Rank, a.Dispersion, 0)
		}
	}
	// Ranks whose held-out error is far above that of the smallest one would hide the rest.
	var most float64
	for _, l := range []render.Line{heldOut, training} {
		if len(l.Points) > 0 {
			most = max(most, 2*l.Points[0].Y)
		}
	}
	panels := []render.Panel{{Y: "Relative " + measure + " (%)", Most: most, Lines: []render.Line{heldOut, training}}}
	if len(stability.Points) > 0 {
		panels = append(panels, render.Panel{Y: "Agreement of " + string(res.Compared) + " (0 to 1)", Max: 1, Lines: []render.Line{stability, cophenetic, dispersion}})
	}
	return render.Panels(fmt.Sprintf("Error and agreement by rank: %s, %d x %d", res.Method, res.Rows, res.Cols), "Rank", panels, res.Advice.Rank)
}
