package kernel_test

import (
	"os"
	"slices"
	"testing"

	"nmu/internal/checkasm"
	"nmu/internal/isa"
	"nmu/internal/must"
	"nmu/kernel"
	"nmu/kernel/kerneltest"
)

// TestKernels tests every kernel against level generic, at every level: see kerneltest. The bodies begin with
// junk in all registers. NMU_FULL asks for every place and class of values.
func TestKernels(t *testing.T) {
	defer kernel.Through(checkasm.Entry())()
	t.Log(kerneltest.Lacks())
	testKernels[float64](t)
	testKernels[float32](t)
}

func testKernels[T kernel.Float](t *testing.T) {
	effort := kerneltest.Short
	if os.Getenv("NMU_FULL") != "" {
		effort = kerneltest.Full
	}
	for _, k := range kerneltest.All[T]() {
		t.Run(k.Name+"/"+checkasm.Precision[T](), func(t *testing.T) {
			must.Equal(t, k.Check(effort, kernel.Levels()...), nil)
		})
	}
}

// TestCaches checks that the bits do not depend on the caches of the machine.
func TestCaches(t *testing.T) {
	for _, k := range kerneltest.All[float64]() {
		if !slices.Contains([]string{"Contract", "Gram", "Product", "Accumulate", "Sweep"}, k.Name) {
			continue
		}
		for _, caches := range [][2]int{{0, 0}, {32 << 10, 256 << 10}, {48 << 10, 512 << 10}, {128 << 10, 12 << 20}} {
			stop := kernel.Caches(caches[0], caches[1])
			must.Equal(t, k.Check(kerneltest.Quick, kernel.Levels()...), nil, k.Name, "with caches of", caches, "bytes")
			stop()
		}
	}
}

// TestNoAllocations calls every kernel at every level, with few entries and with
// more than a call of assembly takes. NMU_FULL asks for all of the latter shapes.
func TestNoAllocations(t *testing.T) {
	kernel.Both(t, testNoAllocations[float64], testNoAllocations[float32])
}

func testNoAllocations[T kernel.Float](t *testing.T) {
	for _, k := range kerneltest.All[T]() {
		large := k.Large
		if os.Getenv("NMU_FULL") == "" {
			large = [][]int{slices.MaxFunc(k.Shapes, func(a, b []int) int { return k.Work(a) - k.Work(b) })}
		}
		for i, shape := range slices.Concat(k.Distinct, large) {
			call := k.Call(shape)
			run := func() { call() }
			for _, level := range isa.Available() {
				if i >= len(k.Distinct) && k.BodyOf(level.String()) == "" {
					continue
				}
				restore := isa.Set(level)
				// The runtime itself allocates now and then, but not at each of ten calls.
				if testing.AllocsPerRun(1, run) != 0 {
					must.Equal(t, testing.AllocsPerRun(10, run), 0, k.Name, "at level", level, "shape", shape)
				}
				restore()
			}
		}
	}
}

// The kernels that are others in another form have the bits of these. At the
// generic level the harness compares a kernel with itself alone.
func TestDefinitions(t *testing.T) {
	kernel.EveryLevel(t, testDefinitions[float64], testDefinitions[float32])
}

func testDefinitions[T kernel.Float](t *testing.T) {
	const p, r, q = 7, 5, 83
	matrix := func(rows, cols int) kernel.Matrix[T] {
		m := kernel.NewMatrix[T](rows, cols)
		for i := range rows {
			for j := range m.Row(i) {
				m.Row(i)[j] = T((i*31+j*17)%23-4) / 7
			}
		}
		return m
	}
	same := func(what string, got, want kernel.Matrix[T]) {
		for i := range want.Rows {
			must.Equal(t, checkasm.Compare(got.Row(i), want.Row(i), true), nil, what, "row", i)
		}
	}
	vt, w, x := matrix(r, p), matrix(r, q), matrix(p, q)
	numbers := func(y ...T) kernel.Matrix[T] {
		return kernel.Matrix[T]{Rows: 1, Cols: len(y), Data: y, Stride: len(y)}
	}
	same("SumSquares(x) is Dot(x, x)", numbers(kernel.SumSquares(x.Row(3))), numbers(kernel.Dot(x.Row(3), x.Row(3))))

	b, bb := matrix(r, r), kernel.NewMatrix[T](r, r)
	kernel.Gram(b, w)
	kernel.Contract(bb, w, w)
	same("Gram(w) is Contract(w, w)", b, bb)

	out, sum := matrix(p, q), kernel.NewMatrix[T](p, q)
	kernel.Product(out, vt, w)
	kernel.AddProduct(sum, vt, w)
	same("Product is AddProduct from zero", out, sum)

	c, ahead := matrix(r, q), matrix(r, q)
	kernel.Accumulate(c, vt, x)
	kernel.AccumulateAhead(ahead, vt, x, kernel.Matrix[T]{}, matrix(p, 2*q).Slice(0, p, q, 2*q))
	same("AccumulateAhead is Accumulate, without N and with M", ahead, c)

	inv, one := make([]T, r), make([]T, r)
	b.Row(2)[2] = 0
	kernel.Reciprocals(inv, b)
	for k := range one {
		one[k] = kernel.Reciprocal(b.Row(k)[k])
	}
	same("Reciprocals are those of the diagonal", numbers(inv...), numbers(one...))
	if one[2] != 0 || one[1]*b.Row(1)[1] < 0.99 {
		t.Errorf("the reciprocals of %v are %v", b, one)
	}

	least, most, below := x.Row(1)[0], x.Row(1)[0], 0
	for _, a := range x.Row(1) {
		least, most = min(least, a), max(most, a)
		if a < 0.5 {
			below++
		}
	}
	same("Min, Max, CountLess", numbers(kernel.Min(x.Row(1)), kernel.Max(x.Row(1)), T(kernel.CountLess(x.Row(1), 0.5))), numbers(least, most, T(below)))
}
