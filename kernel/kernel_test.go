package kernel

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/big"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nmu/internal/checkasm"
	"nmu/internal/isa"
)

// TestFMA32 compares the float32 multiply-add with exact arithmetic.
func TestFMA32(t *testing.T) {
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	value := func() float32 {
		// Few exponents, so that cancellation and ties are common.
		f := math.Float32frombits(rng.Uint32()&0x807fffff | (100+rng.Uint32N(50))<<23)
		switch rng.IntN(8) {
		case 0:
			f = float32(int(f*8)) / 4
		case 1:
			f = math.Float32frombits(math.Float32bits(f) &^ 0xfff)
		case 2:
			f *= 0x1p-100
		}
		return f
	}
	exact := func(f float32) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(float64(f)) }
	for range 300000 {
		a, b, c := value(), value(), value()
		if rng.IntN(4) == 0 {
			c = -float32(float64(a) * float64(b)) // cancel all but the rounding
		}
		sum := exact(a)
		sum.Mul(sum, exact(b)).Add(sum, exact(c))
		want, _ := sum.Float32()
		if got := fma32(a, b, c); got != want {
			t.Fatalf("seed %d: fma32(%b, %b, %b) = %b, want %b", seed, a, b, c, got, want)
		}
	}
}

func random[T Float](rng *rand.Rand, rows, cols int) Matrix[T] {
	m := NewMatrix[T](rows, cols)
	for i := range rows {
		for j := range cols {
			m.Data[i*m.Stride+j] = T(max(0, rng.Float64()-0.2))
		}
	}
	return m
}

// TestRankOneIsRankR checks that the fused rank-one pass has the bits of the
// kernels of rank r that it fuses.
func TestRankOneIsRankR(t *testing.T) {
	t.Run("float32", testRankOneIsRankR[float32])
	t.Run("float64", testRankOneIsRankR[float64])
}

func testRankOneIsRankR[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	for _, when := range []When{Never, Before, After} {
		const p, q = 13, 37
		m, n := random[T](rng, p, q), random[T](rng, p, q)
		vt, w := random[T](rng, 1, p), random[T](rng, 1, q)
		b, inv := NewMatrix[T](1, 1), make([]T, 1)
		Gram(b, w)
		Reciprocals(inv, b)
		const mu = 0.3

		fused, v, acc := random[T](rng, p, q), append([]T(nil), vt.Row(0)...), make([]T, q)
		for i := range p {
			copy(fused.Row(i), n.Row(i))
		}
		vv := RankOne(acc, v, fused, w.Row(0), inv[0], 0, Multiplier[T]{When: when, M: m, Mu: mu})

		update := func() {
			updated, pr := NewMatrix[T](p, q), NewMatrix[T](p, q)
			Product(pr, vt, w)
			for i := range p {
				copy(updated.Row(i), n.Row(i))
			}
			UpdateMultiplier(updated, m, pr, mu)
			UpdateMultiplierProduct(n, m, vt, w, mu)
			for i := range p {
				for j, want := range updated.Row(i) {
					if got := n.Row(i)[j]; got != want {
						t.Errorf("when %d: UpdateMultiplierProduct sets n[%d,%d] to %v, Product and UpdateMultiplier to %v", when, i, j, got, want)
					}
				}
			}
		}
		if when == Before {
			update()
		}
		a, c, d := NewMatrix[T](1, p), NewMatrix[T](1, q), T(0)
		Contract(a, n, w)
		Sweep(vt, a, b, inv, 0, Matrix[T]{})
		if when == After {
			update()
		}
		Accumulate(c, vt, n)
		for _, x := range vt.Row(0) {
			d = fma(x, x, d)
		}
		if vv != d {
			t.Errorf("when %d: vv = %v, want %v", when, vv, d)
		}
		for i, want := range vt.Row(0) {
			if v[i] != want {
				t.Errorf("when %d: v[%d] = %v, want %v", when, i, v[i], want)
			}
		}
		for j, want := range c.Row(0) {
			if acc[j] != want {
				t.Errorf("when %d: acc[%d] = %v, want %v", when, j, acc[j], want)
			}
		}
		for i := range p {
			for j, want := range n.Row(i) {
				if fused.Row(i)[j] != want {
					t.Errorf("when %d: n[%d,%d] = %v, want %v", when, i, j, fused.Row(i)[j], want)
				}
			}
		}
	}
}

