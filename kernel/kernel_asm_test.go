package kernel

import (
	"testing"

	"nmu/internal/checkasm"
	"nmu/internal/isa"
)

// Every kernel against its generic body, at every level: see checkasm.

func TestKernels(t *testing.T) { checkasm.Test(t, runners()...) }

// kernels is every kernel of the package, as it is tested and measured.
func kernels[T Float]() []checkasm.Kernel[T] {
	return []checkasm.Kernel[T]{
		dotKernel[T](), sumSquaresKernel[T](), maxKernel[T](), minKernel[T](), countLessKernel[T](),
		contractKernel[T](), gramKernel[T](),
		addProductKernel[T](), productKernel[T](), accumulateKernel[T](), updateProductKernel[T](),
		updateKernel[T](), addKernel[T](), reciprocalsKernel[T](), sweepKernel[T](), rankOneKernel[T](),
		addSparseKernel[T](), addTransposedKernel[T](), sampledKernel[T](),
	}
}

// runners is kernels in either precision.
func runners() []checkasm.Runner {
	var all []checkasm.Runner
	for i, k := range kernels[float64]() {
		all = append(all, k, kernels[float32]()[i])
	}
	return all
}

// A shape of a kernel of matrices is p, r, q as in the kernel's comment.

// With -short, as under emulators and the race detector, each shape has 4 cases
// instead of 16 or more.

// values returns the classes of values to test with.
func values() []checkasm.Values {
	if testing.Short() {
		return []checkasm.Values{checkasm.Signed, checkasm.NonFinite}
	}
	return checkasm.All
}

// places is both ends and some misalignments, for kernels with many shapes.
func places() []checkasm.Place {
	if testing.Short() {
		return []checkasm.Place{checkasm.End, checkasm.Offset(1)}
	}
	return []checkasm.Place{checkasm.End, checkasm.Start, checkasm.Offset(1), checkasm.Offset(6)}
}

// allPlaces is nil, which stands for every misalignment, unless -short is set.
func allPlaces() []checkasm.Place {
	if testing.Short() {
		return places()
	}
	return nil
}

// nonempty says that a body runs for all shapes without a zero.
func nonempty(shape []int) bool {
	for _, n := range shape {
		if n == 0 {
			return false
		}
	}
	return true
}

// long is a number of columns beyond any run or block of columns.
const long = 17003

// data and want are the matrices that a kernel and its reference get.
func data[T Float](b *checkasm.Buffer[T]) Matrix[T] { return matrix(b, b.Data) }

func want[T Float](b *checkasm.Buffer[T]) Matrix[T] { return matrix(b, b.Want) }

func matrix[T Float](b *checkasm.Buffer[T], elements []T) Matrix[T] {
	m := Matrix[T]{Rows: b.Rows, Cols: b.Cols, Data: elements}
	if len(elements) > 0 { // else the rows are empty, whatever the stride
		m.Stride = b.Stride
	}
	return m
}

// stride returns cols, or somewhat more.
func stride[T Float](c *checkasm.Case[T], cols int) int {
	return cols + c.IntN("gap", 2)*c.IntN("gap", 20)
}

func dotKernel[T Float]() checkasm.Kernel[T] {
	return checkasm.Kernel[T]{
		Name: "Dot", Block: 32, Values: values(), Places: allPlaces(), Assembled: nonempty,
		Setup: func(c *checkasm.Case[T]) {
			var got, ref T
			x, y := c.In("x", c.N()), c.In("y", c.N())
			c.Reference(func() { ref = dotGeneric(x.Data, y.Data) })
			c.Call(func() { got = Dot(x.Data, y.Data) })
			c.Equal("x·y", got, ref)
		},
		BenchShape: func(n int) []int { return []int{n / 2} },
		Bytes:      func(s []int) float64 { return 2 * bytes[T](s) },
		Flops:      func(s []int) float64 { return 2 * volume(s) },
	}
}

func maxKernel[T Float]() checkasm.Kernel[T] {
	return reduceKernel("Max", maxGeneric[T], Max[T])
}

func minKernel[T Float]() checkasm.Kernel[T] {
	return reduceKernel("Min", minGeneric[T], Min[T])
}

