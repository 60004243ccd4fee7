package checkasm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"nmu/internal/checkasm/planted"
	"nmu/internal/isa"
)

// axpy is the planted kernel as a kernel test describes it.
func axpy(f planted.Fault) Kernel[float64] {
	return Kernel[float64]{
		Name:   "Axpy",
		Block:  8,
		Values: All,
		Setup: func(c *Case[float64]) {
			x, y, a := c.In("x", c.N()), c.InOut("y", c.N()), c.Scalar("a")
			c.Reference(func() {
				for i, v := range x.Data {
					y.Want[i] = math.FMA(a, v, y.Want[i])
				}
			})
			c.Call(func() { planted.Axpy(f, a, x.Data, y.Data) })
		},
		BenchShape: func(elements int) []int { return []int{elements / 2} },
		Bytes:      func(s []int) float64 { return 24 * float64(s[0]) },
		Flops:      func(s []int) float64 { return 2 * float64(s[0]) },
	}
}

// The harness passes the kernel without a fault, the whole way.
func TestAxpy(t *testing.T) { Test(t, axpy(planted.None)) }

func BenchmarkAxpy(b *testing.B) { Bench(b, axpy(planted.None)) }

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
func record[T Float](t *testing.T, k Kernel[T], level isa.Level) *recorder {
	return recordOf(t, func(r *recorder) { k.run(r, level) })
}

