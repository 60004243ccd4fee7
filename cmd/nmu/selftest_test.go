package main

import (
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"nmu/internal/golden"
	"nmu/internal/kernels"
	"nmu/internal/selftest"
	"nmu/kernel"
)

// selftestOf runs nmu selftest on a suite that change has changed: two kernels and
// one case, since all of them have their own tests.
func selftestOf(t *testing.T, change func(*selftest.Suite), args ...string) (stdout string, err error) {
	t.Helper()
	cmd := selftestCommand(func() (selftest.Suite, error) {
		s, err := selftest.New()
		s.Kernels64, s.Kernels32, s.Cases = s.Kernels64[:1], s.Kernels32[:1], s.Cases[:1]
		change(&s)
		return s, err
	})
	var out strings.Builder
	cmd.SetOut(&out)
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err = cmd.Execute()
	return out.String(), err
}

func TestSelftest(t *testing.T) {
	out, err := selftestOf(t, func(*selftest.Suite) {})
	if err != nil {
		t.Fatal(err)
	}
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
	if verdict := lines[len(lines)-1]; !strings.HasPrefix(verdict, "9 items without a difference, in ") {
		t.Errorf("the last line is %q", verdict)
	}
}

// A wrong body and a wrong hash are found, told with what differs, and an error.
func TestSelftestDiffers(t *testing.T) {
	spoil := func(s *selftest.Suite) {
		call := s.Kernels32[0].Setup
		s.Kernels32[0].Setup = func(source kernels.Source[float32], shape []int) func() float32 {
			dot, calls := call(source, shape), 0
			return func() float32 { calls++; return dot() + float32(calls) }
		}
		s.Recorded["nmf float64"] = golden.Hashes{V: "0123", W: "4567"}
	}
	const verdict = "2 of 9 items differ: Dot float32, nmf float64"
	out, err := selftestOf(t, spoil)
	if err == nil || err.Error() != verdict {
		t.Errorf("the error is %v, want %s", err, verdict)
	}
	for _, want := range []string{" DIFFERS\n", "\n    Dot[float32] level=generic ", "the result is ", "; want V 0123, W 4567\n", " Dot float64 "} {
		if !strings.Contains(out, want) {
			t.Errorf("the output does not say %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "without a difference") {
		t.Errorf("a verdict in\n%s", out)
	}

	out, err = selftestOf(t, spoil, "--json")
	if err == nil || err.Error() != verdict {
		t.Errorf("the error is %v, want %s", err, verdict)
	}
	var rep selftestReport
	if err := json.Unmarshal([]byte(out), &rep); err != nil {
		t.Fatal(err)
	}
	if rep.Schema != selftestSchema || rep.Version == "" || rep.Origin.Arch != runtime.GOARCH || rep.Full ||
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
	root := rootCommand()
	i := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == "selftest" })
	if i < 0 {
		t.Fatal("there is no command selftest")
	}
	s, err := selftest.New()
	if err != nil || len(s.Kernels64) != len(kernels.All[float64]()) || len(s.Cases) != len(golden.Cases()) {
		t.Errorf("%d kernels, %d cases, %v", len(s.Kernels64), len(s.Cases), err)
	}
	fails(t, []string{"unknown command", "fast"}, "selftest", "fast")
}