// TestBrokenShapes are calls that once wrote outside of their arguments, or into
// them before they panicked. TestKernels breaks every argument of every kernel.
func TestBrokenShapes(t *testing.T) {
	t.Run("float64", testBrokenShapes[float64])
	t.Run("float32", testBrokenShapes[float32])
}

func testBrokenShapes[T Float](t *testing.T) {
	const from, n = 32, 16
	all, x := make([]T, 80), NewMatrix[T](3, 4)
	for i := range x.Data {
		x.Data[i] = 1
	}
	data := all[from : from+n : from+n]
	around := 1<<(strconv.IntSize-3) + 1 // rows of stride 8 that go once around the memory
	tall := Matrix[T]{Rows: around, Cols: 4, Data: data, Stride: 8}
	tallX := Matrix[T]{Rows: around, Cols: 4, Data: x.Data, Stride: 8}
	row := NewMatrix[T](1, 4)
	for _, level := range isa.Available() {
		restore := isa.Set(level)
		for _, c := range []struct {
			name string
			call func()
		}{
			{"Add, stride", func() { Add(Matrix[T]{Rows: 3, Cols: 4, Data: data, Stride: math.MaxInt}, x) }},
			{"Add, stride of X", func() {
				Add(Matrix[T]{Rows: 3, Cols: 4, Data: data, Stride: 4}, Matrix[T]{Rows: 3, Cols: 4, Data: x.Data, Stride: math.MaxInt})
			}},
			{"Add, rows", func() { Add(tall, tallX) }},
			{"Add, negative", func() {
				Add(Matrix[T]{Rows: around, Cols: -1, Data: data, Stride: 8}, Matrix[T]{Rows: around, Cols: -1, Data: x.Data, Stride: 8})
			}},
			{"UpdateMultiplier, rows", func() { UpdateMultiplier(tall, tallX, tallX, 1) }},
			{"Gram, stride", func() { Gram(Matrix[T]{Rows: 3, Cols: 3, Data: data, Stride: math.MaxInt}, x) }},
			{"Contract, stride", func() { Contract(Matrix[T]{Rows: 3, Cols: 3, Data: data, Stride: math.MaxInt}, x, x) }},
			{"Product, rows", func() { Product(tall, Matrix[T]{Rows: 1, Cols: around, Data: x.Data, Stride: around}, row) }},
			{"RankOne, point", func() { RankOne(data[:4], data[4:7], x, x.Row(0), 1, 0, Multiplier[T]{When: After + 1, M: x}) }},
			{"Sweep, mask", func() {
				Sweep(Matrix[T]{Rows: 3, Cols: 4, Data: data, Stride: 4}, x, x.Slice(0, 3, 0, 3), x.Row(0)[:3], 0, Matrix[T]{Rows: 3, Cols: 4, Stride: 4})
			}},
		} {
			fault := checkasm.Catch(c.call)
			if fault == nil || !strings.HasPrefix(fmt.Sprint(fault.Value), "kernel: ") {
				t.Errorf("%s at level %v: %v, want a panic of the check", c.name, level, fault)
			}
			for i, a := range all {
				if a != 0 {
					t.Errorf("%s at level %v: element %d of %d is %v, the matrix has %d to %d", c.name, level, i, len(all), a, from, from+n)
					break
				}
			}
			clear(all)
		}
		restore()
	}
}

