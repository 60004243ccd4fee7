package kernel_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"nmu/internal/checkasm"
	"nmu/kernel"
)

// TestBrokenShapes are calls that once wrote outside of their arguments, or into
// them before they panicked. TestKernels breaks every argument of every kernel.
func TestBrokenShapes(t *testing.T) {
	kernel.EveryLevel(t, testBrokenShapes[float64], testBrokenShapes[float32])
}

func testBrokenShapes[T kernel.Float](t *testing.T) {
	const from, n = 32, 16
	all, x := make([]T, 80), kernel.NewMatrix[T](3, 4)
	for i := range x.Data {
		x.Data[i] = 1
	}
	data := all[from : from+n : from+n]
	around := 1<<(strconv.IntSize-3) + 1 // rows of stride 8 that go once around the memory
	tall := kernel.Matrix[T]{Rows: around, Cols: 4, Data: data, Stride: 8}
	tallX := kernel.Matrix[T]{Rows: around, Cols: 4, Data: x.Data, Stride: 8}
	of := func(rows, cols int, data []T, stride int) kernel.Matrix[T] {
		return kernel.Matrix[T]{Rows: rows, Cols: cols, Data: data, Stride: stride}
	}
	row := kernel.NewMatrix[T](1, 4)
	whole := kernel.Matrix[T]{Rows: 3, Cols: 4, Data: data, Stride: 4}
	bits := func(rows, cols, stride, bytes int) kernel.Bits {
		return kernel.Bits{Rows: rows, Cols: cols, Stride: stride, Data: make([]byte, bytes)}
	}
	v, w := data[8:11], x.Row(0)
	masked := func(den []T, bytes int, up kernel.Multiplier[T]) func() {
		return func() { kernel.RankOneMasked(data[:4], den, v, x, w, bits(3, 4, 1, bytes), up) }
	}
	augmented := func(bytes int, up kernel.Augmented[T]) func() {
		up.M = x
		return func() { kernel.RankOneAugmentedMasked(data[:4], data[4:8], v, x, w, bits(3, 4, 1, bytes), up) }
	}
	for _, c := range []struct {
		name string
		call func()
	}{
		{"Add, stride", func() { kernel.Add(of(3, 4, data, math.MaxInt), x) }},
		{"Add, stride of X", func() { kernel.Add(of(3, 4, data, 4), of(3, 4, x.Data, math.MaxInt)) }},
		{"Add, rows", func() { kernel.Add(tall, tallX) }},
		{"Add, negative", func() { kernel.Add(of(around, -1, data, 8), of(around, -1, x.Data, 8)) }},
		{"UpdateMultiplier, rows", func() { kernel.UpdateMultiplier(tall, tallX, tallX, 1) }},
		{"Gram, stride", func() { kernel.Gram(of(3, 3, data, math.MaxInt), x) }},
		{"Contract, stride", func() { kernel.Contract(of(3, 3, data, math.MaxInt), x, x) }},
		{"Product, rows", func() { kernel.Product(tall, of(1, around, x.Data, around), row) }},
		{"RankOne, point", func() {
			kernel.RankOne(data[:4], data[4:7], x, x.Row(0), 1, 0, kernel.Multiplier[T]{When: kernel.After + 1, M: x})
		}},
		{"RankOneAugmented, point", func() {
			kernel.RankOneAugmented(data[:4], data[4:7], x, x.Row(0), 1, 0, kernel.Augmented[T]{When: kernel.After + 1, M: x, Rho: 1})
		}},
		{"RankOneAugmented, penalty", func() {
			kernel.RankOneAugmented(data[:4], data[4:7], x, x.Row(0), 1, 0, kernel.Augmented[T]{M: x})
		}},
		{"UpdateAugmented, penalty", func() { kernel.UpdateAugmented(x, x, x, T(math.Inf(1))) }},
		{"UpdateAugmented, rows", func() { kernel.UpdateAugmented(tall, tallX, tallX, 1) }},
		{"Target, rows", func() { kernel.Target(tall, tallX, tallX, 1, 1) }},
		{"Impute, no bits", func() { kernel.Impute(x, x, kernel.Bits{Rows: 3, Cols: 4, Stride: 1}) }},
		{"Keep, rows of bits", func() { kernel.Keep(whole, bits(4, 4, 1, 4)) }},
		{"Keep, columns of bits", func() { kernel.Keep(whole, bits(3, 5, 1, 3)) }},
		{"Keep, stride of bits", func() { kernel.Keep(whole, bits(3, 4, 0, 3)) }},
		{"Keep, negative stride of bits", func() { kernel.Keep(whole, bits(3, 4, -1, 3)) }},
		{"Keep, greatest stride of bits", func() { kernel.Keep(whole, bits(3, 4, math.MaxInt, 3)) }},
		{"Keep, bytes", func() { kernel.Keep(whole, bits(3, 4, 1, 2)) }},
		{"Keep, rows", func() { kernel.Keep(tall, bits(around, 4, 8, 16)) }},
		{"UpdateMultiplierMasked, bytes", func() { kernel.UpdateMultiplierMasked(whole, x, x, bits(3, 4, 1, 2), 1) }},
		{"UpdateAugmentedMasked, bytes", func() { kernel.UpdateAugmentedMasked(whole, x, x, bits(3, 4, 1, 2), 1) }},
		{"UpdateAugmentedMasked, penalty", func() { kernel.UpdateAugmentedMasked(whole, x, x, bits(3, 4, 1, 3), 0) }},
		{"TargetMasked, bytes", func() { kernel.TargetMasked(whole, x, x, bits(3, 4, 1, 2), 1, 1) }},
		{"RankOneMasked, bytes", masked(data[4:8], 2, kernel.Multiplier[T]{})},
		{"RankOneMasked, den", masked(data[4:7], 3, kernel.Multiplier[T]{})},
		{"RankOneMasked, point", masked(data[4:8], 3, kernel.Multiplier[T]{When: kernel.After + 1, M: x})},
		{"RankOneAugmentedMasked, bytes", augmented(2, kernel.Augmented[T]{Rho: 1})},
		{"RankOneAugmentedMasked, point", augmented(3, kernel.Augmented[T]{When: kernel.After + 1, Rho: 1})},
		{"RankOneAugmentedMasked, penalty", augmented(3, kernel.Augmented[T]{})},
		{"Sweep, mask", func() {
			kernel.Sweep(of(3, 4, data, 4), x, x.Slice(0, 3, 0, 3), x.Row(0)[:3], 0, kernel.Matrix[T]{Rows: 3, Cols: 4, Stride: 4})
		}},
	} {
		fault := checkasm.Catch(c.call)
		if fault == nil || !strings.HasPrefix(fmt.Sprint(fault.Value), "kernel: ") {
			t.Errorf("%s: %v, want a panic of the check", c.name, fault)
		}
		for i, a := range all {
			if a != 0 {
				t.Errorf("%s: element %d of %d is %v, the matrix has %d to %d", c.name, i, len(all), a, from, from+n)
				break
			}
		}
		clear(all)
	}
}

