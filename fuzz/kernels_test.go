package fuzz

import (
	"fmt"
	"slices"
	"testing"

	"nmu/internal/checkasm"
	"nmu/internal/isa"
	"nmu/kernel"
)

// call is one call of a kernel that is made at every level.
type call[T kernel.Float] struct {
	*source
	t       *testing.T
	class   checkasm.Values
	written []*checkasm.Buffer[T]
	read    []*checkasm.Buffer[T]
	text    string
}

// ofKernel returns the check of kernels with one of the given calls, in either
// precision. A call makes its buffers and ends with run.
func ofKernel(double []func(*call[float64]), single []func(*call[float32])) func(*testing.T, []byte) {
	return func(t *testing.T, input []byte) {
		s := newSource(input)
		which := s.n(2 * len(double))
		if which < len(double) {
			begin[float64](t, s, double[which])
		} else {
			begin[float32](t, s, single[which-len(double)])
		}
	}
}

func begin[T kernel.Float](t *testing.T, s *source, f func(*call[T])) {
	c := &call[T]{source: s, t: t, class: s.class()}
	defer func() {
		for _, b := range slices.Concat(c.read, c.written) {
			b.Release()
		}
	}()
	f(c)
}

// buffer returns a matrix of values of the case's class, at a place of its own
// between guard pages, with a gap behind each row but the last.
func (c *call[T]) buffer(name string, rows, cols int) *checkasm.Buffer[T] {
	stride := cols
	if c.one(2) {
		stride += c.n(20)
	}
	place := checkasm.End
	if !c.one(3) {
		place = checkasm.Offset(c.n(checkasm.Offsets))
	}
	b := checkasm.NewBuffer[T](name, rows, cols, stride, place)
	for i := range rows {
		if cols > 0 {
			fill(c.source, b.Row(i), c.class)
		}
	}
	c.text += " " + b.String()
	return b
}

// in returns a matrix that the kernel reads, inOut one that it writes.
func (c *call[T]) in(name string, rows, cols int) kernel.Matrix[T] {
	b := c.buffer(name, rows, cols)
	c.read = append(c.read, b)
	return view(b)
}

func (c *call[T]) inOut(name string, rows, cols int) kernel.Matrix[T] {
	b := c.buffer(name, rows, cols)
	c.written = append(c.written, b)
	return view(b)
}

func view[T kernel.Float](b *checkasm.Buffer[T]) kernel.Matrix[T] {
	m := kernel.Matrix[T]{Rows: b.Rows, Cols: b.Cols, Data: b.Data}
	if len(b.Data) > 0 { // else the rows are empty, whatever the stride
		m.Stride = b.Stride
	}
	return m
}

// vector returns the elements of a matrix of one row.
func vector[T kernel.Float](m kernel.Matrix[T]) []T { return m.Data }

// scalar returns a value of the case's class.
func (c *call[T]) scalar(name string) T {
	x := draw[T](c.source, c.class)
	c.text += fmt.Sprintf(" %s=%v", name, x)
	return x
}

// run calls f at level generic and then at every other level, which must leave
// the same bits in the buffers and in what f returns, and nothing else changed.
func (c *call[T]) run(name string, f func() T) {
	name = fmt.Sprintf("%s[%s] class %d%s", name, checkasm.Precision[T](), c.class, c.text)
	all := slices.Concat(c.read, c.written)
	before := make([][]T, len(c.written))
	for i, b := range c.written {
		before[i] = slices.Clone(b.Data)
	}
	for _, b := range all {
		b.Snapshot()
	}
	var want T
	for i, level := range isa.Available() { // the first is generic
		var got T
		clean := true
		restore := isa.Set(level)
		fault := checkasm.Catch(func() {
			clean = checkasm.CheckUpperClean(func() { got = f() })
		})
		restore()
		fail := func(what any) { c.t.Fatalf("%s at level %v: %v", name, level, what) }
		switch {
		case fault != nil:
			fail(fault)
		case !clean:
			fail("upper halves of the vector registers are in use after the call")
		case i > 0 && !checkasm.Same(got, want, false):
			fail(fmt.Sprintf("the result is %v, at level generic %v", got, want))
		}
		want = got
		for _, b := range all {
			if err := b.Canaries(); err != nil {
				fail(err)
			}
		}
		for _, b := range c.read {
			if err := b.Unmodified(); err != nil {
				fail(err)
			}
		}
		for k, b := range c.written {
			if i == 0 {
				b.Want = slices.Clone(b.Data)
			}
			if err := b.Matches(); err != nil {
				fail(err)
			}
			copy(b.Data, before[k])
		}
	}
}

