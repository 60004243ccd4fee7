package tiles

import (
	"slices"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// Part returns the number of rows of V and of columns of W that this process works on, and
// which part of the factors they are. The layout cuts one factor; the other one is whole.
func (x Input[T]) Part() (rows, cols int, part core.Part) {
	h, whole := x.layout()
	own := h.rows(x.comm.Rank())
	part = core.Part{First: own.From, Whole: whole.Rows, Columns: x.ofCols != nil}
	if part.Columns {
		return x.rows, own.Len(), part
	}
	return own.Len(), x.cols, part
}

// everyone returns the same span for all processes.
func (x Input[T]) everyone(length int) []group.Span {
	return slices.Repeat([]group.Span{{To: length}}, x.comm.Size())
}

// shares returns the group.Share of each process.
func (x Input[T]) shares() []group.Span {
	all := x.everyone(0)
	for rank := range all {
		all[rank].From, all[rank].To = group.Share(max(x.rows, x.cols), rank, len(all))
	}
	return all
}

// FromParts redistributes V and W from group.Share to the layout: v and w are the parts of this
// process by group.Share, and the results are the parts that it works on. v and w may be empty.
func (x Input[T]) FromParts(v, w kernel.Matrix[T]) (kernel.Matrix[T], kernel.Matrix[T]) {
	if v.Cols == 0 || x.comm.Size() == 1 {
		return v, w
	}
	rank := x.comm.Rank()
	switch {
	case x.cols <= x.rows:
		return group.MoveRows(x.comm, matrix.Clone(v), x.shares(), x.ofRows.all()), w
	case x.ofCols != nil:
		return v, group.MoveRows(x.comm, w.Transposed(), x.shares(), x.ofCols.all()).Transposed()
	}
	own := x.ofRows.rows(rank)
	return v.Slice(own.From, own.To, 0, v.Cols), group.MoveRows(x.comm, w.Transposed(), x.shares(), x.everyone(x.cols)).Transposed()
}

// ToParts is the inverse of FromParts.
func (x Input[T]) ToParts(v, w kernel.Matrix[T]) (kernel.Matrix[T], kernel.Matrix[T]) {
	switch {
	case x.comm.Size() == 1:
		return v, w
	case x.cols <= x.rows:
		return group.MoveRows(x.comm, v, x.ofRows.all(), x.shares()), w
	case x.ofCols != nil:
		return v, group.MoveRows(x.comm, w.Transposed(), x.ofCols.all(), x.shares()).Transposed()
	}
	own := x.shares()[x.comm.Rank()]
	return group.MoveRows(x.comm, v, x.ofRows.all(), x.everyone(x.rows)), matrix.Clone(w.Slice(0, w.Rows, own.From, own.To))
}

// ForRows returns the rows of V that belong to the rows of M in this process, and all of W.
func (x Input[T]) ForRows(v, w kernel.Matrix[T]) (kernel.Matrix[T], kernel.Matrix[T]) {
	if x.ofCols == nil || x.comm.Size() == 1 {
		return v, w
	}
	own := x.ofRows.rows(x.comm.Rank())
	return v.Slice(own.From, own.To, 0, v.Cols), group.MoveRows(x.comm, w.Transposed(), x.ofCols.all(), x.everyone(x.cols)).Transposed()
}
