package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"nmu/bench/internal/machine"
	"nmu/bench/internal/stat"
	"nmu/bench/internal/subject"
	"nmu/bench/report"
	"nmu/internal/isa"
	"nmu/internal/kernels"
	"nmu/internal/render"
	"nmu/kernel"
)

// childEnv makes the test binary behave as a child process of a run.
const childEnv = "NMU_TEST_BENCH_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		if err := Child(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// smallPlan measures next to nothing.
func smallPlan(parts ...Part) Plan {
	return Plan{
		Parts: parts, Rows: 60, Cols: 40, Rank: 3, Threads: min(2, runtime.GOMAXPROCS(0)), Repetitions: 1, Short: true,
		Size: 200_000, Peers: []string{"gonum"}, cache: 1 << 20, small: true,
	}
}

// TestSolvers runs the part of the solvers: every problem, both solvers of each method.
func TestSolvers(t *testing.T) {
	r := mustRun(t, smallPlan(PartSolvers))
	for problem, want := range map[string][]string{
		subject.Dense: {
			"nmf, to the same error, hals", "nmf, to the same error, accelerated",
			"gnmu, to the same violation, lagrangian", "gnmu, to the same violation, admm",
			"rnmu, to the same violation, lagrangian", "rnmu, to the same violation, admm",
		},
		subject.Text: {"nmf, to the same error, hals", "nmf, to the same error, accelerated"},
	} {
		if got := lines(r, report.SolverGroup(problem)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q, want %q", problem, got, want)
		}
	}
}

// withChild lets the plan start this test binary, if that is possible.
func withChild(t *testing.T, p Plan) Plan {
	t.Helper()
	t.Setenv(childEnv, "1")
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	self, err := os.Executable()
	if err == nil {
		err = exec.Command(self).Run() // ends with an error, for want of a task
	}
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		t.Skipf("the child is this test binary, which cannot start itself here (an emulator?): %v", err)
	}
	p.Child = []string{self}
	return p
}

func mustRun(t *testing.T, p Plan) *report.Report {
	t.Helper()
	r, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range r.Measurements {
		if len(m.Samples) == 0 || m.Group != groupAllocations && !(m.Median > 0) || m.Unit == "" {
			t.Errorf("%s: %+v", m.ID(), m)
		}
	}
	return r
}

// lines returns "case, series" of the measurements of a group.
func lines(r *report.Report, group string) []string {
	var found []string
	for _, m := range r.Measurements {
		if m.Group == group {
			found = append(found, m.Label()+", "+m.Series)
		}
	}
	return found
}

func TestRunAlgorithms(t *testing.T) {
	p := smallPlan(PartAlgorithms)
	var said []string
	p.Progress = func(text string) { said = append(said, text) }
	r := mustRun(t, p)
	for _, problem := range []string{subject.Swimmer, subject.Dense, subject.MiB, subject.Tiny} {
		want := []string{}
		for _, method := range subject.Methods {
			for _, typ := range subject.Types {
				for _, threads := range machine.ThreadCounts(p.Threads) {
					want = append(want, report.CaseName(method.Name, typ, threads)+", nmu")
				}
			}
		}
		for _, group := range []string{report.IterationGroup(problem), report.WholeGroup(problem)} {
			if got := lines(r, group); !reflect.DeepEqual(got, want) {
				t.Errorf("%s holds %q, want %q", group, got, want)
			}
		}
	}
	for _, m := range r.Measurements {
		if strings.HasPrefix(m.Group, "iterations") && !(m.Limit > 0 && m.LimitBy != "" && m.Ratio > 0) {
			t.Errorf("%s has no limit", m.ID())
		}
		if strings.HasPrefix(m.Group, "whole") && !(m.RelativeError > 0 && m.RelativeError < 1) {
			t.Errorf("%s has relative error %g", m.ID(), m.RelativeError)
		}
		if m.Bytes <= 0 {
			t.Errorf("%s: matrix of %d bytes", m.ID(), m.Bytes)
		}
	}
	if len(said) == 0 {
		t.Error("no progress")
	}
	// All that compare finds in two such reports has its partner.
	var b bytes.Buffer
	if err := report.WriteComparison(&b, r, r); err != nil || strings.Contains(b.String(), "only in") {
		t.Errorf("compared with itself: %v\n%s", err, b.String())
	}
}

