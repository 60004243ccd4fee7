package dense

import (
	"math"
	"slices"

	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
	"nmu/lnmu/internal/state"
)

// augmentedDense is the relaxation of a dense problem by the augmented Lagrangian. Its
// state n is G, rows x cols. It updates the multipliers at the same points as relaxedDense.
type augmentedDense[T kernel.Float] struct {
	relaxation[T]
	pending bool      // the next pass updates the multipliers first
	squares []float64 // of the residual in every slab

	measureTask func(member, task int)
}

// newAugmented returns the relaxation of s, whose factors are set.
func (s *solver[T]) newAugmented(rho float64) *augmentedDense[T] {
	a := &augmentedDense[T]{relaxation: relaxation[T]{s}, squares: make([]float64, s.slabs)}
	s.rho = T(rho)
	a.measureTask = a.measureSlab
	a.scale(0)
	a.formSums()
	return a
}

// formSums forms the sums of the factors that the first step with the current G needs.
func (a *augmentedDense[T]) formSums() {
	a.pending = false
	a.solver.Begin()
}

// Keep implements core.Relaxed.
func (a *augmentedDense[T]) Keep(_, penalty float64) {
	a.solver.Round()
	a.solver.keep()
	rho := T(penalty)
	if rho == a.solver.rho {
		return
	}
	if a.pending {
		a.Primal() // makes the pending update with the old ρ
	}
	a.scale(a.solver.rho / rho) // S = ρ max(0, G) stays
	a.solver.rho = rho
	a.formSums()
}

// Step implements core.Relaxed.
func (a *augmentedDense[T]) Step(_ float64, first, last bool) (alive bool) {
	pending := 0.0
	if a.pending {
		pending = 1
	}
	a.solver.step(a.solver.update(pending, 1, first, last))
	a.pending = false
	return !a.solver.Vanished()
}

// Update implements core.Relaxed.
func (a *augmentedDense[T]) Update(float64) { a.pending = a.solver.tall }

// Primal makes the pending update and returns ||M - V W - S||².
func (a *augmentedDense[T]) Primal() float64 {
	a.solver.negateLong()
	use := block.Reads
	if a.pending {
		use = block.Updates
	}
	a.solver.overSlabs(block.Reads, use, true, a.measureTask)
	a.pending = false
	if a.solver.lines.Aborted() {
		return math.Inf(1)
	}
	return group.Sum(a.solver.share, a.squares, plus)
}

// plus adds two numbers.
func plus(a, b float64) float64 { return a + b }

func (a *augmentedDense[T]) measureSlab(member, task int) {
	var sum float64
	first, last := a.solver.slab(task)
	for i := first; i < last && !a.solver.lines.Aborted(); i += matrix.TileRows {
		end := min(i+matrix.TileRows, last)
		mRows, gRows := a.solver.rowsOfM(member, i, end), a.solver.rowsOfN(member, i, end)
		for j := 0; j < a.solver.cols; j += matrix.TileCols {
			to := min(j+matrix.TileCols, a.solver.cols)
			m, g, w := mRows.Slice(0, end-i, j, to), gRows.Slice(0, end-i, j, to), matrix.View(a.solver.short.X, j, to)
			e := a.solver.product[member].Slice(0, end-i, 0, to-j)
			if a.pending {
				kernel.Product(e, matrix.View(a.solver.long.X, i, end), w)
				a.solver.updateAugmented(g, e, m, i, j)
			}
			kernel.Target(e, g, m, 0, -a.solver.rho) // M - S
			kernel.AddProduct(e, matrix.View(a.solver.minusLong, i, end), w)
			observed.Clear(e, a.solver.cells.Rows, i, j)
			for k := range e.Rows {
				sum += float64(kernel.SumSquares(e.Row(k)))
			}
		}
	}
	a.squares[task] = sum
}

// Restore implements core.Relaxed.
func (a *augmentedDense[T]) Restore() {
	a.solver.restore()
	a.scale(0.5)
	a.formSums()
}

// Multiplied reports whether G is not zero.
func (a *augmentedDense[T]) Multiplied() bool {
	return a.solver.anyBlock(block.Untouched, block.Reads, true, func(_, _ int, _, g kernel.Matrix[T]) (nonzero bool) {
		for i := 0; i < g.Rows && !nonzero; i++ {
			nonzero = slices.ContainsFunc(g.Row(i), func(g T) bool { return g != 0 })
		}
		return nonzero
	})
}

// scale multiplies G by a factor, or makes it zero.
func (a *augmentedDense[T]) scale(factor T) {
	use := block.Updates
	if factor == 0 {
		use = block.Writes
	}
	a.solver.overRows(block.Untouched, use, true, func(_ int, _, g []T) {
		if factor == 0 {
			clear(g)
		} else {
			kernel.Scale(g, factor)
		}
	})
}

// augmentedTarget returns rows [i0, i1) of the target of the augmented Lagrangian, given their
// columns h of the long factor. If update, it first updates their multipliers. A missing entry
// has no multiplier; its target is V W, or 0 if the steps are exact.
func (s *solver[T]) augmentedTarget(member int, h kernel.Matrix[T], i0, i1 int, update bool) kernel.Matrix[T] {
	n := s.targets[member].Slice(0, i1-i0, 0, s.cols)
	m, g := s.rowsOfM(member, i0, i1), s.rowsOfN(member, i0, i1)
	if update || s.cells.Masked() && !s.cells.Exact {
		kernel.Product(n, h, s.short.X)
	}
	switch {
	case update:
		s.updateAugmented(g, n, m, i0, 0)
	case s.cells.Masked():
		kernel.TargetMasked(n, g, m, s.mask(i0, i1), 1, 1-s.rho)
	default:
		kernel.Target(n, g, m, 1, 1-s.rho)
	}
	if s.cells.Exact {
		observed.Clear(n, s.cells.Rows, i0, 0)
	}
	return n
}

// updateAugmented updates the multipliers g, which begin at row i and column j, given V W in n.
// The observed entries of n become the target.
func (s *solver[T]) updateAugmented(g, n, m kernel.Matrix[T], i, j int) {
	if s.cells.Masked() {
		kernel.UpdateAugmentedMasked(g, n, m, s.cells.Rows.Slice(i, i+n.Rows, j, j+n.Cols), s.rho)
	} else {
		kernel.UpdateAugmented(g, n, m, s.rho)
	}
}

// State implements core.Relaxed.
func (a *augmentedDense[T]) State() []state.Field {
	return append(a.solver.State(), state.Named("G", stateRows[T]{a.solver}), state.Named("rho", &a.solver.rho), state.Named("pending", &a.pending))
}
