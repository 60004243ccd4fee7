package kernels

import "nmu/kernel"

// The kernels that read matrices entry by entry.

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
func forElements[T kernel.Float](name, body string, operands, ops int, setup func(s Source[T], p, q int) func() T) Kernel[T] {
	return Kernel[T]{
		Name: name, Body: body,
		Setup:  func(s Source[T], shape []int) func() T { return setup(s, shape[0], shape[1]) },
		Shapes: append(Grid([]int{1, 2}, append(upTo(51), 0)), []int{0, 3}, []int{3, 4097}, []int{700, 65}, []int{2, long}), EveryPlace: true,
		Distinct: [][]int{{3, 7}, {5, 40}},
		Large:    largeOf([]int{0, 2}),
		Most:     []int{300, 2 * long},
		Work:     volume,
		Measures: []Measure{{Stream: true, Ops: ops, Shape: entries(operands)}},
	}
}

func add[T kernel.Float]() Kernel[T] {
	return forElements("Add", "add", 2, 1, func(s Source[T], p, q int) func() T {
		c, x := s.InOutMatrix("C", p, q), s.InMatrix("X", p, q)
		return func() T { kernel.Add(c.Matrix(), x.Matrix()); return 0 }
	})
}

func extrapolate[T kernel.Float]() Kernel[T] {
	return forElements("Extrapolate", "extrapolate", 2, 5, func(s Source[T], p, q int) func() T {
		x, before, beta := s.InOutMatrix("X", p, q), s.InOutMatrix("Before", p, q), s.Scalar("beta")
		return func() T { return kernel.Extrapolate(x.Matrix(), before.Matrix(), beta) }
	})
}

func updateMultiplier[T kernel.Float]() Kernel[T] {
	return forElements("UpdateMultiplier", "update", 3, 3, func(s Source[T], p, q int) func() T {
		n, m, vw, mu := s.InOutMatrix("N", p, q), s.InMatrix("M", p, q), s.InMatrix("P", p, q), s.Scalar("mu")
		return func() T { kernel.UpdateMultiplier(n.Matrix(), m.Matrix(), vw.Matrix(), mu); return 0 }
	})
}

// passes returns the measures of a rank-one pass: on so many operands without an update, and on two with one.
func passes(operands, ops, updated int) []Measure {
	return []Measure{
		{Stream: true, Ops: ops, Shape: entries(operands, 1+int(kernel.Never))},
		{Case: "update before", Stream: true, Ops: updated, Shape: entries(2, 1+int(kernel.Before))},
		{Case: "update after", Stream: true, Ops: updated, Shape: entries(2, 1+int(kernel.After))},
	}
}

// rankOne has the shapes rows, columns, 1 + When.
func rankOne[T kernel.Float]() Kernel[T] {
	return Kernel[T]{
		Name: "RankOne", Body: "rankOne", Variants: 3,
		Shapes: append(Grid(append(upTo(5), 11), []int{1, 7, 8, 9, 15, 16, 17, 33, 67}, upTo(3)),
			append(Grid([]int{0, 5}, []int{0, long}, upTo(3)), []int{530, 2000, 1 + int(kernel.After)})...), // the last: blocks of rows
		Distinct: [][]int{{5, 7, 1}, {5, 7, 2}, {4, 40, 3}},
		Large:    largeOf([]int{0, 2}, upTo(3)...),
		Most:     []int{300, 2 * long},
		Setup: func(s Source[T], shape []int) func() T {
			rows, cols := shape[0], shape[1]
			acc, v, w := s.InOut("acc", cols), s.InOut("v", rows), s.In("w", cols)
			inv, vv := s.Scalar("inv"), s.Scalar("vv")
			if s.Once(5) {
				inv = 0
			}
			up := kernel.Multiplier[T]{When: kernel.When(shape[2] - 1)}
			if up.When == kernel.Never {
				n := s.InMatrix("N", rows, cols)
				return func() T { return kernel.RankOne(acc.Data, v.Data, n.Matrix(), w.Data, inv, vv, up) }
			}
			n, m := s.InOutMatrix("N", rows, cols), s.InMatrix("M", rows, cols)
			up.Mu = s.Scalar("mu")
			return func() T {
				up.M = m.Matrix()
				return kernel.RankOne(acc.Data, v.Data, n.Matrix(), w.Data, inv, vv, up)
			}
		},
		Work:     plane,
		Measures: passes(1, 4, 8),
		Apart:    []string{"acc", "v", "w"},
	}
}
