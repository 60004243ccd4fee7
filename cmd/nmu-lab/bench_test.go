package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	benchreport "nmu/bench/report"
	"nmu/cmd/internal/commandtest"
	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/program"
)

// benchArgs is a run of nmu-lab bench that measures next to nothing.
func benchArgs(t *testing.T, more ...string) []string {
	t.Helper()
	t.Setenv("NMU_DATA", t.TempDir()) // without the faces
	return append([]string{"bench", "--short", "--reps", "1", "--rows", "40", "--cols", "30", "--rank", "2"}, more...)
}

// measures leaves a test out that measures, which takes a while and in an emulator minutes.
func measures(t *testing.T) {
	t.Helper()
	if os.Getenv("NMU_FULL") == "" || testing.Short() {
		t.Skip("it measures: with NMU_FULL, without -short")
	}
}

// TestBench prints a report with every claim, writes it, and compares another one with it.
// The largest matrix takes 320 MB.
func TestBench(t *testing.T) {
	measures(t)
	plots := []string{"iterations-swimmer.svg", "whole-dense.svg", "growth-in-m.svg", "growth-in-threads.svg"}
	wants := []string{
		"ITERATIONS, SWIMMER", "ITERATIONS, DENSE", "rnmu float64 threads=1", "CHECK", "one thread over two", "not measured",
		"cbcl: not measured", "GROWTH IN M", "GROWTH IN THREADS", "nmf   1 ", "a short run",
	}
	dir := filepath.Join(t.TempDir(), "report")
	stdout := succeed(t, benchArgs(t, "--only", "algorithms,growth", "--check", "--out", dir)...)
	for _, want := range wants {
		if !strings.Contains(stdout, want) {
			t.Errorf("the output lacks %q:\n%s", want, stdout)
		}
	}
	for _, name := range append([]string{nameBenchJSON, nameBenchPage, nameBenchSummary}, plots...) {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	old := filepath.Join(dir, nameBenchJSON)
	rep, err := readReport(old)
	if err != nil || len(rep.Checks) == 0 || len(rep.Measurements) == 0 {
		t.Fatalf("%s: %v", old, err)
	}
	stdout = succeed(t, benchArgs(t, "--only", "growth", "--compare", old)...)
	if _, changes, ok := strings.Cut(stdout, "COMPARED WITH "+old); !ok || !strings.Contains(changes, "verdict") {
		t.Errorf("no comparison in:\n%s", stdout)
	}
}

// generated returns what a page shows between a comment and the end of the generated part.
func generated(page, part string) (shown string, ok bool) {
	_, after, _ := strings.Cut(page, "<!-- "+part+" -->\n")
	shown, _, ok = strings.Cut(after, "<!-- end -->")
	return strings.TrimSpace(shown), ok
}

// The tables and the plots in docs/speed.md are those of one run,
//
//	go run ./cmd/nmu-lab bench --check --only machine,algorithms,peers,solvers,growth,memory,sparse --out DIR
//
// of which docs/bench.json is DIR/bench-cbcl.json: what is shown, and no more. The README
// shows one of the tables, and how much sooner the accelerated solver ends.
func TestSpeedPage(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	rep, err := readReport(filepath.Join(docs, nameBenchJSON))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(rep, rep.Problem(benchFaces)) {
		t.Errorf("docs/%s is not %s of a run: it holds more", nameBenchJSON, nameBenchFaces)
	}
	page := commandtest.ReadText(t, docs, "speed.md")
	want := strings.TrimSpace(rep.Markdown(benchFaces))
	if shown, ok := generated(page, "nmu-lab bench: cbcl"); !ok || want == "" || shown != want {
		t.Errorf("docs/speed.md does not show the tables of docs/%s:\n%s", nameBenchJSON, want)
	}
	if shown, _ := generated(page, "nmu-lab bench: sparse"); shown != strings.TrimSpace(rep.MarkdownSparse()) {
		t.Errorf("docs/speed.md does not show the iterations on a sparse matrix of docs/%s:\n%s", nameBenchJSON, rep.MarkdownSparse())
	}
	plots, err := rep.Plots()
	if err != nil {
		t.Fatal(err)
	}
	shownPlots := 0
	for _, p := range plots {
		name := plotName(p.Group)
		if !strings.Contains(page, "("+name+")") {
			continue
		}
		shownPlots++
		if commandtest.ReadText(t, docs, name) != string(p.SVG) {
			t.Errorf("docs/%s is not the plot of docs/%s", name, nameBenchJSON)
		}
	}
	if shownPlots == 0 {
		t.Error("docs/speed.md shows no plot")
	}

	readme := commandtest.ReadText(t, "..", "..", "README.md")
	shown, ok := generated(readme, "nmu-lab bench: cbcl")
	if !ok || !strings.HasPrefix(shown, "| float64, ") || !slices.Contains(strings.Split(want, "\n\n"), shown) {
		t.Errorf("README.md shows\n%s\nwhich is none of the tables\n%s", shown, want)
	}
	ours, ok := rep.Index().FindBy(benchreport.SolverGroup(benchFaces), "nmf, to the same error", "hals")
	accelerated, also := rep.Index().FindBy(benchreport.SolverGroup(benchFaces), "nmf, to the same error", "accelerated")
	if part := ours.Median / accelerated.Median; !ok || !also || math.Round(part) != 6 || !strings.Contains(readme, "in a sixth of the time") {
		t.Errorf("README.md says that the accelerated solver takes a sixth of the time; it is 1/%.1f", part)
	}
}

// The page about scaling is what nmu-lab bench --only scale makes of docs/scale.json, which is
// bench-scale.json of the run that the page names.
func TestScalePage(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	rep, err := readReport(filepath.Join(docs, "scale.json"))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(rep, rep.Scale()) {
		t.Error("docs/scale.json holds more than the page shows")
	}
	var page bytes.Buffer
	if err := rep.WritePlan(&page, nameScalePlot); err != nil || page.String() != commandtest.ReadText(t, docs, nameScalePage) {
		t.Errorf("docs/%s is not the page of docs/scale.json (%v):\n%s", nameScalePage, err, page.String())
	}
	if plot, err := rep.PlotPlan(); err != nil || string(plot) != commandtest.ReadText(t, docs, nameScalePlot) {
		t.Errorf("docs/%s is not the plot of docs/scale.json (%v)", nameScalePlot, err)
	}
}

// The part scale leaves its plan, for the matrix and the machines that were asked for.
func TestBenchScale(t *testing.T) {
	measures(t)
	dir := filepath.Join(t.TempDir(), "report")
	kind := commandtest.TextFile(t, "kind.json", `{"name": "a small one", "cores": 4, "memory_gb": 16}`)
	succeed(t, benchArgs(t, "--only", "scale", "--threads", "1", "--rank", "2", "--plan", "1000000x400", "--kind", kind, "--out", dir)...)
	page := commandtest.ReadText(t, dir, nameScalePage)
	for _, want := range []string{"1 000 000 x 400", "a small one", "16 GB", "strong scaling over threads"} {
		if !strings.Contains(page, want) {
			t.Errorf("%s lacks %q:\n%s", nameScalePage, want, page)
		}
	}
	rep, err := readReport(filepath.Join(dir, nameScaleJSON))
	if err != nil || rep.Planning == nil || rep.Planning.Kind.Cores != 4 {
		t.Errorf("%s: %v", nameScaleJSON, err)
	}
}

// The part about the faces is a file of its own, if they were measured, and a report.
func TestWriteBenchFaces(t *testing.T) {
	rep, err := benchreport.Read(strings.NewReader(`{"schema": "nmu-bench/1"}`))
	if err != nil {
		t.Fatal(err)
	}
	add := func(group string) {
		m := benchreport.Measurement{Group: group, Case: "nmf float64 threads=1", Series: "nmu", Unit: "ms"}
		m.Samples, m.Median = []float64{2}, 2
		rep.Add(m)
	}
	add("iterations, dense")
	dir := filepath.Join(t.TempDir(), "report")
	if err := writeBench(dir, rep); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, nameBenchFaces)); err == nil {
		t.Errorf("%s is written without a measurement of the faces", nameBenchFaces)
	}
	add("iterations, cbcl")
	if err := writeBench(dir, rep); err != nil {
		t.Fatal(err)
	}
	all, err := readReport(filepath.Join(dir, nameBenchJSON))
	if err != nil {
		t.Fatal(err)
	}
	faces, err := readReport(filepath.Join(dir, nameBenchFaces))
	if err != nil {
		t.Fatal(err)
	}
	if len(all.Measurements) != 2 || len(faces.Measurements) != 1 || !reflect.DeepEqual(all.Problem(benchFaces), faces) {
		t.Errorf("%s has %d measurements, %s %d", nameBenchJSON, len(all.Measurements), nameBenchFaces, len(faces.Measurements))
	}
}

