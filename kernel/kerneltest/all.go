package kerneltest

import (
	"nmu/internal/instance"
	"nmu/kernel"
)

var all32, all64 = all[float32], all[float64]

// All returns the kernels of package kernel, in the order of the benchmark.
func All[T kernel.Float]() []Kernel[T] { return instance.Of[T, func() []Kernel[T]](all32, all64)() }

func all[T kernel.Float]() []Kernel[T] {
	return []Kernel[T]{
		reduction("Dot", "dot", 2, 2, func(s source[T], n int) func() T {
			x := s.In("x", n)
			y := x
			if !s.Once(8) {
				y = s.In("y", n)
			}
			return func() T { return s.Dot(x.Data, y.Data) }
		}),
		ofVector("SumSquares", "dot", 2, func(f *Functions[T]) func([]T) T { return f.SumSquares }),
		ofVector("Max", "max", 1, func(f *Functions[T]) func([]T) T { return f.Max }),
		ofVector("Min", "min", 1, func(f *Functions[T]) func([]T) T { return f.Min }),
		reduction("CountLess", "countLess", 1, 1, func(s source[T], n int) func() T {
			x, t := s.In("x", n), T(0.25)
			if s.Once(2) {
				t = s.Scalar("t")
			}
			return func() T { return T(s.CountLess(x.Data, t)) }
		}),
		forElements("Add", "add", 2, 1, func(s source[T], p, q int) func() T {
			c, x := s.InOut("C", p, q), s.In("X", p, q)
			return func() T { s.Add(c.Matrix(), x.Matrix()); return 0 }
		}),
		forElements("Extrapolate", "extrapolate", 2, 5, func(s source[T], p, q int) func() T {
			x, before, beta := s.InOut("X", p, q), s.InOut("Before", p, q), s.Scalar("beta")
			return func() T { return s.Extrapolate(x.Matrix(), before.Matrix(), beta) }
		}),
		forElements("UpdateMultiplier", "update", 3, 3, func(s source[T], p, q int) func() T {
			n, m, vw, mu := s.InOut("N", p, q), s.In("M", p, q), s.In("P", p, q), s.Scalar("mu")
			return func() T { s.UpdateMultiplier(n.Matrix(), m.Matrix(), vw.Matrix(), mu); return 0 }
		}),
		rankOne[T]("RankOne", "rankOne", false, false, passes(1, 4, 8)), contract[T](),
		ofOutput("Product", func(s source[T], p, r, q int) func() T {
			out, vt, w := s.Out("P", p, q), s.In("VT", r, p), s.In("W", r, q)
			return func() T { s.Product(out.Matrix(), vt.Matrix(), w.Matrix()); return 0 }
		}),
		ofOutput("AddProduct", func(s source[T], p, r, q int) func() T {
			out, vt, w := s.InOut("P", p, q), s.In("VT", r, p), s.In("W", r, q)
			return func() T { s.AddProduct(out.Matrix(), vt.Matrix(), w.Matrix()); return 0 }
		}),
		updateMultiplierProduct[T](),
		ofBlock("Accumulate", func(s source[T], p, r, q int) func() T {
			c, x, vt := s.InOut("C", r, q), s.In("X", p, q), s.In("VT", r, p)
			return func() T { s.Accumulate(c.Matrix(), vt.Matrix(), x.Matrix()); return 0 }
		}),
		accumulateAhead[T](),
		forElements("UpdateAugmented", "augment", 3, 7, func(s source[T], p, q int) func() T {
			g, n, m, rho := s.InOut("G", p, q), s.InOut("N", p, q), s.In("M", p, q), penalty(s)
			return func() T { s.UpdateAugmented(g.Matrix(), n.Matrix(), m.Matrix(), rho); return 0 }
		}),
		forElements("Target", "target", 3, 4, func(s source[T], p, q int) func() T {
			n, g, m := s.Out("N", p, q), s.In("G", p, q), s.In("M", p, q)
			a, b := s.Scalar("a"), s.Scalar("b")
			return func() T { s.Target(n.Matrix(), g.Matrix(), m.Matrix(), a, b); return 0 }
		}),
		rankOne[T]("RankOneAugmented", "augRankOne", false, true, passes(2, 10, 17)),
		forElements("Keep", "keep", 1, 1, func(s source[T], p, q int) func() T {
			x, seen := s.InOut("X", p, q), s.Bits("Seen", p, q)
			return func() T { s.Keep(x.Matrix(), *seen); return 0 }
		}),
		forElements("Impute", "impute", 2, 1, func(s source[T], p, q int) func() T {
			n, m, seen := s.InOut("N", p, q), s.In("M", p, q), s.Bits("Seen", p, q)
			return func() T { s.Impute(n.Matrix(), m.Matrix(), *seen); return 0 }
		}),
		forElements("ImputeWeighted", "weigh", 3, 4, func(s source[T], p, q int) func() T {
			n, m, weight := s.InOut("N", p, q), s.In("M", p, q), s.In("Weight", p, q)
			return func() T { s.ImputeWeighted(n.Matrix(), m.Matrix(), weight.Matrix()); return 0 }
		}),
		forElements("UpdateMultiplierMasked", "maskedUpdate", 3, 3, func(s source[T], p, q int) func() T {
			n, m, vw := s.InOut("N", p, q), s.In("M", p, q), s.In("P", p, q)
			seen, mu := s.Bits("Seen", p, q), s.Scalar("mu")
			return func() T { s.UpdateMultiplierMasked(n.Matrix(), m.Matrix(), vw.Matrix(), *seen, mu); return 0 }
		}),
		forElements("UpdateAugmentedMasked", "maskedAugment", 3, 7, func(s source[T], p, q int) func() T {
			g, n, m := s.InOut("G", p, q), s.InOut("N", p, q), s.In("M", p, q)
			seen, rho := s.Bits("Seen", p, q), penalty(s)
			return func() T { s.UpdateAugmentedMasked(g.Matrix(), n.Matrix(), m.Matrix(), *seen, rho); return 0 }
		}),
		forElements("TargetMasked", "maskedTarget", 3, 4, func(s source[T], p, q int) func() T {
			n, g, m := s.InOut("N", p, q), s.In("G", p, q), s.In("M", p, q)
			seen, a, b := s.Bits("Seen", p, q), s.Scalar("a"), s.Scalar("b")
			return func() T { s.TargetMasked(n.Matrix(), g.Matrix(), m.Matrix(), *seen, a, b); return 0 }
		}),
		rankOne[T]("RankOneMasked", "maskedRankOne", true, false, passes(1, 8, 12)),
		rankOne[T]("RankOneAugmentedMasked", "maskedAugRank", true, true, passes(2, 14, 21)),
		gram[T](), reciprocals[T](), sweep[T](), accumulatePanel[T](),
		reduction("AddScaled", "addScaled", 2, 2, func(s source[T], n int) func() T {
			y, x, a := s.InOut("y", n), s.In("x", n), s.Scalar("a")
			return func() T { s.AddScaled(y.Data, a, x.Data); return 0 }
		}),
		addScaledRows[T](),
		reduction("Scale", "scale", 1, 1, func(s source[T], n int) func() T {
			x, a := s.InOut("x", n), s.Scalar("a")
			return func() T { s.Scale(x.Data, a); return 0 }
		}),
		reduction("Ratio", "ratio", 2, 1, func(s source[T], n int) func() T {
			x, m, least := s.InOut("x", n), s.In("m", n), T(0)
			if s.Once(2) {
				least = s.Scalar("least")
			}
			return func() T { s.Ratio(x.Data, m.Data, least); return 0 }
		}),
		// dotLog counts the work of a logarithm as its division and multiply-adds.
		reduction("DotLog", "dotLog", 2, 32, func(s source[T], n int) func() T {
			m, r := s.In("m", n), s.In("r", n)
			return func() T { return s.DotLog(m.Data, r.Data) }
		}),
		logDerivatives[T](),
		forSparse("AddSparseProduct", "addSparse", func(s source[T], at kernel.Pattern, rows, cols, r int) func() T {
			a, x := s.InOut("A", rows, r), s.In("X", cols, r)
			n, g := s.In("N", at.Len()), s.Scalar("g")
			return func() T { s.AddSparseProduct(a.Matrix(), at, n.Data, g, x.Matrix()); return 0 }
		}),
		forSparse("AddTransposedSparseProduct", "addTransposed", func(s source[T], at kernel.Pattern, rows, cols, r int) func() T {
			c, v := s.InOut("C", cols, r), s.In("V", rows, r)
			n, g := s.In("N", at.Len()), s.Scalar("g")
			return func() T { s.AddTransposedSparseProduct(c.Matrix(), at, n.Data, g, v.Matrix()); return 0 }
		}),
		forSparse("SampledProduct", "sampled", func(s source[T], at kernel.Pattern, rows, cols, r int) func() T {
			p, v, x := s.Out("P", at.Len()), s.In("V", rows, r), s.In("X", cols, r)
			return func() T { s.SampledProduct(p.Data, at, v.Matrix(), x.Matrix()); return 0 }
		}),
		forRatios("AddRatioProduct", false, func(f *Functions[T]) ratioProduct[T] { return f.AddRatioProduct }),
		forRatios("AddTransposedRatioProduct", true, func(f *Functions[T]) ratioProduct[T] { return f.AddTransposedRatioProduct }),
		sparseRankOne[T](),
	}
}

