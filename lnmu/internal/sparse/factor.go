package sparse

import (
	"nmu/internal/memory"
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/state"
	"nmu/lnmu/internal/tiles"
)

// factor is one factor, with a row for each row or column of M.
type factor[T kernel.Float] struct {
	hals.Side[T]
	slabs []int         // of the rows
	parts group.Sums[T] // parts of the Gram matrix and of the sums of the vectors

	gramTask func(member, task int) // forms the parts without renewing anything
}

func newFactor[T kernel.Float](a *arena.Arena, h *group.Reducer, slabs []int, own group.Span, whole, rank, members int) factor[T] {
	like := func() kernel.Matrix[T] { return vectors[T](a, own.Len(), rank) }
	zeros := func(rows, cols int) kernel.Matrix[T] { return arena.Matrix[T](a, rows, cols) }
	f := factor[T]{Side: hals.NewSide(h, own, whole, rank, true, like), slabs: slabs, parts: group.NewSums(h, members, 1, rank, rank, zeros)}
	if f.Gram = f.parts.Total().Gram; !a.Dry() {
		f.Sum = f.parts.Total().Product.Row(0)
	}
	f.Undoable()
	return f
}

// vectors returns a zero matrix of rows vectors of r numbers, for random access. The zeros behind
// a vector complete its last cache line.
func vectors[T kernel.Float](a *arena.Arena, rows, r int) kernel.Matrix[T] {
	stride := tiles.Padded[T](r)
	m := arena.Matrix[T](a, 1, rows*stride)
	memory.HugePages(m.Data)
	return kernel.Matrix[T]{Rows: rows, Cols: r, Data: m.Data[:min(len(m.Data), rows*stride)], Stride: stride}
}

// padded returns rows [i0, i1) of vectors with zeros behind each. The sparse kernels take them like
// other numbers, since loops over whole vectors of the machine are faster.
func padded[T kernel.Float](x kernel.Matrix[T], i0, i1 int) kernel.Matrix[T] {
	return kernel.Matrix[T]{Rows: i1 - i0, Cols: min(x.Stride, kernel.SparseWidth[T](x.Cols)), Data: x.Data[i0*x.Stride : i1*x.Stride], Stride: x.Stride}
}

// numbers returns a matrix of one column and stride 1 as a matrix of one row.
func numbers[T kernel.Float](m kernel.Matrix[T]) kernel.Matrix[T] {
	return matrix.AsRow(m.Data[:m.Rows])
}

// fillRows sets every row of a to x, and the gaps between rows to zeros.
func fillRows[T kernel.Float](a kernel.Matrix[T], x []T) {
	copy(a.Data, x)
	clear(a.Data[min(len(x), len(a.Data)):min(a.Stride, len(a.Data))])
	for done := a.Stride; done < len(a.Data); done *= 2 {
		copy(a.Data[done:], a.Data[:done])
	}
}

// folded returns the task that does the work for each slab of a task.
func (f *factor[T]) folded(work func(member, slab int, to *group.Part[T])) func(member, task int) {
	return func(member, task int) {
		f.parts.Fold(member, task, func(to *group.Part[T], slab int) { work(member, slab, to) })
	}
}

// collect adds up the Gram matrices and sums of all slabs, and forms the reciprocals.
func (f *factor[T]) collect() {
	f.parts.AddProducts(0, f.Gram.Cols)
	f.parts.AddGrams()
	f.parts.AllReduce()
	f.Invert()
}

// sizesOf returns the sizes of vector k, from the sums over all slabs.
func sizesOf[T kernel.Float](f *hals.Side[T], k int) hals.Sizes {
	return hals.Sizes{Sum: float64(f.Sum[k]), Squares: float64(f.Gram.Row(k)[k])}
}

// state returns the fields of a factor. h are its rows, or the part of them that a process has.
func (f *factor[T]) state(h any) []state.Field {
	return []state.Field{state.Factor("factor", h), state.Named("Gram matrix", f.Gram), state.Named("reciprocals", f.Inv), state.Named("sum", f.Sum)}
}