// recordBroken does so with broken shapes.
func recordBroken[T Float](t *testing.T, k Kernel[T], level isa.Level) *recorder {
	return recordOf(t, func(r *recorder) { k.broken(r, level) })
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

// Every planted fault is caught at every level, for the right reason.
func TestPlantedFaults(t *testing.T) {
	guarded := func(text string) []string {
		if GuardPages {
			return []string{text}
		}
		return nil
	}
	for f := planted.None + 1; f < planted.Faults; f++ {
		for _, level := range isa.Available() {
			var want []string // each is in some report
			switch f {
			case planted.OverRead:
				want = guarded("bytes behind the end of x")
			case planted.UnderRead:
				want = guarded("bytes before x")
			case planted.OverWrite:
				want = append(guarded("bytes behind the end of y"), "write outside y: canary at element ")
			case planted.UnderWrite:
				want = append(guarded("bytes before y"), "write outside y: canary at element -1 of ")
			case planted.WriteInput:
				want = []string{"x was modified: element 0 is "}
			case planted.ShortTail, planted.Swapped, planted.Unfused:
				want = []string{"y: element "}
			case planted.NaNFromInf:
				want = []string{"y: element ", "is NaN (0x7ff8000000000001), want "}
			case planted.Dirty, planted.DirtyZMM:
				if !UpperChecked() || level == isa.Generic || f == planted.DirtyZMM && level != isa.AVX512 {
					continue
				}
				want = []string{"VZEROUPPER is missing"}
			case planted.WrongBody:
				if level == isa.Generic {
					continue
				}
				want = guarded("axpyGeneric")
			case planted.Panics:
				want = []string{"panic: planted in nmu/internal/checkasm/planted.Axpy"}
			case planted.Unchecked, planted.LateCheck, planted.RuntimeCheck, planted.Overcautious:
				continue // TestPlantedChecks
			default:
				t.Fatalf("fault %d is not tested", f)
			}
			r := record(t, axpy(f), level)
			away := axpy(f) // a write that misses the guard page meets a canary
			away.Places = []Place{Offset(4)}
			r.errors = append(r.errors, record(t, away, level).errors...)
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
		for f, want := range map[planted.Fault]string{
			planted.None:         "",
			planted.Unchecked:    "called with x as nil, it does not panic",
			planted.LateCheck:    "y was modified: element 0 is ",
			planted.RuntimeCheck: "it is stopped by the runtime: panic: runtime error: slice bounds out of range",
			planted.Overcautious: "2 elements, it refuses what is right: panic: planted",
		} {
			r := recordBroken(t, axpy(f), level)
			if want == "" && len(r.errors) > 0 || want != "" && (len(r.errors) == 0 || !strings.Contains(r.errors[0], want)) {
				t.Errorf("fault %d at level %v: want a report that says %q:\n%s", f, level, want, strings.Join(r.errors, "\n"))
			}
		}
		matrices := axpy(planted.None)
		matrices.Shapes = [][]int{{3, 4}}
		if r := recordBroken(t, matrices, level); len(r.errors) != 1 || !strings.Contains(r.errors[0], "Distinct has no shapes") {
			t.Errorf("reports: %q", r.errors)
		}
		apart := axpy(planted.None) // of lengths that have nothing to do with each other
		apart.Setup = func(c *Case[float64]) {
			c.In("x", c.N())
			c.In("y", c.N()+1)
			c.Call(func() {})
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
	k.Assembled = func([]int) bool { return false }
	r := record(t, k, isa.Generic)
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], "no case proved") {
		t.Errorf("reports: %q", r.errors)
	}
	k = axpy(planted.None)
	k.Shapes, k.Probe = [][]int{{8}}, "z"
	if r = record(t, k, isa.Generic); len(r.errors) != 1 || !strings.Contains(r.errors[0], "cannot be proved") {
		t.Errorf("reports: %q", r.errors)
	}
}

// What the reference leaves unset, and what the kernel leaves unset, differ.
func TestOutputMustBeSet(t *testing.T) {
	k := Kernel[float32]{
		Name: "Unset", Block: 1, Shapes: [][]int{{3}}, Assembled: func([]int) bool { return true },
		Setup: func(c *Case[float32]) {
			y := c.Out("y", 3)
			c.Reference(func() { y.Want[0], y.Want[1] = 1, 1 })
			c.Call(func() { y.Data[0], y.Data[1] = 1, 1 })
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
		k := Kernel[float32]{
			Name: "Gap", Block: 1, Shapes: Grid([]int{2, 3}, []int{5}),
			Setup: func(c *Case[float32]) {
				m := c.OutMatrix("M", c.Shape[0], c.Shape[1], c.Shape[1]+2)
				set := func(data []float32) {
					for i := range m.Rows {
						for j := range m.Cols {
							data[i*m.Stride+j] = float32(i - j)
						}
					}
				}
				c.Reference(func() { set(m.Want) })
				c.Call(func() {
					set(m.Data)
					if spoil {
						m.Data[m.Stride-1] = float32(math.NaN())
					}
				})
			},
		}
		r := record(t, k, isa.Generic)
		if !spoil && len(r.errors) != 0 {
			t.Errorf("reports without a fault: %q", r.errors)
		}
		if spoil && (len(r.errors) == 0 || !strings.Contains(r.errors[0], "gap behind row 0: element 1 is NaN")) {
			t.Errorf("reports: %q", r.errors)
		}
	}
}

func TestScalarResults(t *testing.T) {
	k := Kernel[float64]{
		Name: "Sum", Block: 1, Shapes: [][]int{{1}}, Values: []Values{Signed},
		Setup: func(c *Case[float64]) {
			x := c.In("x", 1)
			var got float64
			c.Reference(func() {})
			c.Call(func() { got = x.Data[0] })
			c.Equal("sum", got, math.Nextafter(got, 2))
			c.EqualInt("count", 1, 2)
			c.Equal("NaN", math.NaN(), math.Float64frombits(0xFFF8_0000_0000_1234))
		},
	}
	r := record(t, k, isa.Generic)
	if len(r.errors) < 2 || !strings.Contains(r.errors[0], "sum is") || !strings.Contains(r.errors[1], "count is 1, want 2") ||
		strings.Contains(strings.Join(r.errors, ""), ": NaN is") {
		t.Errorf("reports: %q", r.errors)
	}
}

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

func TestBufferPlacement(t *testing.T) {
	if !GuardPages {
		t.Skip("no guard pages on this system")
	}
	sink := float32(0)
	for _, n := range []int{0, 1, 15, 1000, 5000} {
		for _, p := range []Place{End, Start, Offset(3)} {
			b := NewBuffer[float32]("b", 1, n, n, p)
			for _, i := range []int{-1, n} {
				fault := Catch(func() { sink += peek(b.Data, i) })
				want := p == End && i == n || p == Start && i == -1
				if (fault != nil) != want {
					t.Errorf("access to b[%d] of %d at %v: %v", i, n, p, fault)
				}
				if fault != nil && !strings.HasSuffix(fault.Func, "checkasm.peek[...]") {
					t.Errorf("fault is said to be in %s", fault.Func)
				}
			}
			if err := b.Canaries(); err != nil {
				t.Error(err)
			}
			b.Release()
		}
	}
	_ = sink
}

// peek returns x[i], which need not exist.
//
//go:noinline
func peek[T Float](x []T, i int) T {
	return *(*T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(x)), i*sizeOf[T]()))
}

// Without guard pages a write beyond either end meets a page of canaries.
func TestHeapArena(t *testing.T) {
	const page = 4096
	a := heapArena(2*page, page)
	if uintptr(a.at(0))%page != 0 || a.lo != page || a.hi != 3*page || len(a.mem) != 4*page {
		t.Fatalf("at %#x, lo %d, hi %d of %d bytes", a.at(0), a.lo, a.hi, len(a.mem))
	}
	for _, at := range []int{0, a.lo - 1, a.lo, a.hi - 1, a.hi, len(a.mem) - 1} {
		a.paint(0, len(a.mem), 8)
		if got := a.damage(0, len(a.mem), 8); got != -1 {
			t.Fatalf("fresh canaries: damage at %d", got)
		}
		a.mem[at] ^= 1
		if got := a.damage(0, len(a.mem), 8); got != at&^3 {
			t.Errorf("damage at %d is reported at %d", at, got)
		}
	}
}

func TestEveryAlignmentOccurs(t *testing.T) {
	seen := map[Place]bool{}
	for _, p := range new(Kernel[float64]).places([]int{3}) {
		seen[p] = true
	}
	for k := range Offsets {
		if !seen[Offset(k)] {
			t.Errorf("no buffer at offset %d", k)
		}
	}
	if !seen[End] || !seen[Start] {
		t.Error("no buffer at an end")
	}
}

func TestCompare(t *testing.T) {
	nan, other := math.NaN(), math.Float64frombits(0x7FF8_0000_0000_0BAD)
	for _, c := range []struct {
		got, want []float64
		payloads  bool
		err       string
	}{
		{[]float64{1, nan}, []float64{1, other}, false, ""},
		{[]float64{1, nan}, []float64{1, other}, true, "element 1 is NaN (0x7ff8000000000001), want NaN (0x7ff8000000000bad); 1 of 2 differ"},
		{[]float64{0, 1, 0}, []float64{math.Copysign(0, -1), 1, 5}, false, "element 0 is 0 (0x0000000000000000), want -0 (0x8000000000000000); 2 of 3 differ"},
		{[]float64{1}, nil, false, "1 elements, want 0"},
	} {
		err := Compare(c.got, c.want, c.payloads)
		if (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("Compare(%v, %v, %v) = %v, want %q", c.got, c.want, c.payloads, err, c.err)
		}
	}
	if Same(float32(0), float32(math.Copysign(0, -1)), false) {
		t.Error("+0 and -0 are the same")
	}
}

// The classes contain what they promise.
func TestValues(t *testing.T) { testValues[float32](t); testValues[float64](t) }

func testValues[T Float](t *testing.T) {
	tiny, normal, huge, _ := limits[T]()
	if tiny/2 != 0 || huge*2 <= huge || normal/2*2 != normal {
		t.Fatalf("limits %v, %v, %v", tiny, normal, huge)
	}
	for _, v := range All {
		x := make([]T, 4000)
		Fill(x, v, rand.New(rand.NewPCG(1, 2)))
		var count struct{ negative, zero, negZero, denormal, huge, inf, nan, pairs int }
		for i, a := range x {
			mag := T(math.Abs(float64(a)))
			switch {
			case a != a:
				count.nan++
			case mag > huge:
				count.inf++
			case a == 0 && math.Signbit(float64(a)):
				count.negZero++
			case a == 0:
				count.zero++
			case mag < normal:
				count.denormal++
			case mag == huge:
				count.huge++
			}
			if a < 0 {
				count.negative++
			}
			if a != 0 && slices.Contains(x[:i], -a) {
				count.pairs++
			}
		}
		special := v >= Special
		for _, c := range []struct {
			what string
			n    int
			want bool
		}{
			{"negative", count.negative, v != Nonnegative}, {"-0", count.negZero, special},
			{"denormal", count.denormal, special}, {"huge", count.huge, special},
			{"infinite", count.inf, v == NonFinite}, {"NaN", count.nan, v == NonFinite},
			{"+0", count.zero, v != Signed},
		} {
			if (c.n > 0) != c.want {
				t.Errorf("class %v of %s has %d %s values", v, Precision[T](), c.n, c.what)
			}
		}
		if special && count.pairs < 100 {
			t.Errorf("class %v has %d values that cancel", v, count.pairs)
		}
		if v == Nonnegative && (count.zero < 1800 || count.zero > 2200) {
			t.Errorf("class %v has %d zeros of 4000", v, count.zero)
		}
	}
}

// Canaries are signalling NaNs of the element's type in any place.
func TestCanaries(t *testing.T) { testCanaries[float32](t); testCanaries[float64](t) }

func testCanaries[T Float](t *testing.T) {
	for _, p := range []Place{End, Offset(1)} {
		b := NewBuffer[T]("b", 1, 100, 100, p)
		quiet := uint64(1) << 51
		if sizeOf[T]() == 4 {
			quiet = 1 << 22
		}
		for i, x := range b.Data {
			if x == x || Bits(x)&quiet != 0 || i > 0 && Bits(x) == Bits(b.Data[i-1]) {
				t.Fatalf("canary %d of %s is %s", i, Precision[T](), show(x))
			}
		}
		b.Release()
	}
}

func TestLengthsAndGrid(t *testing.T) {
	l := Lengths(8)
	for n := range 28 {
		if l[n][0] != n {
			t.Fatalf("Lengths(8)[%d] = %v", n, l[n])
		}
	}
	if got := fmt.Sprint(Grid([]int{1, 2}, []int{3}, []int{4, 5})); got != "[[1 3 4] [1 3 5] [2 3 4] [2 3 5]]" {
		t.Errorf("Grid = %v", got)
	}
}

func TestWorkingSetsRise(t *testing.T) {
	s := WorkingSets()
	for i := 1; i < len(s); i++ {
		if s[i].Bytes <= s[i-1].Bytes {
			t.Errorf("%v is not above %v", s[i], s[i-1])
		}
	}
}

func TestSeedMustBeANumber(t *testing.T) {
	t.Setenv(SeedEnv, "x")
	if _, err := seed(); err == nil || !strings.Contains(err.Error(), SeedEnv) {
		t.Errorf("seed() = %v", err)
	}
}
