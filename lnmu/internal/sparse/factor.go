package sparse

import (
	"nmu/internal/memory"
	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/qp"
	"nmu/lnmu/internal/state"
	"nmu/lnmu/internal/tiles"
)

// factor is one factor, with the sums that a step for the other factor needs.
type factor[T kernel.Float] struct {
	h     kernel.Matrix[T] // a row for each row or column of M
	old   kernel.Matrix[T] // h at the beginning of the iteration
	gram  kernel.Matrix[T] // HᵀH
	inv   []T              // reciprocals of its diagonal
	sum   []T              // Σ of the rows of h
	slabs []int            // of the rows of h
	among *group.Reducer   // of the slabs
	held  group.Span       // vectors that no step changes
	mask  kernel.Matrix[T] // 1 for the entries that steps may change, in the layout of h; or empty
	other *factor[T]
	parts group.Sums[T] // parts of gram and sum

	hals.Sweeps
	penalty T // l1, half of it
	small   negligible[T]
	simplex []*qp.Simplex // one per member, if the vectors have the sum 1; else nil

	// of the accelerated solver
	within bool             // h is extrapolated when it is renewed; old keeps the h before
	before kernel.Matrix[T] // what h is extrapolated from
	beta   T
}

func newFactor[T kernel.Float](h *group.Reducer, slabs []int, rank, members int) factor[T] {
	rows := slabs[len(slabs)-1]
	parts := group.NewSums[T](h, members, 1, rank, rank)
	return factor[T]{
		h: vectors[T](rows, rank), old: vectors[T](rows, rank),
		gram: parts.Total().Gram, inv: make([]T, rank), sum: parts.Total().Product.Row(0),
		small: negligible[T]{make([]T, rank), new(negligibleCount)},
		slabs: slabs, Sweeps: hals.Sweeps{Most: 1}, parts: parts, among: h,
	}
}

// vectors returns a zero matrix of rows vectors of r numbers, for random access. The zeros behind
// a vector complete its last cache line.
func vectors[T kernel.Float](rows, r int) kernel.Matrix[T] {
	stride := tiles.Padded[T](r)
	m := kernel.NewMatrix[T](1, rows*stride)
	memory.HugePages(m.Data)
	return kernel.Matrix[T]{Rows: rows, Cols: r, Data: m.Data[:rows*stride], Stride: stride}
}

// padded returns rows [i0, i1) of vectors with the zeros behind each. The sparse kernels take them
// like other numbers, since loops over whole cache lines are faster.
func padded[T kernel.Float](x kernel.Matrix[T], i0, i1 int) kernel.Matrix[T] {
	return kernel.Matrix[T]{Rows: i1 - i0, Cols: x.Stride, Data: x.Data[i0*x.Stride : i1*x.Stride], Stride: x.Stride}
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

// set sets every held vector k to row k0 + k of x.
func (f *factor[T]) set(held group.Span, x kernel.Matrix[T], k0 int) {
	for k := held.From; k < held.To; k++ {
		for i, a := range x.Row(k0 + k) {
			f.h.Row(i)[k] = a
		}
	}
}

// clear sets all vectors to zero except the held ones.
func (f *factor[T]) clear() {
	for i := range f.h.Rows {
		row := f.h.Row(i)
		clear(row[:f.held.From])
		clear(row[f.held.To:])
	}
}

func (f *factor[T]) vanished() bool {
	for k := range f.gram.Rows {
		if f.gram.Data[k*f.gram.Stride+k] != 0 {
			return false
		}
	}
	return true
}

// keepSupport restricts the following sweeps to the entries that are positive now.
func (f *factor[T]) keepSupport() {
	f.mask = vectors[T](f.h.Rows, f.h.Cols)
	for i := range f.h.Rows {
		row := f.mask.Row(i)
		for k, x := range f.h.Row(i) {
			if x > 0 {
				row[k] = 1
			}
		}
	}
}

// collect adds up the Gram matrices and sums of all slabs, and forms the reciprocals.
func (f *factor[T]) collect() {
	f.parts.AddProducts(0, f.gram.Cols)
	f.parts.AddGrams()
	f.parts.AllReduce()
	f.invert()
}

// invert forms the reciprocals for sweeps of the other factor, with zeros for the vectors that
// the other factor holds.
func (f *factor[T]) invert() {
	kernel.Reciprocals(f.inv, f.gram)
	clear(f.inv[f.other.held.From:f.other.held.To])
}

// multiply multiplies all vectors by α except the held ones. Vectors that the other factor holds
// are multiplied by α².
func (f *factor[T]) multiply(alpha T, held, other group.Span) {
	for i := range f.h.Rows {
		row := f.h.Row(i)
		for k := range row {
			switch {
			case held.Has(k):
			case other.Has(k):
				row[k] *= alpha * alpha
			default:
				row[k] *= alpha
			}
		}
	}
}

// shift multiplies a factor by a power of two, and scales its sums to match.
func (f *factor[T]) shift(c T) {
	for _, x := range []struct {
		data []T
		by   T
	}{{f.h.Data, c}, {f.sum, c}, {f.gram.Data, c * c}, {f.inv, 1 / (c * c)}} {
		for i := range x.data {
			x.data[i] *= x.by
		}
	}
}

// negligible counts the entries of a factor that are negligible in their vector.
type negligible[T kernel.Float] struct {
	largest []T              // entry of each vector
	count   *negligibleCount // without pointers beside it, since other processes receive its bytes
}

type negligibleCount struct{ zeros, entries int }

// zeros returns the proportion of entries that are negligible in their vector. Each process of
// among has some of the rows.
func (f *factor[T]) zeros(among group.Comm) float64 {
	most, all := f.small.largest, f.small.count
	clear(most)
	all.zeros, all.entries = 0, 0
	group.Ring(among, group.Memory(most), func() {
		for i := range f.h.Rows {
			for k, x := range f.h.Row(i) {
				most[k] = max(most[k], x)
			}
		}
	})
	group.Ring(among, group.Bytes(all), func() {
		all.entries += f.h.Rows * f.h.Cols
		for i := range f.h.Rows {
			for k, x := range f.h.Row(i) {
				if !(most[k] > 0) || x < matrix.LeastOf(most[k]) {
					all.zeros++
				}
			}
		}
	})
	return float64(all.zeros) / float64(all.entries)
}

// extrapolate extrapolates rows [i0, i1) of h.
func (f *factor[T]) extrapolate(i0, i1 int) {
	kernel.Extrapolate(f.h.Slice(i0, i1, 0, f.h.Cols), f.before.Slice(i0, i1, 0, f.h.Cols), f.beta)
}

// back restores rows [i0, i1) of h from before the iteration.
func (f *factor[T]) back(i0, i1 int) {
	for i := i0; i < i1; i++ {
		if f.within {
			copy(f.before.Row(i), f.old.Row(i))
		}
		copy(f.h.Row(i), f.before.Row(i))
	}
}

// state returns the fields of a factor. h are its rows, or the part of them that a process has.
func (f *factor[T]) state(h any) []state.Field {
	return []state.Field{state.Factor("factor", h), state.Named("Gram matrix", f.gram), state.Named("reciprocals", f.inv), state.Named("sum", f.sum)}
}