func countLessKernel[T Float]() checkasm.Kernel[T] {
	return reduceKernel("CountLess", func(x []T) T { return T(countLessGeneric(x, 0.25)) },
		func(x []T) T { return T(CountLess(x, 0.25)) })
}

func sumSquaresKernel[T Float]() checkasm.Kernel[T] {
	return reduceKernel("SumSquares", func(x []T) T { return dotGeneric(x, x) }, SumSquares[T])
}

func reduceKernel[T Float](name string, generic, public func([]T) T) checkasm.Kernel[T] {
	return checkasm.Kernel[T]{
		Name: name, Block: 32, Values: values(), Places: allPlaces(), Assembled: nonempty,
		Setup: func(c *checkasm.Case[T]) {
			var got, ref T
			x := c.In("x", c.N())
			c.Reference(func() { ref = generic(x.Data) })
			c.Call(func() { got = public(x.Data) })
			c.Equal(name, got, ref)
		},
		BenchShape: func(n int) []int { return []int{n} },
		Bytes:      bytes[T],
	}
}

// productShapes covers all heights and widths of tiles and of their edges, and
// sizes beyond one block.
func productShapes(p, r, q []int) [][]int {
	s := checkasm.Grid(p, r, q)
	return append(s, []int{3, 2, 0}, []int{0, 3, 5}, []int{13, 300, 21}, []int{300, 5, 21}, []int{7, 50, 1300})
}

func contractKernel[T Float]() checkasm.Kernel[T] {
	return checkasm.Kernel[T]{
		Name: "Contract", Block: 1, Values: values(), Places: places(), Assembled: nonempty,
		Distinct: [][]int{{5, 3, 7}, {5, 8, 19}},
		Shapes:   append(productShapes(upTo(5), upTo(8), []int{1, 7, 8, 9, 15, 16, 17, 33, 67}), []int{35, 8, 9000}, []int{77, 2, 1700}),
		Setup: func(c *checkasm.Case[T]) {
			p, r, q := c.Shape[0], c.Shape[1], c.Shape[2]
			a := c.OutMatrix("A", r, p, stride(c, p))
			x := c.InMatrix("X", p, q, stride(c, q))
			g := c.InMatrix("G", r, q, stride(c, q))
			c.Reference(func() { contractGeneric(want(a), data(x), data(g)) })
			c.Call(func() { Contract(data(a), data(x), data(g)) })
		},
		BenchShape: benchShape, Flops: productFlops,
	}
}

func gramKernel[T Float]() checkasm.Kernel[T] {
	return checkasm.Kernel[T]{
		Name: "Gram", Block: 1, Values: values(), Places: places(), Assembled: nonempty,
		Distinct: [][]int{{3, 7}, {9, 17}},
		Shapes:   append(checkasm.Grid(upTo(9), []int{0, 1, 8, 15, 16, 17, 67}), []int{49, 33}, []int{9, 9000}),
		Setup: func(c *checkasm.Case[T]) {
			r, q := c.Shape[0], c.Shape[1]
			b := c.OutMatrix("B", r, r, stride(c, r))
			g := c.InMatrix("G", r, q, stride(c, q))
			c.Reference(func() { gramGeneric(want(b), data(g)) })
			c.Call(func() { Gram(data(b), data(g)) })
		},
		BenchShape: func(n int) []int { return []int{49, n/49 + 1} },
		Flops:      func(s []int) float64 { return volume(s) * float64(s[0]) },
	}
}

func addProductKernel[T Float]() checkasm.Kernel[T] {
	return checkasm.Kernel[T]{
		Name: "AddProduct", Block: 1, Values: values(), Places: places(), Assembled: nonempty,
		Distinct: [][]int{{5, 3, 7}, {9, 4, 40}},
		Shapes:   productShapes(upTo(9), []int{0, 1, 2, 5}, []int{1, 7, 8, 9, 16, 24, 25, 33, 40, 65, 100}),
		Setup: func(c *checkasm.Case[T]) {
			p, r, q := c.Shape[0], c.Shape[1], c.Shape[2]
			out := c.InOutMatrix("P", p, q, stride(c, q))
			vt := c.InMatrix("VT", r, p, stride(c, p))
			w := c.InMatrix("W", r, q, stride(c, q))
			c.Reference(func() { addProductGeneric(want(out), data(vt), data(w)) })
			c.Call(func() { AddProduct(data(out), data(vt), data(w)) })
		},
		BenchShape: benchShape, Flops: productFlops,
	}
}

