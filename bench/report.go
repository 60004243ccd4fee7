package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"text/tabwriter"
	"time"

	"nmu/internal/isa"
)

// Schema names the format of a report in JSON.
const Schema = "nmu-bench/1"

// ErrReport is wrapped by errors about a report that cannot be read.
var ErrReport = errors.New("bench: not a report")

// Report is everything one run measured.
type Report struct {
	Schema       string        `json:"schema"`
	Date         time.Time     `json:"date"`
	CPU          string        `json:"cpu"`
	OS           string        `json:"os"`
	Arch         string        `json:"arch"`
	Level        string        `json:"level"` // instruction level of the kernels
	Threads      int           `json:"threads"`
	Go           string        `json:"go"`
	Revision     string        `json:"revision,omitempty"` // of the source, if the build knows it
	Repetitions  int           `json:"repetitions"`
	Limits       Limits        `json:"limits"`
	Measurements []Measurement `json:"measurements"`
	Checks       []Check       `json:"checks,omitempty"`
	Notes        []string      `json:"notes,omitempty"` // what could not be measured, and why
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
	r := &Report{
		Schema: Schema, Date: time.Now().UTC().Truncate(time.Second),
		CPU: limits.CPU.Brand, OS: runtime.GOOS, Arch: runtime.GOARCH,
		Level: isa.Active().String(), Threads: threads, Go: runtime.Version(),
		Repetitions: repetitions, Limits: limits,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				r.Revision = s.Value
			}
		}
	}
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
			Note: fmt.Sprintf("%s, %s", bytesText(b.Bytes), plural(b.Streams, "stream")),
		})
	}
	return append(all, r.Measurements...)
}

// groups splits measurements by group, in order of first appearance.
func groups(ms []Measurement) [][]Measurement {
	index := map[string]int{}
	var out [][]Measurement
	for _, m := range ms {
		i, ok := index[m.Group]
		if !ok {
			i = len(out)
			index[m.Group] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], m)
	}
	return out
}

// facts returns the circumstances of the run as label and value.
func (r *Report) facts() [][2]string {
	cpu := r.CPU
	if cpu == "" {
		cpu = "unknown"
	}
	c := r.Limits.CPU
	facts := [][2]string{
		{"date", r.Date.Format(time.RFC3339)},
		{"cpu", fmt.Sprintf("%s, %s", cpu, plural(c.Cores, "core"))},
		{"caches", fmt.Sprintf("L1 %s, L2 %s, L3 %s", bytesText(c.L1D), bytesText(c.L2), bytesText(c.L3))},
		{"system", r.OS + "/" + r.Arch},
		{"level", r.Level},
		{"threads", fmt.Sprint(r.Threads)},
		{"go", r.Go},
		{"repetitions", fmt.Sprint(r.Repetitions)},
	}
	if r.Revision != "" {
		facts = append(facts, [2]string{"revision", r.Revision})
	}
	return facts
}

// WriteTable writes the report as text.
func (r *Report) WriteTable(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range r.facts() {
		fmt.Fprintf(tw, "%s\t%s\n", f[0], f[1])
	}
	for _, g := range groups(r.all()) {
		fmt.Fprintf(tw, "\n%s\n", strings.ToUpper(g[0].Group))
		for _, row := range tableRows(g) {
			fmt.Fprintln(tw, strings.Join(row, "\t"))
		}
	}
	if len(r.Checks) > 0 {
		fmt.Fprintf(tw, "\nCHECK\n")
		for _, row := range checkRows(r.Checks) {
			fmt.Fprintln(tw, strings.Join(row, "\t"))
		}
	}
	if len(r.Notes) > 0 {
		fmt.Fprintf(tw, "\nNOTES\n")
		for _, n := range r.Notes {
			fmt.Fprintln(tw, n)
		}
	}
	return tw.Flush()
}

// tableRows returns a header and one row per measurement of a group, without
// the columns that would be empty throughout.
func tableRows(g []Measurement) [][]string {
	head := []string{"case", g[0].XName, "by", "median " + g[0].Unit, "spread", "limit", "of limit", "error", "note"}
	rows := [][]string{head}
	for _, m := range g {
		row := []string{m.Case, "", m.Series, number(m.Median), percent(m.Spread), "", "", "", m.Note}
		if m.XName != "" {
			row[1] = number(m.X)
		}
		if m.Limit > 0 {
			row[5], row[6] = number(m.Limit), percent(m.Ratio)
			if m.LimitBy != "" {
				row[5] += " (" + m.LimitBy + ")"
			}
		}
		if m.RelativeError > 0 {
			row[7] = fmt.Sprintf("%.4f %%", 100*m.RelativeError)
		}
		rows = append(rows, row)
	}
	for c := len(head) - 1; c >= 0; c-- {
		used := false
		for _, row := range rows[1:] {
			used = used || row[c] != ""
		}
		if !used {
			for i, row := range rows {
				rows[i] = append(row[:c:c], row[c+1:]...)
			}
		}
	}
	return rows
}

// WriteJSON writes the report as JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("bench: writing the report: %w", err)
	}
	return nil
}

// ReadReport reads what WriteJSON wrote. Errors wrap ErrReport, or come from
// r.
func ReadReport(r io.Reader) (*Report, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var rep Report
	if err := json.Unmarshal(text, &rep); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrReport, err)
	}
	if rep.Schema != Schema {
		return nil, fmt.Errorf("%w: its schema is %q, this program reads %q", ErrReport, rep.Schema, Schema)
	}
	return &rep, nil
}

// number writes x with four significant digits, without exponent where that
// is readable.
func number(x float64) string {
	switch a := math.Abs(x); {
	case a >= 1e7 || a < 1e-4 && a > 0:
		return fmt.Sprintf("%.3e", x)
	case a >= 1000:
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.4g", x)
}

func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// bytesText writes a size in binary units.
func bytesText[N int | int64](n N) string {
	switch {
	case n <= 0:
		return "unknown"
	case n >= 1<<30:
		return fmt.Sprintf("%.4g GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.4g MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.4g KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}
