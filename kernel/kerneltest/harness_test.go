package kerneltest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"nmu/internal/checkasm"
	"nmu/internal/checkasm/planted"
	"nmu/internal/isa"
	"nmu/internal/must"
	"nmu/kernel"
)

// scaled is the type of AddScaled.
type scaled = func(y []float64, a float64, x []float64)

// axpy is AddScaled in Go.
func axpy(y []float64, a float64, x []float64) {
	if len(x) != len(y) {
		panic("x and y differ in length")
	}
	axpyUnchecked(y, a, x)
}

func axpyUnchecked(y []float64, a float64, x []float64) {
	for i, v := range x {
		p := unsafe.SliceData(y)
		*(*float64)(unsafe.Add(unsafe.Pointer(p), 8*i)) = math.FMA(a, v, *(*float64)(unsafe.Add(unsafe.Pointer(p), 8*i)))
	}
}

// wide returns x with the elements before and behind it, which are not its own.
func wide(x []float64, before, behind int) []float64 {
	return unsafe.Slice((*float64)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(x)), -8*before)), len(x)+before+behind)
}

// faults are functions in the place of AddScaled with a typical mistake, made of a right one, with texts of the reports.
var faults = []struct {
	says  string
	plant func(add scaled) scaled
	needs func(level string) bool // nil: nothing
}{
	{"bytes behind the end of x", func(add scaled) scaled {
		return func(y []float64, a float64, x []float64) {
			add(make([]float64, len(x)+1), a, wide(x, 0, 1))
			add(y, a, x)
		}
	}, nil},
	{"bytes before x", func(add scaled) scaled {
		return func(y []float64, a float64, x []float64) {
			add(make([]float64, len(x)+1), a, wide(x, 1, 0))
			add(y, a, x)
		}
	}, nil},
	{"bytes behind the end of y|write outside y: canary at element ", func(add scaled) scaled {
		return func(y []float64, a float64, x []float64) { add(wide(y, 0, 1), a, append(slices.Clip(x), 0)) }
	}, nil},
	{"bytes before y|write outside y: canary at element -1 of ", func(add scaled) scaled {
		return func(y []float64, a float64, x []float64) { add(wide(y, 1, 0), a, append([]float64{0}, x...)) }
	}, nil},
	{"x was modified: element 0 is ", func(add scaled) scaled {
		return func(y []float64, a float64, x []float64) {
			if add(y, a, x); len(x) > 0 {
				x[0] = -x[0]
			}
		}
	}, nil},
	{"y: element ", func(add scaled) scaled { // the tail is left out
		return func(y []float64, a float64, x []float64) {
			n := max(len(x)-1, 0)
			add(y[:min(n, len(y))], a, x[:n])
		}
	}, nil},
	{"y: element ", func(add scaled) scaled { // y <- a y + x
		return func(y []float64, a float64, x []float64) {
			for i := range y {
				y[i] = math.FMA(a, y[i], x[i])
			}
		}
	}, nil},
	{"y: element ", func(add scaled) scaled { // rounded twice
		return func(y []float64, a float64, x []float64) {
			for i := range y {
				y[i] = float64(a*x[i]) + y[i]
			}
		}
	}, nil},
	{"y: element ", func(add scaled) scaled { // lanes exchanged
		return func(y []float64, a float64, x []float64) {
			if add(y, a, x); len(y) > 5 {
				y[4], y[5] = y[5], y[4]
			}
		}
	}, nil},
	{"is 0 (0x0000000000000000), want -0 (0x8000000000000000)", func(add scaled) scaled {
		return func(y []float64, a float64, x []float64) {
			add(y, a, x)
			for i := range y {
				y[i] += 0
			}
		}
	}, nil},
	{"is NaN (0x7ff8000000000001), want ", func(add scaled) scaled { // where the result is infinite
		return func(y []float64, a float64, x []float64) {
			add(y, a, x)
			for i, v := range y {
				if math.IsInf(v, 0) {
					y[i] = math.NaN()
				}
			}
		}
	}, nil},
	{"panic: planted in nmu/kernel/kerneltest", func(add scaled) scaled {
		return func(y []float64, a float64, x []float64) {
			if add(y, a, x); len(x) > 7 {
				panic("planted")
			}
		}
	}, nil},
	{"as nil, it does not panic", func(add scaled) scaled { // unchecked
		return func(y []float64, a float64, x []float64) { n := min(len(x), len(y)); add(y[:n], a, x[:n]) }
	}, nil},
	{"y was modified: element 0 is ", func(add scaled) scaled { // checked too late
		return func(y []float64, a float64, x []float64) {
			if len(x) > 0 && len(y) > 0 {
				add(y[:1], a, x[:1])
				add(y[1:], a, x[1:])
			} else {
				add(y, a, x)
			}
		}
	}, nil},
	{"it is stopped by the runtime: panic: runtime error: slice bounds out of range", func(add scaled) scaled {
		return func(y []float64, a float64, x []float64) {
			_, _ = x[:len(y):len(y)], y[:len(x):len(x)]
			add(y, a, x)
		}
	}, nil},
	{"VZEROUPPER is missing", func(add scaled) scaled {
		return func(y []float64, a float64, x []float64) { add(y, a, x); checkasm.DirtyYMM() }
	}, func(level string) bool { return checkasm.UpperChecked() }},
	{"VZEROUPPER is missing", func(add scaled) scaled {
		return func(y []float64, a float64, x []float64) { add(y, a, x); checkasm.DirtyZMM() }
	}, func(level string) bool { return checkasm.UpperChecked() && level == "avx512" }},
	{"y: element ", func(add scaled) scaled { // a register is taken for zero
		return func(y []float64, a float64, x []float64) {
			var left [2]uint64
			planted.Trusting(&left)
			if add(y, a, x); len(y) > 0 && left[0] != 0 {
				y[0] = -1 - y[0]
			}
		}
	}, assembly},
	{"the control register is ", func(add scaled) scaled {
		return func(y []float64, a float64, x []float64) { add(y, a, x); planted.Set(planted.Flush) }
	}, assembly},
}

