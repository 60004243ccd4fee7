package kerneltest

import (
	"math"

	"nmu/kernel"
)

// The kernels that read matrices entry by entry, and rank-one passes.

// entries returns the shape of a block of rows for this many operands of one size, followed by
// variant, if any.
func entries(operands int, variant ...int) func(elements, rank int) []int {
	const q = 256
	return func(elements, _ int) []int {
		if rows := min(elements/operands/q, 32); rows > 0 {
			return append([]int{rows, q}, variant...)
		}
		return nil
	}
}

// forElements describes a kernel that reads and writes so many p x q operands entry by entry, masks aside. Its shapes are
// for the ends of rows, and for rows and columns beyond one call. Some have masks of several bytes a row.
func forElements[T kernel.Float](name, body string, operands, ops int, setup func(s source[T], p, q int) func() T) Kernel[T] {
	return Kernel[T]{
		Name: name, Body: body,
		setup:  func(s source[T], shape []int) func() T { return setup(s, shape[0], shape[1]) },
		Shapes: append(grid([]int{1, 2}, append(upTo(51), 0)), []int{0, 3}, []int{3, 4097}, []int{700, 65}, []int{2, long}), everyPlace: true,
		Distinct: [][]int{{3, 7}, {5, 40}},
		Large:    largeOf([]int{0, 2}),
		Most:     []int{300, 2 * long},
		Work:     volume,
		measures: []measure{{ops: ops, shape: entries(operands)}},
	}
}

// passes returns the measures of a rank-one pass: on so many operands without an update, and on two with one.
func passes(operands, ops, updated int) []measure {
	return []measure{
		{ops: ops, shape: entries(operands, 1+int(kernel.Never))},
		{variant: "update before", ops: updated, shape: entries(2, 1+int(kernel.Before))},
		{variant: "update after", ops: updated, shape: entries(2, 1+int(kernel.After))},
	}
}

// changed returns the matrix that a pass changes if it updates, and only reads if not.
func changed[T kernel.Float](s source[T], name string, rows, cols int, when kernel.When) *operand[T] {
	if when == kernel.Never {
		return s.In(name, rows, cols)
	}
	return s.InOut(name, rows, cols)
}

// penalty returns a positive finite penalty.
func penalty[T kernel.Float](s source[T]) T {
	if rho := s.Scalar("rho"); rho > 0 && !math.IsInf(float64(rho), 0) {
		return rho
	}
	return T(1+s.IntN(3)) / 2
}

// rankOne describes a rank-one pass, with a mask or without one, by multipliers or by the augmented
// Lagrangian. Its shapes are rows, columns, 1 + When.
func rankOne[T kernel.Float](name, body string, masked, augmented bool, measures []measure) Kernel[T] {
	return Kernel[T]{
		Name: name, Body: body, Variants: 3,
		Shapes: append(grid(append(upTo(5), 11), []int{1, 7, 8, 9, 15, 16, 17, 33, 67}, upTo(3)),
			append(grid([]int{0, 5}, []int{0, long}, upTo(3)), []int{530, 2000, 1 + int(kernel.After)})...), // the last: blocks of rows
		Distinct: [][]int{{5, 7, 1}, {5, 7, 2}, {4, 40, 3}},
		Large:    largeOf([]int{0, 2}, upTo(3)...),
		Most:     []int{300, 2 * long},
		setup: func(s source[T], shape []int) func() T {
			rows, cols, when := shape[0], shape[1], kernel.When(shape[2]-1)
			acc, v, w := s.InOut("acc", cols), s.InOut("v", rows), s.In("w", cols)
			den, seen := &operand[T]{}, &kernel.Bits{}
			var inv, vv T
			if masked {
				den, seen = s.InOut("den", cols), s.Bits("Seen", rows, cols)
			} else if inv, vv = s.Scalar("inv"), s.Scalar("vv"); s.Once(5) {
				inv = 0
			}
			if augmented {
				m, g, rho := s.In("M", rows, cols), changed(s, "G", rows, cols, when), penalty(s)
				return func() T {
					up := kernel.Augmented[T]{When: when, Rho: rho, M: m.Matrix()}
					if masked {
						s.RankOneAugmentedMasked(acc.Data, den.Data, v.Data, g.Matrix(), w.Data, *seen, up)
						return 0
					}
					return s.RankOneAugmented(acc.Data, v.Data, g.Matrix(), w.Data, inv, vv, up)
				}
			}
			n, m, mu := changed(s, "N", rows, cols, when), &operand[T]{}, T(0)
			if when != kernel.Never {
				m, mu = s.In("M", rows, cols), s.Scalar("mu")
			}
			return func() T {
				up := kernel.Multiplier[T]{When: when, Mu: mu, M: m.Matrix()}
				if masked {
					s.RankOneMasked(acc.Data, den.Data, v.Data, n.Matrix(), w.Data, *seen, up)
					return 0
				}
				return s.RankOne(acc.Data, v.Data, n.Matrix(), w.Data, inv, vv, up)
			}
		},
		Work:     func(shape []int) int { return shape[0] * shape[1] },
		measures: measures,
		apart:    []string{"acc", "den", "v", "w"},
	}
}
