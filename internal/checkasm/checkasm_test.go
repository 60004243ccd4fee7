package checkasm

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"nmu/internal/checkasm/planted"
	"nmu/internal/isa"
	"nmu/internal/kernels"
)

// axpy is the planted kernel as the list of kernels would have it, but that its
// reference is apart from it: the faults are there at level generic too.
func axpy(f planted.Fault) kernels.Kernel[float64] {
	return kernels.Kernel[float64]{
		Name: "Axpy", Body: "axpy",
		Shapes: kernels.Lengths(8), EveryPlace: true,
		Distinct: [][]int{{17}},
		Setup: func(s kernels.Source[float64], shape []int) func() float64 {
			x, y, a := s.In("x", shape[0]), s.InOut("y", shape[0]), s.Scalar("a")
			if c, ok := s.Maker.(*Case[float64]); ok {
				c.Reference(func() float64 {
					for i, v := range x.Data {
						c.buffers[1].Want[i] = math.FMA(a, v, y.Data[i])
					}
					return 0
				})
			}
			return func() float64 { planted.Axpy(f, a, x.Data, y.Data); return 0 }
		},
	}
}

// effort is that of these tests.
func effort() Effort {
	if testing.Short() {
		return Short
	}
	return Full
}

// The harness passes the kernel without a fault, the whole way.
func TestAxpy(t *testing.T) {
	for _, level := range isa.Available() {
		t.Run(level.String(), func(t *testing.T) { Check(t, axpy(planted.None), effort(), level) })
	}
}

// recorder takes the place of a test and keeps what it is told.
type recorder struct {
	testing.TB
	errors []string
	fatal  bool
}

func (r *recorder) Errorf(format string, a ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, a...))
}

func (r *recorder) Fatalf(format string, a ...any) {
	r.Errorf(format, a...)
	r.fatal = true
	runtime.Goexit()
}

// record runs k at a level and returns what the harness reports.
func record[T Float](t *testing.T, k kernels.Kernel[T], level isa.Level) *recorder {
	return recordOf(t, func(r *recorder) { (&harness[T]{t: r, k: k, levels: []isa.Level{level}}).run() })
}

// recordBroken does so with broken shapes.
func recordBroken[T Float](t *testing.T, k kernels.Kernel[T], level isa.Level) *recorder {
	return recordOf(t, func(r *recorder) { (&harness[T]{t: r, k: k, effort: effort()}).broken(level) })
}

// recordPlaced makes one case of each shape, with operands at a place.
func recordPlaced[T Float](t *testing.T, k kernels.Kernel[T], level isa.Level, place Place) *recorder {
	return recordOf(t, func(r *recorder) {
		h := &harness[T]{t: r, k: k}
		for _, shape := range k.Shapes {
			h.newCase(shape, place, NonFinite).test(level)
		}
	})
}

func recordOf(t *testing.T, f func(*recorder)) *recorder {
	r := &recorder{TB: t}
	done := make(chan bool)
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	return r
}

// checks are the planted faults of the checks of arguments, with a text of the report.
var checks = map[planted.Fault]string{
	planted.None:         "",
	planted.Unchecked:    "called with x as nil, it does not panic",
	planted.LateCheck:    "y was modified: element 0 is ",
	planted.RuntimeCheck: "it is stopped by the runtime: panic: runtime error: slice bounds out of range",
	planted.Overcautious: "2 elements, it refuses what is right: panic: planted",
}