// assembly says whether a level has any.
func assembly(level string) bool { return level != "generic" }

// check checks a function in the place of AddScaled at a level.
func checkScaled(add scaled, effort Effort, level string) error {
	return Functions[float64]{AddScaled: add}.Kernels()[0].Check(effort, level)
}

// TestPlantedFaults checks that each fault is found at every level, in Go and in assembly, for the right reason, and that a
// right function passes.
func TestPlantedFaults(t *testing.T) {
	for _, level := range kernel.Levels() {
		for _, effort := range []Effort{Quick, Short} {
			must.Equal(t, checkScaled(axpy, effort, level), nil, "level", level)
		}
		for i, f := range faults {
			if f.needs != nil && !f.needs(level) {
				continue
			}
			for what, add := range map[string]scaled{"Go": axpy, "assembly": kernel.AddScaled[float64]} {
				effort := Short
				if strings.Contains(f.says, "before y") { // Short has no operand behind a guard page
					effort = Full
				}
				err := fmt.Sprint(checkScaled(f.plant(add), effort, level))
				for says := range strings.SplitSeq(f.says, "|") {
					if !strings.Contains(err, says) && (guardPages || !strings.Contains(says, "bytes b")) {
						t.Errorf("fault %d at level %s, in %s: no report says %q:\n%v", i, level, what, says, err)
					}
				}
				if quick := checkScaled(f.plant(add), Quick, level); quick == nil {
					t.Errorf("fault %d at level %s, in %s: Quick does not find it", i, level, what)
				}
			}
		}
	}
}

// TestReportNamesTheCase checks that a report names everything that is needed to repeat the case.
func TestReportNamesTheCase(t *testing.T) {
	t.Setenv(SeedEnv, "77")
	tail := func(y []float64, a float64, x []float64) { n := max(len(x)-1, 0); axpy(y[:n], a, x[:n]) }
	err := checkScaled(tail, Full, "generic")
	if err == nil {
		t.Fatal("no report")
	}
	lines := strings.Split(err.Error(), "\n")
	for _, text := range []string{"AddScaled[float64]", "level=generic", "shape=[1]", "values=", SeedEnv + "=77", "a=", "x[1]@", "y[1]@"} {
		if !strings.Contains(lines[0], text) {
			t.Errorf("report does not say %q: %s", text, lines[0])
		}
	}
	if len(lines) != maxReports+1 {
		t.Errorf("%d reports, want a stop after %d", len(lines), maxReports)
	}
	t.Setenv(SeedEnv, "x")
	must.Fail(t, checkScaled(axpy, Quick, "generic"), nil, SeedEnv, "with a seed that is no number")
}

