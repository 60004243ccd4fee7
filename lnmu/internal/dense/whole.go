package dense

import (
	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// A matrix with a column for each row of a pass, as the long factor is, belongs to several
// processes. What needs the whole of it is done by each of them, with the bits of one
// process: the sums over its columns are not those of slabs. In a group of one it is whole
// where it lies.

// own returns the columns of this process.
func (l *layout[T]) own(x kernel.Matrix[T]) kernel.Matrix[T] {
	return matrix.View(x, l.first, l.first+l.rows)
}

// complete sets the columns of the other processes to theirs.
func (l *layout[T]) complete(x kernel.Matrix[T]) { group.Complete(l.share, x, l.spans) }

// gather returns the whole of the matrix of which this process has the columns x: in room,
// unless there is but one process. They are the same memory then.
func (l *layout[T]) gather(x, room kernel.Matrix[T]) kernel.Matrix[T] {
	if !l.share.Distributed() {
		return x
	}
	matrix.CopyRows(l.own(room), x)
	l.complete(room)
	return room
}

// roomFor returns memory for gather, for so many rows.
func (l *layout[T]) roomFor(rows int) (room kernel.Matrix[T]) {
	if l.share.Distributed() {
		room = kernel.NewMatrix[T](rows, l.whole)
	}
	return room
}
