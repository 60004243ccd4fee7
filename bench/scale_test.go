package bench

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"nmu/internal/scaling"
	"nmu/internal/together"
)

// TestRunScale: every method and number of threads, both ways, with a prediction.
func TestRunScale(t *testing.T) {
	p := smallPlan(PartScale)
	r := mustRun(t, p)
	for _, way := range []string{strong, weak} {
		var want []string
		for _, method := range methods {
			for _, threads := range ThreadCounts(p.Threads) {
				want = append(want, nameOf(method)+" threads="+string(rune('0'+threads))+", nmu")
			}
		}
		if got := lines(r, scalingGroup(way, axisThreads)); !slices.Equal(got, want) {
			t.Errorf("%s scaling holds %q, want %q", way, got, want)
		}
	}
	for _, m := range r.Measurements {
		if !(m.predicted() > 0) || m.PredictedBy == "" || !strings.Contains(m.Note, "efficiency") {
			t.Errorf("%s: predicted %g by %q, %s", m.key(), m.Predicted, m.PredictedBy, m.Note)
		}
	}
	if r.Planning == nil || len(r.Planning.Methods) != len(methods) || !(r.Planning.Here.Peak > 0 && r.Planning.Here.Bandwidth > 0) {
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
			got := lines(r, scalingGroup(way, axisProcesses))
			if len(got) != processes*len(methods) || got[0] != "nmf processes=1, nmu" || got[1] != "nmf processes=2, nmu" {
				t.Errorf("%s scaling holds %q", way, got)
			}
		}
		if got := lines(r, groupExchange); len(got) != 2*len(methods) {
			t.Errorf("the messages hold %q", got)
		}
		if got := lines(r, groupOneOrMore); p.Threads > 1 && (len(got) != 2*len(methods) || got[0] != "nmf, 2 processes of 1 thread") {
			t.Errorf("one process or more holds %q", got)
		}
	})
}

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
			p.Processes = some{q, 1} // has only itself to let go, but in the end
			if len(parts) == 2 {
				p.Processes = q
			}
			if _, err := Run(t.Context(), p); !errors.Is(err, ErrOption) {
				t.Errorf("parts %v by several processes: %v", parts, err)
			}
		}
	})
}

// TestSome: what the first of some processes sends comes to all of them, and to no other.
func TestSome(t *testing.T) {
	for size := 1; size <= 6; size++ {
		together.Run(6, func(q *together.Process) {
			data := []byte{byte(q.Rank()), 7}
			if q.Rank() < size {
				some{q, size}.Broadcast(data)
			}
			want := byte(0)
			if q.Rank() >= size {
				want = byte(q.Rank())
			}
			if data[0] != want {
				t.Errorf("%d of 6: process %d has %v", size, q.Rank(), data)
			}
		})
	}
}

// TestPlan writes a plan for matrices that fit and that do not.
func TestPlan(t *testing.T) {
	r := NewReport(2, 1, Limits{})
	var empty bytes.Buffer
	if err := r.WritePlan(&empty, "p.svg"); err != nil || empty.Len() > 0 {
		t.Errorf("a plan of nothing: %v, %q", err, empty.String())
	}
	for _, rows := range []int{100_000, 100_000_000} {
		p := Planning{Kind: scaling.Server(), Problem: scaling.Problem{Rows: rows, Cols: 1250, Size: 8}}
		for _, method := range methods {
			m, err := scaling.Of(method.Method, rows, 1250, scaleRank)
			if err != nil {
				t.Fatal(err)
			}
			p.Methods = append(p.Methods, PlannedMethod{Title: method.title, Method: m, Share: 0.5})
		}
		r.Planning = &p
		var page bytes.Buffer
		if err := r.WritePlan(&page, "p.svg"); err != nil {
			t.Fatal(err)
		}
		want := []string{"\n# ", "### NMF, r = 20, 600 iterations", "### R-NMU, r = 20, 180 iterations of each factor", "| 1024 |", "(p.svg)"}
		if rows == 100_000 {
			want = append(want, "for 1 GB on", "From 1 machine on all is in memory.\nMore of them pay")
		} else {
			want = append(want, "for 1 TB on", "100 000 000 x 1 250", "| 1 | 1.02 TB | disk |", "From 5 machines on all is in memory. One machine with its disk takes", "| memory |")
		}
		for _, text := range want {
			if !strings.Contains("\n"+page.String(), text) {
				t.Errorf("%d rows: the page lacks %q:\n%s", rows, text, page.String())
			}
		}
		if svg, err := r.PlotPlan(); err != nil || !bytes.Contains(svg, []byte("iterations in an hour")) {
			t.Errorf("no plot: %v", err)
		}
	}
}

