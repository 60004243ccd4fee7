package lnmu

import (
	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// What a checkpoint holds of a matrix of which each process has a part.

// rowsOf returns x, whose rows are those of a pass, as a field of a state.
func (l *layout[T]) rowsOf(x kernel.Matrix[T]) group.Distributed[T] {
	return group.Distributed[T]{X: x, First: l.first, Whole: l.whole}
}

// columnsOf is rowsOf for a matrix whose columns are the rows of a pass.
func (l *layout[T]) columnsOf(x kernel.Matrix[T]) group.Distributed[T] {
	return group.Distributed[T]{X: x, Columns: true, First: l.first, Whole: l.whole}
}

// rowsOf returns x, whose rows are those of the layout, as a field of a state.
func (t *tiled[T]) rowsOf(x kernel.Matrix[T]) group.Distributed[T] {
	return group.Distributed[T]{X: x, First: t.shared.bounds[t.shared.slabs.First], Whole: t.whole.rows}
}

// entriesOf returns what belongs to the stored entries as a field of a state.
func (t *tiled[T]) entriesOf(x []T) group.Distributed[T] {
	return group.Distributed[T]{X: matrix.AsRow(x), Columns: true, First: t.shared.before, Whole: t.whole.entries}
}

// startSums returns the hashes of V and W, of one of which each process has a part.
func startSums[T Float](all Processes, v, w Dense[T], part core.Part) (string, string) {
	if all.Size() == 1 {
		return SHA256(v), SHA256(w)
	}
	if part.Columns {
		return SHA256(v), (&Joined[T]{all, group.Distributed[T]{X: w, Columns: true, First: part.First, Whole: part.Whole}}).SHA256()
	}
	return (&Joined[T]{all, group.Distributed[T]{X: v, First: part.First, Whole: part.Whole}}).SHA256(), SHA256(w)
}
