// Package report holds the measurements of a run of package bench and writes them for
// readers.
//
//	Report --> WriteTable, WritePage, Plots     every group of measurements
//	   |  \--> WriteJSON, Read                  the file of a report
//	   |  \--> WriteMarkdown, Markdown          the summary by problem
//	   |  \--> WritePlan, PlotPlan              the plan of the part scale
//	   +-----> WriteComparison                  two reports
//
// The part of a report about one problem (Problem) or about scaling (Scale) is a report too.
// Names of groups and cases that several readers need are in names.go.
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

// ErrFormat is the error of a text that is not a report; Read wraps it.
var ErrFormat = errors.New("bench: not a report")

// Report holds everything that one run measured.
type Report struct {
	Schema string `json:"schema"`
	render.Origin
	Threads      int            `json:"threads"`
	Repetitions  int            `json:"repetitions"`
	Limits       machine.Limits `json:"limits"`
	Measurements []Measurement  `json:"measurements"`
	Checks       []Check        `json:"checks,omitempty"`
	Notes        []string       `json:"notes,omitempty"` // missing measurements, with reasons
	Planning     *Planning      `json:"planning,omitempty"`
}

// New returns a report without measurements that describes this process and its machine.
func New(threads, repetitions int, limits machine.Limits) *Report {
	r := &Report{Schema: Schema, Origin: render.NewOrigin(), Threads: threads, Repetitions: repetitions, Limits: limits}
	r.CPU = limits.CPU.Brand // CPU of the machine with these limits
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

// Read reads a report that WriteJSON wrote. The checks of an earlier version may lack their
// names. Errors wrap ErrFormat, or come from r.
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