func productKernel[T Float]() checkasm.Kernel[T] {
	k := addProductKernel[T]()
	k.Name = "Product"
	k.Setup = func(c *checkasm.Case[T]) {
		p, r, q := c.Shape[0], c.Shape[1], c.Shape[2]
		out := c.OutMatrix("P", p, q, stride(c, q))
		vt := c.InMatrix("VT", r, p, stride(c, p))
		w := c.InMatrix("W", r, q, stride(c, q))
		c.Reference(func() {
			for i := range p {
				clear(want(out).Row(i))
			}
			addProductGeneric(want(out), data(vt), data(w))
		})
		c.Call(func() { Product(data(out), data(vt), data(w)) })
	}
	return k
}

func updateProductKernel[T Float]() checkasm.Kernel[T] {
	k := addProductKernel[T]()
	k.Name = "UpdateMultiplierProduct"
	k.Shapes = append(k.Shapes, []int{3, 700, 2500})
	k.Setup = func(c *checkasm.Case[T]) {
		p, r, q := c.Shape[0], c.Shape[1], c.Shape[2]
		n := c.InOutMatrix("N", p, q, stride(c, q))
		m := c.InMatrix("M", p, q, stride(c, q))
		vt := c.InMatrix("VT", r, p, stride(c, p))
		w := c.InMatrix("W", r, q, stride(c, q))
		mu := c.Scalar("mu")
		c.Reference(func() { updateProductGeneric(want(n), data(m), data(vt), data(w), mu) })
		c.Call(func() { UpdateMultiplierProduct(data(n), data(m), data(vt), data(w), mu) })
	}
	return k
}

func accumulateKernel[T Float]() checkasm.Kernel[T] {
	return checkasm.Kernel[T]{
		Name: "Accumulate", Block: 1, Values: values(), Places: places(), Assembled: nonempty,
		Distinct: [][]int{{5, 3, 7}, {3, 9, 40}},
		Shapes:   productShapes([]int{0, 1, 2, 5}, upTo(9), []int{1, 8, 9, 17, 25, 33, 40, 65, 100}),
		Setup: func(c *checkasm.Case[T]) {
			p, r, q := c.Shape[0], c.Shape[1], c.Shape[2]
			out := c.InOutMatrix("C", r, q, stride(c, q))
			vt := c.InMatrix("VT", r, p, stride(c, p))
			x := c.InMatrix("X", p, q, stride(c, q))
			c.Reference(func() { accumulateGeneric(want(out), data(vt), data(x)) })
			c.Call(func() { Accumulate(data(out), data(vt), data(x)) })
		},
		BenchShape: benchShape, Flops: productFlops,
	}
}

func updateKernel[T Float]() checkasm.Kernel[T] {
	return checkasm.Kernel[T]{
		Name: "UpdateMultiplier", Block: 1, Values: values(), Places: allPlaces(), Assembled: nonempty,
		Distinct: [][]int{{3, 7}, {5, 40}},
		Shapes:   elementShapes(),
		Setup: func(c *checkasm.Case[T]) {
			rows, cols := c.Shape[0], c.Shape[1]
			n := c.InOutMatrix("N", rows, cols, stride(c, cols))
			m := c.InMatrix("M", rows, cols, stride(c, cols))
			p := c.InMatrix("P", rows, cols, stride(c, cols))
			mu := c.Scalar("mu")
			c.Reference(func() { updateGeneric(want(n), data(m), data(p), mu) })
			c.Call(func() { UpdateMultiplier(data(n), data(m), data(p), mu) })
		},
		BenchShape: func(n int) []int { return []int{n/3/256 + 1, 256} },
		Bytes:      func(s []int) float64 { return 4 * bytes[T](s) },
	}
}