// work is the most multiply-adds of a call, so that the generic bodies are done
// soon; long is an extent beyond every run of columns that the kernels cut.
const (
	work = 60_000
	long = 17_003
)

// extents returns the extents of a product.
func (c *call[T]) extents() (p, r, q int) {
	p, r, q = c.size(300), c.size(300), c.size(long)
	within(work, &p, &r, &q)
	return p, r, q
}

func reductions[T kernel.Float]() []func(*call[T]) {
	one := func(name string, f func(x []T, t T) T) func(*call[T]) {
		return func(c *call[T]) {
			x, t := vector(c.in("x", 1, c.size(40_000))), c.scalar("t")
			c.run(name, func() T { return f(x, t) })
		}
	}
	return []func(*call[T]){
		func(c *call[T]) {
			n := c.size(40_000)
			x := vector(c.in("x", 1, n))
			y := x
			if !c.one(8) {
				y = vector(c.in("y", 1, n))
			}
			c.run("Dot", func() T { return kernel.Dot(x, y) })
		},
		one("Max", func(x []T, _ T) T { return kernel.Max(x) }),
		one("Min", func(x []T, _ T) T { return kernel.Min(x) }),
		one("CountLess", func(x []T, t T) T { return T(kernel.CountLess(x, t)) }),
	}
}

func contractions[T kernel.Float]() []func(*call[T]) {
	return []func(*call[T]){
		func(c *call[T]) {
			p, r, q := c.extents()
			x := c.in("X", p, q)
			g := x
			if c.one(8) {
				r = p
			} else {
				g = c.in("G", r, q)
			}
			a := c.inOut("A", r, p)
			c.run("Contract", func() T { kernel.Contract(a, x, g); return 0 })
		},
		func(c *call[T]) {
			r, q := c.size(300), c.size(long)
			square := r
			within(work, &square, &r, &q)
			r = min(r, square)
			g, b := c.in("G", r, q), c.inOut("B", r, r)
			c.run("Gram", func() T { kernel.Gram(b, g); return 0 })
		},
	}
}

func products[T kernel.Float]() []func(*call[T]) {
	return []func(*call[T]){
		func(c *call[T]) {
			p, r, q := c.extents()
			out, vt, w := c.inOut("P", p, q), c.in("VT", r, p), c.in("W", r, q)
			c.run("AddProduct", func() T { kernel.AddProduct(out, vt, w); return 0 })
		},
		func(c *call[T]) {
			p, r, q := c.extents()
			out, vt, w := c.inOut("P", p, q), c.in("VT", r, p), c.in("W", r, q)
			c.run("Product", func() T { kernel.Product(out, vt, w); return 0 })
		},
		func(c *call[T]) {
			p, r, q := c.extents()
			n, m, vt, w := c.inOut("N", p, q), c.in("M", p, q), c.in("VT", r, p), c.in("W", r, q)
			mu := c.scalar("mu")
			c.run("UpdateMultiplierProduct", func() T { kernel.UpdateMultiplierProduct(n, m, vt, w, mu); return 0 })
		},
		func(c *call[T]) {
			p, r, q := c.extents()
			out, vt, x := c.inOut("C", r, q), c.in("VT", r, p), c.in("X", p, q)
			c.run("Accumulate", func() T { kernel.Accumulate(out, vt, x); return 0 })
		},
	}
}

func elementwise[T kernel.Float]() []func(*call[T]) {
	shape := func(c *call[T]) (rows, cols int) {
		rows, cols = c.size(300), c.size(2*long)
		within(work, &rows, &cols)
		return rows, cols
	}
	return []func(*call[T]){
		func(c *call[T]) {
			rows, cols := shape(c)
			n, m, p := c.inOut("N", rows, cols), c.in("M", rows, cols), c.in("P", rows, cols)
			mu := c.scalar("mu")
			c.run("UpdateMultiplier", func() T { kernel.UpdateMultiplier(n, m, p, mu); return 0 })
		},
		func(c *call[T]) {
			rows, cols := shape(c)
			sum, x := c.inOut("C", rows, cols), c.in("X", rows, cols)
			c.run("Add", func() T { kernel.Add(sum, x); return 0 })
		},
	}
}

