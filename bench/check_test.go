package bench

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"nmu/bench/internal/machine"
	"nmu/bench/internal/stat"
	"nmu/bench/internal/subject"
	"nmu/bench/report"
	"nmu/internal/isa"
	"nmu/internal/kernels"
)

// checkReport holds made-up measurements in which everything is met, within a
// thousandth: a limit is 1, and every time is what the bars ask for.
func checkReport() *report.Report {
	r := report.New(2, 5, machine.Limits{CPU: isa.Facts{Cores: 2, L1D: 32 << 10, L2: 1 << 20, L3: 32 << 20}})
	one := func(x float64) stat.Stat { return stat.New([]float64{x, x, x}) }
	for _, p := range []string{subject.CBCL, subject.Large, subject.Wide, subject.Dense, subject.MiB, subject.Swimmer, subject.Tiny} {
		for _, method := range subject.Methods {
			if !method.MeasuredOn(p) {
				continue
			}
			for _, t := range subject.Types {
				bytes, speedup := int64(subject.ThreadedBytes), barThreads
				if p == subject.Swimmer || p == subject.Tiny {
					bytes, speedup = subject.ThreadedBytes-1, barSmall
				}
				share := map[string]float64{"nmf": barDouble, "gnmu": barDouble, "rnmu": barBandwidth}[method.Name]
				seconds := 1 / share
				if t == machine.Float32 {
					seconds = 1 / barSingle
					if method.Name == "rnmu" {
						seconds = 1 / barBandwidth / barPrecision / 1.0001
					}
				}
				if subject.IsLarge(p) {
					seconds = 1 / map[string]float64{"nmf": barLargeNMF, "gnmu": barLargeGNMU}[method.Name]
					r.Add(report.Measurement{Group: aroundGroup(p), Case: report.CaseName(method.Name, t, 2), Series: "nmu", Unit: "iterations", Stat: one(barAround)})
				}
				for threads, x := range map[int]float64{1: 0.9992 * seconds * speedup, 2: 0.999 * seconds} {
					limit := 1.0
					if threads == 1 {
						limit = speedup
					}
					r.Add(report.Measurement{Group: report.IterationGroup(p), Case: report.CaseName(method.Name, t, threads), Series: "nmu", Unit: "ms", Stat: one(x), Limit: limit, Bytes: bytes})
				}
			}
		}
	}
	for _, b := range barPeers {
		name := report.CaseName(b.method, machine.Float64, 2)
		r.Add(report.Measurement{Group: report.PeerGroup(b.problem), Case: name, Series: "nmu", Unit: "s", Stat: one(1), RelativeError: 0.5})
		r.Add(report.Measurement{Group: report.PeerGroup(b.problem), Case: name, Series: b.peer, Unit: "s", Stat: one(b.bar), RelativeError: 0.25})
	}
	for _, b := range barSolvers {
		name := b.method + ", to the same " + b.to
		r.Add(report.Measurement{Group: report.SolverGroup(b.problem), Case: name, Series: b.plain, Unit: "s", Stat: one(b.bar)})
		r.Add(report.Measurement{Group: report.SolverGroup(b.problem), Case: name, Series: b.quick, Unit: "s", Stat: one(1)})
	}
	for _, t := range subject.Types {
		for _, cols := range kernels.Widths() {
			for _, k := range kernels.Wide[float64](cols) {
				rate := 100.0
				if cols > kernels.Widths()[0] {
					rate *= barWidth * 1.0001
				}
				r.Add(report.Measurement{Group: widthGroup(t), Case: widthCase(k.Name, cols), Series: r.Level, Unit: "GFLOP/s", HigherBetter: true, Stat: one(rate)})
				r.Add(report.Measurement{Group: widthGroup(t), Case: widthCase(k.Name, cols), Series: "another", Unit: "GFLOP/s", HigherBetter: true, Stat: one(1)})
			}
		}
	}
	for _, method := range subject.Methods {
		for _, axis := range []string{"m", "n", "r"} {
			for _, x := range []float64{1000, 2000, 4000} {
				r.Add(report.Measurement{Group: growthGroup(axis), Case: method.Name, Series: "nmu", X: x, XName: axis, Unit: "ms", Stat: one(x / 10), Bytes: int64(x) * 1000})
			}
		}
		for _, x := range []float64{250, 1000, 4000} {
			r.Add(report.Measurement{Group: growthGroup("MB"), Case: method.Name, Series: "nmu", X: x, XName: "MB", Unit: "ms", Stat: one(x), Bytes: int64(min(x, 2000)) * 1e6})
			for _, name := range []string{method.Name, method.Name + ", wide"} {
				r.Add(report.Measurement{Group: groupPeak, Case: name, Series: "nmu", X: x, XName: "MB", Unit: "MB", Stat: one(2.1*min(x, 2000) + 63.9), Bytes: int64(min(x, 2000)) * 1e6})
			}
		}
	}
	for _, b := range barPasses {
		for _, t := range subject.Types {
			name := sparseCase(b.method, b.rank, t)
			r.Add(report.Measurement{Group: report.SparseGroup, Case: name, Series: "nmu", Unit: "ms", Stat: one(b.passes)})
			r.Add(report.Measurement{Group: report.SparseGroup, Case: name, Series: seriesPass, Unit: "ms", Stat: one(1)})
		}
	}
	for _, n := range blasSizes {
		for series, x := range map[string]float64{"nmu": 1, "gonum": barGemmGonum, "numpy": barGemmNumPy} {
			r.Add(report.Measurement{Group: gemmGroup(machine.Float64, 1), Case: gemmCase(n), Series: series, Unit: "µs", Stat: one(x)})
		}
		r.Add(report.Measurement{Group: gemmGroup(machine.Float64, 2), Case: gemmCase(n), Series: "nmu", Unit: "µs", Stat: one(1 / barGemmTwo)})
	}
	for _, p := range barPrograms {
		r.Add(report.Measurement{Group: groupBLASGonum, Case: p.name, Series: "nmu", Unit: "µs", Stat: one(1)})
		r.Add(report.Measurement{Group: groupBLASGonum, Case: p.name, Series: "gonum", Unit: "µs", Stat: one(p.bar)})
	}
	for _, method := range subject.Methods {
		for _, axis := range []string{report.AxisThreads, report.AxisProcesses} {
			for _, way := range []string{strong, weak} {
				r.Add(report.Measurement{Group: scalingGroup(way, axis), Case: method.Name, Series: "nmu", X: 2, XName: axis, Unit: "ms", Stat: one(1), Predicted: 1 / barModel})
			}
		}
		r.Add(report.Measurement{Group: report.OneOrMoreGroup, Case: method.Name, Series: report.Workers(2, 1), Unit: "ms", Stat: one(1)})
		r.Add(report.Measurement{Group: report.OneOrMoreGroup, Case: method.Name, Series: report.Workers(1, 2), Unit: "ms", Stat: one(barProcesses)})
	}
	r.Add(report.Measurement{Group: groupBLASSmall, Case: "gemm n=2", Series: "nmu", Unit: "µs", Stat: one(1)})
	r.Add(report.Measurement{Group: groupBLASSmall, Case: "gemm n=2", Series: "gonum", Unit: "µs", Stat: one(barBLASSmall)})
	r.Add(report.Measurement{Group: groupAllocations, Case: "a", Series: "nmu", Unit: "allocations", Stat: one(0)})
	r.Add(report.Measurement{Group: groupAllocations, Case: "b", Series: "nmu", Unit: "allocations", Stat: one(0)})
	return r
}

