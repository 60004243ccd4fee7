package dense

import (
	"nmu/kernel"
	"nmu/lnmu/internal/block"
)

// storedState is the state of a solver in a file as a part of a checkpoint.
type storedState[T kernel.Float] struct{ s *solver[T] }

// stateRows returns N or G as a field of a checkpoint.
func (s *solver[T]) stateRows() any {
	if s.files == nil {
		return s.rowsOf(s.n)
	}
	return storedState[T]{s}
}

// Span implements state.Stream.
func (x storedState[T]) Span() (first, count, whole int) {
	return x.s.first * x.s.cols, x.s.rows * x.s.cols, x.s.whole * x.s.cols
}

func (x storedState[T]) Err() error             { return x.s.files.Err() }
func (x storedState[T]) Read(do func(row []T))  { x.each(block.Reads, do) }
func (x storedState[T]) Write(do func(row []T)) { x.each(block.Writes, do) }

// each calls do for the rows of the state, in order. It is no pass of all processes: a single
// process may write a state, or fail to read one.
func (x storedState[T]) each(use block.Access, do func(row []T)) {
	x.s.inOrder(use, false, func(_ int, n kernel.Matrix[T]) {
		for i := range n.Rows {
			do(n.Row(i))
		}
	})
}
