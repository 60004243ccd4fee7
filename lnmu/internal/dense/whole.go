package dense

import (
	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// A matrix with a column for each row of a pass, like the long factor, is shared by several
// processes. A step that needs all columns gathers them, and every process makes the step. It has
// the bits of one process, since its sums over the columns do not depend on slabs. With one
// process nothing is copied.

// own returns the columns of this process.
func (l *layout[T]) own(x kernel.Matrix[T]) kernel.Matrix[T] {
	return matrix.View(x, l.first, l.first+l.rows)
}

// complete sets the columns of the other processes to theirs.
func (l *layout[T]) complete(x kernel.Matrix[T]) { group.Complete(l.share, x, l.spans) }

// gather returns the matrix of all processes, in room. x are the columns of this process. With
// one process, which has no room, gather returns x.
func (l *layout[T]) gather(x, room kernel.Matrix[T]) kernel.Matrix[T] {
	if room.Data == nil {
		return x
	}
	matrix.CopyRows(l.own(room), x)
	l.complete(room)
	return room
}

// roomFor returns memory for gather, for a matrix of that many rows.
func (l *layout[T]) roomFor(rows int) (room kernel.Matrix[T]) {
	if l.share.Distributed() {
		room = l.matrix(rows, l.whole)
	}
	return room
}