// scale multiplies the medians of the measurements that match all parts.
func scale(r *report.Report, by float64, parts ...string) {
next:
	for i := range r.Measurements {
		m := &r.Measurements[i]
		for _, p := range parts {
			if !strings.Contains(m.ID(), p) {
				continue next
			}
		}
		m.Stat = stat.New([]float64{m.Median * by})
	}
}

func TestCheckMeets(t *testing.T) {
	r := checkReport()
	checks := Check(r)
	kinds, names := map[string]int{}, map[string]bool{}
	for _, k := range checks {
		kind, _, _ := strings.Cut(k.Name, "/")
		kinds[kind]++
		if names[k.Name] || strings.ContainsAny(k.Name, " ,") {
			t.Errorf("%q is the name of two, or does not look like one", k.Name)
		}
		names[k.Name] = true
		if k.Verdict != report.Meets || k.Ratio < 1-1e-12 || k.Ratio > 1.002 {
			t.Errorf("%s, %s: %s (%g, bar %g, ratio %g)", k.Name, k.What, k.Verdict, k.Value, k.Bar, k.Ratio)
		}
	}
	if want := map[string]int{"limit": 14, "around": 8, "precision": 2, "threads": 38, "width": 12, "peer": 8, "solver": 4, "growth": 11, "memory": 18, "allocations": 1, "sparse": 8, "blas": 14, "model": 6, "processes": 3}; !reflect.DeepEqual(kinds, want) {
		t.Errorf("checks of each kind %v, want %v", kinds, want)
	}
	for _, name := range []string{
		"limit/rnmu/cbcl/float64/2", "precision/rnmu/cbcl/1", "threads/gnmu/1MiB/float32", "peer/scikit-learn/nmf/cbcl/float64/2",
		"limit/gnmu/large/float32/2", "around/nmf/wide/float64/2", "threads/nmf/large/float64", "peer/numpy/nmf/large/float64/2",
		"growth/MB/gnmu", "memory/nmf/4000", "memory/rnmu/wide/250", "width/Contract/float32/8000", "allocations",
		"sparse/rnmu/1/float64", "sparse/gnmu/10/float32", "model/nmf/threads", "model/gnmu/processes", "processes/rnmu/cbcl",
	} {
		if !names[name] {
			t.Errorf("no check %s", name)
		}
	}
}