func sweeps[T kernel.Float]() []func(*call[T]) {
	return []func(*call[T]){func(c *call[T]) {
		r, q := c.size(300), c.size(2000)
		square := r
		within(work, &square, &r, &q)
		r = min(r, square)
		h, a, b := c.inOut("H", r, q), c.in("A", r, q), c.in("B", r, r)
		inv := vector(c.in("inv", 1, r))
		var mask kernel.Matrix[T]
		if c.one(2) {
			mask = c.in("mask", r, q)
			for i := range r {
				for j := range mask.Row(i) {
					mask.Row(i)[j] = T(c.n(2))
				}
			}
		}
		if c.one(2) { // as the algorithms have it
			kernel.Reciprocals(inv, b)
		} else if r > 0 && c.one(2) {
			inv[c.n(r)] = 0
		}
		penalty := c.scalar("penalty")
		c.run("Sweep", func() T { kernel.Sweep(h, a, b, inv, penalty, mask); return 0 })
	}}
}

func rankOnes[T kernel.Float]() []func(*call[T]) {
	return []func(*call[T]){func(c *call[T]) {
		p, q := c.size(300), c.size(2*long)
		within(work, &p, &q)
		up := kernel.Multiplier[T]{When: kernel.When(c.n(3))}
		var n kernel.Matrix[T]
		if up.When == kernel.Never {
			n = c.in("N", p, q)
		} else {
			n, up.M, up.Mu = c.inOut("N", p, q), c.in("M", p, q), c.scalar("mu")
		}
		acc, v, w := vector(c.inOut("acc", 1, q)), vector(c.inOut("v", 1, p)), vector(c.in("w", 1, q))
		inv, vv := c.scalar("inv"), c.scalar("vv")
		if c.one(4) {
			inv = 0
		}
		c.run("RankOne", func() T { return kernel.RankOne(acc, v, n, w, inv, vv, up) })
	}}
}

func sparse[T kernel.Float]() []func(*call[T]) {
	// pattern returns a pattern, also of some rows of another one, with columns in
	// any order, and more than once.
	pattern := func(c *call[T]) (s kernel.Pattern, r int) {
		rows, cols, each := c.size(60), c.size(300), c.size(60)
		r = c.size(100)
		within(work, &rows, &each, &r)
		ptr, idx := []int{0}, []int32(nil)
		for range rows {
			if cols > 0 {
				for range c.n(each + 1) {
					idx = append(idx, int32(c.n(cols)))
				}
			}
			ptr = append(ptr, len(idx))
		}
		s, err := kernel.NewPattern(cols, ptr, idx)
		if err != nil {
			c.t.Fatal(err)
		}
		from := c.n(rows + 1)
		s = s.Slice(from, from+c.n(rows-from+1))
		c.text += fmt.Sprintf(" pattern %dx%d, %d entries", s.Rows(), cols, s.Len())
		return s, r
	}
	return []func(*call[T]){
		func(c *call[T]) {
			s, r := pattern(c)
			a, x := c.inOut("A", s.Rows(), r), c.in("X", s.Cols(), r)
			n, g := vector(c.in("n", 1, s.Len())), c.scalar("g")
			c.run("AddSparseProduct", func() T { kernel.AddSparseProduct(a, s, n, g, x); return 0 })
		},
		func(c *call[T]) {
			s, r := pattern(c)
			v, x := c.in("V", s.Rows(), r), c.in("X", s.Cols(), r)
			p := vector(c.inOut("p", 1, s.Len()))
			c.run("SampledProduct", func() T { kernel.SampledProduct(p, s, v, x); return 0 })
		},
	}
}

var (
	checkReductions   = ofKernel(reductions[float64](), reductions[float32]())
	checkContractions = ofKernel(contractions[float64](), contractions[float32]())
	checkProducts     = ofKernel(products[float64](), products[float32]())
	checkElementwise  = ofKernel(elementwise[float64](), elementwise[float32]())
	checkSweep        = ofKernel(sweeps[float64](), sweeps[float32]())
	checkRankOne      = ofKernel(rankOnes[float64](), rankOnes[float32]())
	checkPattern      = ofKernel(sparse[float64](), sparse[float32]())
)

// Every kernel at every level, differentially.

func FuzzReductions(f *testing.F)   { f.Fuzz(checkReductions) }
func FuzzContractions(f *testing.F) { f.Fuzz(checkContractions) }
func FuzzProducts(f *testing.F)     { f.Fuzz(checkProducts) }
func FuzzElementwise(f *testing.F)  { f.Fuzz(checkElementwise) }
func FuzzSweep(f *testing.F)        { f.Fuzz(checkSweep) }
func FuzzRankOne(f *testing.F)      { f.Fuzz(checkRankOne) }
func FuzzSparse(f *testing.F)       { f.Fuzz(checkPattern) }