// Every planted fault is caught at every level, for the right reason.
func TestPlantedFaults(t *testing.T) {
	guarded := func(text string) []string {
		if GuardPages {
			return []string{text}
		}
		return nil
	}
	y := []string{"y: element "}
	reports := map[planted.Fault][]string{ // each text is in some report
		planted.OverRead:   guarded("bytes behind the end of x"),
		planted.UnderRead:  guarded("bytes before x"),
		planted.OverWrite:  append(guarded("bytes behind the end of y"), "write outside y: canary at element "),
		planted.UnderWrite: append(guarded("bytes before y"), "write outside y: canary at element -1 of "),
		planted.WriteInput: {"x was modified: element 0 is "},
		planted.ShortTail:  y, planted.Swapped: y, planted.Unfused: y,
		planted.NaNFromInf: {"y: element ", "is NaN (0x7ff8000000000001), want "},
		planted.Dirty:      {"VZEROUPPER is missing"}, planted.DirtyZMM: {"VZEROUPPER is missing"},
		planted.WrongBody: guarded("axpyGeneric"),
		planted.Panics:    {"panic: planted in nmu/internal/checkasm/planted.Axpy"},
	}
	for f := planted.None + 1; f < planted.Faults; f++ {
		want, tested := reports[f]
		if _, check := checks[f]; check { // TestPlantedChecks
			continue
		} else if !tested {
			t.Fatalf("fault %d is not tested", f)
		}
		for _, level := range isa.Available() {
			dirty := f == planted.Dirty || f == planted.DirtyZMM
			if level == isa.Generic && (dirty || f == planted.WrongBody) || dirty && !UpperChecked() || f == planted.DirtyZMM && level != isa.AVX512 {
				continue
			}
			r := record(t, axpy(f), level)
			// a write that misses the guard page meets a canary
			r.errors = append(r.errors, recordPlaced(t, axpy(f), level, Offset(4)).errors...)
			if len(want) > 0 && len(r.errors) == 0 {
				t.Errorf("fault %d at level %v was not caught", f, level)
			}
			for _, text := range want {
				found := slices.ContainsFunc(r.errors, func(e string) bool { return strings.Contains(e, text) })
				if !found {
					t.Errorf("fault %d at level %v: no report says %q:\n%s", f, level, text, strings.Join(r.errors, "\n"))
				}
			}
			if len(r.errors) > 0 && testing.Verbose() {
				t.Logf("fault %d: %s", f, r.errors[0])
			}
		}
	}
}

// Checks of arguments that are missing, too late, left to the runtime or wrong are
// caught at every level.
func TestPlantedChecks(t *testing.T) {
	for _, level := range isa.Available() {
		for f, want := range checks {
			r := recordBroken(t, axpy(f), level)
			if want == "" && len(r.errors) > 0 || want != "" && (len(r.errors) == 0 || !strings.Contains(r.errors[0], want)) {
				t.Errorf("fault %d at level %v: want a report that says %q:\n%s", f, level, want, strings.Join(r.errors, "\n"))
			}
		}
		none := axpy(planted.None)
		none.Distinct = nil
		if r := recordBroken(t, none, level); len(r.errors) != 1 || !strings.Contains(r.errors[0], "Distinct has no shapes") {
			t.Errorf("reports: %q", r.errors)
		}
		apart := axpy(planted.None) // of lengths that have nothing to do with each other
		apart.Setup = func(s kernels.Source[float64], shape []int) func() float64 {
			s.In("x", shape[0])
			s.In("y", shape[0]+1)
			return func() float64 { return 0 }
		}
		if r := recordBroken(t, apart, level); len(r.errors) != 1 || !strings.Contains(r.errors[0], "no shape was broken") {
			t.Errorf("reports: %q", r.errors)
		}
	}
}

// A report names everything that is needed to repeat the case.
func TestReportNamesTheCase(t *testing.T) {
	t.Setenv(SeedEnv, "77")
	r := record(t, axpy(planted.ShortTail), isa.Generic)
	if len(r.errors) == 0 {
		t.Fatal("no report")
	}
	for _, text := range []string{"Axpy[float64]", "level=generic", "shape=[1]", "values=", SeedEnv + "=77", "a=", "x[1]@", "y[1]@"} {
		if !strings.Contains(r.errors[0], text) {
			t.Errorf("report does not say %q: %s", text, r.errors[0])
		}
	}
	if !r.fatal || len(r.errors) != maxReports+1 {
		t.Errorf("%d reports, want a stop after %d", len(r.errors), maxReports)
	}
}

