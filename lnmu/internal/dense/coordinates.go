package dense

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/observed"
	"nmu/lnmu/internal/poisson"
)

// coordinates is the problem of the divergence for coordinate steps. A column of the long factor
// needs its row of a pass. A column of the short one needs a whole column of M and the whole long
// factor, like an exact step.
type coordinates[T kernel.Float] struct {
	*divergence[T]
	ofRows, ofColumns *poisson.Coordinates[T]
	columns           *block.Columns[T]
	entries           observed.Line[T] // observed entries of the columns of this process,
	first             int              // and the first of these columns
	weights           kernel.Matrix[T] // of a column, one row per member; no rows if M is complete
	room              kernel.Matrix[T] // for the long factor of all processes
	from              int              // the first column at hand
	values            kernel.Matrix[float64]

	rowsTask, columnTask func(member, task int) // made once: a closure per pass would allocate
	columnsAtHand        func(first, last int) bool
}

// newCoordinates returns the problem on the state of d.
func newCoordinates[T kernel.Float](d *divergence[T]) *coordinates[T] {
	s := d.solver
	columns := s.observedColumns()
	x := &coordinates[T]{
		divergence: d, columns: s.wholeColumns(block.OfM), entries: columns.Line(kernel.Matrix[T]{}, nil), first: columns.Own.From,
		ofRows: poisson.NewCoordinates[T](s.arena, s.Size(), s.rank, s.cols, s.cols), ofColumns: poisson.NewCoordinates[T](s.arena, s.Size(), s.rank, s.whole, s.whole),
		room: s.roomFor(s.rank), values: arena.Matrix[float64](s.arena, 1, s.cols),
	}
	if s.cells.Incomplete() {
		x.weights = s.matrix(s.Size(), s.whole)
	}
	x.rowsTask, x.columnTask, x.columnsAtHand = x.renewRows, x.renewColumn, x.renewColumns
	return x
}

// Renew implements core.Divergent.
func (x *coordinates[T]) Renew() float64 {
	s := x.solver
	s.Round()
	x.save()
	for _, of := range [...]struct {
		*poisson.Coordinates[T]
		side *hals.Side[T]
	}{{x.ofRows, &s.long}, {x.ofColumns, &s.short}} {
		of.Least, of.Penalty, of.Ridge, of.Held = x.least, 2*of.side.Penalty, of.side.Ridge, of.side.Held
	}
	x.ofRows.Given(s.short.X)
	s.overSlabs(block.Reads, block.Untouched, true, x.rowsTask)
	if s.lines.Aborted() || s.Over() {
		return math.Inf(1)
	}
	long := s.gather(s.long.X, x.room)
	x.ofColumns.Given(long)
	x.squares = 0
	for k := range s.rank {
		x.squares += s.long.Squares(long.Row(k))
	}
	x.columns.Each(x.columnsAtHand)
	x.columns.Complete(s.short.X)
	x.columns.CompleteSums(x.values)
	if s.lines.Aborted() || s.Over() {
		return math.Inf(1)
	}
	copy(x.sums.Total().Gram.Row(0), x.ofColumns.Sums()) // for Penalties
	x.ofRows.Given(s.short.X)
	copy(s.short.Sum, x.ofRows.Sums())
	var sum float64
	for _, value := range x.values.Row(0) {
		sum += value
	}
	return sum - x.total
}

// renewRows renews the columns of the long factor for the rows of a slab.
func (x *coordinates[T]) renewRows(member, slab int) {
	x.solver.eachBlock(member, slab, func(i0 int, m, _ kernel.Matrix[T]) bool {
		u := x.cellWeights(member, i0, m.Rows)
		for i := range m.Rows {
			if x.solver.Over() {
				return false
			}
			x.ofRows.Renew(member, x.solver.long.X.Data[i0+i:], x.solver.long.X.Stride, poisson.Line[T]{M: m.Row(i), Weights: u.Row(i)})
		}
		return true
	})
}

// renewColumns renews the columns of the short factor from first to last-1, which are at hand.
func (x *coordinates[T]) renewColumns(first, last int) bool {
	x.from = first
	x.solver.Run(last-first, x.columnTask)
	return true
}

// renewColumn renews one column at hand.
func (x *coordinates[T]) renewColumn(member, task int) {
	j := x.from + task
	if x.solver.Over() || x.solver.lines.Aborted() {
		return
	}
	line := poisson.Line[T]{M: x.columns.Column(member, j)}
	if x.weights.Rows > 0 {
		line.Weights = x.weights.Row(member)
		setWeights(line.Weights, x.entries, j-x.first)
	}
	x.values.Row(0)[j] = x.ofColumns.Renew(member, x.solver.short.X.Data[j:], x.solver.short.X.Stride, line)
}

// setWeights sets u to the weights of the entries of line j, which are 0 for missing entries.
func setWeights[T kernel.Float](u []T, of observed.Line[T], j int) {
	for i := range u {
		switch {
		case of.Mask.Data != nil && !of.Mask.At(j, i):
			u[i] = 0
		case of.Weighted():
			u[i] = of.Weight(j, i)
		default:
			u[i] = 1
		}
	}
}