// lengths returns 0 to 3*block+3 and a few larger lengths: more than a page, and more than the
// work of one bounded call of assembly. block is the number of elements in a step of the widest
// loop.
func lengths(block int) [][]int {
	var s [][]int
	for n := range 3*block + 4 {
		s = append(s, []int{n})
	}
	return append(s, []int{1021 + 3*block}, []int{4096 + block + 1}, []int{70001})
}

// grid returns all combinations of the extents of each dimension.
func grid(dims ...[]int) [][]int {
	s := [][]int{nil}
	for _, d := range dims {
		var next [][]int
		for _, head := range s {
			for _, n := range d {
				next = append(next, append(head[:len(head):len(head)], n))
			}
		}
		s = next
	}
	return s
}

// upTo returns 1 to n.
func upTo(n int) (s []int) {
	for i := range n {
		s = append(s, i+1)
	}
	return s
}

// long is a number of columns that exceeds every run or block of columns.
const long = 17003

// large are shapes p, r, q of much work: with each extent alone large, and all together.
var large = [][]int{{1, 1, 2_500_000}, {300_000, 1, 1}, {70_000, 9, 3}, {5, 7, 70_000}, {1500, 9, 1100}, {1200, 30, 33}, {9, 1200, 20}}

// largeOf returns the given extents of each shape of large, followed by each of the variants last, if any.
func largeOf(which []int, last ...int) (shapes [][]int) {
	for _, l := range large {
		var dims [][]int
		for _, i := range which {
			dims = append(dims, []int{l[i]})
		}
		if len(last) > 0 {
			dims = append(dims, last)
		}
		shapes = append(shapes, grid(dims...)...)
	}
	return shapes
}

// volume is the work of a kernel that combines all its extents.
func volume(shape []int) int {
	n := 1
	for _, extent := range shape {
		n *= extent
	}
	return n
}
