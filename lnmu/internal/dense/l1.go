package dense

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/median"
	"nmu/lnmu/internal/observed"
	"nmu/lnmu/internal/state"
)

// relaxedL1 is the relaxation of a dense problem of rank 1 in the l1 norm. If the run is
// cancelled, a step may leave rows and columns unchanged.
type relaxedL1[T kernel.Float] struct {
	relaxation[T]
	work    []*median.Work[T] // one per member
	columns *block.Columns[T] // of N
	entries observed.Line[T]  // observed entries of the columns of this process,
	first   int               // and the first of these columns
	room    kernel.Matrix[T]  // for the long factor of all processes
	whole   kernel.Matrix[T]  // the long factor of all processes
	from    int               // the first column at hand
	alive   *group.Vote       // on whether the long factor is not zero

	rowsTask, columnTask, updateTask func(member, task int) // made once: a closure per phase would allocate
	columnsAtHand                    func(first, last int) bool
}

// newL1 returns the relaxation of s, whose state and factors are set.
func (s *solver[T]) newL1() *relaxedL1[T] {
	r := &relaxedL1[T]{relaxation: relaxation[T]{s}, columns: s.wholeColumns(block.OfN), room: s.roomFor(1), alive: group.NewVote(s.share)}
	columns := s.observedColumns()
	r.entries, r.first = columns.Line(kernel.Matrix[T]{}, nil), columns.Own.From
	for range s.Size() {
		r.work = append(r.work, median.NewWork[T](s.arena, s.whole))
	}
	r.rowsTask, r.columnTask, r.updateTask, r.columnsAtHand = r.renewRows, r.renewColumn, s.updateSlab, r.renewColumns
	return r
}

// Keep implements core.Relaxed.
func (r *relaxedL1[T]) Keep(float64, float64) { r.solver.keep() }

// Step implements core.Relaxed.
func (r *relaxedL1[T]) Step(float64, bool, bool) (alive bool) {
	if !r.solver.tall {
		r.renewShort()
	}
	r.renewLong()
	if r.solver.tall {
		r.renewShort()
	}
	return r.alive.Any(kernel.Max(r.solver.long.X.Row(0)) > 0) && kernel.Max(r.solver.short.X.Row(0)) > 0
}

// renewLong sets each entry of the long factor to the median of its row.
func (r *relaxedL1[T]) renewLong() {
	r.solver.overSlabs(block.Untouched, block.Reads, true, r.rowsTask)
}

// renewRows is renewLong for the rows of a slab.
func (r *relaxedL1[T]) renewRows(member, task int) {
	r.solver.eachBlock(member, task, func(i0 int, _, n kernel.Matrix[T]) bool {
		for i := 0; i < n.Rows && !r.solver.Over(); i++ {
			r.work[member].Renew(&r.solver.long.X.Row(0)[i0+i], n.Row(i), r.solver.short.X.Row(0), r.solver.cells.Rows, i0+i)
		}
		return true
	})
}

// renewShort sets each entry of the short factor to the median of its column.
func (r *relaxedL1[T]) renewShort() {
	r.whole = r.solver.gather(r.solver.long.X, r.room)
	r.columns.Each(r.columnsAtHand)
	r.columns.Complete(r.solver.short.X)
}

// renewColumns is renewShort for the columns at hand.
func (r *relaxedL1[T]) renewColumns(first, last int) bool {
	r.from = first
	r.solver.Run(last-first, r.columnTask)
	return true
}

// renewColumn is renewShort for one column at hand.
func (r *relaxedL1[T]) renewColumn(member, task int) {
	if j := r.from + task; !r.solver.Over() && !r.solver.lines.Aborted() {
		r.work[member].Renew(&r.solver.short.X.Row(0)[j], r.columns.Column(member, j), r.whole.Row(0), r.entries.Mask, j-r.first)
	}
}

// Update implements core.Relaxed.
func (r *relaxedL1[T]) Update(mu float64) {
	r.solver.mu = T(mu)
	r.solver.overSlabs(block.Reads, block.Updates, true, r.updateTask)
}

// updateSlab updates the multipliers of a slab.
func (s *solver[T]) updateSlab(member, task int) {
	s.eachBlock(member, task, func(i0 int, _, n kernel.Matrix[T]) bool {
		s.updateMultiplier(member, matrix.View(s.long.X, i0, i0+n.Rows), i0, i0+n.Rows)
		return true
	})
}

// Restore implements core.Relaxed.
func (r *relaxedL1[T]) Restore() {
	r.solver.restore()
	r.solver.halveMultipliers()
}

// dust is the largest residual of an entry that counts as rounding, in units in the last place of
// the entry.
const dust = 16

// settle sets rounding errors in a row e of the residual to zero, given the row m of the previous
// residual. It returns the sum of the absolute values of e. If inPlace, e replaces m. Rounding
// errors that stay in E would attract the medians of the next factor.
func settle[T kernel.Float](e, m []T, inPlace bool) float64 {
	var sum float64
	for j, x := range e {
		size := math.Abs(float64(x))
		if size <= dust*matrix.Epsilon[T]()*math.Abs(float64(m[j])) {
			e[j], size = 0, 0
		}
		sum += size
	}
	if inPlace {
		copy(m, e)
	}
	return sum
}

// Absolute implements core.Absolute.
func (s *solver[T]) Absolute() float64 {
	sums := make([]float64, s.slabs)
	s.overRows(block.Reads, block.Untouched, false, func(slab int, m, _ []T) {
		var row float64
		for _, a := range m {
			row += math.Abs(float64(a))
		}
		sums[slab] += row
	})
	return group.Sum(s.share, sums, plus)
}

// State implements core.Relaxed.
func (r *relaxedL1[T]) State() []state.Field {
	return append(r.solver.State(), state.Named("N", stateRows[T]{r.solver}))
}