func TestRunKernels(t *testing.T) {
	if os.Getenv("NMU_FULL") == "" {
		t.Skip("runs every kernel at every level: with NMU_FULL only")
	}
	active := isa.Active()
	r := mustRun(t, smallPlan(PartKernels))
	if isa.Active() != active {
		t.Errorf("the level is %v afterwards, was %v", isa.Active(), active)
	}
	if cpu := r.Limits.CPU; cpu.L1D == 0 || cpu.L2 <= 2*cpu.L1D {
		t.Skipf("the caches are unknown here: %+v", cpu)
	}
	var stream, products []string
	for _, k := range kernels.All[float64]() {
		for _, cut := range k.Cut(make([]float64, 1<<16), kernels.Rank(string(machine.L2))) {
			if cut.Stream {
				stream = append(stream, cut.Name)
			} else {
				products = append(products, cut.Name)
			}
		}
	}
	for _, set := range []machine.Set{machine.L1, machine.L2, machine.Memory} {
		for _, typ := range subject.Types {
			for group, names := range map[string][]string{"streaming kernels, ": stream, "products and sweeps, ": products} {
				var want []string
				for _, name := range names {
					for _, level := range isa.Available() {
						want = append(want, name+", "+level.String())
					}
				}
				group += string(set) + " " + string(typ)
				if got := lines(r, group); !reflect.DeepEqual(got, want) {
					t.Errorf("%s holds %q, want %q", group, got, want)
				}
			}
		}
	}
	for _, m := range r.Measurements {
		if m.Limit <= 0 || m.LimitBy == "" {
			t.Errorf("%s has no ceiling", m.ID())
		}
	}
}

func TestCeiling(t *testing.T) {
	s := &session{report: &report.Report{Limits: machine.Limits{
		Peaks: []machine.Peak{{Level: "generic", Type: machine.Float64, Threads: 1, Rate: stat.New([]float64{10})}},
		Bandwidths: []machine.Bandwidth{
			{Level: "generic", Op: machine.Read, Set: machine.L2, Bytes: 1, Threads: 1, Streams: 1, Rate: stat.New([]float64{20})},
			{Level: "generic", Op: machine.Copy, Set: machine.L2, Bytes: 1, Threads: 1, Streams: 1, Rate: stat.New([]float64{40})},
		},
	}}}
	for _, c := range []struct {
		k    kernels.Cost
		want float64
		by   string
	}{
		{kernels.Cost{Stream: true, Bytes: 8, Ops: 1}, 40, "L2 copy"},
		{kernels.Cost{Stream: true, Bytes: 8, Ops: 8}, 10, "multiply-adds"},
		{kernels.Cost{Bytes: 8, Ops: 98}, 10, "multiply-adds"},
		{kernels.Cost{Bytes: 80, Ops: 10}, 5, "L2 copy"},
	} {
		if got, by := s.ceiling(c.k, isa.Generic, machine.Float64, machine.L2); got != c.want || by != c.by {
			t.Errorf("%+v: ceiling %g by %s, want %g by %s", c.k, got, by, c.want, c.by)
		}
	}
	if got, _ := s.ceiling(kernels.Cost{Bytes: 1, Ops: 1}, isa.Generic, machine.Float64, machine.L1); got != 0 {
		t.Errorf("a ceiling of %g in a cache that was not measured", got)
	}
}

func TestRunGrowth(t *testing.T) {
	p := smallPlan(PartGrowth)
	r := mustRun(t, p)
	want := map[string][]string{}
	for axis, first := range map[string]int{"m": 40, "n": 30, "r": 2} {
		for _, method := range subject.Methods {
			for f := 1; f <= 8; f *= 2 {
				if axis != "r" || method.Name != "rnmu" {
					want[axis] = append(want[axis], method.Name+" "+axis+"="+render.Number(float64(first*f))+", nmu")
				}
			}
		}
	}
	for axis, w := range want {
		if got := lines(r, growthGroup(axis)); !reflect.DeepEqual(got, w) {
			t.Errorf("growth in %s holds %q, want %q", axis, got, w)
		}
	}
	if got := lines(r, growthGroup("threads")); len(got) != 3*len(machine.ThreadCounts(p.Threads)) {
		t.Errorf("growth in threads holds %q", got)
	}
}

