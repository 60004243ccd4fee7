package kerneltest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nmu/internal/checkasm"
	"nmu/internal/isa"
	"nmu/internal/must"
	"nmu/kernel"
)

// TestEveryKernelIsListed compares All and the fields of Functions with the source: a kernel is an
// exported function that takes a matrix or a vector.
func TestEveryKernelIsListed(t *testing.T) {
	kernels := regexp.MustCompile(`(?m)^func ([A-Z]\w*)\[T Float\]\([^)]*(?:\]T|Matrix\[T\])`)
	var source, fields, listed []string
	for _, name := range must.Get(filepath.Glob("../*.go"))(t) {
		for _, m := range kernels.FindAllStringSubmatch(string(must.Get(os.ReadFile(name))(t)), -1) {
			source = append(source, m[1])
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Functions[float64]]()) {
		if f.Type.Kind() == reflect.Func {
			fields = append(fields, f.Name)
		}
	}
	for _, k := range All[float64]() {
		listed = append(listed, k.Name)
	}
	slices.Sort(source)
	slices.Sort(fields)
	slices.Sort(listed)
	if !slices.Equal(source, listed) || !slices.Equal(source, fields) {
		t.Errorf("the kernels are\n%q\nlisted are\n%q\nFunctions has\n%q", source, listed, fields)
	}
}

// TestEntriesAreComplete checks that each reader of the list gets something from
// each entry: what is left out of an entry would be left out of the tests, of
// fuzzing or of the benchmark.
func TestEntriesAreComplete(t *testing.T) {
	must.Equal(t, fmt.Sprint(grid([]int{1, 2}, []int{3}, []int{4, 5}), lengths(0)), "[[1 3 4] [1 3 5] [2 3 4] [2 3 5]] [[0] [1] [2] [3] [1021] [4097] [70001]]", "grid and lengths")
	for _, k := range All[float32]() {
		extents := len(k.Most)
		if extents == 0 {
			t.Errorf("%s: nothing is fuzzed", k.Name)
		}
		if k.Variants > 0 {
			extents++
		}
		for what, shapes := range map[string][][]int{"tested": k.Shapes, "broken": k.Distinct, "of much work": k.Large} {
			if len(shapes) == 0 {
				t.Errorf("%s: no shape is %s", k.Name, what)
			}
			for _, s := range shapes {
				must.Equal(t, len(s), extents, k.Name, "shape", s)
			}
			for v := range k.Variants {
				if !slices.ContainsFunc(shapes, func(s []int) bool { return s[extents-1] == v+1 }) {
					t.Errorf("%s: no shape that is %s has variant %d", k.Name, what, v+1)
				}
			}
		}
		if k.Body != "" && len(k.measures) == 0 {
			t.Errorf("%s has a body that is not measured", k.Name)
		}
		most := slices.MaxFunc(k.Large, func(a, b []int) int { return k.Work(a) - k.Work(b) })
		if k.Body != "" && k.Work(most) < 1<<20 {
			t.Errorf("%s: shape %v is one call of assembly", k.Name, most)
		}
	}
}

// TestCut runs every block of every kernel on pools of odd sizes: a block outside
// of its pool would panic, a block that is missing would leave the working set
// smaller than it claims.
func TestCut(t *testing.T) {
	for _, rank := range []int{8, 49} {
		for _, n := range []int{1, 50, 777, 4096, 65536 + 3} {
			pool := make([]float32, n)
			fill(pool)
			for _, k := range All[float32]() {
				cuts := k.cuts(pool, rank)
				if n > 4000 && len(cuts) != len(k.measures) {
					t.Errorf("%s has %d rows on %d numbers, want %d", k.Name, len(cuts), n, len(k.measures))
				}
				for _, c := range cuts {
					for _, call := range c.blocks {
						call()
					}
					moved := float64(len(c.blocks)) * c.bytes
					must.AtMost(t, moved, 4*4/3*float64(4*n), c.name, "on", n, "numbers")
					if n > 60000 && moved < 0.4*float64(4*n) {
						t.Errorf("%s on %d numbers: only %g bytes moved", c.name, n, moved)
					}
					must.Above(t, c.ops, 0, c.name, "does nothing")
				}
			}
		}
	}
}

