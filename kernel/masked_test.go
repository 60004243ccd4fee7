package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"nmu/internal/isa"
	"nmu/internal/must"
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
	must.Equal(t, bytesOf(math.MaxInt), math.MaxInt/8+1, "the most columns take")
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

// inv returns Reciprocal(w·w).
func (c *maskedCase[T]) inv() T { return Reciprocal(laneDot(c.w, c.w, contractionBytes)) }

// addSquares adds v² to den, for each row.
func (c *maskedCase[T]) addSquares() {
	for _, v := range c.v {
		for j := range c.den {
			c.den[j] = fma(v, v, c.den[j])
		}
	}
}

// maskedKernel is a kernel with a mask, and the one without, on the operands of a case.
type maskedKernel[T Float] struct {
	name         string
	masked, full func(c *maskedCase[T])
	blind        func(c *maskedCase[T]) []Matrix[T] // the operands of which no missing entry counts
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
				RankOne(c.acc, c.v, c.n, c.w, c.inv(), 0, Multiplier[T]{when, c.m, 0.7})
				c.addSquares()
			}, mn}, maskedKernel[T]{"RankOneAugmentedMasked",
			func(c *maskedCase[T]) {
				RankOneAugmentedMasked(c.acc, c.den, c.v, c.g, c.w, c.seen, Augmented[T]{when, c.m, 0.3})
			},
			func(c *maskedCase[T]) {
				RankOneAugmented(c.acc, c.v, c.g, c.w, c.inv(), 0, Augmented[T]{when, c.m, 0.3})
				c.addSquares()
			}, mg})
	}
	return all
}

func copyRows[T Float](to, from Matrix[T]) {
	for i := range to.Rows {
		copy(to.Row(i), from.Row(i))
	}
}

// maskedCols are widths with the ends of bytes and of groups of lanes. These properties are tested at level generic:
// TestKernels compares the other levels with it.
var maskedCols = []int{1, 7, 8, 9, 16, 17, 31, 40, 67}

// TestFullMask: where everything is observed the results are those without a mask.
func TestFullMask(t *testing.T) {
	defer isa.Set(isa.Generic)()
	Both(t, testFullMask[float64], testFullMask[float32])
}

func testFullMask[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	for _, k := range maskedKernels[T]() {
		for _, cols := range maskedCols {
			full := newMaskedCase[T](rng, 5, cols, 1)
			clear(full.den)
			masked := full.clone()
			k.full(full)
			k.masked(masked)
			must.Equal(t, full.differs(masked), "", k.name, cols, "columns")
		}
	}
}

// differs says where the outputs of two cases differ in their bits, "" if they do not.
func (c *maskedCase[T]) differs(d *maskedCase[T]) string {
	for name, pair := range map[string][2]Matrix[T]{"N": {c.n, d.n}, "G": {c.g, d.g}} {
		for i := range pair[0].Rows {
			for j, x := range pair[0].Row(i) {
				if bits(x) != bits(pair[1].Row(i)[j]) {
					return fmt.Sprintf("%s[%d,%d] is %v, not %v,", name, i, j, pair[1].Row(i)[j], x)
				}
			}
		}
	}
	for name, pair := range map[string][2][]T{"acc": {c.acc, d.acc}, "den": {c.den, d.den}, "v": {c.v, d.v}} {
		for j, x := range pair[0] {
			if bits(x) != bits(pair[1][j]) {
				return fmt.Sprintf("%s[%d] is %v, not %v,", name, j, pair[1][j], x)
			}
		}
	}
	return ""
}

// TestMissingHasNoInfluence puts what has most influence where nothing is observed, and
// requires the same bits.
func TestMissingHasNoInfluence(t *testing.T) {
	defer isa.Set(isa.Generic)()
	Both(t, testMissing[float64], testMissing[float32])
}

