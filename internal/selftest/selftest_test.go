package selftest

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"nmu/internal/checkasm/planted"
	"nmu/internal/golden"
	"nmu/internal/isa"
	"nmu/internal/must"
	"nmu/kernel"
	"nmu/kernel/kerneltest"
	"nmu/lnmu"
)

// run makes the checks of a suite and returns the items.
func run(t *testing.T, s Suite) []Item {
	t.Helper()
	var items []Item
	before := isa.Active()
	must.Do(t, Run(t.Context(), s, func(i Item) { items = append(items, i) }))
	must.Equal(t, isa.Active(), before, "the active level")
	return items
}

func whole(t *testing.T) Suite {
	t.Helper()
	s := must.Get(New())(t)
	return s
}

// differing returns the names of the items that are not OK.
func differing(items []Item) []string {
	var names []string
	for _, i := range items {
		if !i.OK() {
			names = append(names, i.Name)
		}
	}
	return names
}

// The suite has every kernel and every case, each at every level, and finds nothing
// here. Of the kernels, which have their own tests, two are enough here. NMU_FULL asks for
// the full form and all cases.
func TestRun(t *testing.T) {
	s := whole(t)
	if len(s.Kernels64) != len(kerneltest.All[float64]()) || len(s.Kernels32) != len(kerneltest.All[float32]()) {
		t.Errorf("%d and %d kernels", len(s.Kernels64), len(s.Kernels32))
	}
	s.Kernels64, s.Kernels32 = s.Kernels64[:1], s.Kernels32[1:2]
	cases := golden.Cases()
	must.Equal(t, len(s.Cases), len(cases), "cases")
	if s.Full = os.Getenv("NMU_FULL") != ""; !s.Full {
		s.Cases, cases = append(s.Cases[:1], s.Cases[5]), append(cases[:1], cases[5]) // the first case of a method, and another
	}
	var got []string
	for _, i := range run(t, s) {
		if !i.OK() {
			t.Errorf("%+v", i)
		}
		var levels []string
		for _, r := range i.Levels {
			levels = append(levels, r.Level)
		}
		all := []string{isa.Active().String()}
		if i.Kind != "floats" {
			all = kernel.Levels()
			if !s.Full && i.Kind == "factorization" && strings.Count(i.Name, " ") > 1 && len(all) > 1 {
				all = all[1:] // not the first case of its method
			}
		}
		must.EqualSlices(t, levels, all, i.Name, "at")
		got = append(got, i.Kind+": "+i.Name)
	}
	var want []string
	for _, f := range floats {
		want = append(want, "floats: "+f.name)
	}
	want = append(want, "kernel: Dot float64", "kernel: SumSquares float32")
	for _, c := range cases {
		want = append(want, "factorization: "+golden.Name[float64](c), "factorization: "+golden.Name[float32](c))
	}
	must.EqualSlices(t, got, want, "the items are")
}

// wrong is the kernel Dot as it would be if its body at a level, and at no other, were
// wrong for vectors that are not short.
func wrong(level isa.Level) kerneltest.Kernel[float64] {
	return kerneltest.Functions[float64]{Dot: func(x, y []float64) float64 {
		sum := kernel.Dot(x, y)
		if isa.Active() == level && len(x) > 30 {
			sum += 1e-3 * x[0]
		}
		return sum
	}, Foreign: true}.Kernels()[0]
}

// A kernel that is wrong at one level is found there, and there alone.
func TestWrongBody(t *testing.T) {
	for _, level := range isa.Available() {
		items := run(t, Suite{Kernels64: []kerneltest.Kernel[float64]{wrong(level)}})
		if names := differing(items); !slices.Equal(names, []string{"Dot float64"}) {
			t.Fatalf("level %v wrong: %q differ", level, names)
		}
		i := slices.IndexFunc(items, func(i Item) bool { return !i.OK() })
		for _, r := range items[i].Levels {
			must.Equal(t, len(r.Differences) > 0, r.Level == level.String(), "level", level, "wrong: at", r.Level, r.Differences)
			for _, d := range r.Differences {
				if !strings.Contains(d, "Dot[float64] level="+r.Level) && !strings.Contains(d, "stopped after") {
					t.Errorf("the report %q does not name the call", d)
				}
			}
		}
	}
}

// A hash that is not the recorded one, and one that is not recorded, are differences.
func TestWrongHash(t *testing.T) {
	cases := golden.Cases()[:2]
	recorded := maps.Clone(whole(t).Recorded)
	first, second := golden.Name[float64](cases[0]), golden.Name[float32](cases[1])
	h := recorded[first]
	recorded[first] = golden.Hashes{V: h.V, W: h.V}
	delete(recorded, second)
	items := run(t, Suite{Cases: cases, Recorded: recorded})
	must.EqualSlices(t, differing(items), []string{first, second}, "differ")
	for _, i := range items {
		says := map[string]string{first: "W " + h.W + "; want", second: "no hashes are recorded"}[i.Name]
		for _, r := range i.Levels {
			if says != "" && (len(r.Differences) != 1 || !strings.Contains(r.Differences[0], says)) {
				t.Errorf("%s at %s: %q does not say %q", i.Name, r.Level, r.Differences, says)
			}
		}
	}
}

// The cancelled context ends the checks, and no item is half done.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := Run(ctx, whole(t), func(Item) {
		if n++; n == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || n != 2 {
		t.Errorf("%d items, %v", n, err)
	}
}

// Every wrong setting of the floating-point control register is found, by the check
// whose matter it is.
func TestWrongControl(t *testing.T) {
	sums, denormals := floats[0], floats[1]
	for c := range planted.Controls {
		want := sums
		if c == planted.Flush {
			want = denormals
		}
		var lines []string
		called := planted.Under(c, func() { lines = want.check() })
		if !called {
			t.Skip("the control register cannot be used on this machine, or in this build")
		}
		for _, precision := range []string{"float64: ", "float32: "} {
			if !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, precision) }) {
				t.Errorf("setting %d: %q has nothing on %s", c, lines, precision)
			}
		}
		if lines = want.check(); len(lines) > 0 {
			t.Errorf("after setting %d: %q", c, lines)
		}
	}
}

// onThreads names the thread; each is one of its own.
func TestOnThreads(t *testing.T) {
	var r report
	onThreads(3, func() []string { return []string{"wrong"} }, &r)
	must.EqualSlices(t, r.differences, []string{"thread 1 of 3: wrong", "thread 2 of 3: wrong", "thread 3 of 3: wrong"})
}

// The factors do not depend on the control register of the thread that asks for
// them in one way: a wrong one is found by the hashes too.
func TestWrongControlChangesHashes(t *testing.T) {
	c := golden.Case{Method: lnmu.NMF{}}
	var h golden.Hashes
	var err error
	if !planted.Under(planted.Up, func() { h, err = golden.Factor[float64](t.Context(), c) }) {
		t.Skip("the control register cannot be used on this machine, or in this build")
	}
	if want := whole(t).Recorded[golden.Name[float64](c)]; err != nil || h == want {
		t.Errorf("rounded up the hashes are %+v, %v: the recorded ones", h, err)
	}
}