// TestBlocksLieApart checks where the operands of blocks are: the first ones side by
// side, then the second ones, and what is left over is left alone.
func TestBlocksLieApart(t *testing.T) {
	const operand, blocks, over = 32 * 256, 2, 500
	pool := make([]float64, 2*blocks*operand+over)
	for i := range pool {
		pool[i] = float64(i)
	}
	before := slices.Clone(pool)
	all := All[float64]()
	cuts := all[slices.IndexFunc(all, func(k Kernel[float64]) bool { return k.Name == "Add" })].cuts(pool, 1)
	if len(cuts) != 1 || len(cuts[0].blocks) != blocks {
		t.Fatalf("%d cuts, the first of %d blocks", len(cuts), len(cuts[0].blocks))
	}
	for _, call := range cuts[0].blocks {
		call()
	}
	for i, x := range pool {
		want := before[i]
		if i < blocks*operand {
			want += before[blocks*operand+i]
		}
		if x != want {
			t.Fatalf("element %d is %v, want %v", i, x, want)
		}
	}
}

// The list and its harness are a part of the nmu command, what go test is made of
// is not.
func TestCommandHasNoTesting(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "nmu/cmd/nmu").Output()
	if err != nil {
		t.Skipf("no go command to ask: %v", err)
	}
	deps := strings.Fields(string(out))
	for _, p := range []string{"nmu/kernel/kerneltest", "nmu/internal/checkasm"} {
		if !slices.Contains(deps, p) {
			t.Errorf("the command does not import %s", p)
		}
	}
	if slices.Contains(deps, "testing") {
		t.Error("the command imports testing")
	}
}

// TestEmptyShapes calls every kernel with all combinations of the extents 0, 1 and 17, at every
// level: none panics. The operands of such a matrix may have no Data.
func TestEmptyShapes(t *testing.T) {
	for _, level := range isa.Available() {
		restore := isa.Set(level)
		testEmptyShapes[float64](t)
		testEmptyShapes[float32](t)
		restore()
	}
}

func testEmptyShapes[T kernel.Float](t *testing.T) {
	for _, k := range All[T]() {
		dims := slices.Repeat([][]int{{0, 1, 17}}, len(k.Most))
		if k.Variants > 0 {
			dims = append(dims, upTo(k.Variants))
		}
		for _, shape := range grid(dims...) {
			if fault := checkasm.Catch(func() { k.Call(shape)() }); fault != nil {
				t.Errorf("%s at level %s, shape %v: %v", k.Name, kernel.Level(), shape, fault)
			}
		}
	}
}

// TestWriteTimes checks that the table has a row for each measure and working set, with a time of the function and of
// each level.
func TestWriteTimes(t *testing.T) {
	sets := workingSets()
	for i := 1; i < len(sets); i++ {
		must.Above(t, sets[i].bytes, sets[i-1].bytes, sets[i], "is not above", sets[i-1])
	}
	calls := 0
	own := Functions[float32]{RankOne: kernel.RankOne[float32], Dot: func(x, y []float32) float32 { calls++; return 0 }}
	var table strings.Builder
	if err := writeTimes(&table, own, sets[:2], 0); err != nil || calls != 2*5 {
		t.Errorf("%d calls of the function, %v", calls, err)
	}
	lines := strings.Split(strings.TrimSpace(table.String()), "\n")
	if len(lines) != 1+2*(1+3) {
		t.Fatalf("%d lines, want a head and 8 rows:\n%s", len(lines), table.String())
	}
	for _, line := range lines[1:] {
		times := strings.Fields(line)
		for _, x := range times[len(times)-2-2*len(kernel.Levels()):] {
			if v, err := strconv.ParseFloat(x, 64); err != nil || v < 0 {
				t.Errorf("%s is no time: %s", x, line)
			}
		}
	}
}
