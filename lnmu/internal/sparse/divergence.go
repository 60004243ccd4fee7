package sparse

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/poisson"
	"nmu/lnmu/internal/state"
	"nmu/lnmu/internal/tiles"
)

// divergence is the problem of the Kullback-Leibler divergence on a sparse M. The ratio of M to V
// W is formed on the stored entries alone, since it is 0 elsewhere. The sums of the factors
// account for V W there. An iteration makes two passes over the entries: one for the long factor,
// and one for the sums c. The next iteration renews the short factor from c.
type divergence[T kernel.Float] struct {
	*solver[T]
	least       T
	c           kernel.Matrix[T] // Σ l_i r_ij of the kept factors, a row for each j
	old         kernel.Matrix[T] // before the iteration
	oldSums     [2][]T           // of the long factor and of the short one
	logs        []float64        // Σ m log r of every tile, slab after slab,
	terms       []poisson.Terms  // and the sums of a slab
	sums        [][]float64      // of the vectors of some rows of a factor, and of their squares, one per member
	known       bool             // total and null are known
	total, null float64

	coordinates *coordinates[T] // for coordinate steps; nil without them

	keepTask, renewTask, termsTask func(member, task int) // made once: a closure per phase would allocate
}

// Diverge implements core.Problem.
func (p *problem[T]) Diverge(least float64) core.Divergent {
	p.diverging.least, p.g = T(least), 0
	p.divergence = p.diverging
	return p.diverging
}

// Renew implements core.Divergent.
func (x *divergence[T]) Renew() float64 { return x.coordinates.Renew() }

// newDivergence returns the problem of the divergence on the state of s.
func newDivergence[T kernel.Float](s *solver[T]) *divergence[T] {
	x := &divergence[T]{
		solver: s, c: vectors[T](s.Arena, s.Cols, s.rank), old: vectors[T](s.Arena, s.Cols, s.rank),
		oldSums: [2][]T{make([]T, s.rank), make([]T, s.rank)},
		logs:    arena.Slice[float64](s.Arena, s.Count()*s.Blocks), terms: arena.Slice[poisson.Terms](s.Arena, s.Count()), sums: make([][]float64, s.Size()),
	}
	for i := range x.sums {
		x.sums[i] = make([]float64, 2*s.rank)
	}
	s.long.Accelerate(true)
	s.short.Accelerate(true)
	x.keepTask = func(_, slab int) {
		matrix.CopyRows(x.c.Slice(s.Across[slab], s.Across[slab+1], 0, s.rank), s.combined(slab))
	}
	x.renewTask = s.short.folded(func(member, slab int, to *group.Part[T]) {
		first, last := s.Across[slab], s.Across[slab+1]
		x.renew(member, first, last, &s.short, true, x.c.Slice(first, last, 0, s.rank), to)
	})
	x.termsTask = func(_, slab int) {
		x.terms[slab] = poisson.Terms{}
		for _, logs := range x.logs[slab*s.Blocks : (slab+1)*s.Blocks] {
			x.terms[slab].Logs += logs
		}
	}
	return x
}

// renew renews rows [first, last) of f, given their sums a, if renew. It then forms
// their part of the sum of f and, on the diagonal of the Gram matrix, of that of the squares.
func (x *divergence[T]) renew(member, first, last int, f *factor[T], renew bool, a kernel.Matrix[T], to *group.Part[T]) {
	clear(to.Gram.Data)
	clear(to.Product.Data)
	sums, squares, held := x.sums[member][:x.solver.rank], x.sums[member][x.solver.rank:], f.Held
	clear(x.sums[member])
	for i := first; i < last; i++ {
		row := f.X.Row(i)
		if renew {
			before, num := f.Before.Row(i), a.Row(i-first)
			copy(f.Old.Row(i), row)
			for _, free := range [...]group.Span{{From: 0, To: held.From}, {From: held.To, To: x.solver.rank}} {
				k0, k1 := free.From, free.To
				poisson.Multiply(row[k0:k1], before[k0:k1], num[k0:k1], f.Other.Sum[k0:k1], 2*f.Penalty, f.Ridge, f.Beta)
			}
		}
		for k, h := range row {
			sums[k] += float64(h)
		}
		if f.Ridge > 0 {
			for k, h := range row {
				squares[k] += float64(float64(h) * float64(h))
			}
		}
	}
	for k, h := range sums {
		to.Product.Row(0)[k], to.Gram.Row(k)[k] = T(h), T(squares[k])
	}
}

// entries returns M at the entries of rows i0 to i1-1 of a tile, and the memory for its ratios to V W there.
func (x *divergence[T]) entries(member int, tile *tiles.Tile[T], i0, i1 int) (m, r []T) {
	t0, t1 := tile.Entries(i0, i1)
	return tile.M[t0:t1], x.solver.scratch[member].p[:t1-t0]
}

// measure adds Σ m log r, over entries m with the ratios r, to the term of tile b of a slab.
func (x *divergence[T]) measure(slab, b int, m, r []T) {
	x.logs[slab*x.solver.Blocks+b] += float64(kernel.DotLog(m, r))
}

