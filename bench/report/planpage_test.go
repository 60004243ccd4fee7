package report

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"nmu/bench/internal/machine"
	"nmu/bench/internal/subject"
	"nmu/internal/scaling"
)

// TestPlan writes a plan for matrices that fit and that do not.
func TestPlan(t *testing.T) {
	r := New(2, 1, machine.Limits{})
	var empty bytes.Buffer
	if err := r.WritePlan(&empty, "p.svg"); err != nil || empty.Len() > 0 {
		t.Errorf("a plan of nothing: %v, %q", err, empty.String())
	}
	for _, rows := range []int{100_000, 100_000_000} {
		p := Planning{Kind: scaling.Server(), Problem: scaling.Problem{Rows: rows, Cols: 1250, Size: 8}}
		for _, method := range subject.Methods {
			m, err := method.Model(rows, 1250, 20)
			if err != nil {
				t.Fatal(err)
			}
			p.Methods = append(p.Methods, PlannedMethod{Title: method.Title, Method: m, Share: 0.5})
		}
		r.Planning = &p
		var page bytes.Buffer
		if err := r.WritePlan(&page, "p.svg"); err != nil {
			t.Fatal(err)
		}
		want := []string{"\n# ", "### NMF, r = 20, 600 iterations", "### R-NMU, r = 20, 180 iterations of each factor", "| 1024 |", "(p.svg)"}
		if rows == 100_000 {
			want = append(want, "## 1 GB on", "fit in the memory of 1 machine.\nOn ")
		} else {
			want = append(want, "## 1 TB on", "100 000 000 x 1 250", "| 1 | 1.02 TB | disk |", "fit in the memory of 5 machines. One machine with its disk takes", "| memory |")
		}
		for _, text := range want {
			if !strings.Contains("\n"+page.String(), text) {
				t.Errorf("%d rows: the page lacks %q:\n%s", rows, text, page.String())
			}
		}
		var text bytes.Buffer
		if err := r.WriteJSON(&text); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"planning", "methods", "here", "kind", "problem", "title", "share"} {
			if !strings.Contains(text.String(), `"`+key+`":`) {
				t.Errorf("the plan in JSON has no field %q, which earlier reports have", key)
			}
		}
		if back, err := Read(&text); err != nil || !reflect.DeepEqual(back.Planning, r.Planning) {
			t.Errorf("the plan changes on the way through JSON: %v", err)
		}
		if svg, err := r.PlotPlan(); err != nil || !bytes.Contains(svg, []byte("Iterations per hour")) {
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
		if got := workersOf(Measurement{X: x, XName: AxisProcesses}); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := workersOf(Measurement{X: 1, XName: AxisThreads}); got != "1 thread" {
		t.Errorf("%s", got)
	}
}