func testMissing[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	nan, inf := T(math.NaN()), T(math.Inf(1))
	small := fromBits[T](1)
	bad := []T{nan, inf, -inf, T(math.Copysign(0, -1)), small, -small, 3e38, -3e38}
	for _, k := range maskedKernels[T]() {
		for _, cols := range maskedCols {
			for _, part := range []float64{0, 0.1, 0.5, 0.95} {
				clean := newMaskedCase[T](rng, 5, cols, part)
				for j := range clean.w {
					clean.w[j] -= 0.3
				}
				changed := clean.clone()
				for _, m := range k.blind(changed) {
					for i := range m.Rows {
						for j := range m.Row(i) {
							if !changed.seen.At(i, j) {
								m.Row(i)[j] = bad[rng.IntN(len(bad))]
							}
						}
					}
				}
				for i := range clean.seen.Rows { // what is beyond the columns means nothing
					for j := cols; j < 8*clean.seen.Stride; j++ {
						clean.seen.Set(i, j, !changed.seen.At(i, j))
					}
				}
				changed.seen.Data = slices.Clone(changed.seen.Data)
				before := changed.clone()
				k.masked(clean)
				k.masked(changed)
				for _, m := range [][3]Matrix[T]{{before.n, changed.n, clean.n}, {before.g, changed.g, clean.g}} {
					for at, x := range m[0].Data { // an entry that is left alone
						if i, j := at/m[0].Stride, at%m[0].Stride; j < cols && !clean.seen.At(i, j) && bits(x) == bits(m[1].Data[at]) {
							m[1].Data[at] = m[2].Data[at]
						}
					}
				}
				what := clean.differs(changed)
				must.Equal(t, what, "", k.name, cols, "columns", part, "observed")
			}
		}
	}
}

// TestRankOneMaskedIsExact compares v, acc and den with what they are to be, in plain
// arithmetic, and the fit of the observed entries with that of v somewhat more or less.
func TestRankOneMaskedIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 0))
	const p, q = 9, 43
	c := newMaskedCase[float64](rng, p, q, 0.4)
	clear(c.acc)
	clear(c.den)
	for j := range q {
		c.seen.Set(4, j, false) // a row of which nothing is known
	}
	alone := c.v[4]
	RankOneMasked(c.acc, c.den, c.v, c.n, c.w, c.seen, Multiplier[float64]{})
	must.Equal(t, c.v[4], alone, "v of a row of which nothing is known")
	fit := func(i int, v float64) (s float64) {
		for j, w := range c.w {
			if c.seen.At(i, j) {
				s += (c.n.Row(i)[j] - v*w) * (c.n.Row(i)[j] - v*w)
			}
		}
		return s
	}
	for i, v := range c.v {
		if i != 4 && (v <= 0 || fit(i, v*1.001) <= fit(i, v) || fit(i, v*0.999) <= fit(i, v)) {
			t.Errorf("v[%d] = %v does not fit best", i, v)
		}
	}
	for j := range q {
		acc, den := 0.0, 0.0
		for i, v := range c.v {
			if c.seen.At(i, j) {
				acc += v * c.n.Row(i)[j]
				den += v * v
			}
		}
		if math.Abs(acc-c.acc[j]) > 1e-13*acc || math.Abs(den-c.den[j]) > 1e-13*den {
			t.Errorf("acc[%d], den = %v, %v, want %v, %v", j, c.acc[j], c.den[j], acc, den)
		}
	}
}

// TestWeights: weights of 0 and 1 are a mask, and where a weight is 0 M has no influence;
// between, an entry is between those of M and X, as far from M as the weight says.
func TestWeights(t *testing.T) {
	defer isa.Set(isa.Generic)()
	Both(t, testWeights[float64], testWeights[float32])
}

func testWeights[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	for _, cols := range maskedCols {
		c := newMaskedCase[T](rng, 4, cols, 0.6)
		for i := range 4 {
			for j := range cols {
				c.weight.Row(i)[j] = 1
				if !c.seen.At(i, j) {
					c.weight.Row(i)[j], c.m.Row(i)[j] = 0, T(math.NaN())
				}
			}
		}
		d := c.clone()
		Impute(c.n, c.m, c.seen)
		ImputeWeighted(d.n, d.m, d.weight)
		must.Equal(t, c.differs(d), "", cols, "columns")
		e := newMaskedCase[T](rng, 4, cols, 1)
		x := e.clone().n
		ImputeWeighted(e.n, e.m, e.weight)
		for i := range 4 {
			for j, n := range e.n.Row(i) {
				m, x, w := e.m.Row(i)[j], x.Row(i)[j], e.weight.Row(i)[j]
				if want := float64(x) + float64(w)*(float64(m)-float64(x)); math.Abs(float64(n)-want) > 1e-6 {
					t.Fatalf("%d columns: entry %d, %d is %v, want %v", cols, i, j, n, want)
				}
			}
		}
	}
}