func TestCheckFallsShort(t *testing.T) {
	for _, c := range []struct {
		by    float64
		parts []string
		name  string // the check that must notice
		ratio float64
	}{
		{1.25, []string{"iterations, cbcl", "rnmu float64 threads=2"}, "limit/rnmu/cbcl/float64/2", 0.8},
		{1.25, []string{"iterations, cbcl", "rnmu float64 threads=1"}, "limit/rnmu/cbcl/float64/1", 0.8},
		{1.25, []string{"iterations, sparse", "gnmu rank=10 float32, nmu"}, "sparse/gnmu/10/float32", 0.8},
		{2, []string{"iterations, cbcl", "rnmu float32 threads=2"}, "precision/rnmu/cbcl/2", 0.5},
		{2, []string{"iterations, cbcl", "gnmu float32 threads=2"}, "limit/gnmu/cbcl/float32/2", 0.5},
		{2, []string{"iterations, cbcl", "nmf float64 threads=2"}, "limit/nmf/cbcl/float64/2", 0.5},
		{1.25, []string{"iterations, dense", "nmf float64 threads=2"}, "threads/nmf/dense/float64", 0.8},
		{1.25, []string{"iterations, swimmer", "rnmu float32 threads=2"}, "threads/rnmu/swimmer/float32", 0.8},
		{2, []string{"iterations, large", "nmf float64 threads=2"}, "limit/nmf/large/float64/2", 0.5},
		{2, []string{"around the iterations, wide", "gnmu float32 threads=2"}, "around/gnmu/wide/float32/2", 0.5},
		{2, []string{"peers, large", ", nmu"}, "peer/numpy/nmf/large/float64/2", 0.5},
		{0.5, []string{"kernels by width, float32", "Accumulate, 2000"}, "width/Accumulate/float32/2000", 0.5},
		{2, []string{"kernels by width, float64", "UpdateMultiplierProduct, 368"}, "width/UpdateMultiplierProduct/float64/8000", 0.5},
		{2, []string{"peers, cbcl", "gnmu", ", nmu"}, "peer/numpy/gnmu/cbcl/float64/2", 0.5},
		{2, []string{"growth in m", "rnmu m=4000"}, "growth/m/rnmu", 0.5},
		{1.25, []string{"growth in MB", "gnmu MB=4000"}, "growth/MB/gnmu", 0.8},
		{1.25, []string{"one process or more", "rnmu, 2 processes of 1 thread"}, "processes/rnmu/cbcl", 0.8},
		{0.5, []string{"strong scaling over threads", "gnmu"}, "model/gnmu/threads", 0.5},
		{3, []string{"weak scaling over processes", "nmf"}, "model/nmf/processes", 1. / 3 / barModel / barModel},
		{2, []string{"peak memory", "nmf MB=250"}, "memory/nmf/250", (2.1*250 + 64) / (2.1*250 + 63.9) / 2},
	} {
		r := checkReport()
		scale(r, c.by, c.parts...)
		found := false
		for _, k := range Check(r) {
			if k.Name == c.name {
				found = true
				if k.Verdict != report.FallsShort || math.Abs(k.Ratio-c.ratio) > 1e-3 {
					t.Errorf("%s: %s, ratio %g, want %g", k.Name, k.Verdict, k.Ratio, c.ratio)
				}
			}
		}
		if !found {
			t.Errorf("no check %s", c.name)
		}
	}
	r := checkReport()
	for i := range r.Measurements {
		if m := &r.Measurements[i]; m.Group == groupAllocations && m.Case == "b" {
			m.Stat = stat.New([]float64{0.5})
		}
	}
	for _, k := range Check(r) {
		if k.Name == "allocations" && (k.Verdict != report.FallsShort || k.Ratio != 0 || k.Note != "b") {
			t.Errorf("half an allocation per iteration: %+v", k)
		}
	}
}

