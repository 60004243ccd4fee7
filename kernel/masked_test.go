package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// someBits returns bits of which about the given part is set, beyond the columns too.
func someBits(rng *rand.Rand, rows, cols int, part float64) Bits {
	b := NewBits(rows, cols)
	for i := range rows {
		for j := range 8 * b.Stride {
			b.Set(i, j, rng.Float64() < part)
		}
	}
	return b
}

// TestBits checks the order of bits, views, and what is refused.
func TestBits(t *testing.T) {
	b := NewBits(3, 19)
	if b.Stride != 3 || len(b.Data) != 9 {
		t.Fatalf("19 columns take %d bytes of %d", b.Stride, len(b.Data))
	}
	b.Set(1, 10, true)
	b.Set(2, 18, true)
	if b.Data[4] != 1<<2 || b.Data[8] != 1<<2 {
		t.Errorf("the bits are %b", b.Data)
	}
	s := b.Slice(1, 3, 8, 19)
	if s.Rows != 2 || s.Cols != 11 || len(s.Data) != 5 || cap(s.Data) != 5 || !s.At(0, 2) || !s.At(1, 10) || s.At(1, 2) {
		t.Errorf("the slice is %+v", s)
	}
	s.Set(0, 2, false)
	if b.At(1, 10) {
		t.Error("a slice is no view")
	}
	if e := b.Slice(2, 2, 3, 5); e.Rows != 0 || e.Cols != 2 || len(e.Data) != 0 {
		t.Errorf("an empty slice is %+v", e)
	}
	for name, call := range map[string]func(){
		"rows":     func() { NewBits(-1, 8) },
		"columns":  func() { NewBits(2, -8) },
		"size":     func() { NewBits(math.MaxInt, 9) },
		"column":   func() { b.Slice(0, 2, 4, 12) },
		"beyond":   func() { b.Slice(0, 4, 0, 8) },
		"stride":   func() { Bits{Rows: 2, Cols: 9, Stride: 1, Data: make([]byte, 9)}.Slice(0, 1, 0, 8) },
		"overflow": func() { Bits{Rows: 3, Cols: 8, Stride: math.MaxInt, Data: make([]byte, 9)}.Slice(0, 1, 0, 8) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
	if n := bytesOf(math.MaxInt); n != math.MaxInt/8+1 {
		t.Errorf("the most columns take %d bytes", n)
	}
}

// maskedCase is the operands of every kernel with a mask, of one shape.
type maskedCase[T Float] struct {
	m, n, p, g, weight Matrix[T]
	acc, den, v, w     []T
	seen               Bits
}

func newMaskedCase[T Float](rng *rand.Rand, rows, cols int, part float64) *maskedCase[T] {
	row := func(n int) []T { return slices.Clone(random[T](rng, 1, n).Row(0)) }
	return &maskedCase[T]{
		m: random[T](rng, rows, cols), n: random[T](rng, rows, cols), p: random[T](rng, rows, cols),
		g: random[T](rng, rows, cols), weight: random[T](rng, rows, cols),
		acc: row(cols), den: row(cols), v: row(rows), w: row(cols),
		seen: someBits(rng, rows, cols, part),
	}
}

func (c *maskedCase[T]) clone() *maskedCase[T] {
	d := *c
	for _, m := range []*Matrix[T]{&d.m, &d.n, &d.p, &d.g, &d.weight} {
		m.Data = slices.Clone(m.Data)
	}
	for _, v := range []*[]T{&d.acc, &d.den, &d.v, &d.w} {
		*v = slices.Clone(*v)
	}
	return &d
}

// maskedKernel is a kernel with a mask, and the one without; where is the part of a case
// whose missing entries have no influence, beside M, and keeps what is there.
type maskedKernel[T Float] struct {
	name         string
	masked, full func(c *maskedCase[T])
	blind        func(c *maskedCase[T]) []Matrix[T] // operands of which no missing entry counts
}

func maskedKernels[T Float]() []maskedKernel[T] {
	m := func(c *maskedCase[T]) []Matrix[T] { return []Matrix[T]{c.m} }
	mn := func(c *maskedCase[T]) []Matrix[T] { return []Matrix[T]{c.m, c.n} }
	mg := func(c *maskedCase[T]) []Matrix[T] { return []Matrix[T]{c.m, c.g} }
	all := []maskedKernel[T]{
		{"Keep", func(c *maskedCase[T]) { Keep(c.n, c.seen) }, func(*maskedCase[T]) {}, mn},
		{"Impute", func(c *maskedCase[T]) { Impute(c.n, c.m, c.seen) }, func(c *maskedCase[T]) { copyRows(c.n, c.m) }, m},
		{"UpdateMultiplierMasked", func(c *maskedCase[T]) { UpdateMultiplierMasked(c.n, c.m, c.p, c.seen, 0.7) },
			func(c *maskedCase[T]) { UpdateMultiplier(c.n, c.m, c.p, 0.7) }, mn},
		{"UpdateAugmentedMasked", func(c *maskedCase[T]) { UpdateAugmentedMasked(c.g, c.n, c.m, c.seen, 0.3) },
			func(c *maskedCase[T]) { UpdateAugmented(c.g, c.n, c.m, 0.3) }, mg},
		{"TargetMasked", func(c *maskedCase[T]) { TargetMasked(c.n, c.g, c.m, c.seen, 1, 0.7) },
			func(c *maskedCase[T]) { Target(c.n, c.g, c.m, 1, 0.7) }, mg},
	}
	for _, when := range []When{Never, Before, After} {
		all = append(all, maskedKernel[T]{"RankOneMasked",
			func(c *maskedCase[T]) {
				RankOneMasked(c.acc, c.den, c.v, c.n, c.w, c.seen, Multiplier[T]{when, c.m, 0.7})
			},
			func(c *maskedCase[T]) {
				ww := laneDot(c.w, c.w, contractionBytes)
				RankOne(c.acc, c.v, c.n, c.w, Reciprocal(ww), 0, Multiplier[T]{when, c.m, 0.7})
				for _, v := range c.v {
					for j := range c.den {
						c.den[j] = fma(v, v, c.den[j])
					}
				}
			}, mn}, maskedKernel[T]{"RankOneAugmentedMasked",
			func(c *maskedCase[T]) {
				RankOneAugmentedMasked(c.acc, c.den, c.v, c.g, c.w, c.seen, Augmented[T]{when, c.m, 0.3})
			},
			func(c *maskedCase[T]) {
				ww := laneDot(c.w, c.w, contractionBytes)
				RankOneAugmented(c.acc, c.v, c.g, c.w, Reciprocal(ww), 0, Augmented[T]{when, c.m, 0.3})
				for _, v := range c.v {
					for j := range c.den {
						c.den[j] = fma(v, v, c.den[j])
					}
				}
			}, mg})
	}
	return all
}

func copyRows[T Float](to, from Matrix[T]) {
	for i := range to.Rows {
		copy(to.Row(i), from.Row(i))
	}
}
