package kerneltest

import (
	"math"

	"nmu/kernel"
)

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
func reduction[T kernel.Float](name, body string, operands, ops int, setup func(s source[T], n int) func() T) Kernel[T] {
	return Kernel[T]{
		Name: name, Body: body,
		setup:  func(s source[T], shape []int) func() T { return setup(s, shape[0]) },
		Shapes: lengths(32), everyPlace: true,
		Distinct: [][]int{{65}},
		Large:    largeOf([]int{2}),
		Most:     []int{40_000},
		Work:     volume,
		measures: []measure{{ops: ops, shape: vectors(operands)}},
	}
}

// ofVector describes a reduction of one vector.
func ofVector[T kernel.Float](name, body string, ops int, of func(f *Functions[T]) func(x []T) T) Kernel[T] {
	return reduction(name, body, 1, ops, func(s source[T], n int) func() T {
		x := s.In("x", n)
		if s.Once(4) { // zeros of both signs: which one Max and Min return depends on the order of the fold
			for i := range x.Data {
				x.Data[i] = T(math.Copysign(0, float64(s.IntN(2))-0.5))
			}
		}
		return func() T { return of(s.Functions)(x.Data) }
	})
}

// logDerivatives shows both sums in a vector. Its block in the benchmark has four vectors, one
// of them written.
func logDerivatives[T kernel.Float]() Kernel[T] {
	k := reduction("LogDerivatives", "logDerivatives", 4, 7, func(s source[T], n int) func() T {
		x, last, m, g := s.InOut("x", n), s.In("last", n), s.In("m", n), s.In("g", n)
		sums, step, least := s.Out("sums", 2), s.Scalar("step"), T(0)
		if s.Once(2) {
			least = s.Scalar("least")
		}
		return func() T {
			first, second := s.LogDerivatives(x.Data, last.Data, step, m.Data, g.Data, least)
			copy(sums.Data, []T{first, second}) // sums can be shorter if shapes are broken
			return 0
		}
	})
	k.apart = []string{"sums"}
	return k
}
