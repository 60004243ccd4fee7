package kernels

import "nmu/kernel"

// The kernels of linear algebra, in kernel/linear.go.

// panelOf returns the rows, the rank and the columns of the panel of a shape.
func panelOf[T kernel.Float](shape []int) (p, r, q int) {
	h, w := kernel.PanelShape[T]()
	return max(shape[0], 1) * h, shape[1], w
}

// accumulatePanel is on p times the rows of PanelShape, with a factor of r rows.
func accumulatePanel[T kernel.Float]() Kernel[T] {
	h, w := kernel.PanelShape[T]()
	return Kernel[T]{
		Name: "AccumulatePanel", Body: "panel",
		Shapes:   append(Grid(upTo(3), append(upTo(9), 0)), []int{5, 700}, []int{1, 1100}, []int{12, 520}), // the last: several calls of groups
		Distinct: [][]int{{2, 3}, {3, 7}},
		Large:    [][]int{{9000, 3}, {2, 17003}, {150, 40}},
		Most:     []int{40, 300},
		Setup: func(s Source[T], shape []int) func() T {
			p, r, q := panelOf[T](shape)
			s.Fixed(p, q) // by the size of a panel
			c, v, x := s.InOutMatrix("C", p, q), s.InMatrix("V", p, r), s.InMatrix("X", r, q)
			return func() T { kernel.AccumulatePanel(c.Matrix(), v.Matrix(), x.Matrix()); return 0 }
		},
		Work: func(shape []int) int {
			p, r, q := panelOf[T](shape)
			return p * r * q
		},
		Measures: []Measure{{Ops: 2, Shape: func(elements, _ int) []int {
			r := min(elements/4/w, 192)
			if p := min((elements-r*w)/(r+w)/h, 12); r > 0 && p > 0 {
				return []int{p, r}
			}
			return nil
		}}},
		Resident: []string{"X"},
	}
}

func addScaled[T kernel.Float]() Kernel[T] {
	return reduction("AddScaled", "addScaled", 2, 2, func(s Source[T], n int) func() T {
		y, x, a := s.InOut("y", n), s.In("x", n), s.Scalar("a")
		return func() T { kernel.AddScaled(y.Data, a, x.Data); return 0 }
	})
}

func addScaledRows[T kernel.Float]() Kernel[T] {
	return Kernel[T]{
		Name: "AddScaledRows", Body: "addScaled",
		Shapes:     append(Grid(append(upTo(9), 0), append(upTo(51), 0)), []int{3, 4097}, []int{700, 65}, []int{2, long}),
		EveryPlace: true,
		Distinct:   [][]int{{3, 7}, {5, 40}},
		Large:      largeOf([]int{0, 2}),
		Most:       []int{300, 2 * long},
		Setup: func(s Source[T], shape []int) func() T {
			x, y, v := s.InMatrix("X", shape[0], shape[1]), s.InOut("y", shape[1]), s.In("v", shape[0])
			return func() T { kernel.AddScaledRows(y.Data, v.Data, x.Matrix()); return 0 }
		},
		Work:     volume,
		Measures: []Measure{{Stream: true, Ops: 2, Shape: entries(1)}},
		Apart:    []string{"y", "v"},
	}
}

func scale[T kernel.Float]() Kernel[T] {
	return reduction("Scale", "scale", 1, 1, func(s Source[T], n int) func() T {
		x, a := s.InOut("x", n), s.Scalar("a")
		return func() T { kernel.Scale(x.Data, a); return 0 }
	})
}
