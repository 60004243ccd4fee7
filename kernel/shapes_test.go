package kernel_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nmu/internal/checkasm"
	"nmu/internal/must"
	"nmu/kernel"
)

// TestBrokenNumbers calls kernels with points of an update and penalties that there are not. TestKernels breaks
// the shapes of all arguments.
func TestBrokenNumbers(t *testing.T) {
	kernel.EveryLevel(t, testBrokenNumbers[float64], testBrokenNumbers[float32])
}

func testBrokenNumbers[T kernel.Float](t *testing.T) {
	x, seen := kernel.NewMatrix[T](3, 4), kernel.NewBits(3, 4)
	acc, den, v, w := make([]T, 4), make([]T, 4), make([]T, 3), make([]T, 4)
	for i := range x.Data {
		x.Data[i] = 1
	}
	up := kernel.Multiplier[T]{When: kernel.After + 1, M: x}
	point, free := kernel.Augmented[T]{When: kernel.After + 1, M: x, Rho: 1}, kernel.Augmented[T]{M: x}
	for name, call := range map[string]func(){
		"RankOne, point":                  func() { kernel.RankOne(acc, v, x, w, 1, 0, up) },
		"RankOneAugmented, point":         func() { kernel.RankOneAugmented(acc, v, x, w, 1, 0, point) },
		"RankOneAugmented, penalty":       func() { kernel.RankOneAugmented(acc, v, x, w, 1, 0, free) },
		"UpdateAugmented, penalty":        func() { kernel.UpdateAugmented(x, x, x, T(math.Inf(1))) },
		"UpdateAugmentedMasked, penalty":  func() { kernel.UpdateAugmentedMasked(x, x, x, seen, 0) },
		"RankOneMasked, point":            func() { kernel.RankOneMasked(acc, den, v, x, w, seen, up) },
		"RankOneAugmentedMasked, point":   func() { kernel.RankOneAugmentedMasked(acc, den, v, x, w, seen, point) },
		"RankOneAugmentedMasked, penalty": func() { kernel.RankOneAugmentedMasked(acc, den, v, x, w, seen, free) },
	} {
		fault := checkasm.Catch(call)
		if fault == nil || !strings.HasPrefix(fmt.Sprint(fault.Value), "kernel: ") {
			t.Errorf("%s: %v, want a panic of the check", name, fault)
		}
		for i := range x.Rows {
			if slices.ContainsFunc(x.Row(i), func(a T) bool { return a != 1 }) || max(kernel.Max(acc), kernel.Max(den), kernel.Max(v)) != 0 {
				t.Errorf("%s: an argument is changed", name)
			}
		}
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
	must.Equal(t, len((kernel.Matrix[float64]{Rows: 3}).Row(2)), 0, "a row of no columns")
	p := must.Get(kernel.NewPattern(4, []int{0, 2, 3}, []int32{0, 3, 1}))(t)
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
