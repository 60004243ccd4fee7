package report

import (
	"fmt"
	"slices"
	"time"

	"nmu/bench/internal/machine"
	"nmu/bench/internal/subject"
	"nmu/internal/render"
)

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

// Problem returns the part of the report about one problem, sufficient for Markdown and the
// plots of its groups. It holds the measurements of the problem, those on a sparse matrix if solvers were measured on
// the problem, and the facts of the run.
func (r *Report) Problem(name string) *Report {
	groups := []string{IterationGroup(name), WholeGroup(name), PeerGroup(name), SolverGroup(name)}
	if slices.ContainsFunc(r.Measurements, func(m Measurement) bool { return m.Group == SolverGroup(name) }) {
		groups = append(groups, SolverGroup(subject.Text), SparseGroup) // shown together
	}
	return r.of(func(m Measurement) bool { return slices.Contains(groups, m.Group) })
}

// Scale returns the part of the report that WritePlan and PlotPlan use.
func (r *Report) Scale() *Report {
	part := r.of(func(m Measurement) bool {
		return m.Predicted > 0 || m.Group == ExchangeGroup || m.Group == OneOrMoreGroup
	})
	part.Planning = r.Planning
	return part
}

// of returns the part with the chosen measurements and the facts of the run.
func (r *Report) of(chosen func(Measurement) bool) *Report {
	part := *r
	part.Limits = machine.Limits{CPU: r.Limits.CPU}
	part.Measurements, part.Checks, part.Notes, part.Planning = nil, nil, nil, nil
	for _, m := range r.Measurements {
		if chosen(m) {
			part.Measurements = append(part.Measurements, m)
		}
	}
	return &part
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

// facts returns the facts of the run as pairs of name and value.
func (r *Report) facts() [][]string {
	cpu := r.CPU
	if cpu == "" {
		cpu = "unknown"
	}
	c := r.Limits.CPU
	facts := [][]string{
		{"date", r.Date.Format(time.RFC3339)},
		{"cpu", fmt.Sprintf("%s, %s", cpu, render.Plural(c.Cores, "core"))},
		{"caches", fmt.Sprintf("L1 %s, L2 %s, L3 %s", render.Bytes(c.L1D), render.Bytes(c.L2), render.Bytes(c.L3))},
		{"system", r.OS + "/" + r.Arch},
		{"level", r.Level},
		{"threads", fmt.Sprint(r.Threads)},
		{"go", r.Go},
		{"repetitions", fmt.Sprint(r.Repetitions)},
	}
	if r.Revision != "" {
		facts = append(facts, []string{"revision", r.Revision})
	}
	return facts
}