func addKernel[T Float]() checkasm.Kernel[T] {
	return checkasm.Kernel[T]{
		Name: "Add", Block: 1, Values: values(), Places: allPlaces(), Assembled: nonempty,
		Distinct: [][]int{{3, 7}, {5, 40}},
		Shapes:   elementShapes(),
		Setup: func(c *checkasm.Case[T]) {
			rows, cols := c.Shape[0], c.Shape[1]
			n := c.InOutMatrix("C", rows, cols, stride(c, cols))
			x := c.InMatrix("X", rows, cols, stride(c, cols))
			c.Reference(func() { addGeneric(want(n), data(x)) })
			c.Call(func() { Add(data(n), data(x)) })
		},
		BenchShape: func(n int) []int { return []int{n/2/256 + 1, 256} },
		Bytes:      func(s []int) float64 { return 3 * bytes[T](s) },
	}
}

func elementShapes() [][]int {
	return append(checkasm.Grid([]int{1, 2}, append(upTo(51), 0)), []int{0, 3}, []int{3, 4097}, []int{700, 65}, []int{2, long})
}

// noBody says that a kernel has no bodies at these levels: the generic one and
// what it calls run, any function of this package.
func noBody(levels ...isa.Level) map[isa.Level]string {
	body := map[isa.Level]string{}
	for _, l := range levels {
		body[l] = "kernel."
	}
	return body
}

func reciprocalsKernel[T Float]() checkasm.Kernel[T] {
	return checkasm.Kernel[T]{
		Name: "Reciprocals", Block: 1, Values: values(), Assembled: nonempty, Body: noBody(isa.Available()...),
		Shapes:   [][]int{{0}, {1}, {2}, {7}, {33}},
		Distinct: [][]int{{7}},
		Setup: func(c *checkasm.Case[T]) {
			r := c.Shape[0]
			inv, b := c.Out("inv", r), c.InMatrix("B", r, r, stride(c, r))
			c.Reference(func() {
				for k := range r {
					inv.Want[k] = Reciprocal(b.Row(k)[k])
				}
			})
			c.Call(func() { Reciprocals(inv.Data, data(b)) })
		},
	}
}

func sweepKernel[T Float]() checkasm.Kernel[T] {
	return checkasm.Kernel[T]{
		Name: "Sweep", Block: 1, Values: values(), Places: places(), Assembled: nonempty,
		// rank, columns, mask or none
		Distinct: [][]int{{3, 7, 1}, {3, 7, 2}, {7, 40, 2}},
		Shapes: append(checkasm.Grid([]int{1, 2, 3, 7}, append(upTo(18), 31, 32, 33, 47, 48, 49, 65, 97, 113, 128, 129, 200, 0), []int{1, 2}),
			[]int{49, 53, 1}, []int{120, 70, 2}, []int{400, 67, 1}, []int{0, 3, 1}, []int{2, 1300, 2}),
		Setup: func(c *checkasm.Case[T]) {
			r, q := c.Shape[0], c.Shape[1]
			h := c.InOutMatrix("H", r, q, stride(c, q))
			a := c.InMatrix("A", r, q, stride(c, q))
			b := c.InMatrix("B", r, r, stride(c, r))
			inv := c.In("inv", r)
			for k := range inv.Data {
				if c.Rand.IntN(5) == 0 {
					inv.Data[k] = 0
				}
			}
			penalty := c.Scalar("penalty")
			mask := func() Matrix[T] { return Matrix[T]{} }
			if c.Shape[2] == 2 && q > 0 {
				buf := c.InMatrix("mask", r, q, stride(c, q))
				for j := range buf.Data {
					if j%buf.Stride < q {
						buf.Data[j] = T(c.Rand.IntN(2))
					}
				}
				mask = func() Matrix[T] { return data(buf) }
			}
			c.Reference(func() { sweepGeneric(want(h), data(a), data(b), inv.Data, penalty, mask()) })
			c.Call(func() { Sweep(data(h), data(a), data(b), inv.Data, penalty, mask()) })
		},
		BenchShape: func(n int) []int { return []int{49, n/98 + 1, 1} },
		Flops:      func(s []int) float64 { return 2 * volume(s) * float64(s[0]) },
	}
}

