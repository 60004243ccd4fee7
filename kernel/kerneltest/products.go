package kerneltest

import "nmu/kernel"

// The products with a factor of r rows. Shapes are p, r, q.

// productShapes returns shapes with all heights and widths of tiles and their edges, and sizes
// beyond one block.
func productShapes(p, r, q []int) [][]int {
	s := grid(p, r, q)
	return append(s, []int{3, 2, 0}, []int{0, 3, 5}, []int{13, 300, 21}, []int{300, 5, 21}, []int{7, 50, 1300})
}

// panel returns how many columns of a factor of r rows take at most a quarter of the working
// set.
func panel(elements, r int) int {
	width := 2048
	for width > 8 && r*width > elements/4 {
		width /= 2
	}
	return width
}

// productBlock returns the shape of a block with p rows of the data, so that at least two
// blocks fit.
func productBlock(elements, r int) []int {
	width := panel(elements, r)
	rows := (elements - r*width) / (width + r)
	if p := min(rows/2, 32); p > 0 {
		return []int{p, r, width}
	}
	return nil
}

// forProduct describes a kernel of p*r*q multiply-adds. All blocks share the factor named resident.
func forProduct[T kernel.Float](name, body, resident string, setup func(s source[T], p, r, q int) func() T) Kernel[T] {
	return Kernel[T]{
		Name: name, Body: body,
		setup:    func(s source[T], shape []int) func() T { return setup(s, shape[0], shape[1], shape[2]) },
		Large:    large,
		Most:     []int{300, 300, long},
		Work:     volume,
		measures: []measure{{ops: 2, shape: productBlock}},
		resident: []string{resident},
	}
}

func contract[T kernel.Float]() Kernel[T] {
	k := forProduct("Contract", "contract", "G", func(s source[T], p, r, q int) func() T {
		x := s.In("X", p, q)
		g, a := x, s.Out("A", r, p)
		if p != r || !s.Once(2) {
			g = s.In("G", r, q)
		}
		return func() T { s.Contract(a.Matrix(), x.Matrix(), g.Matrix()); return 0 }
	})
	k.Shapes = append(productShapes(upTo(5), upTo(8), []int{1, 7, 8, 9, 15, 16, 17, 33, 67}), []int{35, 8, 9000}, []int{77, 2, 1700}, []int{100, 13, 1600}, []int{1000, 2, 70}, []int{6, 3, 35}, []int{7, 3, 17}) // runs of columns; blocks of rows; rows left of four
	k.Distinct = [][]int{{5, 3, 7}, {5, 8, 19}}
	return k
}

// ofOutput describes a kernel that computes tiles of a p x q output.
func ofOutput[T kernel.Float](name string, setup func(s source[T], p, r, q int) func() T) Kernel[T] {
	k := forProduct(name, "outer", "W", setup)
	k.Shapes = productShapes(upTo(9), []int{0, 1, 2, 5}, []int{1, 7, 8, 9, 16, 24, 25, 33, 40, 65, 100})
	k.Distinct = [][]int{{5, 3, 7}, {9, 4, 40}}
	return k
}

func updateMultiplierProduct[T kernel.Float]() Kernel[T] {
	k := ofOutput("UpdateMultiplierProduct", func(s source[T], p, r, q int) func() T {
		n, m := s.InOut("N", p, q), s.In("M", p, q)
		vt, w, mu := s.In("VT", r, p), s.In("W", r, q), s.Scalar("mu")
		return func() T {
			s.UpdateMultiplierProduct(n.Matrix(), m.Matrix(), vt.Matrix(), w.Matrix(), mu)
			return 0
		}
	})
	k.Shapes = append(k.Shapes, []int{3, 700, 2500}) // enough rows of W that the columns are cut
	return k
}

// ofBlock describes a kernel that adds the product with a block of rows.
func ofBlock[T kernel.Float](name string, setup func(s source[T], p, r, q int) func() T) Kernel[T] {
	k := forProduct(name, "outer", "C", setup)
	k.Shapes = productShapes([]int{0, 1, 2, 5}, upTo(9), []int{1, 8, 9, 17, 25, 33, 40, 65, 100})
	k.Distinct = [][]int{{5, 3, 7}, {3, 9, 40}}
	return k
}

func accumulateAhead[T kernel.Float]() Kernel[T] {
	k := ofBlock("AccumulateAhead", func(s source[T], p, r, q int) func() T {
		c, x, vt := s.InOut("C", r, q), s.In("X", p, q), s.In("VT", r, p)
		n, m := s.In("N", p, q), s.In("M", p, q)
		return func() T {
			s.AccumulateAhead(c.Matrix(), vt.Matrix(), x.Matrix(), n.Matrix(), m.Matrix())
			return 0
		}
	})
	k.apart = []string{"N", "M"} // so that the benchmark shows what the prefetches cost
	return k
}
