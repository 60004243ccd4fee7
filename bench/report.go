package bench

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"nmu/internal/render"
)

// Schema names the format of a report in JSON.
const Schema = "nmu-bench/1"

// ErrReport is wrapped by errors about a report that cannot be read.
var ErrReport = errors.New("bench: not a report")

// Report is everything one run measured.
type Report struct {
	Schema string `json:"schema"`
	render.Origin
	Threads      int           `json:"threads"`
	Repetitions  int           `json:"repetitions"`
	Limits       Limits        `json:"limits"`
	Measurements []Measurement `json:"measurements"`
	Checks       []Check       `json:"checks,omitempty"`
	Notes        []string      `json:"notes,omitempty"` // what could not be measured, and why
	Planning     *Planning     `json:"planning,omitempty"`
}

// Measurement is one measured quantity. Group, Case, Series and X together
// identify it; all of a group have one unit.
type Measurement struct {
	Group  string  `json:"group"`       // a section of the report, such as "iterations"
	Case   string  `json:"case"`        // what is measured, such as "rnmu cbcl float64 threads=2"
	Series string  `json:"series"`      // who or how: a program, a level
	X      float64 `json:"x,omitempty"` // the size that grows along a series
	XName  string  `json:"x_name,omitempty"`

	Unit         string `json:"unit"`
	HigherBetter bool   `json:"higher_is_better"`
	Stat

	// Limit is what the machine allows, in the same unit, and LimitBy the
	// measured rate it follows from. Ratio is the share of it that is reached.
	// Where the limit was measured anew for every sample, Limits holds what was
	// found, and Limit is its median.
	Limit   float64   `json:"limit,omitempty"`
	Limits  []float64 `json:"limits,omitempty"`
	LimitBy string    `json:"limit_by,omitempty"`
	Ratio   float64   `json:"ratio,omitempty"`

	// Predicted is what the model of package scaling predicts, in the same unit, and
	// PredictedBy what takes longest, as it says.
	Predicted   float64 `json:"predicted,omitempty"`
	PredictedBy string  `json:"predicted_by,omitempty"`

	Bytes         int64   `json:"bytes,omitempty"`          // size of the matrix, where there is one
	Beside        float64 `json:"beside,omitempty"`         // operations of sweeps and Gram matrices over those that count
	RelativeError float64 `json:"relative_error,omitempty"` // of the factors, where there are any
	Note          string  `json:"note,omitempty"`
}

// index finds measurements.
type index map[caseKey]Measurement

type caseKey struct{ group, name, series string } // name is that of the case

func (r *Report) index() index {
	x := index{}
	for _, m := range r.Measurements {
		x[caseKey{m.Group, m.Case, m.Series}] = m
	}
	return x
}

// find returns a measurement of this program.
func (x index) find(group, name string) (Measurement, bool) {
	m, ok := x[caseKey{group, name, "nmu"}]
	return m, ok && m.Median > 0
}

// NewReport describes this process and holds the limits of its machine.
func NewReport(threads, repetitions int, limits Limits) *Report {
	r := &Report{Schema: Schema, Origin: render.NewOrigin(), Threads: threads, Repetitions: repetitions, Limits: limits}
	r.CPU = limits.CPU.Brand // of the machine that the limits are of
	return r
}

// Add appends a measurement and computes the ratio to its limit.
func (r *Report) Add(m Measurement) {
	if len(m.Limits) > 0 {
		m.Limit = NewStat(m.Limits).Median
	}
	m.Ratio = m.share()
	r.Measurements = append(r.Measurements, m)
}

// share returns the share of the limit that is reached, or 0 without a limit.
func (m Measurement) share() float64 {
	if m.Limit <= 0 || m.Median <= 0 {
		return 0
	}
	if m.HigherBetter {
		return m.Over(m.limits())
	}
	return m.limits().Over(m.Stat)
}

// limits is the limit with its samples.
func (m Measurement) limits() Stat { return Stat{Median: m.Limit, Samples: m.Limits} }

// predicted returns the prediction over what was measured, or 0 without one.
func (m Measurement) predicted() float64 {
	if m.Predicted <= 0 || m.Median <= 0 {
		return 0
	}
	return m.Predicted / m.Median
}

// all returns the limits as measurements, then the measurements.
func (r *Report) all() []Measurement {
	var all []Measurement
	for _, p := range r.Limits.Peaks {
		all = append(all, Measurement{
			Group: "multiply-adds", Case: fmt.Sprintf("%s threads=%d", p.Type, p.Threads), Series: p.Level,
			Unit: "GFLOP/s", HigherBetter: true, Stat: p.Rate,
		})
	}
	for _, b := range r.Limits.Bandwidths {
		all = append(all, Measurement{
			Group: "bandwidth", Case: fmt.Sprintf("%s %s threads=%d", b.Set, b.Op, b.Threads), Series: b.Level,
			Unit: "GB/s", HigherBetter: true, Stat: b.Rate,
			Note: fmt.Sprintf("%s, %s", render.Bytes(b.Bytes), render.Plural(b.Streams, "stream")),
		})
	}
	return append(all, r.Measurements...)
}

// Problem returns the part of the report that is about one problem, what Markdown
// and the plots of its groups are made of: its measurements, those of the solvers on
// sparse text, and the circumstances.
func (r *Report) Problem(name string) *Report {
	groups := []string{iterationGroup(name), wholeGroup(name), peerGroup(name), solverGroup(name)}
	if slices.ContainsFunc(r.Measurements, func(m Measurement) bool { return m.Group == solverGroup(name) }) {
		groups = append(groups, solverGroup(problemText)) // measured with them
	}
	return r.of(func(m Measurement) bool { return slices.Contains(groups, m.Group) })
}

// Scale returns the part of the report that WritePlan and PlotPlan are made of.
func (r *Report) Scale() *Report {
	part := r.of(func(m Measurement) bool {
		return m.Predicted > 0 || m.Group == groupExchange || m.Group == groupOneOrMore
	})
	part.Planning = r.Planning
	return part
}

// of returns the part with some of the measurements, and the circumstances.
func (r *Report) of(chosen func(Measurement) bool) *Report {
	part := *r
	part.Limits = Limits{CPU: r.Limits.CPU}
	part.Measurements, part.Checks, part.Notes, part.Planning = nil, nil, nil, nil
	for _, m := range r.Measurements {
		if chosen(m) {
			part.Measurements = append(part.Measurements, m)
		}
	}
	return &part
}

// WriteJSON writes the report as JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	if err := render.WriteJSON(w, r); err != nil {
		return fmt.Errorf("bench: writing the report: %w", err)
	}
	return nil
}

// ReadReport reads what WriteJSON wrote; of one by an earlier version the checks
// may lack their names. Errors wrap ErrReport, or come from r.
func ReadReport(r io.Reader) (*Report, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var rep Report
	if err := render.ParseJSON(text, Schema, &rep); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrReport, err)
	}
	return &rep, nil
}