func rankOneKernel[T Float]() checkasm.Kernel[T] {
	return checkasm.Kernel[T]{
		Name: "RankOne", Block: 1, Values: values(), Places: places(), Assembled: nonempty,
		// rows, columns, 1 + When
		Distinct: [][]int{{5, 7, 1}, {5, 7, 2}, {4, 40, 3}},
		Shapes: append(checkasm.Grid(append(upTo(5), 11), []int{1, 7, 8, 9, 15, 16, 17, 33, 67}, []int{1, 2, 3}),
			checkasm.Grid([]int{0, 5}, []int{0, long}, []int{1, 2, 3})...),
		Setup: func(c *checkasm.Case[T]) {
			rows, cols := c.Shape[0], c.Shape[1]
			acc, v, w := c.InOut("acc", cols), c.InOut("v", rows), c.In("w", cols)
			inv, vv := c.Scalar("inv"), c.Scalar("vv")
			if c.IntN("inv=0", 5) == 0 {
				inv = 0
			}
			up := Multiplier[T]{When: When(c.Shape[2] - 1)}
			var n, m *checkasm.Buffer[T]
			if up.When == Never {
				n = c.InMatrix("N", rows, cols, stride(c, cols))
			} else {
				n = c.InOutMatrix("N", rows, cols, stride(c, cols))
				m, up.Mu = c.InMatrix("M", rows, cols, stride(c, cols)), c.Scalar("mu")
				up.M = data(m)
			}
			got, ref := vv, vv
			c.Reference(func() {
				if nonempty(c.Shape) {
					ref = rankOneGeneric(acc.Want, v.Want, want(n), w.Data, inv, vv, up)
				}
			})
			c.Call(func() {
				if m != nil {
					up.M = data(m)
				}
				got = RankOne(acc.Data, v.Data, data(n), w.Data, inv, vv, up)
			})
			c.Equal("vv", got, ref)
		},
		BenchShape: func(n int) []int { return []int{n/361 + 1, 361, 1} },
		Bytes:      func(s []int) float64 { return bytes[T](s[:2]) },
		Flops:      func(s []int) float64 { return 4 * volume(s) },
	}
}

func upTo(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i + 1
	}
	return s
}

func volume(shape []int) float64 {
	v := 1.0
	for _, n := range shape {
		v *= float64(n)
	}
	return v
}

func bytes[T Float](shape []int) float64 { return float64(sizeOf[T]()) * volume(shape) }

// benchShape is p, r, q of blocks as the algorithms use them.
func benchShape(n int) []int { return []int{n/3/361 + 1, 49, 361} }

func productFlops(shape []int) float64 { return 2 * volume(shape) }

func TestNoAllocations(t *testing.T) {
	t.Run("float64", testNoAllocations[float64])
	t.Run("float32", testNoAllocations[float32])
}

// testNoAllocations calls every kernel at every level, with rows short and long.
func testNoAllocations[T Float](t *testing.T) {
	for _, level := range isa.Available() {
		restore := isa.Set(level)
		for _, q := range []int{67, 9000} {
			const p, r = 5, 3
			n, m, pr := NewMatrix[T](p, q), NewMatrix[T](p, q), NewMatrix[T](p, q)
			vt, w, h := NewMatrix[T](r, p), NewMatrix[T](r, q), NewMatrix[T](r, q)
			a, b, inv := NewMatrix[T](r, p), NewMatrix[T](r, r), make([]T, r)
			v := make([]T, p)
			allocs := testing.AllocsPerRun(2, func() {
				AddProduct(pr, vt, w)
				Product(pr, vt, w)
				Contract(a, n, w)
				Gram(b, w)
				Reciprocals(inv, b)
				Sweep(h, w, b, inv, 0, Matrix[T]{})
				Accumulate(w, vt, n)
				Add(n, m)
				UpdateMultiplier(n, m, pr, 0.5)
				UpdateMultiplierProduct(n, m, vt, w, 0.5)
				RankOne(w.Row(0), v, n, h.Row(0), 1, 0, Multiplier[T]{When: After, M: m, Mu: 0.5})
				Dot(h.Row(0), w.Row(0))
				Max(h.Row(0))
				Min(h.Row(0))
				CountLess(h.Row(0), 1)
			})
			if allocs != 0 {
				t.Errorf("%v, %d columns: %v allocations", level, q, allocs)
			}
		}
		restore()
	}
}
