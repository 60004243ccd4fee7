package report

import (
	"errors"
	"fmt"
	"io"

	"nmu/bench/internal/machine"
	"nmu/bench/internal/stat"
	"nmu/internal/render"
)

// Schema names the format of a report in JSON.
const Schema = "nmu-bench/1"

// ErrFormat is wrapped by errors about a report that cannot be read.
var ErrFormat = errors.New("bench: not a report")

// Report is everything one run measured.
type Report struct {
	Schema string `json:"schema"`
	render.Origin
	Threads      int            `json:"threads"`
	Repetitions  int            `json:"repetitions"`
	Limits       machine.Limits `json:"limits"`
	Measurements []Measurement  `json:"measurements"`
	Checks       []Check        `json:"checks,omitempty"`
	Notes        []string       `json:"notes,omitempty"` // what could not be measured, and why
	Planning     *Planning      `json:"planning,omitempty"`
}

// New describes this process and holds the limits of its machine.
func New(threads, repetitions int, limits machine.Limits) *Report {
	r := &Report{Schema: Schema, Origin: render.NewOrigin(), Threads: threads, Repetitions: repetitions, Limits: limits}
	r.CPU = limits.CPU.Brand // of the machine that the limits are of
	return r
}

// Add appends a measurement and computes the ratio to its limit.
func (r *Report) Add(m Measurement) {
	if len(m.Limits) > 0 {
		m.Limit = stat.New(m.Limits).Median
	}
	m.Ratio = m.LimitShare()
	r.Measurements = append(r.Measurements, m)
}

// WriteJSON writes the report as JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	if err := render.WriteJSON(w, r); err != nil {
		return fmt.Errorf("bench: writing the report: %w", err)
	}
	return nil
}

// Read reads what WriteJSON wrote; of one by an earlier version the checks
// may lack their names. Errors wrap ErrFormat, or come from r.
func Read(r io.Reader) (*Report, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var rep Report
	if err := render.ParseJSON(text, Schema, &rep); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return &rep, nil
}
