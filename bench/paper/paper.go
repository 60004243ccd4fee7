package main

import (
	"context"
	"errors"
	"fmt"

	"nmu/internal/render"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/outcome"
)

// Schema is the name of the JSON format of Tables.
const Schema = "nmu-paper/1"

// Plan says which experiments of section 4 to repeat.
type Plan struct {
	Sets     []string // of Sets
	Data     string   // folder of the data sets; "" looks in NMU_DATA, then in ../shared/data
	Restarts int      // random starts of every method, the same for all
	Seed     uint64   // of the first start
	Threads  int      // the figures do not depend on it
	Say      func(row string)

	iterations int // replaces the paper's numbers, for tests
	long       int // of R-NMU on the swimmer set, to explain its row
}

// Tables are the results: the tables of section 4 beside the printed ones.
type Tables struct {
	Schema string `json:"schema"`
	render.Origin
	Restarts int      `json:"restarts"`
	Seed     uint64   `json:"seed"`
	Sets     []*Set   `json:"sets"`
	Notes    []string `json:"notes,omitempty"` // which sets are missing, and why
}

// Set is the table of one data set.
type Set struct {
	Name   string `json:"name"`
	Title  string `json:"title"`
	Source string `json:"source"` // the file, or the name of generated data
	SHA256 string `json:"sha256"` // of M
	Images int    `json:"images"`
	Height int    `json:"height"` // of an image in pixels
	Width  int    `json:"width"`
	Rank   int    `json:"rank"`
	Rows   []*Row `json:"rows"`

	data *images
}

// Row is one row of a table: a method with the best of its starts.
type Row struct {
	Name       string  `json:"name"`
	Method     string  `json:"method,omitempty"`     // empty for PCA
	Variant    string  `json:"variant,omitempty"`    // how it differs from the paper's description
	Asked      string  `json:"asked,omitempty"`      // sparsity that was imposed
	Iterations int     `json:"iterations,omitempty"` // of a factor, for R-NMU
	Seed       uint64  `json:"seed"`                 // of the best start
	Seconds    float64 `json:"seconds"`
	Figures    Figures `json:"figures"`
	Paper      Figures `json:"paper"`
	Least      Figures `json:"least"` // over the starts
	Most       Figures `json:"most"`

	MaxViolation float64      `json:"max_violation"` // largest entry of V W - M
	Revived      int          `json:"revived,omitempty"`
	Stop         outcome.Stop `json:"stop,omitempty"`

	Parts *PartsCheck `json:"parts,omitempty"`

	Verdict  Agreement `json:"verdict"`
	Reasons  []string  `json:"reasons,omitempty"`
	Variants []*Row    `json:"variants,omitempty"` // measured to explain a difference

	v, w  outcome.Sparsity // which later rows impose
	basis lnmu.Dense[float64]
}

// run is the state of Run.
type run struct {
	Plan
	ctx context.Context
}

// Run repeats the experiments of section 4. For each data set it computes the eight rows of the
// table, each the best of the same random starts, with verdicts. If a row differs from the
// printed one, Run measures reasons.
func Run(ctx context.Context, plan Plan) (*Tables, error) {
	r := &run{plan, ctx}
	out := &Tables{Schema: Schema, Origin: render.NewOrigin(), Restarts: plan.Restarts, Seed: plan.Seed}
	for _, name := range plan.Sets {
		data, err := loadSet(name, plan.Data)
		if errors.Is(err, errNoData) {
			out.Notes = append(out.Notes, fmt.Sprintf("%s: left out, %v", setSpecs[name].title, err))
			continue
		}
		if err != nil {
			return nil, err
		}
		out.Sets = append(out.Sets, &Set{
			Name: name, Title: data.title, Source: data.source, SHA256: factors.SHA256(data.m),
			Images: data.m.Cols, Height: data.height, Width: data.width, Rank: data.rank, data: data,
		})
	}
	for _, set := range out.Sets {
		for _, spec := range rowSpecs {
			if err := r.row(set, spec); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// row adds a row and the variants that explain it to the table of set.
func (r *run) row(set *Set, spec rowSpec) error {
	t := r.experiment(set, spec)
	row, err := r.compute(t)
	if err != nil {
		return err
	}
	row.Paper = inPaper(set.Name, spec.name)
	set.Rows = append(set.Rows, row)
	for _, v := range r.variants(t, row) {
		variant, err := r.compute(v)
		if err != nil {
			return err
		}
		variant.Paper = row.Paper
		row.Variants = append(row.Variants, variant)
	}
	judge(row)
	return nil
}

// find returns a finished row.
func (s *Set) find(name string) *Row {
	for _, row := range s.Rows {
		if row.Name == name {
			return row
		}
	}
	return nil
}
