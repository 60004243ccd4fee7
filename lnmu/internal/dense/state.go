package dense

import (
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/state"
)

// The state of a solver is everything that its iterations change. Checkpoints hold it. Values
// that follow from M and the settings alone are not part of the state: they are formed again
// before a state is restored. If a state lacks a value, a resumed solver ends with other
// bits. A test finds this at every iteration of every configuration.

func (s *solver[T]) State() []state.Field {
	var long any = s.columnsOf(s.long.X)
	if s.allLong.Data != nil {
		long = s.allLong
	}
	return []state.Field{
		state.Factor("long factor", long), state.Factor("short factor", s.short.X),
		state.Named("C", s.c), state.Named("D", s.long.Gram), state.Named("B", s.short.Gram), state.Named("reciprocals of D", s.long.Inv), state.Named("reciprocals of B", s.short.Inv),
	}
}

// rowsOf returns x, whose rows are those of a pass, as a field of a state.
func (l *layout[T]) rowsOf(x kernel.Matrix[T]) group.Distributed[T] {
	return group.Distributed[T]{X: x, First: l.first, Whole: l.whole}
}

// columnsOf is rowsOf for a matrix whose columns are the rows of a pass.
func (l *layout[T]) columnsOf(x kernel.Matrix[T]) group.Distributed[T] {
	return group.Distributed[T]{X: x, Columns: true, First: l.first, Whole: l.whole}
}

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
