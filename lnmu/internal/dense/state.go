package dense

import (
	"nmu/kernel"
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
