package sparse

import (
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/tiles"
)

// Multiplier implements core.Startable by a solver whose factors are vectors that are multiplied by N.
func (p *problem[T]) Multiplier(vectors int) core.Multiplier[T] {
	a := p.at
	if a.vectors == nil || a.vectors.rank != vectors {
		a.vectors = newSolver(a.layout, vectors, a.missing)
		a.vectors.multiplies = true
	}
	return a.vectors
}

// Dims implements core.Multiplier: the rows of the layout are the longer side, even where
// M is kept by rows although it is wide.
func (s *solver[T]) Dims() (long, short int) { return s.Whole.Rows, s.short.X.Rows }

// Memory implements core.Multiplier.
func (s *solver[T]) Memory() *arena.Arena { return s.Arena }

// Multiply implements core.Multiplier.
func (s *solver[T]) Multiply(short bool, dst, src kernel.Matrix[T]) {
	if short {
		s.long.X.SetTransposed(s.own(src))
		s.renewShort(0)
		dst.SetTransposed(s.short.X)
		return
	}
	s.short.X.SetTransposed(src)
	s.renewLong(0)
	s.gather(dst)
}

// Tall implements core.Multiplier.
func (s *solver[T]) Tall() bool { return !s.Wide }

// ColumnSquares implements core.Multiplier, in the order of the rows of M.
func (s *solver[T]) ColumnSquares(sums []float64) {
	rows := s.Own
	group.Ring(s.Among(), group.Memory(sums), func() {
		s.EveryTile([3]block.Access{block.OfN: block.Reads}, true, func(slab int, x tiles.Tile[T]) {
			for i := range x.Rows() {
				t0, t1 := x.Entries(i, i+1)
				for k, j := range x.Row(i) {
					if s.Wide {
						j = int32(rows.From + s.Slabs[slab] + i)
					}
					n := float64(x.N[t0:t1][k])
					sums[j] += float64(n * n)
				}
			}
		})
	})
	s.Agree()
}

// own returns the columns of x for the rows of this process. x has a column for each row of the
// layout.
func (s *solver[T]) own(x kernel.Matrix[T]) kernel.Matrix[T] {
	return matrix.View(x, s.Own.From, s.Own.To)
}

// gather sets the rows of x to the vectors of the long factor, over all processes.
func (s *solver[T]) gather(x kernel.Matrix[T]) {
	s.own(x).SetTransposed(s.long.X)
	group.Complete(s.Among(), x, s.Spans())
}

// Impute and Forget implement core.Startable: such a start has no missing entries.
func (s *solver[T]) Impute() {}
func (s *solver[T]) Forget() {}

// Load implements core.Startable. It returns a copy.
func (s *solver[T]) Load(long bool) kernel.Matrix[T] {
	of := s.Cols
	if long {
		of = s.Whole.Rows
	}
	x := arena.Matrix[T](s.Arena, s.rank, of)
	switch {
	case s.Arena.Dry():
	case long:
		s.gather(x)
	default:
		x.SetTransposed(s.short.X)
	}
	return x
}

// Store implements core.Startable.
func (s *solver[T]) Store(long bool, x kernel.Matrix[T]) {
	if long {
		s.long.X.SetTransposed(s.own(x))
	} else {
		s.short.X.SetTransposed(x)
	}
}
