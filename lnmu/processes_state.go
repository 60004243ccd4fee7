package lnmu

import (
	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
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

// factorV returns V as a field of a state. It is whole in every process if M is wide.
func (s source[T]) factorV(v Dense[T]) any { return s.factorOf(v, false) }

// factorW returns W as a field of a state. It is whole in every process if M is tall.
func (s source[T]) factorW(w Dense[T]) any { return s.factorOf(w, true) }

func (s source[T]) factorOf(x Dense[T], columns bool) any {
	if columns != s.part.Columns {
		return x
	}
	return group.Distributed[T]{X: x, Columns: columns, First: s.part.First, Whole: s.part.Whole}
}

// rowsOf returns x, whose rows are those of the layout, as a field of a state.
func (t *tiled[T]) rowsOf(x kernel.Matrix[T]) group.Distributed[T] {
	return group.Distributed[T]{X: x, First: t.shared.bounds[t.shared.slabs.First], Whole: t.whole.rows}
}

// entriesOf returns what belongs to the stored entries as a field of a state.
func (t *tiled[T]) entriesOf(x []T) group.Distributed[T] {
	return group.Distributed[T]{X: matrix.AsRow(x), Columns: true, First: t.shared.before, Whole: t.whole.entries}
}

// handIn gives process 0 what it asks for to write a state.
func (t *checkpointer[T]) handIn(k int, tr *trace, fields func() []state.Field) {
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
	for i, x := range []any{j.source.factorV(j.given.v), j.source.factorW(j.given.w)} {
		switch x := x.(type) {
		case Dense[T]:
			j.givenSums[i] = SHA256(x)
		case group.Distributed[T]:
			j.givenSums[i] = (&Joined[T]{j.comm, x}).SHA256()
		}
	}
}