// TestViews checks that rows and parts of a matrix or pattern end where they end,
// and that there are none outside of it.
func TestViews(t *testing.T) {
	m := Matrix[float64]{Rows: 3, Cols: 2, Data: make([]float64, 16)[:11], Stride: 4}
	if row := m.Row(1); len(row) != 2 || cap(row) != 2 || &row[0] != &m.Data[4] {
		t.Errorf("row 1 has %d elements, capacity %d", len(row), cap(row))
	}
	if s := m.Slice(0, 2, 0, 2); len(s.Data) != 6 || cap(s.Data) != 6 {
		t.Errorf("two rows have %d elements, capacity %d", len(s.Data), cap(s.Data))
	}
	if row := (Matrix[float64]{Rows: 3}).Row(2); len(row) != 0 {
		t.Errorf("a row of no columns is %v", row)
	}
	p, err := NewPattern(4, []int{0, 2, 3}, []int32{0, 3, 1})
	if err != nil {
		t.Fatal(err)
	}
	if row := p.Row(0); len(row) != 2 || cap(row) != 2 {
		t.Errorf("row 0 of a pattern has %d entries, capacity %d", len(row), cap(row))
	}
	if s := (Pattern{}).Slice(0, 0); s.Rows() != 0 || s.Len() != 0 {
		t.Errorf("a part of the zero pattern is %+v", s)
	}
	around := 1 << (strconv.IntSize - 2) // rows of stride 4 that go once around the memory
	for name, call := range map[string]func(){
		"row -1":               func() { m.Row(-1) },
		"row 3":                func() { m.Row(3) },
		"row of a wrong sum":   func() { Matrix[float64]{Rows: around + 1, Cols: 2, Data: m.Data, Stride: 4}.Row(around) },
		"row, stride":          func() { Matrix[float64]{Rows: 3, Cols: 2, Data: m.Data, Stride: math.MaxInt}.Row(2) },
		"row, columns":         func() { Matrix[float64]{Rows: 3, Cols: -2, Data: m.Data, Stride: 4}.Row(1) },
		"row, most columns":    func() { Matrix[float64]{Rows: 3, Cols: math.MaxInt, Data: m.Data, Stride: 4}.Row(1) },
		"slice of a wrong sum": func() { Matrix[float64]{Rows: around + 1, Cols: 2, Data: m.Data, Stride: 4}.Slice(0, around+1, 0, 2) },
		"slice, stride":        func() { Matrix[float64]{Rows: 3, Cols: 2, Data: m.Data, Stride: math.MaxInt}.Slice(0, 1, 0, 2) },
		"new, negative":        func() { NewMatrix[float64](-1, -1) },
		"new, columns":         func() { NewMatrix[float64](1, math.MaxInt) },
		"new, wrong product":   func() { NewMatrix[float64](around, 8) },
		"row of no pattern":    func() { Pattern{}.Row(0) },
		"slice of no pattern":  func() { Pattern{}.Slice(0, 1) },
	} {
		if fault := checkasm.Catch(call); fault == nil {
			t.Errorf("%s: no panic", name)
		}
	}
	if m := NewMatrix[float32](math.MaxInt, 0); len(m.Data) != 0 {
		t.Errorf("a matrix of no columns has %d elements", len(m.Data))
	}
}

// TestEveryKernelIsTested compares the kernels that TestKernels runs with the
// source: a kernel is an exported function of Floats that takes a matrix, a
// pattern or a vector.
func TestEveryKernelIsTested(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var source []string
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() && f.Type.TypeParams != nil &&
				slices.ContainsFunc(f.Type.Params.List, takesNumbers) {
				source = append(source, f.Name.Name)
			}
		}
	}
	var tested []string
	for _, k := range kernels[float64]() {
		tested = append(tested, k.Name)
	}
	slices.Sort(source)
	slices.Sort(tested)
	if !slices.Equal(source, tested) {
		t.Errorf("the kernels are\n%q\ntested are\n%q", source, tested)
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
