package main

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"

	"nmu/cmd/internal/exit"
	"nmu/cmd/internal/program"
	"nmu/internal/golden"
	"nmu/internal/isa"
	"nmu/internal/must"
	"nmu/internal/release"
	"nmu/internal/selftest"
	"nmu/kernel"
	"nmu/kernel/kerneltest"
)

// selftestOf runs nmu selftest on a suite that change has changed: two kernels and
// one case, since all of them have their own tests.
func selftestOf(t *testing.T, change func(*selftest.Suite), args ...string) (stdout string, err error) {
	t.Helper()
	return selftestIn(t.Context(), t, change, args...)
}

// selftestIn is selftestOf in a context.
func selftestIn(ctx context.Context, t *testing.T, change func(*selftest.Suite), args ...string) (stdout string, err error) {
	t.Helper()
	p := program.New(&program.Command{Use: "nmu"}, selftestCommand(func() (selftest.Suite, error) {
		s, err := selftest.New()
		s.Kernels64, s.Kernels32, s.Cases = s.Kernels64[:1], s.Kernels32[:1], s.Cases[:1]
		change(&s)
		return s, err
	}))
	var out strings.Builder
	p.Commands() // which have their flags now
	p.SetOut(&out)
	p.SetArgs(append([]string{"selftest"}, args...))
	err = p.ExecuteContext(ctx)
	return out.String(), err
}

// dot is the kernel Dot with a result that change has changed.
func dot[T kernel.Float](change func(T) T) kerneltest.Kernel[T] {
	own := kerneltest.Functions[T]{Dot: func(x, y []T) T { return change(kernel.Dot(x, y)) }, Foreign: true}
	return own.Kernels()[0]
}

func TestSelftest(t *testing.T) {
	out := must.Get(selftestOf(t, func(*selftest.Suite) {}))(t)
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	levels := strings.Join(kernel.Levels(), " ok, ") + " ok"
	for _, want := range [][]string{
		{"floats", "denormals kept", kernel.Level() + " ok"},
		{"kernel", "Dot float64", levels}, {"kernel", "Dot float32", levels},
		{"factorization", "nmf float64", levels}, {"factorization", "nmf float32", levels},
	} {
		if !slices.ContainsFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, want[0]+" ") && strings.Contains(line, " "+want[1]+" ") && strings.HasSuffix(line, " "+want[2])
		}) {
			t.Errorf("no line %q in\n%s", want, out)
		}
	}
	must.Equal(t, lines[0], "nmu "+release.Version()+", "+runtime.Version()+", "+runtime.GOOS+"/"+runtime.GOARCH, "the first line")
	must.Equal(t, lines[1], "processor "+cmp.Or(isa.CPU().Brand, "unknown")+"; kernel levels "+strings.Join(kernel.Levels(), ", "), "the second line")
	if verdict := lines[len(lines)-1]; !strings.HasPrefix(verdict, "9 items, 9 ok, in ") {
		t.Errorf("the last line is %q", verdict)
	}
}

// A command that is stopped says how many items were done, in lines and in JSON, and which of
// them differ.
func TestSelftestStopped(t *testing.T) {
	stopped := func(t *testing.T, wrong bool, args ...string) (stdout string, err error) {
		ctx, cancel := context.WithCancelCause(t.Context())
		stdout, err = selftestIn(ctx, t, func(s *selftest.Suite) {
			s.Kernels32[0] = dot(func(float32) float32 {
				cancel(exit.Interrupt(exit.Terminate)) // in the middle of the seventh item
				return 0
			})
			if wrong {
				s.Kernels64[0] = dot(func(x float64) float64 { return x + 1 })
			}
		}, args...)
		must.Equal(t, exit.Status(err, true), exit.StatusTerminated, "the status of", err)
		return stdout, err
	}
	out, err := stopped(t, false)
	must.Equal(t, err.Error(), "interrupted by SIGTERM after 6 of 9 items", "the error is", err)
	lines := strings.Split(out, "\n")
	if last := lines[len(lines)-2]; !strings.HasPrefix(last, "6 of 9 items, 6 ok, in ") {
		t.Errorf("the last line is %q", last)
	}
	out, err = stopped(t, true, "--json")
	must.Equal(t, err.Error(), "interrupted by SIGTERM after 6 of 9 items; 1 of 6 items differ: Dot float64", "the error is", err)
	rep := parsed[selftestReport](t, out)
	if rep.Total != 9 || len(rep.Items) != 6 || !slices.Equal(rep.Failed, []string{"Dot float64"}) {
		t.Errorf("the report is %+v", rep)
	}
}

// A wrong body and a wrong hash are found, told with what differs, and an error.
func TestSelftestDiffers(t *testing.T) {
	spoil := func(s *selftest.Suite) {
		s.Kernels32[0] = dot(func(x float32) float32 { return x + 1 })
		s.Recorded["nmf float64"] = golden.Hashes{V: "0123", W: "4567"}
	}
	const verdict = "2 of 9 items differ: Dot float32, nmf float64"
	out, err := selftestOf(t, spoil)
	if err == nil || err.Error() != verdict {
		t.Errorf("the error is %v, want %s", err, verdict)
	}
	contains(t, out, " DIFFERS\n", "\n    Dot[float32] level=generic ", "the result is ", "; want V 0123, W 4567\n", " Dot float64 ")
	contains(t, out, "\n9 items, 7 ok, in ")

	out, err = selftestOf(t, spoil, "--json")
	if err == nil || err.Error() != verdict {
		t.Errorf("the error is %v, want %s", err, verdict)
	}
	rep := parsed[selftestReport](t, out)
	if rep.Schema != selftestSchema || rep.Version == "" || rep.Origin.Arch != runtime.GOARCH || rep.Full || rep.Total != 9 ||
		!slices.Equal(rep.Levels, kernel.Levels()) || len(rep.Items) != 9 || !slices.Equal(rep.Failed, []string{"Dot float32", "nmf float64"}) {
		t.Errorf("the report is %+v", rep)
	}
	for _, i := range rep.Items {
		if i.OK() == slices.Contains(rep.Failed, i.Name) {
			t.Errorf("%+v", i)
		}
	}
}

// The command of nmu has the whole suite, and ends with status 1 for a difference as
// for any error: run does that.
func TestSelftestCommand(t *testing.T) {
	s, err := selftest.New()
	if err != nil || len(s.Kernels64) != len(kerneltest.All[float64]()) || len(s.Cases) != len(golden.Cases()) {
		t.Errorf("%d kernels, %d cases, %v", len(s.Kernels64), len(s.Cases), err)
	}
	fails(t, []string{"needs no argument, got 1"}, "selftest", "fast")
}
