package kernels_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nmu/internal/isa"
	"nmu/internal/kernels"
	"nmu/internal/must"
)

// TestEveryKernelIsListed compares the list with the source: a kernel is an
// exported function of Floats that takes a matrix, a pattern or a vector.
func TestEveryKernelIsListed(t *testing.T) {
	names := must.Get(filepath.Glob("../../kernel/*.go"))(t)
	var source []string
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file := must.Get(parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution))(t)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() && f.Type.TypeParams != nil &&
				slices.ContainsFunc(f.Type.Params.List, takesNumbers) {
				source = append(source, f.Name.Name)
			}
		}
	}
	var listed []string
	for _, k := range kernels.All[float64]() {
		listed = append(listed, k.Name)
	}
	slices.Sort(source)
	slices.Sort(listed)
	if !slices.Equal(source, listed) {
		t.Errorf("the kernels are\n%q\nlisted are\n%q", source, listed)
	}
}

// takesNumbers says whether a parameter is a matrix, a pattern or a slice.
func takesNumbers(field *ast.Field) bool {
	switch p := field.Type.(type) {
	case *ast.ArrayType:
		return true
	case *ast.Ident:
		return p.Name == "Pattern"
	case *ast.IndexExpr:
		return true // Matrix[T] or Multiplier[T]
	}
	return false
}

// TestEntriesAreComplete checks that each reader of the list gets something from
// each entry: what is left out of an entry would be left out of the tests, of
// fuzzing or of the benchmark.
func TestEntriesAreComplete(t *testing.T) {
	for _, k := range kernels.All[float32]() {
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
				if len(s) != extents {
					t.Errorf("%s: shape %v has %d numbers, want %d", k.Name, s, len(s), extents)
				}
			}
			for v := range k.Variants {
				if !slices.ContainsFunc(shapes, func(s []int) bool { return s[extents-1] == v+1 }) {
					t.Errorf("%s: no shape that is %s has variant %d", k.Name, what, v+1)
				}
			}
		}
		if k.Body != "" && len(k.Measures) == 0 {
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
	for _, set := range []string{"L1", "L2"} {
		for _, n := range []int{1, 50, 777, 4096, 65536 + 3} {
			pool := make([]float32, n)
			kernels.Fill(pool)
			rows := 0
			for _, k := range kernels.All[float32]() {
				cuts := k.Cut(pool, kernels.Rank(set))
				if n > 4000 && len(cuts) != len(k.Measures) {
					t.Errorf("%s has %d rows on %d numbers, want %d", k.Name, len(cuts), n, len(k.Measures))
				}
				for _, c := range cuts {
					rows++
					for _, call := range c.Blocks {
						call()
					}
					moved := float64(len(c.Blocks)) * c.Bytes
					if most := 4 * 4 / 3 * float64(4*n); moved > most {
						t.Errorf("%s on %d numbers: %g bytes moved, at most %g are possible", c.Name, n, moved, most)
					}
					if n > 60000 && moved < 0.4*float64(4*n) {
						t.Errorf("%s on %d numbers: only %g bytes moved", c.Name, n, moved)
					}
					if c.Ops <= 0 {
						t.Errorf("%s does nothing", c.Name)
					}
				}
			}
			if n > 4000 && rows < 20 {
				t.Errorf("%d rows on %d numbers", rows, n)
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
	all := kernels.All[float64]()
	cuts := all[slices.IndexFunc(all, func(k kernels.Kernel[float64]) bool { return k.Name == "Add" })].Cut(pool, 1)
	if len(cuts) != 1 || len(cuts[0].Blocks) != blocks {
		t.Fatalf("%d cuts, the first of %d blocks", len(cuts), len(cuts[0].Blocks))
	}
	for _, call := range cuts[0].Blocks {
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

// TestRows checks that the rows of the benchmark that files of earlier runs have keep
// their names and their order; others may stand between them.
func TestRows(t *testing.T) {
	pool := make([]float64, 1<<16)
	first := []string{"Dot", "SumSquares", "Max", "Min", "CountLess", "Add", "UpdateMultiplier",
		"RankOne", "RankOne, update before", "RankOne, update after",
		"Contract", "Product", "AddProduct", "UpdateMultiplierProduct", "Accumulate", "Gram", "Sweep"}
	var rows []string
	for _, k := range kernels.All[float64]() {
		for _, c := range k.Cut(pool, kernels.Rank("L1")) {
			rows = append(rows, c.Name)
			if len(first) > 0 && c.Name == first[0] {
				first = first[1:]
			}
		}
	}
	if len(first) > 0 {
		t.Errorf("the rows are %q: %q is missing or has lost its place", rows, first[0])
	}
}

func TestLengthsAndGrid(t *testing.T) {
	l := kernels.Lengths(8)
	for n := range 28 {
		if l[n][0] != n {
			t.Fatalf("Lengths(8)[%d] = %v", n, l[n])
		}
	}
	if got := fmt.Sprint(kernels.Grid([]int{1, 2}, []int{3}, []int{4, 5})); got != "[[1 3 4] [1 3 5] [2 3 4] [2 3 5]]" {
		t.Errorf("Grid = %v", got)
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
	for _, p := range []string{"nmu/internal/kernels", "nmu/internal/checkasm"} {
		if !slices.Contains(deps, p) {
			t.Errorf("the command does not import %s", p)
		}
	}
	if slices.Contains(deps, "testing") {
		t.Error("the command imports testing")
	}
}

// What a level lacks is said of levels that exist, and of generic nobody asks.
func TestBodyOf(t *testing.T) {
	k := kernels.Kernel[float64]{Body: "axpy", Runs: map[isa.Level]isa.Level{isa.NEON: isa.Generic, isa.AVX512: isa.AVX2}}
	for level, want := range map[isa.Level]bool{isa.Generic: false, isa.AVX2: true, isa.AVX512: true, isa.NEON: false} {
		if (k.BodyOf(level) != "") != want {
			t.Errorf("a body at level %v: %v", level, !want)
		}
	}
	if k.Body = ""; k.BodyOf(isa.AVX2) != "" {
		t.Error("a kernel without bodies has one")
	}
}
