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

// elementShapes returns shapes for the ends of rows, and for rows and columns beyond one call.
func elementShapes() [][]int {
	return append(Grid([]int{1, 2}, append(upTo(51), 0)), []int{0, 3}, []int{3, 4097}, []int{700, 65}, []int{2, long})
}

func add[T kernel.Float]() Kernel[T] {
	return Kernel[T]{
		Name: "Add", Body: "add",
		Shapes: elementShapes(), EveryPlace: true,
		Distinct: [][]int{{3, 7}, {5, 40}},
		Large:    largeOf([]int{0, 2}),
		Most:     []int{300, 2 * long},
		Setup: func(s Source[T], shape []int) func() T {
			c, x := s.InOutMatrix("C", shape[0], shape[1]), s.InMatrix("X", shape[0], shape[1])
			return func() T { kernel.Add(c.Matrix(), x.Matrix()); return 0 }
		},
		Work:     volume,
		Measures: []Measure{{Stream: true, Ops: 1, Shape: entries(2)}},
	}
}

func extrapolate[T kernel.Float]() Kernel[T] {
	return Kernel[T]{
		Name: "Extrapolate", Body: "extrapolate",
		Shapes: elementShapes(), EveryPlace: true,
		Distinct: [][]int{{3, 7}, {5, 40}},
		Large:    largeOf([]int{0, 2}),
		Most:     []int{300, 2 * long},
		Setup: func(s Source[T], shape []int) func() T {
			x, before := s.InOutMatrix("X", shape[0], shape[1]), s.InOutMatrix("Before", shape[0], shape[1])
			beta := s.Scalar("beta")
			return func() T { return kernel.Extrapolate(x.Matrix(), before.Matrix(), beta) }
		},
		Work:     volume,
		Measures: []Measure{{Stream: true, Ops: 5, Shape: entries(2)}},
	}
}

func updateMultiplier[T kernel.Float]() Kernel[T] {
	return Kernel[T]{
		Name: "UpdateMultiplier", Body: "update",
		Shapes: elementShapes(), EveryPlace: true,
		Distinct: [][]int{{3, 7}, {5, 40}},
		Large:    largeOf([]int{0, 2}),
		Most:     []int{300, 2 * long},
		Setup: func(s Source[T], shape []int) func() T {
			n := s.InOutMatrix("N", shape[0], shape[1])
			m := s.InMatrix("M", shape[0], shape[1])
			p := s.InMatrix("P", shape[0], shape[1])
			mu := s.Scalar("mu")
			return func() T { kernel.UpdateMultiplier(n.Matrix(), m.Matrix(), p.Matrix(), mu); return 0 }
		},
		Work:     volume,
		Measures: []Measure{{Stream: true, Ops: 3, Shape: entries(3)}},
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
		Work: plane,
		Measures: []Measure{
			{Stream: true, Ops: 4, Shape: entries(1, 1+int(kernel.Never))},
			{Case: "update before", Stream: true, Ops: 8, Shape: entries(2, 1+int(kernel.Before))},
			{Case: "update after", Stream: true, Ops: 8, Shape: entries(2, 1+int(kernel.After))},
		},
		Apart: []string{"acc", "v", "w"},
	}
}
