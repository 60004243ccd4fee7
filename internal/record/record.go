package record

import (
	"io"

	"nmu/internal/options"
	"nmu/internal/page"
	"nmu/internal/render"
	"nmu/internal/work"
	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// The formats of result.json.
const (
	FactorSchema    = "nmu-factor/2"
	TransformSchema = "nmu-transform/2"
)

// Head is what every JSON file of a result has beside the result.
type Head struct {
	Program
	Matrix   `json:"input"`
	Settings Settings `json:"settings"`
}

// Factor is what result.json of nmu factor holds.
type Factor struct {
	Head
	Found `json:"result"`
	Files map[string]string `json:"files,omitempty"` // SHA-256 of those beside result.json

	Distance *page.Distance `json:"-"` // of V W from M, which the page shows
}

// Found is the result of a factorization: its record, and what the command has measured beside it.
type Found struct {
	page.Result
	Seconds  float64           `json:"seconds"`            // of the factorization alone
	Improved *work.Improvement `json:"improved,omitempty"` // with --improve
	Top      []TopFactor       `json:"top,omitempty"`      // with --top

	SHA256V string `json:"sha256_v"`
	SHA256W string `json:"sha256_w"`

	Past     int    `json:"past_cols,omitempty"` // how many columns the sums of products have
	SHA256WW string `json:"sha256_ww,omitempty"` // of the sums
	SHA256MW string `json:"sha256_mw,omitempty"`
}

// FactorOf describes a run on a matrix of this size, and its finished result.
func FactorOf[T lnmu.Float](rows, cols int, r *work.Reply[T]) *Factor {
	p := &r.Plan
	rep := &Factor{Distance: r.Distance, Head: Head{
		Program:  program(FactorSchema),
		Matrix:   Matrix{Rows: rows, Cols: cols, Partial: Partial{r.Missing, p.Weights != nil, p.StoredOnly}, Entries: r.Entries, Left: p.Lines},
		Settings: NewSettings[T](options.Run{}, p.Settings),
	}}
	rep.Improved, rep.Rank, rep.Seconds, rep.Report, rep.Q = r.Improved, r.V.Cols, r.Took.Seconds(), r.Report, outcome.Real(r.Q)
	rep.SparsityV, rep.HoyerV, rep.SHA256V = r.OfV.Zeros, r.OfV.Hoyer, r.OfV.SHA256
	rep.SparsityW, rep.HoyerW, rep.SHA256W = r.OfW.Zeros, r.OfW.Hoyer, r.OfW.SHA256
	rep.Settings.Method, rep.Settings.Options, rep.Settings.Rank = p.Method.Name(), options.Text(p.Method), p.Rank
	if lnmu.Choice(rep.Settings.Options["norm"]) == lnmu.L1 {
		rep.RelativeL1 = &r.RelativeL1
	}
	if rep.Settings.Method == (lnmu.KL{}).Name() {
		rep.Divergence = (*outcome.Real)(&r.RelativeDivergence)
	}
	rep.Settings.MissingSolver = lnmu.Choice(r.MissingSolver) // the default depends on the weights of all processes
	return rep
}

// exactSteps returns the exact steps of all blocks.
func (r *Factor) exactSteps() (steps []outcome.ExactStep) {
	for _, b := range r.Blocks {
		steps = append(steps, b.Exact...)
	}
	return steps
}

// WriteJSON writes the report as result.json has it.
func (r *Factor) WriteJSON(w io.Writer) error { return render.WriteJSON(w, r) }

// Transform is what result.json of nmu transform holds.
type Transform struct {
	Head
	Weights `json:"result"`
	Files   map[string]string `json:"files,omitempty"` // SHA-256 of those beside result.json
}

// Weights are the result of nmu transform.
type Weights struct {
	outcome.Fit
	Divergence *outcome.Real `json:"relative_divergence,omitempty"` // if it was minimised

	Rank    int      `json:"rank"`
	Seconds float64  `json:"seconds"`
	Level   string   `json:"level"`
	SHA256W string   `json:"sha256_w"`
	Notes   []string `json:"notes,omitempty"` // what a reader might not expect
}

// NewTransform describes the weights of a matrix, which are to be found with these settings.
func NewTransform(m Matrix, s Settings) *Transform {
	return &Transform{Head: Head{Program: program(TransformSchema), Matrix: m, Settings: s}}
}

// WriteJSON writes the report as result.json has it.
func (r *Transform) WriteJSON(w io.Writer) error { return render.WriteJSON(w, r) }

// Page returns the content of the page about a run.
func Page[T lnmu.Float](r *Factor, v, w lnmu.Dense[T]) page.Run {
	run := page.Run{
		Input: r.Input, Rows: r.Rows, Cols: r.Cols, Method: r.Settings.description(), RankAsked: r.Settings.Rank,
		Result: r.Result, CheckEvery: r.Settings.CheckEvery,
		Facts: r.facts(), RowNames: r.RowNames, ColNames: r.ColNames, RowAxis: r.RowAxis, ColAxis: r.ColAxis,
		SumToOne: r.Settings.Options["sum-to-one"] == "w", Weighted: r.Weighted, Missing: r.Missing > 0 || r.Sparse,
		V: page.FactorOf(v), W: page.FactorOf(w), Distance: r.Distance,
		Image: r.Image, Map: r.Map,
	}
	run.LeftRows, run.LeftCols = r.Left.Left()
	return run
}
