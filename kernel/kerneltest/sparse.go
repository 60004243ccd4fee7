package kerneltest

import (
	"slices"

	"nmu/kernel"
)

// The kernels of a sparse matrix. Shapes are rows, columns, entries, r.

// callEntries is the number of entries in a call of assembly at most.
const callEntries = 1 << 14

// pattern returns a pattern with rows of random lengths, some of them empty, but two rows of many entries
// are of one length, so that each takes several calls. Columns are in any order and may repeat. The
// pattern is a view of a larger one. Without rows or columns it has no entries.
func pattern[T kernel.Float](s source[T], shape []int) kernel.Pattern {
	rows, cols, entries := shape[0], shape[1], shape[2]
	before, behind := 3, 2
	if rows == 0 || cols == 0 {
		entries, before, behind = 0, 0, 0
	}
	idx := make([]int32, before+entries+behind)
	for t := range idx {
		idx[t] = int32(s.IntN(cols))
	}
	ptr := make([]int, rows+3)
	for i := 2; i <= rows; i++ {
		ptr[i] = before + s.IntN(entries+1)
		if rows == 2 && entries > callEntries {
			ptr[i] = before + entries/2
		}
	}
	ptr[1], ptr[rows+1], ptr[rows+2] = before, before+entries, len(idx)
	slices.Sort(ptr)
	p, err := kernel.NewPattern(cols, ptr, idx)
	if err != nil {
		panic(err) // this one is right
	}
	s.Fixed(rows, cols, entries)
	return p.Slice(1, rows+1)
}

// forSparse describes a kernel of r multiply-adds for each entry.
func forSparse[T kernel.Float](name, body string, setup func(s source[T], at kernel.Pattern, rows, cols, r int) func() T) Kernel[T] {
	return Kernel[T]{
		Name: name, Body: body,
		shorter: func(shape []int) bool { // rows of a half and of one and a half vectors
			return len(shape) > 0 && (shape[3]*sizeOf[T]() == 32 || shape[3]*sizeOf[T]() == 96)
		},
		setup: func(s source[T], shape []int) func() T {
			return setup(s, pattern(s, shape), shape[0], shape[1], shape[3])
		},
		Shapes: append(grid([]int{1, 5}, []int{1, 7}, []int{1, 23}, append(upTo(34), 40, 47, 48, 49, 56, 63, 64, 65, 72, 80, 96, 100, 112, 128, 129)),
			[]int{3, 5, 0, 4}, []int{2, 3, 5, 0}, []int{2, 40, 3000, 50}, []int{900, 40, 1500, 61}, []int{3, 4, 20000, 10}),
		Distinct: [][]int{{5, 7, 23, 3}, {4, 6, 30, 19}},
		Large:    [][]int{{1, 9, 300_000, 5}, {100_000, 9, 300_000, 1}, {5, 30, 15_000, 200}, {20, 40, 1400, 16384}},
		Most:     []int{60, 300, 3600, 100},
		Work:     func(shape []int) int { return shape[2] * shape[3] },
		measures: []measure{{ops: 2, shape: sparseBlock(64, 24, 10)}},
	}
}

// sparseBlock returns the whole working set as one block: a row for every perRow elements, 20 entries a row, and a column
// for every perCol, so that the vectors of the columns take most of it. last is the rank, or a variant of vectors of one number.
func sparseBlock(perRow, perCol, last int) func(elements, _ int) []int {
	return func(elements, _ int) []int {
		const each = 20
		rows, cols := elements/perRow, elements/perCol
		if rows == 0 || cols == 0 {
			return nil
		}
		return []int{rows, cols, each * rows, last}
	}
}

// ratioProduct is the type of the kernels of forRatios.
type ratioProduct[T kernel.Float] = func(p []T, sum kernel.Matrix[T], at kernel.Pattern, m []T, least T, v, x kernel.Matrix[T])

// forRatios is forSparse for 2r multiply-adds for each entry, which are added to rows or, if transposed, to columns. rankIn 16
// makes whole groups of lanes.
func forRatios[T kernel.Float](name string, transposed bool, of func(f *Functions[T]) ratioProduct[T]) Kernel[T] {
	k := forSparse(name, "sampled", func(s source[T], at kernel.Pattern, rows, cols, r int) func() T {
		p, m, least := s.Out("P", at.Len()), s.In("M", at.Len()), s.Scalar("least")
		lines := rows
		if transposed {
			lines = cols
		}
		sum, v, x := s.InOut("A", lines, r), s.In("V", rows, r), s.In("X", cols, r)
		return func() T {
			of(s.Functions)(p.Data, sum.Matrix(), at, m.Data, least, v.Matrix(), x.Matrix())
			return 0
		}
	})
	k.Shapes = append(k.Shapes, []int{3, 4, 9000, 16}, []int{300, 40, 9000, 16}) // rows of several calls; several calls of rows
	k.Work = func(shape []int) int { return 2 * shape[2] * shape[3] }
	k.Large = append(k.Large, []int{1, 9, 300_000, 16}, []int{200, 30, 60_000, 48}) // of whole groups
	k.measures = []measure{{ops: 2, shape: sparseBlock(144, 64, 16)}}
	return k
}

// sparseRankOne has no r. The fourth number of the shape says whether the multipliers are
// updated.
func sparseRankOne[T kernel.Float]() Kernel[T] {
	return Kernel[T]{
		Name: "SparseRankOne", Body: "sparseRankOne", shorter: func([]int) bool { return true }, Variants: 2,
		Shapes: append(grid([]int{1, 2, 5}, []int{1, 7, 40}, append(upTo(18), 0, 23, 64, 300), upTo(2)),
			[]int{0, 5, 0, 1}, []int{900, 40, 1500, 2}, []int{3, 4, 20000, 2},
			[]int{2, 9, 150_000, 1}, []int{2, 9, 150_000, 2}, []int{200, 9, 90_000, 2}), // rows of several calls; several calls of rows
		Distinct: [][]int{{5, 7, 23, 1}, {4, 6, 30, 2}},
		Large:    [][]int{{1, 9, 1_200_000, 1}, {2, 9, 300_000, 2}, {100_000, 9, 300_000, 2}},
		Most:     []int{60, 300, 3600},
		setup: func(s source[T], shape []int) func() T {
			rows, cols := shape[0], shape[1]
			at := pattern(s, shape)
			c, v, w := s.InOut("c", cols), s.InOut("v", rows), s.In("w", cols)
			step := kernel.SparseStep[T]{G: s.Scalar("g"), Base: s.Scalar("base"), Inv: s.Scalar("inv")}
			if s.Once(5) {
				step.Inv = 0
			}
			if at.Len() > callEntries && !s.Once(4) {
				step.Base = 1000 // no sum is negative, and so each shows what its lanes began with
			}
			n, m := s.In, &operand[T]{}
			if step.Update = shape[3] == 2; step.Update {
				n = s.InOut
			}
			entries := n("N", at.Len())
			if step.Update {
				m, step.Mu = s.In("M", at.Len()), s.Scalar("mu")
			}
			return func() T {
				step.M = m.Data
				s.SparseRankOne(c.Data, v.Data, at, entries.Data, w.Data, step)
				return 0
			}
		},
		Work: func(shape []int) int { return shape[2] },
		measures: []measure{
			{ops: 4, shape: sparseBlock(64, 24, 1)},
			{variant: "update", ops: 9, shape: sparseBlock(64, 24, 2)},
		},
	}
}
