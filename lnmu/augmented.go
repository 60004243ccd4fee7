package lnmu

import (
	"math"
	"slices"

	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// The augmented Lagrangian splits off the slack S = M - V W >= 0,
//
//	min 1/2 ||S||²  over  V, W, S >= 0  with  V W + S = M
//
// and with scaled multipliers G of that equation and a penalty ρ > 0 it takes the
// three in turn (M. Tepper and G. Sapiro, Compressed nonnegative matrix factorization
// is fast and accurate, 2016, have it with two more copies of the factors):
//
//	V, W  <-  T HALS steps on the target N = M - S + G
//	Y      =  M - V W + G
//	S     <-  max(0, ρ/(1+ρ) Y)
//	G     <-  Y - S
//
// An entry of S is positive where that of G is: Y >= 0 gives G = Y/(1+ρ), S = ρ G,
// Y < 0 gives G = Y, S = 0. So S = ρ max(0, G) after every update, G is all the state
// there is, and N = M + min(G, (1-ρ) G). Where G < 0 its negative is the multiplier Λ
// of Algorithm L-NMU with a constant step; where G > 0 it remembers a part of the
// slack.
//
// Two numbers say how near an iteration is to a solution, the primal residual
// ||M - V W - S|| and the dual one ρ ||S' - S||. As M - V W - S' is G' - G, and S is
// ρ max(0, G), the second is at most ρ² times the first: one is enough.

// The penalties that are taken: those within the range of float32, with their
// reciprocals and squares, and more.
const leastRho, mostRho = 1e-3, 1e6

// residualEvery is the number of iterations from one look at the residual to the
// next. A look costs two thirds of an iteration.
const residualEvery = 5

// Every raiseEvery iterations, ρ is doubled until it is what was asked for: from a
// high one at once the first factors that come along could not be left any more.
const (
	firstRho   = 1
	raiseEvery = 10
)

// penaltyOf returns ρ in iteration k = 1, 2, ...
func (l *Lagrangian) penaltyOf(k int) float64 {
	rho := min(l.Rho, firstRho)
	for ; k > raiseEvery && rho < l.Rho; k -= raiseEvery {
		rho = min(2*rho, l.Rho)
	}
	return rho
}

// iterations returns the default of their largest number for blocks of so many
// factors, or 0 if the solver is another one.
func (l *Lagrangian) iterations(block int) int {
	if l.Solver != SolverADMM {
		return 0
	}
	most := 60
	if block == 1 {
		most = 30
	}
	for rho := float64(firstRho); rho < l.Rho; rho *= 2 {
		most += raiseEvery
	}
	return most
}

// augmentedDense is the relaxation of a dense problem by the augmented Lagrangian. Its
// state n is G, rows x cols. When it updates the multipliers is as in relaxedDense.
type augmentedDense[T Float] struct {
	*solver[T]
	kept    factors[T]
	options *Lagrangian
	pending bool      // the next pass updates the multipliers first
	squares []float64 // of the residual in every slab

	measureTask, scaleTask func(member, task int)
	factor                 T // of scaleTask
}

// newAugmented returns the relaxation of s, whose factors are set.
func (s *solver[T]) newAugmented(l *Lagrangian) *augmentedDense[T] {
	a := &augmentedDense[T]{solver: s, kept: s.keep(), options: l, squares: make([]float64, s.slabs)}
	s.rho = T(l.penaltyOf(1))
	a.measureTask, a.scaleTask = a.measureSlab, a.scaleSlab
	if !s.rankOne && s.targets == nil {
		s.makeTargets()
	}
	a.scale(0)
	a.start()
	return a
}

// start forms what the first step with the present G needs of the factors.
func (a *augmentedDense[T]) start() {
	a.pending = false
	if a.tall {
		a.formB()
	} else {
		a.pass(kernel.Never, 0, false)
	}
}

func (a *augmentedDense[T]) begin(k int) {
	a.Round()
	a.kept.save()
	if rho := T(a.options.penaltyOf(k)); rho != a.rho {
		if a.pending {
			a.primal() // makes the update, which is that of the old ρ
		}
		a.scale(a.rho / rho) // S = ρ max(0, G) stays
		a.rho = rho
		a.start()
	}
}

func (a *augmentedDense[T]) step(_ float64, first, last bool) (alive bool) {
	if a.tall {
		when := kernel.Never
		if first && a.pending {
			when = kernel.Before
		}
		a.pass(when, 0, true)
		a.pending = false
		a.renewShort()
	} else {
		when := kernel.Never
		if last {
			when = kernel.After
		}
		a.renewShort()
		a.pass(when, 0, true)
	}
	return !a.vanished()
}

func (a *augmentedDense[T]) update(float64) { a.pending = a.tall }

// converged reports whether the primal residual is small, every few iterations. The
// update that is pending is made on the way.
func (a *augmentedDense[T]) converged(k int, norm float64) bool {
	if k%residualEvery != 0 || float64(a.rho) < a.options.Rho {
		return false
	}
	return math.Sqrt(a.primal()) <= float64(a.options.ResidualTolerance*norm)
}

// primal returns ||M - V W - S||², after the update that is pending.
func (a *augmentedDense[T]) primal() float64 {
	a.negateLong()
	use := block.Reads
	if a.pending {
		use = block.Updates
	}
	a.open(block.Reads, use, true)
	a.Run(a.slabs, a.measureTask)
	a.shut()
	a.pending = false
	if a.lines.Aborted() {
		return math.Inf(1)
	}
	return group.Sum(a.share, a.squares, plus)
}

// plus adds two numbers.
func plus(a, b float64) float64 { return a + b }

func (a *augmentedDense[T]) measureSlab(member, task int) {
	var sum float64
	first, last := a.slab(task)
	for i := first; i < last && !a.lines.Aborted(); i += productRows {
		end := min(i+productRows, last)
		mRows, gRows := a.rowsOfM(member, i, end), a.rowsOfN(member, i, end)
		for j := 0; j < a.cols; j += productCols {
			to := min(j+productCols, a.cols)
			m, g, w := mRows.Slice(0, end-i, j, to), gRows.Slice(0, end-i, j, to), matrix.View(a.short, j, to)
			e := a.product[member].Slice(0, end-i, 0, to-j)
			if a.pending {
				kernel.Product(e, matrix.View(a.long, i, end), w)
				a.updateAugmented(g, e, m, i, j)
			}
			kernel.Target(e, g, m, 0, -a.rho) // M - S
			kernel.AddProduct(e, matrix.View(a.minusLong, i, end), w)
			clearMissing(e, a.mask.rows, i, j)
			for k := range e.Rows {
				sum += float64(kernel.SumSquares(e.Row(k)))
			}
		}
	}
	a.squares[task] = sum
}

func (a *augmentedDense[T]) restore() {
	a.kept.restore()
	a.scale(0.5)
	a.start()
}

// multiplied reports whether G is not zero.
func (a *augmentedDense[T]) multiplied() bool {
	found := make([]bool, a.slabs)
	a.open(block.Untouched, block.Reads, true)
	a.Run(a.slabs, func(member, task int) {
		a.eachBlock(member, task, func(_ int, _, g kernel.Matrix[T]) bool {
			for i := 0; i < g.Rows && !found[task]; i++ {
				found[task] = slices.ContainsFunc(g.Row(i), func(g T) bool { return g != 0 })
			}
			return !found[task]
		})
	})
	a.shut()
	return a.lines.Aborted() || group.Any(a.share, found)
}

// scale multiplies G by a factor, or makes it zero.
func (a *augmentedDense[T]) scale(factor T) {
	a.factor = factor
	use := block.Updates
	if factor == 0 {
		use = block.Writes
	}
	a.open(block.Untouched, use, true)
	a.Run(a.slabs, a.scaleTask)
	a.shut()
}

func (a *augmentedDense[T]) scaleSlab(member, task int) {
	a.eachBlock(member, task, func(_ int, _, ofG kernel.Matrix[T]) bool {
		for i := range ofG.Rows {
			g := ofG.Row(i)
			if a.factor == 0 {
				clear(g)
				continue
			}
			for j := range g {
				g[j] *= a.factor
			}
		}
		return true
	})
}

// augmentedTarget returns rows [i0, i1) of the target of the augmented Lagrangian, after
// an update of their multipliers if told to. What is missing has no multiplier; its target
// is V W, or 0 if the steps are exact.
func (s *solver[T]) augmentedTarget(member, i0, i1 int, update bool) kernel.Matrix[T] {
	n := s.targets[member].Slice(0, i1-i0, 0, s.cols)
	m, g := s.rowsOfM(member, i0, i1), s.rowsOfN(member, i0, i1)
	if update || s.masked() && !s.exact {
		kernel.Product(n, matrix.View(s.long, i0, i1), s.short)
	}
	switch {
	case update:
		s.updateAugmented(g, n, m, i0, 0)
	case s.masked():
		kernel.TargetMasked(n, g, m, s.mask.rows.Slice(i0, i1, 0, s.cols), 1, 1-s.rho)
	default:
		kernel.Target(n, g, m, 1, 1-s.rho)
	}
	if s.exact {
		clearMissing(n, s.mask.rows, i0, 0)
	}
	return n
}

// updateAugmented updates multipliers that lie at row i and column j, given V W, which
// becomes the target where it is observed.
func (s *solver[T]) updateAugmented(g, n, m kernel.Matrix[T], i, j int) {
	if s.masked() {
		kernel.UpdateAugmentedMasked(g, n, m, s.mask.rows.Slice(i, i+n.Rows, j, j+n.Cols), s.rho)
	} else {
		kernel.UpdateAugmented(g, n, m, s.rho)
	}
}