// A kernel whose cases never reach the body of the level is an error.
func TestNoProof(t *testing.T) {
	if !GuardPages {
		t.Skip("no guard pages on this system")
	}
	k := axpy(planted.None)
	k.Shapes = [][]int{{0}}
	r := record(t, k, isa.Generic)
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], "no case proved") {
		t.Errorf("reports: %q", r.errors)
	}
	k.Shapes = [][]int{{8}}
	k.Setup = func(s kernels.Source[float64], shape []int) func() float64 {
		s.In("x", shape[0])
		return func() float64 { return 0 }
	}
	if r = record(t, k, isa.Generic); len(r.errors) != 1 || !strings.Contains(r.errors[0], "cannot be proved") {
		t.Errorf("reports: %q", r.errors)
	}
}

// What the reference leaves unset, and what the kernel leaves unset, differ.
func TestOutputMustBeSet(t *testing.T) {
	k := kernels.Kernel[float32]{
		Name: "Unset", Shapes: [][]int{{3}},
		Setup: func(s kernels.Source[float32], shape []int) func() float32 {
			y := s.Out("y", 3)
			return func() float32 { y.Data[0], y.Data[1] = 1, 1; return 0 }
		},
	}
	r := record(t, k, isa.Generic)
	if len(r.errors) == 0 || !strings.Contains(r.errors[0], "y: element 2 is NaN") {
		t.Errorf("reports: %q", r.errors)
	}
}

// A write into the gap between two rows is caught, and one into the matrix is
// not an error.
func TestMatrixGaps(t *testing.T) {
	for _, spoil := range []bool{false, true} {
		k := kernels.Kernel[float32]{
			Name: "Gap", Shapes: kernels.Grid([]int{2, 3}, []int{5}),
			Setup: func(s kernels.Source[float32], shape []int) func() float32 {
				m := s.OutMatrix("M", shape[0], shape[1])
				return func() float32 {
					for i := range m.Rows {
						for j := range m.Cols {
							m.Data[i*m.Stride+j] = float32(i - j)
						}
					}
					if spoil && m.Stride > m.Cols {
						m.Data[m.Cols] = float32(math.NaN())
					}
					return 0
				}
			},
		}
		r := record(t, k, isa.Generic)
		if !spoil && len(r.errors) != 0 {
			t.Errorf("reports without a fault: %q", r.errors)
		}
		if spoil && (len(r.errors) == 0 || !strings.Contains(r.errors[0], "gap behind row 0: element 0 is NaN")) {
			t.Errorf("reports: %q", r.errors)
		}
	}
}

// The number that a kernel returns is compared too; any NaN equals any NaN.
func TestScalarResults(t *testing.T) {
	for _, c := range []struct {
		got, want float64
		same      bool
	}{
		{1, math.Nextafter(1, 2), false}, {0, math.Copysign(0, -1), false},
		{math.NaN(), math.Float64frombits(0xFFF8_0000_0000_1234), true},
	} {
		k := kernels.Kernel[float64]{
			Name: "Sum", Shapes: [][]int{{1}},
			Setup: func(s kernels.Source[float64], shape []int) func() float64 {
				x := s.In("x", 1)
				s.Maker.(*Case[float64]).Reference(func() float64 { return c.want })
				return func() float64 {
					sink = x.Data[0] // which proves what ran
					return c.got
				}
			},
		}
		r := record(t, k, isa.Generic)
		if c.same != (len(r.errors) == 0) || !c.same && !strings.Contains(r.errors[0], "the result is ") {
			t.Errorf("%v for %v, reports: %q", c.got, c.want, r.errors)
		}
	}
}

var sink float64

func TestCheckUpperClean(t *testing.T) {
	if !UpperChecked() {
		t.Skip("XINUSE cannot be used on this machine")
	}
	for range 1000 {
		for _, f := range []planted.Fault{planted.None, planted.Dirty} {
			for _, l := range isa.Available()[1:] {
				restore := isa.Set(l)
				x, y := make([]float64, 9), make([]float64, 9)
				clean := CheckUpperClean(func() { planted.Axpy(f, 1, x, y) })
				restore()
				if clean != (f == planted.None) {
					t.Fatalf("fault %d at level %v: clean = %v", f, l, clean)
				}
			}
		}
	}
}

func TestSeedMustBeANumber(t *testing.T) {
	t.Setenv(SeedEnv, "x")
	if _, err := seed(); err == nil || !strings.Contains(err.Error(), SeedEnv) {
		t.Errorf("seed() = %v", err)
	}
}
