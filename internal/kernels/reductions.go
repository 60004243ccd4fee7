package kernels

import "nmu/kernel"

// vectors returns the shape of a block of this many vectors.
func vectors(operands int) func(elements, rank int) []int {
	return func(elements, _ int) []int {
		if n := min(elements/operands, 8192); n > 0 {
			return []int{n}
		}
		return nil
	}
}

// reduction describes a kernel of operands vectors.
func reduction[T kernel.Float](name, body string, operands, ops int, setup func(s Source[T], n int) func() T) Kernel[T] {
	return Kernel[T]{
		Name: name, Body: body,
		Setup:  func(s Source[T], shape []int) func() T { return setup(s, shape[0]) },
		Shapes: Lengths(32), EveryPlace: true,
		Distinct: [][]int{{65}},
		Large:    largeOf([]int{2}),
		Most:     []int{40_000},
		Work:     volume,
		Measures: []Measure{{Stream: true, Ops: ops, Shape: vectors(operands)}},
	}
}

func dot[T kernel.Float]() Kernel[T] {
	return reduction("Dot", "dot", 2, 2, func(s Source[T], n int) func() T {
		x := s.In("x", n)
		y := x
		if !s.Once(8) {
			y = s.In("y", n)
		}
		return func() T { return kernel.Dot(x.Data, y.Data) }
	})
}

func sumSquares[T kernel.Float]() Kernel[T] {
	return reduction("SumSquares", "dot", 1, 2, func(s Source[T], n int) func() T {
		x := s.In("x", n)
		return func() T { return kernel.SumSquares(x.Data) }
	})
}

func largest[T kernel.Float]() Kernel[T] {
	return reduction("Max", "max", 1, 1, func(s Source[T], n int) func() T {
		x := s.In("x", n)
		return func() T { return kernel.Max(x.Data) }
	})
}

func smallest[T kernel.Float]() Kernel[T] {
	return reduction("Min", "min", 1, 1, func(s Source[T], n int) func() T {
		x := s.In("x", n)
		return func() T { return kernel.Min(x.Data) }
	})
}

func countLess[T kernel.Float]() Kernel[T] {
	return reduction("CountLess", "countLess", 1, 1, func(s Source[T], n int) func() T {
		x, t := s.In("x", n), T(0.25)
		if s.Once(2) {
			t = s.Scalar("t")
		}
		return func() T { return T(kernel.CountLess(x.Data, t)) }
	})
}

func ratio[T kernel.Float]() Kernel[T] {
	return reduction("Ratio", "ratio", 2, 1, func(s Source[T], n int) func() T {
		x, m, least := s.InOut("x", n), s.In("m", n), T(0)
		if s.Once(2) {
			least = s.Scalar("least")
		}
		return func() T { kernel.Ratio(x.Data, m.Data, least); return 0 }
	})
}

// dotLog counts the work of a logarithm as its division and multiply-adds.
func dotLog[T kernel.Float]() Kernel[T] {
	return reduction("DotLog", "dotLog", 2, 32, func(s Source[T], n int) func() T {
		m, r := s.In("m", n), s.In("r", n)
		return func() T { return kernel.DotLog(m.Data, r.Data) }
	})
}

// logDerivatives shows both sums in a vector. Its block in the benchmark has four vectors, one
// of them written.
func logDerivatives[T kernel.Float]() Kernel[T] {
	k := reduction("LogDerivatives", "logDerivatives", 4, 7, func(s Source[T], n int) func() T {
		x, last, m, g := s.InOut("x", n), s.In("last", n), s.In("m", n), s.In("g", n)
		sums, step, least := s.Out("sums", 2), s.Scalar("step"), T(0)
		if s.Once(2) {
			least = s.Scalar("least")
		}
		return func() T {
			first, second := kernel.LogDerivatives(x.Data, last.Data, step, m.Data, g.Data, least)
			copy(sums.Data, []T{first, second}) // sums can be shorter if shapes are broken
			return 0
		}
	})
	k.Apart = []string{"sums"}
	return k
}
