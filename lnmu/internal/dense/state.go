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

// columnsOf returns x, whose columns are the rows of a pass, as a field of a state.
func (l *layout[T]) columnsOf(x kernel.Matrix[T]) group.Distributed[T] {
	return group.Distributed[T]{X: x, Columns: true, First: l.first, Whole: l.whole}
}

// stateRows is N or G as a field of a checkpoint: it implements group.Scattered.
type stateRows[T kernel.Float] struct{ s *solver[T] }

// Turns implements group.Scattered.
func (x stateRows[T]) Turns() int { return 1 }

// Span implements group.Scattered.
func (x stateRows[T]) Span() (first, count, whole int) {
	return x.s.first * x.s.cols, x.s.rows * x.s.cols, x.s.whole * x.s.cols
}

// Err implements group.Scattered.
func (x stateRows[T]) Err() error {
	if x.s.files == nil {
		return nil
	}
	return x.s.files.Err()
}

func (x stateRows[T]) Read(_ int, do func(row []T))  { x.each(block.Reads, do) }
func (x stateRows[T]) Write(_ int, do func(row []T)) { x.each(block.Writes, do) }

// each calls do for the rows of the state, in order. It is no pass of all processes: a single
// process may write a state, or fail to read one.
func (x stateRows[T]) each(use block.Access, do func(row []T)) {
	x.s.inOrder(use, false, func(_ int, n kernel.Matrix[T]) {
		for i := range n.Rows {
			do(n.Row(i))
		}
	})
}
