package paper

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"nmu/internal/render"
	"nmu/lnmu"
)

// Schema is the name of the JSON format of Tables.
const Schema = "nmu-paper/1"

// Errors that the errors of this package wrap.
var (
	ErrOption = errors.New("paper: unusable option")
	ErrTables = errors.New("paper: not the tables of a run")
)

// Plan says which experiments of section 4 to repeat. The zero value of a
// field stands for the default.
type Plan struct {
	Sets     []string // nil means all of Sets
	Data     string   // folder of the data sets; "" looks in NMU_DATA, then in ../shared/data
	Restarts int      // random starts of every method, the same for all; default 10
	Seed     uint64   // of the first start
	Threads  int      // default GOMAXPROCS; the figures do not depend on it

	// State is the folder that keeps every finished row, so that a later run with the same plan
	// resumes. "" keeps none.
	State string

	// Progress is called a few times per second with the state of the run; it may be nil.
	Progress func(Progress)

	iterations int // replaces the paper's numbers, for tests
	long       int // of R-NMU on the swimmer set, to explain its row; default 2000
}

// Progress is the state of a run, for display.
type Progress struct {
	Set, Row   string
	Done, Rows int           // rows that are finished, of how many
	Remaining  time.Duration // an estimate; negative while there is none
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
	Name    string `json:"name"`
	Title   string `json:"title"`
	Source  string `json:"source"`   // the file, or the name of generated data
	StandIn bool   `json:"stand_in"` // other data than the paper's: nothing is compared
	SHA256  string `json:"sha256"`   // of M
	Images  int    `json:"images"`
	Height  int    `json:"height"` // of an image in pixels
	Width   int    `json:"width"`
	Rank    int    `json:"rank"`
	Rows    []*Row `json:"rows"`

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

	MaxViolation float64   `json:"max_violation"` // largest entry of V W - M
	Revived      int       `json:"revived,omitempty"`
	Stop         lnmu.Stop `json:"stop,omitempty"`

	Parts *PartsCheck `json:"parts,omitempty"`

	Verdict  Agreement `json:"verdict"`
	Reasons  []string  `json:"reasons,omitempty"`
	Variants []*Row    `json:"variants,omitempty"` // measured to explain a difference

	raw   exact
	basis lnmu.Dense[float64]
}

// exact holds the sparsities that later rows impose, as fractions.
type exact struct{ SV, SW, SHV, SHW float64 }

// run is the state of Run.
type run struct {
	Plan
	ctx   context.Context
	out   *Tables
	clock *clock
}

func (p Plan) check() (Plan, error) {
	if p.Sets == nil {
		p.Sets = Sets()
	}
	for i, name := range p.Sets {
		if !slices.Contains(Sets(), name) {
			return p, fmt.Errorf("%w: no data set %q; there are %v", ErrOption, name, Sets())
		}
		if slices.Contains(p.Sets[:i], name) {
			return p, fmt.Errorf("%w: the data set %q is named twice", ErrOption, name)
		}
	}
	for _, x := range []struct {
		name  string
		value *int
		def   int
	}{{"restarts", &p.Restarts, 10}, {"threads", &p.Threads, runtime.GOMAXPROCS(0)}, {"long", &p.long, 2000}} {
		if *x.value < 0 {
			return p, fmt.Errorf("%w: %s %d; choose 1 or more", ErrOption, x.name, *x.value)
		}
		if *x.value == 0 {
			*x.value = x.def
		}
	}
	if p.Progress == nil {
		p.Progress = func(Progress) {}
	}
	return p, nil
}

// Run repeats the experiments of section 4. For each data set it computes the eight rows of the
// table, each the best of the same random starts, with verdicts. If a row differs from the
// printed one, Run measures reasons. Errors wrap ErrOption, those of the files, or that of ctx.
// The folder Plan.State keeps the rows that are finished by then.
func Run(ctx context.Context, plan Plan) (*Tables, error) {
	plan, err := plan.check()
	if err != nil {
		return nil, err
	}
	r := &run{Plan: plan, ctx: ctx, out: &Tables{Schema: Schema, Origin: render.NewOrigin(), Restarts: plan.Restarts, Seed: plan.Seed}}
	for _, name := range plan.Sets {
		data, err := loadSet(name, plan.Data)
		if errors.Is(err, errNoData) {
			r.out.Notes = append(r.out.Notes, fmt.Sprintf("%s: left out, %v", setSpecs[name].title, err))
			continue
		}
		if err != nil {
			return nil, err
		}
		r.out.Sets = append(r.out.Sets, &Set{
			Name: name, Title: data.title, Source: data.source, StandIn: data.standIn, SHA256: lnmu.SHA256(data.m),
			Images: data.m.Cols, Height: data.height, Width: data.width, Rank: data.rank, data: data,
		})
	}
	r.clock = newClock(r)
	for _, set := range r.out.Sets {
		for _, spec := range rowSpecs {
			if err := r.row(set, spec); err != nil {
				return nil, err
			}
		}
	}
	return r.out, nil
}

// row adds a row and the variants that explain it to the table of set.
func (r *run) row(set *Set, spec rowSpec) error {
	t := r.experiment(set, spec)
	row, err := r.obtain(t)
	if err != nil {
		return err
	}
	row.Paper = inPaper(set.Name, spec.name)
	set.Rows = append(set.Rows, row)
	if !set.StandIn {
		for _, v := range r.variants(t, row) {
			variant, err := r.obtain(v)
			if err != nil {
				return err
			}
			variant.Paper = row.Paper
			row.Variants = append(row.Variants, variant)
		}
	}
	judge(set, row)
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

// WriteJSON writes the tables as JSON.
func (p *Tables) WriteJSON(w io.Writer) error {
	if err := render.WriteJSON(w, p); err != nil {
		return fmt.Errorf("paper: writing the tables: %w", err)
	}
	return nil
}

// Read reads tables from the format of WriteJSON, which has no basis images. Errors wrap
// ErrTables, or come from r.
func Read(r io.Reader) (*Tables, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var p Tables
	if err := render.ParseJSON(text, Schema, &p); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTables, err)
	}
	return &p, nil
}