func TestRunMemory(t *testing.T) {
	r := mustRun(t, withChild(t, smallPlan(PartMemory)))
	if got := lines(r, growthGroup("MB")); !reflect.DeepEqual(got, []string{"nmf MB=0.2, nmu", "gnmu MB=0.2, nmu", "rnmu MB=0.2, nmu"}) {
		t.Errorf("growth to size holds %q", got)
	}
	if runtime.GOOS == "linux" {
		if got := lines(r, groupPeak); len(got) != 6 || !slices.Contains(got, "gnmu, wide MB=0.2, nmu") {
			t.Errorf("peak memory holds %q", got)
		}
	} else if len(lines(r, groupPeak)) == 0 && !strings.Contains(strings.Join(r.Notes, "\n"), "not measured") {
		t.Error("nothing says that peak memory was not measured")
	}
	if got := lines(r, groupCollection); len(got) != 1+3*len(isa.Available()) {
		t.Errorf("garbage collections hold %q", got)
	}
	if got := lines(r, groupAllocations); len(got) != 2*3*2*len(machine.ThreadCounts(r.Threads)) {
		t.Errorf("allocations hold %q", got)
	}
}

func TestRunPeers(t *testing.T) {
	p := smallPlan(PartPeers)
	p.Threads = 1
	r := mustRun(t, p)
	for _, problem := range []string{subject.Dense, subject.Swimmer} {
		ms := map[string]report.Measurement{}
		for _, m := range r.Measurements {
			if m.Group == report.PeerGroup(problem) {
				ms[m.Case+", "+m.Series] = m
			}
		}
		for _, method := range subject.Methods {
			name := report.CaseName(method.Name, machine.Float64, 1)
			a, b := ms[name+", nmu"], ms[name+", gonum"]
			if !(a.RelativeError > 0) || !(max(a.RelativeError-b.RelativeError, b.RelativeError-a.RelativeError) < 1e-9) {
				t.Errorf("%s on %s: relative errors %.15g by nmu, %.15g by gonum", method.Name, problem, a.RelativeError, b.RelativeError)
			}
		}
	}
}

func TestRunStops(t *testing.T) {
	for _, part := range Parts() {
		ctx, cancel := context.WithCancel(t.Context())
		p := smallPlan(part)
		p.Progress = func(text string) {
			if text != "reading and generating matrices" {
				cancel()
			}
		}
		r, err := Run(ctx, p)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want %v", part, err, context.Canceled)
		}
		if r == nil || len(r.Notes) == 0 || !strings.Contains(r.Notes[len(r.Notes)-1], "ended early") {
			t.Errorf("%s: no report that says it is not complete: %+v", part, r)
		}
		cancel()
	}
}

func TestRunRejects(t *testing.T) {
	for _, change := range []func(*Plan){
		func(p *Plan) { p.Parts = []Part{"engine"} },
		func(p *Plan) { p.Peers = []string{"abacus"} },
		func(p *Plan) { p.Rows = -1 },
		func(p *Plan) { p.Rank = 41 },
		func(p *Plan) { p.Repetitions = -2 },
		func(p *Plan) { p.Threads = runtime.GOMAXPROCS(0) + 1 },
		func(p *Plan) { p.Rows = math.MaxInt / 4 },
		func(p *Plan) { p.Size = 1 },
	} {
		p := smallPlan(PartGrowth)
		change(&p)
		if r, err := Run(t.Context(), p); !errors.Is(err, machine.ErrOption) || r != nil {
			t.Errorf("%+v: error %v, want machine.ErrOption", p, err)
		}
	}
}

func TestFill(t *testing.T) {
	for _, n := range []int{0, 1, 96, 97, 98, 1000} {
		x := kernel.NewMatrix[float64](1, n).Row(0)
		kernels.Fill(x)
		for i, v := range x {
			if !(v >= 0.5 && v < 1) || v != x[i%97] {
				t.Fatalf("number %d of %d is %g", i, n, v)
			}
		}
	}
}