// TestCheckNoise misses bars that ask for equality by less and by more than the
// noise, and one that does not.
func TestCheckNoise(t *testing.T) {
	for _, c := range []struct {
		by   float64
		part string
		name string
		want report.Verdict
	}{
		{1.02, "tiny", "threads/nmf/tiny/float64", report.Meets},
		{1.04, "tiny", "threads/nmf/tiny/float64", report.FallsShort},
		{1.02, "dense", "threads/nmf/dense/float64", report.FallsShort},
	} {
		r := checkReport()
		scale(r, c.by, "iterations, "+c.part, "threads=2")
		for _, k := range Check(r) {
			if k.Name == c.name && k.Verdict != c.want {
				t.Errorf("%s slower by %g: %s, want %s", k.Name, c.by, k.Verdict, c.want)
			}
		}
	}
}

func TestCheckUnmeasured(t *testing.T) {
	r := report.New(2, 1, machine.Limits{})
	r.Notes = []string{"not installed: numpy: no program python3"}
	for _, k := range Check(r) {
		if k.Verdict != report.Unmeasured {
			t.Errorf("%s: %s of nothing", k.What, k.Verdict)
		}
		if strings.Contains(k.What, "numpy") != (k.Note == "numpy is not installed") {
			t.Errorf("%s: note %q", k.What, k.Note)
		}
	}
	// A largest matrix below 4 GB shows nothing about 4 GB.
	r = checkReport()
	var kept []report.Measurement
	for _, m := range r.Measurements {
		if m.X != 4000 || m.XName != "MB" {
			kept = append(kept, m)
		}
	}
	r.Measurements = kept
	for _, k := range Check(r) {
		if strings.Contains(k.What, "4 GB") && (k.Verdict != report.Unmeasured || !strings.Contains(k.Note, "up to 1000 MB: 1.000")) {
			t.Errorf("%s: %s, %q", k.What, k.Verdict, k.Note)
		}
	}
}

// TestCheckCaches: from one part of the memory to the next an iteration may
// become slower.
func TestCheckCaches(t *testing.T) {
	r := &report.Report{Threads: 2, Limits: machine.Limits{CPU: isa.Facts{L1D: 32 << 10, L2: 1 << 20, L3: 32 << 20}}}
	for _, x := range []struct{ mb, ms float64 }{{5, 5}, {10, 10}, {20, 100}, {40, 200}} {
		r.Add(report.Measurement{Group: growthGroup("m"), Case: "rnmu", Series: "nmu", X: x.mb, XName: "m", Unit: "ms", Stat: stat.New([]float64{x.ms}), Bytes: int64(x.mb * 1e6)})
	}
	for _, k := range Check(r) {
		if k.Name == "growth/m/rnmu" && (k.Verdict != report.Meets || k.Value != 1) {
			t.Errorf("%+v", k)
		}
	}
}