// TestViews checks that rows and parts of a matrix or pattern end where they end,
// and that there are none outside of it.
func TestViews(t *testing.T) {
	m := kernel.Matrix[float64]{Rows: 3, Cols: 2, Data: make([]float64, 16)[:11], Stride: 4}
	if row := m.Row(1); len(row) != 2 || cap(row) != 2 || &row[0] != &m.Data[4] {
		t.Errorf("row 1 has %d elements, capacity %d", len(row), cap(row))
	}
	if s := m.Slice(0, 2, 0, 2); len(s.Data) != 6 || cap(s.Data) != 6 {
		t.Errorf("two rows have %d elements, capacity %d", len(s.Data), cap(s.Data))
	}
	if row := (kernel.Matrix[float64]{Rows: 3}).Row(2); len(row) != 0 {
		t.Errorf("a row of no columns is %v", row)
	}
	p, err := kernel.NewPattern(4, []int{0, 2, 3}, []int32{0, 3, 1})
	if err != nil {
		t.Fatal(err)
	}
	if row := p.Row(0); len(row) != 2 || cap(row) != 2 {
		t.Errorf("row 0 of a pattern has %d entries, capacity %d", len(row), cap(row))
	}
	if s := (kernel.Pattern{}).Slice(0, 0); s.Rows() != 0 || s.Len() != 0 {
		t.Errorf("a part of the zero pattern is %+v", s)
	}
	around := 1 << (strconv.IntSize - 2) // rows of stride 4 that go once around the memory
	for name, call := range map[string]func(){
		"row -1":             func() { m.Row(-1) },
		"row 3":              func() { m.Row(3) },
		"row of a wrong sum": func() { kernel.Matrix[float64]{Rows: around + 1, Cols: 2, Data: m.Data, Stride: 4}.Row(around) },
		"row, stride":        func() { kernel.Matrix[float64]{Rows: 3, Cols: 2, Data: m.Data, Stride: math.MaxInt}.Row(2) },
		"row, columns":       func() { kernel.Matrix[float64]{Rows: 3, Cols: -2, Data: m.Data, Stride: 4}.Row(1) },
		"row, most columns":  func() { kernel.Matrix[float64]{Rows: 3, Cols: math.MaxInt, Data: m.Data, Stride: 4}.Row(1) },
		"slice of a wrong sum": func() {
			kernel.Matrix[float64]{Rows: around + 1, Cols: 2, Data: m.Data, Stride: 4}.Slice(0, around+1, 0, 2)
		},
		"slice, stride":       func() { kernel.Matrix[float64]{Rows: 3, Cols: 2, Data: m.Data, Stride: math.MaxInt}.Slice(0, 1, 0, 2) },
		"new, negative":       func() { kernel.NewMatrix[float64](-1, -1) },
		"new, columns":        func() { kernel.NewMatrix[float64](1, math.MaxInt) },
		"new, wrong product":  func() { kernel.NewMatrix[float64](around, 8) },
		"row of no pattern":   func() { kernel.Pattern{}.Row(0) },
		"slice of no pattern": func() { kernel.Pattern{}.Slice(0, 1) },
	} {
		if fault := checkasm.Catch(call); fault == nil {
			t.Errorf("%s: no panic", name)
		}
	}
	if m := kernel.NewMatrix[float32](math.MaxInt, 0); len(m.Data) != 0 {
		t.Errorf("a matrix of no columns has %d elements", len(m.Data))
	}
}

// TestAligned: the matrices of NewMatrix are aligned, those that begin elsewhere or
// whose rows compete for the same cache sets are not.
func TestAligned(t *testing.T) {
	for _, cols := range []int{1, 8, 100, 128, 256, 1000} {
		m := kernel.NewMatrix[float64](3, cols)
		shifted, skewed, alias := m, m, m
		shifted.Data = m.Data[1:]
		skewed.Stride++
		alias.Stride = 128
		if !m.Aligned() || shifted.Aligned() || skewed.Aligned() || alias.Aligned() {
			t.Errorf("%d columns: aligned %v, shifted %v, skewed %v, 1024 bytes apart %v", cols, m.Aligned(), shifted.Aligned(), skewed.Aligned(), alias.Aligned())
		}
	}
	if row := kernel.NewMatrix[float32](1, 5); !row.Aligned() {
		t.Error("a single row is not aligned")
	}
}