// Null implements core.Divergent.
func (x *divergence[T]) Null() (total, null float64) {
	if x.known {
		return x.total, x.null
	}
	s := x.solver
	s.OverSlabs([3]block.Access{block.OfM: block.Reads}, false, func(member, slab int) {
		var sum poisson.Terms
		s.eachBlock(member, slab, func(tile tiles.Tile[T], _, _, t0, t1 int, _ []T) {
			m := tile.M[t0:t1]
			sum.Logs += float64(kernel.DotLog(m, m))
			for _, a := range m {
				sum.M += float64(a)
			}
		})
		x.terms[slab] = sum
	})
	all := group.Sum(s.Among(), x.terms, poisson.Terms.Plus)
	x.total = all.M
	x.null = poisson.Null(all.Logs, all.M, float64(s.Whole.Rows)*float64(s.Cols), matrix.Epsilon[T]())
	x.known = !s.Aborted()
	return x.total, x.null
}

// sumUp forms the sums c and returns the divergence, or +Inf if the pass was aborted. The sums of
// the factors must be current.
func (x *divergence[T]) sumUp(cancellable bool) float64 {
	s := x.solver
	s.prepare(0, &s.long)
	clear(x.logs)
	s.Open(s.touched(), true, cancellable)
	s.overGroups(s.Strips(), s.shortTask)
	s.Shut()
	if s.Aborted() {
		return math.Inf(1)
	}
	s.Run(s.Count(), x.termsTask)
	all := group.Sum(s.Among(), x.terms, poisson.Terms.Plus)
	return all.Logs + (matrix.Dot(s.long.Sum, s.short.Sum) - x.total)
}

// Divergence implements core.Divergent.
func (x *divergence[T]) Divergence() float64 {
	x.Null()
	x.solver.formGrams()
	return poisson.Reported(x.sumUp(false), x.Infinite())
}

// Infinite implements core.Divergent.
func (x *divergence[T]) Infinite() bool {
	s := x.solver
	if s.long.Positive() {
		return false
	}
	missed := make([]bool, s.Count())
	s.OverSlabs([3]block.Access{block.OfM: block.Reads}, false, func(member, slab int) {
		s.eachBlock(member, slab, func(tile tiles.Tile[T], i, end, t0, t1 int, p []T) {
			if !missed[slab] {
				s.product(p, &tile, slab, i, end)
				missed[slab] = poisson.Missed(p, tile.M[t0:t1], nil)
			}
		})
	})
	return group.Any(s.Among(), missed)
}

// Lift implements core.Divergent.
func (x *divergence[T]) Lift() {
	s := x.solver
	alone := poisson.Alone(x.least)
	s.long.Lift(s.long.Sum, alone)
	s.short.Lift(s.short.Sum, alone)
}

// Begin implements core.Divergent.
func (x *divergence[T]) Begin() float64 {
	x.Null()
	x.solver.BeginMomentum()
	x.solver.formGrams()
	d := x.sumUp(true)
	x.solver.Run(len(x.solver.Across)-1, x.keepTask)
	return d
}

// Iterate implements core.Divergent.
func (x *divergence[T]) Iterate(beta float64) float64 {
	s := x.solver
	s.Round()
	s.SetBeta(beta)
	x.save()
	x.renewShort()
	s.renewLong(0)
	if s.Aborted() {
		return math.Inf(1) // counts as no progress
	}
	d := x.sumUp(true)
	s.Run(len(s.Across)-1, x.keepTask)
	return d
}

// renewShort renews the short factor from the sums c.
func (x *divergence[T]) renewShort() {
	x.solver.Run(len(x.solver.short.parts.Tasks), x.renewTask)
	x.solver.short.collect()
}

// Conclude implements core.Divergent.
func (x *divergence[T]) Conclude() {
	s := x.solver
	s.SetBeta(0)
	x.save()
	s.keep()
	pass := func(long bool) (ok bool) {
		if long {
			s.passLong(0, false)
			return !s.Aborted()
		}
		if math.IsInf(x.sumUp(false), 1) {
			return false
		}
		s.Run(len(s.Across)-1, x.keepTask)
		x.renewShort()
		return true
	}
	if !pass(!s.Wide) || !pass(s.Wide) { // V, and then W
		x.Back()
	}
}

// save saves the sums that Back restores.
func (x *divergence[T]) save() {
	copy(x.old.Data, x.c.Data)
	copy(x.oldSums[0], x.solver.long.Sum)
	copy(x.oldSums[1], x.solver.short.Sum)
}

// Even implements core.Momentum.
func (x *divergence[T]) Even(*[]float64) {
	if s := x.solver; !s.long.Penalised() && !s.short.Penalised() {
		s.divergence = nil // which has no Gram matrices
		s.balance(core.Penalty{L2: 1}, core.Penalty{L2: 1}, hals.UnevenSquares)
		s.divergence = x
	}
}

// Back implements core.Divergent.
func (x *divergence[T]) Back() {
	s := x.solver
	s.Back()
	copy(x.c.Data, x.old.Data)
	copy(s.long.Sum, x.oldSums[0])
	copy(s.short.Sum, x.oldSums[1])
}

// State implements core.Divergent.
func (x *divergence[T]) State() []state.Field {
	return append(x.solver.State(), state.Named("long before", x.solver.RowsOf(x.solver.long.Before)), state.Named("short before", x.solver.short.Before), state.Named("C", x.c))
}