// TestCheckUnits: what NMF and G-NMU reach depends on whether AVX-512 multiplies
// and adds at twice the rate of AVX2.
func TestCheckUnits(t *testing.T) {
	for _, c := range []struct{ wide, bar float64 }{{100, 100 * barDouble}, {50, 100 * barNarrow}, {0, 100 * barDouble}} {
		r := checkReport()
		r.Limits.Peaks = []machine.Peak{{Level: "avx2", Type: machine.Float64, Threads: 1, Rate: stat.New([]float64{50})}}
		if c.wide > 0 {
			r.Limits.Peaks = append(r.Limits.Peaks, machine.Peak{Level: "avx512", Type: machine.Float64, Threads: 1, Rate: stat.New([]float64{c.wide})})
		}
		for _, k := range Check(r) {
			if k.Name == "limit/gnmu/cbcl/float64/2" && k.Bar != c.bar {
				t.Errorf("AVX-512 at %g, AVX2 at 50 GFLOP/s: the bar is %g, want %g", c.wide, k.Bar, c.bar)
			}
		}
	}
}

func TestCheckTable(t *testing.T) {
	r := checkReport()
	scale(r, 2, "iterations, cbcl", "rnmu float64 threads=2")
	Check(r)
	var text, page, js bytes.Buffer
	if err := r.WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	if err := r.WritePage(&page); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteJSON(&js); err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(text.String(), "\nCHECK\n")
	if !ok {
		t.Fatalf("no check in the table:\n%s", text.String())
	}
	for _, want := range []string{
		"limit/rnmu/cbcl/float64/2", "rnmu, cbcl, float64, threads=2: of the limit", "42.54 %", ">= 85 %", "0.500", "falls short", "meets",
		">= 1 x, noise 3 %", "<= 1, noise 3 %", "<= 0", "<= 589 MB",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("the check lacks %q:\n%s", want, table)
		}
		if cell := strings.ReplaceAll(strings.ReplaceAll(want, ">", "&gt;"), "<", "&lt;"); !strings.Contains(page.String(), cell) {
			t.Errorf("the page lacks %q", cell)
		}
	}
	back, err := report.Read(&js)
	if err != nil || !reflect.DeepEqual(r, back) {
		t.Errorf("the report changes on the way through JSON (%v)", err)
	}
	if got := fmt.Sprint(Check(back)); got != fmt.Sprint(r.Checks) {
		t.Errorf("a report that was read gives other checks")
	}
}

// The part about a problem gives the same tables and plots of it as the whole.
func TestProblem(t *testing.T) {
	r := checkReport()
	Check(r)
	r.Notes = []string{"a note"}
	part := r.Problem(subject.CBCL)
	if got, want := part.Markdown(subject.CBCL), r.Markdown(subject.CBCL); got != want || want == "" {
		t.Errorf("tables\n%s\nof the whole report\n%s", got, want)
	}
	if got, want := part.MarkdownSparse(), r.MarkdownSparse(); got != want || want == "" {
		t.Errorf("table\n%s\nof the whole report\n%s", got, want)
	}
	plots, err := part.Plots()
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.Plots()
	if err != nil {
		t.Fatal(err)
	}
	if len(plots) != 5 {
		t.Errorf("%d plots, want those of iterations here and on a sparse matrix, of peers, and of solvers here and on text", len(plots))
	}
	for _, p := range plots {
		if i := slices.IndexFunc(all, func(q report.Plot) bool { return q.Group == p.Group }); i < 0 || !bytes.Equal(all[i].SVG, p.SVG) {
			t.Errorf("%s: another plot than that of the whole report", p.Group)
		}
	}
	if part.Checks != nil || part.Notes != nil || len(r.Checks) == 0 || len(part.Measurements) >= len(r.Measurements) {
		t.Errorf("%d checks, %d notes, %d measurements; the whole has %d", len(part.Checks), len(part.Notes), len(part.Measurements), len(r.Measurements))
	}
	if again := part.Problem(subject.CBCL); !reflect.DeepEqual(again, part) {
		t.Error("the part of the part is less")
	}
	if none := r.Problem("mnist"); len(none.Measurements) != 0 {
		t.Errorf("%d measurements of a problem that is none", len(none.Measurements))
	}
}
