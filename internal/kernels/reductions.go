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

// ofVector describes a reduction of one vector.
func ofVector[T kernel.Float](name, body string, ops int, f func(x []T) T) Kernel[T] {
	return reduction(name, body, 1, ops, func(s Source[T], n int) func() T {
		x := s.In("x", n)
		return func() T { return f(x.Data) }
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