func TestUnits(t *testing.T) {
	for s, want := range map[float64]string{
		0: "0", 2.3456e-6: "2.35 µs", 0.0123: "12.3 ms", 1: "1 s", 119.9: "120 s", 130: "2.17 min", 7199: "120 min", 7200: "2 h", 86400 * 35: "35 days", 86400 * 12345: "12300 days",
	} {
		if got := seconds(s); got != want {
			t.Errorf("%g s: %s, want %s", s, got, want)
		}
	}
	for b, want := range map[float64]string{12: "12 B", 1e12: "1 TB", 999.9e6: "1 GB", 1.016e12: "1.02 TB", 128e6: "128 MB"} {
		if got := size(b); got != want {
			t.Errorf("%g bytes: %s, want %s", b, got, want)
		}
	}
	for n, want := range map[int]string{7: "7", 1250: "1 250", 100_000_000: "100 000 000"} {
		if got := count(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	for x, want := range map[float64]string{1: "1 process", 2: "2 processes"} {
		if got := workersOf(Measurement{X: x, XName: axisProcesses}); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := workersOf(Measurement{X: 1, XName: axisThreads}); got != "1 thread" {
		t.Errorf("%s", got)
	}
}

// TestRest: what takes longer than the others sleep is done again, while they sleep longer.
func TestRest(t *testing.T) {
	together.Run(2, func(q *together.Process) {
		if q.Rank() > 0 {
			if err := Serve(t.Context(), q); err != nil {
				t.Error(err)
			}
			return
		}
		s := &session{ctx: t.Context(), crew: &crew{Processes: q}}
		defer s.crew.end()
		rest, done := time.Millisecond, 0
		err := s.alone(&rest, func() error {
			if done++; done < 3 {
				time.Sleep(time.Duration(done) * 20 * time.Millisecond)
			}
			return nil
		})
		if err != nil || done < 2 || rest < 100*time.Millisecond {
			t.Errorf("done %d times, %v; then %v of rest", done, err, rest)
		}
		failed := errors.New("failed")
		if err := s.alone(&rest, func() error { return failed }); err != failed {
			t.Errorf("error %v, want that of the work", err)
		}
	})
}

// TestLimitCost: the limits of the iterations count 4 and 10 operations for each entry and
// factor, or four numbers for each entry.
func TestLimitCost(t *testing.T) {
	const rows, cols, rank = 70, 30, 6
	for _, b := range methods {
		c, entries := b.cost(rows, cols, rank, Float32), float64(rows*cols)
		switch nameOf(b) {
		case "nmf", "gnmu":
			if want := map[string]float64{"nmf": 4, "gnmu": 10}[nameOf(b)] * entries * rank; b.streams || c.Products != want {
				t.Errorf("%s: %g operations, want %g", b.title, c.Products, want)
			}
		default:
			if want := 4 * 4 * entries; !b.streams || c.Read+c.Written != want {
				t.Errorf("%s: %g bytes, want %g", b.title, c.Read+c.Written, want)
			}
		}
		if none := b.cost(2, 2, 3, Float64); none.Operations() != 0 {
			t.Errorf("%s has a cost where there is no factorization: %+v", b.title, none)
		}
	}
}
