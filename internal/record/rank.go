package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"nmu/internal/fileset"
	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/page"
	"nmu/internal/render"
	"nmu/lnmu/compare"
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
const RankSchema = "nmu-rank/3"

// Rank is what rank.json holds.
type Rank struct {
	About
	*compare.HeldOutResult `json:"result"`
}

// validate reports what cannot be so in a rank.json.
func (r *Rank) validate(c *checks) {
	if c.that(r.Schema == RankSchema && r.HeldOutResult != nil && len(r.Points) > 0, "it has no points, or its schema is %q and not %q", r.Schema, RankSchema); c.err != nil {
		return
	}
	c.parts(r, &r.Head, r.Files)
	r.Settings.validateMethod(c)
	before := 0
	for _, p := range r.Points {
		c.that(p.Rank > before, "points have rank %d after %d", p.Rank, before)
		before = p.Rank
	}
	c.that(r.Comparison.Rows == r.Matrix.Rows && r.Comparison.Cols == r.Matrix.Cols, "result has %d x %d, and the input %d x %d", r.Comparison.Rows, r.Comparison.Cols, r.Matrix.Rows, r.Matrix.Cols)
}

// Show writes the report to the folder dir, if it is not nil, and prints it.
func (r *Rank) Show(out io.Writer, folder *fileset.Folder, dir string, asJSON bool) error {
	r.Program = program(RankSchema)
	return r.show(r, presented{
		Document: r.document(), plot: r.plot, names: RankNames, list: r.Notes,
		sections: func() []render.Section { return nil },
	}, out, folder, dir, asJSON)
}

// ReadRank reads what nmu rank has found from a folder. It stays within the memory that m leaves, and is
// reserved there.
func ReadRank(dir string, m *matio.File) (*compare.HeldOutResult, error) {
	path := filepath.Join(dir, NameRank)
	var text []byte
	err := fileset.Read(dir, func() (err error) {
		var size int64
		if text, size, err = readRecord(path, m.Shared()); err == nil {
			err = m.Reserve(size, "reading "+path)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s holds no results of nmu rank --out: %w", dir, err)
	}
	if err != nil {
		return nil, err
	}
	var r Rank
	if err := decode(text, &r); err != nil {
		return nil, fmt.Errorf("%s is not that of nmu rank: %w", path, err)
	}
	return r.HeldOutResult, nil
}

// document is the report for people, without its plot.
func (r *Rank) document() render.Document {
	held := "nothing"
	if r.Folds > 1 {
		held = fmt.Sprintf("%d folds", r.Folds)
		if r.NeverHeldOut > 0 {
			held += fmt.Sprintf(", without %s alone in their row or column", render.Plural(r.NeverHeldOut, "entry"))
		}
	}
	runs := fmt.Sprintf("%d", r.AllRuns)
	if r.Finished < r.AllRuns {
		runs = fmt.Sprintf("%d of %d, ended by %s", r.Finished, r.AllRuns, r.Stop)
	}
	measure := page.Named("error", r.Comparison.Weighted)
	t := render.Table{Head: []string{"rank", "held-out " + measure, "+-", "training " + measure, "stability", "cophenetic", "dispersion", ""}, Align: "rrrrrrrl"}
	for _, p := range r.Points {
		t.Rows = append(t.Rows, slices.Concat([]string{fmt.Sprint(p.Rank)}, options.Texts(page.RankColumns(), p, render.Percent), []string{advised(&r.Comparison, p.Rank)}))
	}
	d := r.About.document(&r.Comparison, "nmu rank", "Ranks", fmt.Sprintf(", seed %d", r.Seed), render.Facts{{Name: "held out", Value: held}, {Name: "runs", Value: runs}}, t)
	list := &d.Sections[0].List
	switch r.Compared {
	case compare.ComparedRestarts:
		*list = append(*list, fmt.Sprintf("stability, cophenetic correlation and dispersion are those of %d runs of all entries", r.Restarts))
	case compare.ComparedFolds:
		*list = append(*list, "stability, cophenetic correlation and dispersion are those of the runs of the folds")
	}
	return d
}

// plot draws the errors, and below them how far runs agree.
func (r *Rank) plot() ([]byte, error) {
	measure := page.Named("error", r.Comparison.Weighted)
	by := func(name, field string) render.Line {
		return lineOf(name, options.FieldsOf("nmu_rank_point"), r.Points, field)
	}
	errs := []render.Line{by("held-out "+measure, "held_out_error"), by("training "+measure, "training_error")}
	for i, at := range errs[0].Points {
		of := slices.IndexFunc(r.Points, func(p compare.HeldOutPoint) bool { return float64(p.Rank) == at.X })
		errs[0].Points[i].Error = 100 * r.Points[of].HeldOut.StandardError
	}
	agreement := []render.Line{by("stability", "stability"), by("cophenetic", "cophenetic"), by("dispersion", "dispersion")}
	// Ranks whose held-out error is far above that of the smallest one would hide the rest.
	var most float64
	for _, l := range errs {
		if len(l.Points) > 0 {
			most = max(most, 2*l.Points[0].Y)
		}
	}
	panels := []render.Panel{{Y: "Relative " + measure + " (%)", Most: most, Lines: errs}}
	if len(agreement[0].Points) > 0 {
		panels = append(panels, render.Panel{Y: "Agreement of " + string(r.Compared) + " (0 to 1)", Max: 1, Lines: agreement})
	}
	return render.Panels(fmt.Sprintf("Error and agreement by rank: %s, %d x %d", r.Method, r.Comparison.Rows, r.Comparison.Cols), "Rank", panels, r.Advice.Rank)
}
