package bench

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"nmu/bench/internal/machine"
	"nmu/bench/internal/subject"
	"nmu/bench/report"
	"nmu/internal/together"
)

// TestRunScale: every method and number of threads, both ways, with a prediction.
func TestRunScale(t *testing.T) {
	p := smallPlan(PartScale)
	r := mustRun(t, p)
	for _, way := range []string{strong, weak} {
		var want []string
		for _, method := range subject.Methods {
			for _, threads := range machine.ThreadCounts(p.Threads) {
				want = append(want, method.Name+" threads="+string(rune('0'+threads))+", nmu")
			}
		}
		if got := lines(r, scalingGroup(way, report.AxisThreads)); !slices.Equal(got, want) {
			t.Errorf("%s scaling holds %q, want %q", way, got, want)
		}
	}
	for _, m := range r.Measurements {
		if !(m.PredictionRatio() > 0) || m.PredictedBy == "" || !strings.Contains(m.Note, "efficiency") {
			t.Errorf("%s: predicted %g by %q, %s", m.ID(), m.Predicted, m.PredictedBy, m.Note)
		}
	}
	if r.Planning == nil || len(r.Planning.Methods) != len(subject.Methods) || !(r.Planning.Here.Peak > 0 && r.Planning.Here.Bandwidth > 0) {
		t.Errorf("nothing to plan with: %+v", r.Planning)
	}
}

// TestRunScaleProcesses runs the part in two processes, of which one reports.
func TestRunScaleProcesses(t *testing.T) {
	const processes = 2
	together.Run(processes, func(q *together.Process) {
		if q.Rank() > 0 {
			if err := Serve(t.Context(), q); err != nil {
				t.Error(err)
			}
			return
		}
		p := smallPlan(PartScale)
		p.Processes = q
		r, err := Run(t.Context(), p)
		if err != nil {
			t.Error(err)
			return
		}
		for _, way := range []string{strong, weak} {
			got := lines(r, scalingGroup(way, report.AxisProcesses))
			if len(got) != processes*len(subject.Methods) || got[0] != "nmf processes=1, nmu" || got[1] != "nmf processes=2, nmu" {
				t.Errorf("%s scaling holds %q", way, got)
			}
		}
		if got := lines(r, report.ExchangeGroup); len(got) != 2*len(subject.Methods) {
			t.Errorf("the messages hold %q", got)
		}
		if got := lines(r, report.OneOrMoreGroup); p.Threads > 1 && (len(got) != 2*len(subject.Methods) || got[0] != "nmf, 2 processes of 1 thread") {
			t.Errorf("one process or more holds %q", got)
		}
	})
}

// first is a process that is alone.
type first struct{ *together.Process }

func (first) Size() int { return 1 }

// TestServeEnds: the others go on waiting for nothing if the first one cannot even begin.
func TestServeEnds(t *testing.T) {
	together.Run(3, func(q *together.Process) {
		if q.Rank() > 0 {
			if err := Serve(t.Context(), q); err != nil {
				t.Error(err)
			}
			return
		}
		for _, parts := range [][]Part{nil, {PartGrowth}, {PartScale, "engine"}} {
			p := smallPlan(parts...)
			p.Processes = first{q} // has only itself to let go, but in the end
			if len(parts) == 2 {
				p.Processes = q
			}
			if _, err := Run(t.Context(), p); !errors.Is(err, machine.ErrOption) {
				t.Errorf("parts %v by several processes: %v", parts, err)
			}
		}
	})
}
