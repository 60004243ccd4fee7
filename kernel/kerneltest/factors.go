package kerneltest

import (
	"unsafe"

	"nmu/kernel"
)

// Kernels on the factors: r rows, a panel of columns at a time.

func gram[T kernel.Float]() Kernel[T] {
	return Kernel[T]{
		Name: "Gram", Body: "contract",
		Shapes:   append(grid(upTo(9), []int{0, 1, 8, 15, 16, 17, 67}), []int{49, 33}, []int{9, 9000}),
		Distinct: [][]int{{3, 7}, {9, 17}},
		Large:    largeOf([]int{1, 2}),
		Most:     []int{300, long},
		setup: func(s source[T], shape []int) func() T {
			b, g := s.Out("B", shape[0], shape[0]), s.In("G", shape[0], shape[1])
			return func() T { s.Gram(b.Matrix(), g.Matrix()); return 0 }
		},
		Work: func(shape []int) int { return shape[0] * (shape[0] + 1) / 2 * shape[1] },
		measures: []measure{{ops: 2, shape: func(elements, r int) []int {
			if q := min(panel(elements, r), elements/r); q > 0 {
				return []int{r, q}
			}
			return nil
		}}},
		apart: []string{"B"},
	}
}

func reciprocals[T kernel.Float]() Kernel[T] {
	return Kernel[T]{
		Name:   "Reciprocals",
		Shapes: [][]int{{0}, {1}, {2}, {7}, {33}}, everyPlace: true,
		Distinct: [][]int{{7}},
		Large:    [][]int{{1200}},
		Most:     []int{300},
		setup: func(s source[T], shape []int) func() T {
			inv, b := s.Out("inv", shape[0]), s.In("B", shape[0], shape[0])
			return func() T { s.Reciprocals(inv.Data, b.Matrix()); return 0 }
		},
		Work: func(shape []int) int { return shape[0] },
	}
}

// sweep has the shapes rank, columns, 1 without a mask and 2 with one.
func sweep[T kernel.Float]() Kernel[T] {
	return Kernel[T]{
		Name: "Sweep", Body: "sweep", Variants: 2,
		Shapes: append(grid([]int{1, 2, 3, 7}, append(upTo(18), 31, 32, 33, 47, 48, 49, 65, 97, 113, 128, 129, 200, 0), upTo(2)),
			[]int{49, 53, 1}, []int{120, 70, 2}, []int{400, 67, 1}, []int{0, 3, 1}, []int{2, 1300, 2}),
		Distinct: [][]int{{3, 7, 1}, {3, 7, 2}, {7, 40, 2}},
		Large:    largeOf([]int{1, 2}, upTo(2)...),
		Most:     []int{300, 2000},
		setup: func(s source[T], shape []int) func() T {
			r, q := shape[0], shape[1]
			h, a, b := s.InOut("H", r, q), s.In("A", r, q), s.In("B", r, r)
			inv := s.In("inv", r)
			if s.Once(3) { // as the algorithms have it
				s.Reciprocals(inv.Data, b.Matrix())
			}
			for k := range inv.Data {
				if s.Once(5) {
					inv.Data[k] = 0
				}
			}
			penalty := s.Scalar("penalty")
			mask := &operand[T]{}
			if shape[2] == 2 && q > 0 {
				mask = s.In("mask", r, q)
				for k := range r {
					for j := range q {
						mask.Data[k*mask.Stride+j] = T(s.IntN(2))
					}
				}
			}
			return func() T {
				s.Sweep(h.Matrix(), a.Matrix(), b.Matrix(), inv.Data, penalty, mask.Matrix())
				return 0
			}
		},
		Work: func(shape []int) int { return shape[0] * shape[0] * shape[1] },
		measures: []measure{{ops: 2, shape: func(elements, r int) []int {
			const bytes = 384 // of the columns
			if q := min(bytes/int(unsafe.Sizeof(*new(T))), elements/(2*r)); q > 0 {
				return []int{r, q, 1}
			}
			return nil
		}}},
		apart: []string{"B", "inv"},
	}
}

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
		Shapes:   append(grid(upTo(3), append(upTo(9), 0)), []int{5, 700}, []int{1, 1100}, []int{12, 520}), // the last: several calls of groups
		Distinct: [][]int{{2, 3}, {3, 7}},
		Large:    [][]int{{9000, 3}, {2, 17003}, {150, 40}},
		Most:     []int{40, 300},
		setup: func(s source[T], shape []int) func() T {
			p, r, q := panelOf[T](shape)
			s.Fixed(p, q) // by the size of a panel
			c, v, x := s.InOut("C", p, q), s.In("V", p, r), s.In("X", r, q)
			return func() T { s.AccumulatePanel(c.Matrix(), v.Matrix(), x.Matrix()); return 0 }
		},
		Work: func(shape []int) int {
			p, r, q := panelOf[T](shape)
			return p * r * q
		},
		measures: []measure{{ops: 2, shape: func(elements, _ int) []int {
			r := min(elements/4/w, 192)
			if p := min((elements-r*w)/(r+w)/h, 12); r > 0 && p > 0 {
				return []int{p, r}
			}
			return nil
		}}},
		resident: []string{"X"},
	}
}

func addScaledRows[T kernel.Float]() Kernel[T] {
	return Kernel[T]{
		Name: "AddScaledRows", Body: "addScaled",
		Shapes:     append(grid(append(upTo(9), 0), append(upTo(51), 0)), []int{3, 4097}, []int{700, 65}, []int{2, long}),
		everyPlace: true,
		Distinct:   [][]int{{3, 7}, {5, 40}},
		Large:      largeOf([]int{0, 2}),
		Most:       []int{300, 2 * long},
		setup: func(s source[T], shape []int) func() T {
			x, y, v := s.In("X", shape[0], shape[1]), s.InOut("y", shape[1]), s.In("v", shape[0])
			return func() T { s.AddScaledRows(y.Data, v.Data, x.Matrix()); return 0 }
		},
		Work:     volume,
		measures: []measure{{ops: 2, shape: entries(1)}},
		apart:    []string{"y", "v"},
	}
}
