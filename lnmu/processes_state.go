package lnmu

import (
	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/state"
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

// factorOf returns V, or W, as a field of a state: one of them is whole in every process.
func (s source[T]) factorOf(x Dense[T], columns bool) group.Distributed[T] {
	d := group.Distributed[T]{X: x, Columns: columns}
	if columns == s.part.Columns {
		d.First, d.Whole = s.part.First, s.part.Whole
	} else {
		d.Whole = d.Own()
	}
	return d
}

// rowsOf returns x, whose rows are those of the layout, as a field of a state.
func (t *tiled[T]) rowsOf(x kernel.Matrix[T]) group.Distributed[T] {
	return group.Distributed[T]{X: x, First: t.shared.bounds[t.shared.slabs.First], Whole: t.whole.rows}
}

// entriesOf returns what belongs to the stored entries as a field of a state.
func (t *tiled[T]) entriesOf(x []T) group.Distributed[T] {
	return group.Distributed[T]{X: asRow(x), Columns: true, First: t.shared.before, Whole: t.whole.entries}
}

// handIn gives process 0 what it asks for to write a state.
func (t *track[T]) handIn(k int, tr *trace, fields func() []state.Field) {
	e := state.NewPartEncoder(t.comm)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stream(e, t.current(&k, tr, fields))
	e.Serve()
}

// startSums returns the hashes of the given V and W.
func (j *job[T]) startSums() (v, w string) {
	if !j.distributed() {
		return SHA256(j.given.v), SHA256(j.given.w)
	}
	return j.givenSums[0], j.givenSums[1]
}

// sumStart computes what startSums returns, if there are several processes and a
// checkpoint needs it.
func (j *job[T]) sumStart() {
	if !j.distributed() || !j.given.start || !j.saves {
		return
	}
	for i, x := range []Dense[T]{j.given.v, j.given.w} {
		columns := i == 1
		if columns == j.source.part.Columns {
			j.givenSums[i] = (&Joined[T]{j.comm, j.source.factorOf(x, columns)}).SHA256()
		} else {
			j.givenSums[i] = SHA256(x)
		}
	}
}
