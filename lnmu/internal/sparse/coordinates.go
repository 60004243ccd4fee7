package sparse

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/poisson"
	"nmu/lnmu/internal/tiles"
)

// coordinates is the problem of the divergence for coordinate steps. A row of a factor needs its
// whole row or column of M, which the tiles do not have in one piece: M is kept by rows and by
// columns beside them.
type coordinates[T kernel.Float] struct {
	*divergence[T]
	sides [2]side[T] // the long factor, then the short one
}

// side is one of the two factors that an iteration renews.
type side[T kernel.Float] struct {
	*poisson.Coordinates[T]
	f, other *factor[T]
	lines    tiles.CSR[T]     // M with a row for each row of f
	g        kernel.Matrix[T] // the other factor, transposed
	values   []float64        // of the rows of f

	task func(member, slab int) // made once: a closure per pass would allocate
}

// newCoordinates returns the problem on the state of d. lines returns M by the rows of the layout
// and by its columns.
func newCoordinates[T kernel.Float](d *divergence[T], lines func() (rows, columns tiles.CSR[T])) *coordinates[T] {
	s := d.solver
	rows, columns := lines()
	x := &coordinates[T]{divergence: d}
	x.sides = [2]side[T]{{f: &s.long, other: &s.short, lines: rows}, {f: &s.short, other: &s.long, lines: columns}}
	for i := range x.sides {
		f := &x.sides[i]
		longest := f.other.X.Rows // in an estimate
		if !s.Arena.Dry() {
			longest = f.lines.Longest()
		}
		f.Coordinates = poisson.NewCoordinates[T](s.Arena, s.Size(), s.rank, f.other.X.Rows, longest)
		f.g, f.values = arena.Matrix[T](s.Arena, s.rank, f.other.X.Rows), arena.Slice[float64](s.Arena, f.f.X.Rows)
		f.task = func(member, slab int) {
			for i := f.f.slabs[slab]; i < f.f.slabs[slab+1] && !x.over(); i++ {
				first, last := f.lines.Ptr[i], f.lines.Ptr[i+1]
				f.values[i] = f.Renew(member, f.f.X.Row(i), 1, poisson.Line[T]{Positions: f.lines.Idx[first:last], M: f.lines.Val[first:last]})
			}
		}
	}
	return x
}

// over reports whether the run is cancelled.
func (x *coordinates[T]) over() bool { return x.solver.long.Over() }

// Renew implements core.Divergent.
func (x *coordinates[T]) Renew() float64 {
	s := x.solver
	s.Round()
	x.save()
	s.keep()
	for i := range x.sides {
		f := &x.sides[i]
		f.Least, f.Penalty, f.Ridge, f.Held = x.least, 2*f.f.Penalty, f.f.Ridge, f.f.Held
		f.g.SetTransposed(f.other.X)
		f.Given(f.g)
		s.Run(len(f.f.slabs)-1, f.task)
	}
	if x.over() {
		return math.Inf(1)
	}
	s.formGrams()
	var sum float64
	for _, value := range x.sides[1].values {
		sum += value
	}
	return sum - x.total
}