func TestBenchJSON(t *testing.T) {
	if testing.Short() {
		t.Skip("starts child processes; skipped with -short")
	}
	stdout := succeed(t, benchArgs(t, "--only", "memory", "--json", "--size", "2MB", "--threads", "1")...)
	rep, err := benchreport.Read(strings.NewReader(stdout))
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string]int{}
	for _, m := range rep.Measurements {
		groups[m.Group]++
	}
	if groups["allocations per iteration"] == 0 || groups["growth in MB"] != 3 && runtime.GOOS == "linux" {
		t.Errorf("measured %v; %q", groups, rep.Notes)
	}
}

func TestBenchFails(t *testing.T) {
	notReport := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(notReport, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		says []string
		args []string
	}{
		{[]string{"no part", "engine", "machine"}, []string{"--only", "engine"}},
		{[]string{"--only", "no part"}, []string{"--only", ""}},
		{[]string{"no peer", "abacus", "gonum"}, []string{"--peers", "abacus"}},
		{[]string{"--reps 0"}, []string{"--reps", "0"}},
		{[]string{"--threads -1"}, []string{"--threads", "-1"}},
		{[]string{"threads"}, []string{"--threads", "100000"}},
		{[]string{"--rows 0"}, []string{"--rows", "0"}},
		{[]string{"rank 31", "30"}, []string{"--rank", "31"}},
		{[]string{"--size", "huge", "512MB"}, []string{"--size", "huge"}},
		{[]string{"largest matrix"}, []string{"--size", "10"}},
		{[]string{"--out is empty"}, []string{"--out", ""}},
		{[]string{"--json", "--compare"}, []string{"--json", "--compare", notReport}},
		{[]string{"--compare", "schema"}, []string{"--compare", notReport}},
		{[]string{"--compare", "nowhere.json"}, []string{"--compare", "nowhere.json"}},
		{[]string{"nowhere.mat"}, []string{"--only", "algorithms", "--data", "nowhere.mat"}},
		{[]string{"unknown command"}, []string{"now"}},
		{[]string{"--plan", "7by3", "1000000x500"}, []string{"--plan", "7by3"}},
		{[]string{"a plan for a 7 x 3 matrix"}, []string{"--only", "scale", "--plan", "7x3"}},
		{[]string{"--kind", "nowhere.json"}, []string{"--kind", "nowhere.json"}},
		{[]string{"--kind", "not a kind of machine"}, []string{"--kind", commandtest.TextFile(t, "kind.json", "{")}},
		{[]string{"--mpi", "--only scale"}, []string{"--mpi"}},
	} {
		fails(t, c.says, benchArgs(t, c.args...)...)
	}
}

func TestBenchInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := filepath.Join(t.TempDir(), "report")
	var stdout, stderr bytes.Buffer
	status := program.Execute(ctx, rootCommand(), benchArgs(t, "--only", "machine", "--out", dir), nil, &stdout, &stderr)
	if status != exit.StatusInterrupted || !strings.Contains(stderr.String(), "interrupted") || !strings.Contains(stdout.String(), "ended early") {
		t.Errorf("status %d, %s%s", status, stdout.String(), stderr.String())
	}
	rep, err := readReport(filepath.Join(dir, nameBenchJSON))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(rep.Notes, "\n"), "ended early") {
		t.Errorf("the report does not say that it ended early: %q", rep.Notes)
	}
}

func TestPlotName(t *testing.T) {
	if got := plotName("streaming kernels, L1 float64"); got != "streaming-kernels-l1-float64.svg" {
		t.Errorf("%q", got)
	}
}