// TestReports checks single reports of functions and kernels.
func TestReports(t *testing.T) {
	gapless := func(c, x kernel.Matrix[float32]) { // writes behind a row
		for i := range c.Rows {
			for j := range c.Cols {
				c.Row(i)[j] += x.Row(i)[j]
			}
		}
		if c.Rows > 1 && c.Stride > c.Cols {
			c.Data[c.Cols] = float32(math.NaN())
		}
	}
	unset := func(n, g, m kernel.Matrix[float64], a, b float64) {
		kernel.Target(n.Slice(0, n.Rows, 0, max(n.Cols-1, 0)), g.Slice(0, n.Rows, 0, max(n.Cols-1, 0)), m.Slice(0, n.Rows, 0, max(n.Cols-1, 0)), a, b)
	}
	dot := func(change func(s float64) float64) error {
		own := Functions[float64]{Unchecked: true, Dot: func(x, y []float64) float64 {
			if len(x) > 0 {
				sink = x[0] // which proves what ran
			}
			return change(kernel.Dot(x, y))
		}}
		return Check(own, Short)
	}
	scaled := All[float64]()
	scaled = scaled[slices.IndexFunc(scaled, func(k Kernel[float64]) bool { return k.Name == "AddScaled" }):][:1]
	wrong, unreached, unbroken := scaled[0], scaled[0], scaled[0]
	wrong.Body, unreached.Shapes, unbroken.Distinct = "scaled", [][]int{{0}}, nil
	apart := scaled[0] // of lengths that have nothing to do with each other
	apart.setup = func(s source[float64], shape []int) func() float64 {
		x := s.In("x", shape[0])
		s.In("y", shape[0]+1)
		return func() float64 { sink = append(x.Data, 0)[0]; return 0 }
	}
	idle := scaled[0]
	idle.setup = func(s source[float64], shape []int) func() float64 {
		s.In("x", shape[0])
		return func() float64 { return 0 }
	}
	apart.own = &Functions[float64]{}
	cautious := harness[float64]{k: Functions[float64]{AddScaled: func(y []float64, a float64, x []float64) {
		if axpy(y, a, x); len(x) == 2 {
			panic("planted")
		}
	}}.Kernels()[0]}
	cautious.broken(isa.Generic)
	last := kernel.Levels()[len(kernel.Levels())-1]
	for what, c := range map[string]struct {
		err   error
		wants string // "" if there is to be none
	}{
		"a gap is written":       {Check(Functions[float32]{Add: gapless}, Short), "gap behind row 0: element 0 is NaN"},
		"an element is not set":  {Check(Functions[float64]{Target: unset}, Short), "N: element "},
		"result one unit off":    {dot(func(s float64) float64 { return math.Nextafter(s, 2) }), "the result is "},
		"result of another sign": {dot(func(s float64) float64 { return -s }), "the result is "},
		"another NaN": {dot(func(s float64) float64 {
			if s != s {
				return math.Float64frombits(0xFFF8_0000_0000_1234)
			}
			return s
		}), ""},
		"touches nothing":      {idle.Check(Quick), "which body ran cannot be proved"},
		"ours":                 {checkScaled(kernel.AddScaled[float64], Quick, last), "no case proved which body runs at level " + last + ": it ran "},
		"foreign":              {Check(Functions[float64]{AddScaled: kernel.AddScaled[float64], Foreign: true}, Quick), ""},
		"unchecked":            {Check(Functions[float64]{AddScaled: axpyUnchecked, Unchecked: true}, Quick), ""},
		"nothing":              {Check(Functions[float64]{}, Quick), "only nil fields"},
		"two elements refused": {errors.Join(cautious.failures...), "2 elements, it refuses what is right: panic: planted"},
		"no level":             {checkScaled(axpy, Quick, "mmx"), `no level "mmx" on this machine`},
		"no shape is proved":   {unreached.Check(Quick), "no case proved"},
		"no shapes to break":   {unbroken.Check(Quick), "Distinct has no shapes"},
		"no shape was broken":  {apart.Check(Quick), "no shape was broken"},
		"a body of other name": {wrong.Check(Quick, last), map[bool]string{true: "level " + last + " ran "}[last != "generic"]},
	} {
		if got := fmt.Sprint(c.err); (c.err == nil) != (c.wants == "") || !strings.Contains(got, c.wants) && guardPages {
			t.Errorf("%s: the reports are %s, want %q", what, got, c.wants)
		}
	}
	var trace strings.Builder
	if err := Check(Functions[float64]{Dot: kernel.Dot[float64], Foreign: true, Trace: &trace}, Quick); err != nil || strings.Count(trace.String(), "Dot[float64] level=") < quickShapes {
		t.Errorf("%v; the calls are %s", err, trace.String())
	}
}

var sink float64
