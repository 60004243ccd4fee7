// Package block gives a pass the lines of M and of its state N, a block at a time, from
// memory or from files.
//
// A pass is Begin, then Rows for block after block, then End, then Agree. In memory a block is
// a slice of the matrix, and the other calls do nothing. In files a Prefetcher reads the next
// chunks of lines while the members work on the current ones, and writes changed chunks:
//
//	disk      read 2   read 3   read 4   write 0, read 5   write 1, read 6 ..
//	member    . chunk 0 . . . . chunk 1 . . . . . . chunk 2 . . . . . . .
package block

import "nmu/kernel"

// Access is what a pass does to the lines of M or of N.
type Access uint8

const (
	Untouched Access = 0
	Reads     Access = 1
	Writes    Access = 2
	Updates          = Reads | Writes
)

// The indices of M, or its residual in a recursion, and of the state N, or G.
const (
	OfM = 0
	OfN = 1
)

// Lines are the lines of M and of N: the rows of a tall matrix, the columns of a wide one.
// Members of a team call Rows and Reach concurrently, each with its own number; the other
// methods are for the leader, between passes.
type Lines[T kernel.Float] interface {
	// Begin begins a pass over blocks of this many lines with this access to M and N. If it is
	// cancellable, it is aborted when the work is over. Then the blocks may hold anything, and
	// the results of the pass are to be discarded.
	Begin(block int, m, n Access, cancellable bool)

	// Rows returns lines i0 to i1-1 of M or of N, which are of one block or within reach.
	Rows(member, i0, i1, which int) kernel.Matrix[T]

	// Reach returns the end of the lines from i0 on that Rows can return together, at
	// most last.
	Reach(member, i0, last int) int

	// End ends a pass. All that it has changed is written.
	End()

	// Agree makes Aborted the same in all processes that have lines of M. They call it
	// together, after End.
	Agree()

	// Aborted reports whether the pass is aborted.
	Aborted() bool

	// KeepResidual lets the lines that a pass has written take the place of M.
	KeepResidual()
}

// Memory implements Lines for matrices in memory.
type Memory[T kernel.Float] struct {
	M, N *kernel.Matrix[T]
}

// Begin does nothing.
func (*Memory[T]) Begin(int, Access, Access, bool) {}

// Rows returns lines i0 to i1-1 of M or of N.
func (l *Memory[T]) Rows(_, i0, i1, which int) kernel.Matrix[T] {
	if which == OfN {
		return l.N.Slice(i0, i1, 0, l.N.Cols)
	}
	return l.M.Slice(i0, i1, 0, l.M.Cols)
}

// Reach returns last: Rows can return all lines together.
func (*Memory[T]) Reach(_, _, last int) int { return last }

// End does nothing.
func (*Memory[T]) End() {}

// Agree does nothing: a pass over memory is never aborted.
func (*Memory[T]) Agree() {}

// Aborted returns false: a pass over memory is never aborted.
func (*Memory[T]) Aborted() bool { return false }

// KeepResidual does nothing: a pass writes the residual to M itself.
func (*Memory[T]) KeepResidual() {}
