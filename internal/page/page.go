package page

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"nmu/internal/options"
	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/compare"
	"nmu/lnmu/outcome"
)

// Run is a finished factorization, as the page shows it.
type Run struct {
	Input      string // what was factored: a file or folder
	Rows, Cols int    // of M
	Method     options.Description
	RankAsked  int // more than Rank after an early end

	Result
	CheckEvery int // iterations between two errors of a history

	Facts render.Facts // how it was run, in the words of the command

	RowNames, ColNames []string // nil if there are none
	RowAxis, ColAxis   string   // what the names are, if they are numbers, such as "wavelength (Nanometers)"
	SumToOne           bool     // the columns of W add up to 1, so that maps have one scale
	Weighted           bool     // squares had weights
	Missing            bool     // not all entries of M count
	LeftRows, LeftCols []bool   // those that are left out; nil if none is
	Image              Pixels   // of the columns of M
	Map                Pixels   // of the image with one pixel for each column of M

	V, W     Factor
	Distance *Distance // nil if M is not there
	Without  string    // why Distance is nil

	Choice *compare.HeldOutResult // ranks that were compared; nil if none were
	Links  []render.Link          // to pages of comparisons

	Library *Library // spectra that the columns of V are compared with; nil if there are none
}

// Result is the record of a factorization, and what was measured of its factors, as result.json has them.
type Result struct {
	outcome.Report
	RelativeL1 *float64      `json:"relative_l1,omitempty"`         // with the norm l1
	Divergence *outcome.Real `json:"relative_divergence,omitempty"` // with the method kl
	Q          outcome.Real  `json:"q,omitempty"`

	Rank      int     `json:"rank"` // less than was asked for after an early end
	SparsityV float64 `json:"sparsity_v"`
	SparsityW float64 `json:"sparsity_w"`
	HoyerV    float64 `json:"hoyer_v"`
	HoyerW    float64 `json:"hoyer_w"`
}

// Factor is V or W.
type Factor interface {
	Dims() (rows, cols int)
	At(i, j int) float64
}

// FactorOf returns a view of d as a Factor, without a copy, with 0 for NaN, which lines that are left out have.
func FactorOf[T lnmu.Float](d lnmu.Dense[T]) Factor { return wide[T]{d} }

// wide is a matrix whose numbers are read as float64.
type wide[T lnmu.Float] struct{ d lnmu.Dense[T] }

func (w wide[T]) Dims() (rows, cols int) { return w.d.Rows, w.d.Cols }

func (w wide[T]) At(i, j int) float64 {
	if x := w.d.At(i, j); x == x {
		return float64(x)
	}
	return 0
}

var (
	//go:embed page.gohtml
	pageText string
	//go:embed page.js
	pageScript string

	pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
		"headline": headline,
		"percent":  percent,
		"number":   render.Number,
		"plural":   render.Plural,
	}).Parse(pageText))
)

// page is the data of the template.
type page struct {
	Run

	rows, cols side
	parts      int // number of parts shown
}

// sections are the sections of a page in order. make returns the data of the template with the
// same name, or nil to omit the section.
var sections = []struct {
	id, title string
	make      func(*page) any
}{
	{"summary", "What was found", (*page).summary},
	{"parts", "The parts", (*page).basis},
	{"weights", "How the parts are used", (*page).weights},
	{"choice", "How many parts", (*page).choice},
	{"errors", "How the error came down", (*page).errors},
	{"distance", "How far from M", (*page).distance},
	{"steps", "One column, part by part", (*page).steps},
	{"library", "The parts and known spectra", (*page).library},
	{"figures", "The parts in figures", (*page).figures},
	{"facts", "How it was run", (*page).facts},
}

// newPage returns the page about a run, whose factors must have the shape that it says.
func newPage(run Run) (*page, error) {
	rows, rank := run.V.Dims()
	inner, cols := run.W.Dims()
	if rows != run.Rows || cols != run.Cols || rank != run.Rank || inner != run.Rank || rank < 1 {
		return nil, fmt.Errorf("page: V is %d x %d and W is %d x %d, of a run of rank %d on a matrix of %d x %d", rows, rank, inner, cols, run.Rank, run.Rows, run.Cols)
	}
	run.RowNames, run.ColNames = printable(run.RowNames), printable(run.ColNames)
	p := &page{
		Run:   run,
		rows:  newSide(run.Rows, "row", run.Image, run.RowNames, run.LeftRows).over(run.RowAxis),
		cols:  newSide(run.Cols, "column", run.Map, run.ColNames, run.LeftCols).over(run.ColAxis),
		parts: min(run.Rank, mostParts),
	}
	if p.spectral() && run.RowAxis == "" {
		p.rows.scale.Name = "wavelength"
	}
	return p, nil
}

// Write writes the page about a run to w.
func Write(w io.Writer, run Run) error {
	p, err := newPage(run)
	if err != nil {
		return err
	}
	content := strings.Join(p.content(), ", ")
	whole := render.Page{
		Brand: "nmu report", Title: p.title(), Answer: p.answer(), Lead: p.lead(), Links: run.Links,
		Content: &content, Script: template.JS(pageScript),
	}
	for _, s := range sections {
		data := s.make(p)
		if data == nil {
			continue
		}
		var body bytes.Buffer
		if err := pageTemplate.ExecuteTemplate(&body, s.id, data); err != nil {
			return fmt.Errorf("page: %w", err)
		}
		whole.Sections = append(whole.Sections, render.Part{ID: s.id, Title: s.title, Body: template.HTML(body.String())})
	}
	return whole.Write(w)
}

// printable returns names as render.Printable shows them. The page escapes what a browser would obey, but the script
// decodes the names in its data.
func printable(names []string) []string {
	shown := slices.Clone(names)
	for i, name := range names {
		shown[i] = render.Printable(name)
	}
	return shown
}

// blocks returns the blocks of a recursion, each with the error of the factors up to it; nil for other methods.
func (run *Run) blocks() []outcome.Block {
	if !run.Method.Recursive {
		return nil
	}
	return run.Blocks
}

// errorAt returns the relative error of the first parts of a recursion, if a block ends there.
func (run *Run) errorAt(parts int) (e float64, known bool) {
	for _, b := range run.blocks() {
		if b.Rank == parts {
			return b.Error, true
		}
	}
	return 0, false
}

// checked returns all blocks if the errors of some were kept at their checks, else nil.
func (run *Run) checked() []outcome.Block {
	if slices.ContainsFunc(run.Blocks, func(b outcome.Block) bool { return len(b.History) > 0 }) {
		return run.Blocks
	}
	return nil
}

// spectral says whether the columns of M are the spectra of the pixels of an image.
func (p *page) spectral() bool { return p.Map.Known() && p.rows.curves() && p.rows.names != nil }

// facts makes the section about the settings of the run.
func (p *page) facts() any { return p.Run }

// percent writes a fraction in percent with two decimals, or with more for a small one that is
// not zero.
func percent(x float64) string {
	if x > 0 && x < 0.00005 {
		return render.Number(100*x) + "\u00a0%"
	}
	return fmt.Sprintf("%.2f\u00a0%%", 100*x)
}
