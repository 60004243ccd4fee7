package dense

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
	"nmu/lnmu/internal/poisson"
	"nmu/lnmu/internal/state"
)

// divergence is the problem of the Kullback-Leibler divergence on a dense M. A pass reads M once,
// one block I of rows at a time. The block and its ratio to V W stay in cache:
//
//	R_I = M_I / (H_Iᵀ G),  A_I = G R_Iᵀ,  H_I <- H_I A_I/(G 1)
//	R_I = M_I / (H_Iᵀ G),  C += H_I R_I,  D += Σ M_I log R_I
//
// An incomplete M has weights U, which are 0 for missing entries. Then U_I R_I takes the place of
// R_I, and G U_Iᵀ that of G 1. A pass also forms H U, beside C = H (U R).
type divergence[T kernel.Float] struct {
	solver      *solver[T]
	least       T
	sums        group.Sums[T]    // C, and H U below it; H 1 is the first row of the Gram matrix
	c           kernel.Matrix[T] // C, and H U below it, of the kept factors, as is H 1, the sum of the long one
	oldC        kernel.Matrix[T] // before the iteration,
	oldSum      []T              // as this H 1
	squares     float64          // the sum of the squares of the long factor, if it has an l2 penalty
	ones        []T              // one for each column or row of a slab
	terms       []poisson.Terms
	known       bool // total and null are known
	total, null float64

	room []divergenceRoom[T] // one per member

	renewing bool

	coordinates *coordinates[T] // for coordinate steps; nil without them

	passTask, sumTask, shortTask func(member, task int) // made once: a closure per phase would allocate
}

// divergenceRoom is the memory of one member for a block of rows.
type divergenceRoom[T kernel.Float] struct {
	ratio, a     kernel.Matrix[T]
	weights, den kernel.Matrix[T] // if M is incomplete
	m            []T              // a row of M, with its weights
}

// Diverge implements core.Problem.
func (s *solver[T]) Diverge(least float64) core.Divergent {
	s.divergence.least = T(least)
	return s.divergence
}

// Renew implements core.Divergent.
func (x *divergence[T]) Renew() float64 { return x.coordinates.Renew() }

// newDivergence returns the problem of the divergence on the state of s.
func newDivergence[T kernel.Float](s *solver[T]) *divergence[T] {
	rows := s.rank
	if s.cells.Incomplete() {
		rows *= 2
	}
	x := &divergence[T]{
		solver: s, sums: group.NewSums(s.share, s.Size(), rows, s.cols, s.rank, s.matrix),
		c: s.matrix(rows, s.cols), oldC: s.matrix(rows, s.cols), oldSum: make([]T, s.rank),
		ones: arena.Ones[T](s.arena, max(s.cols, s.slabRows)), terms: arena.Slice[poisson.Terms](s.arena, s.slabs), room: make([]divergenceRoom[T], s.Size()),
	}
	for _, f := range []*hals.Side[T]{&s.long, &s.short} {
		f.Accelerate(true)
		f.Sum = make([]T, s.rank)
	}
	for i := range x.room {
		r := &x.room[i]
		r.ratio, r.a = s.matrix(s.block, s.cols), s.matrix(s.rank, s.block)
		if s.cells.Incomplete() {
			r.weights, r.den = s.matrix(s.block, s.cols), s.matrix(s.rank, s.block)
			r.m = arena.Slice[T](s.arena, s.cols)
		}
	}
	x.passTask, x.sumTask, x.shortTask = x.passSlabs, s.adding(&x.sums), x.renewRow
	return x
}

// Null implements core.Divergent.
func (x *divergence[T]) Null() (total, null float64) {
	if x.known {
		return x.total, x.null
	}
	s := x.solver
	s.overSlabs(block.Reads, block.Untouched, false, func(member, slab int) {
		var sum poisson.Terms
		s.eachBlock(member, slab, func(i0 int, m, _ kernel.Matrix[T]) bool {
			u := x.cellWeights(member, i0, m.Rows)
			for i := range m.Rows {
				row, ratio := m.Row(i), x.room[member].ratio.Row(0)
				copy(ratio, row)
				if u.Rows > 0 {
					row = x.weigh(member, row, ratio, u.Row(i))
					sum.Weights += float64(kernel.Dot(u.Row(i), x.ones[:s.cols]))
				} else {
					sum.Weights += float64(s.cols)
				}
				sum.Logs += float64(kernel.DotLog(row, ratio))
				for _, a := range row {
					sum.M += float64(a)
				}
			}
			return true
		})
		x.terms[slab] = sum
	})
	all := group.Sum(s.share, x.terms, poisson.Terms.Plus)
	x.total = all.M
	x.null = poisson.Null(all.Logs, all.M, all.Weights, matrix.Epsilon[T]())
	x.known = !s.lines.Aborted()
	return x.total, x.null
}

// cellWeights returns the weights of some rows, or no matrix if M is complete.
func (x *divergence[T]) cellWeights(member, i0, rows int) kernel.Matrix[T] {
	s := x.solver
	switch {
	case s.cells.Weighted():
		return s.weightsOf(member, i0, i0+rows)
	case !s.cells.Masked():
		return kernel.Matrix[T]{}
	}
	u := x.room[member].weights.Slice(0, rows, 0, s.cols)
	for i := range rows {
		copy(u.Row(i), x.ones)
	}
	observed.Clear(u, s.cells.Rows, i0, 0)
	return u
}

// weigh sets the ratios of missing entries to 0, and returns the row of M times its weights.
func (x *divergence[T]) weigh(member int, m, ratio, weights []T) []T {
	weighted := x.room[member].m
	for j, u := range weights {
		weighted[j] = 0
		if u > 0 {
			weighted[j] = u * m[j]
		} else {
			ratio[j] = 0
		}
	}
	return weighted
}

// form sets ratio to the ratio of rows m of M to V W, times the weights if there are any. h has
// the columns of the long factor for these rows. If measure, form returns Σ m log r.
func (x *divergence[T]) form(member int, ratio, m, h, weights kernel.Matrix[T], measure bool) (logs float64) {
	kernel.Product(ratio, h, x.solver.short.X)
	for i := range m.Rows {
		row, r := m.Row(i), ratio.Row(i)
		kernel.Ratio(r, row, x.least)
		if weights.Rows == 0 {
			if measure {
				logs += float64(kernel.DotLog(row, r))
			}
			continue
		}
		u := weights.Row(i)
		row = x.weigh(member, row, r, u)
		if measure {
			logs += float64(kernel.DotLog(row, r))
		}
		for j, a := range u {
			r[j] *= a
		}
	}
	return logs
}

// sumUp makes a pass. It renews the long factor if renew, forms the sums of the factors, and
// returns the divergence, or +Inf if the pass was aborted.
func (x *divergence[T]) sumUp(renew, cancellable bool) float64 {
	s := x.solver
	x.renewing = renew
	for k := range s.short.Sum {
		s.short.Sum[k] = kernel.Dot(s.short.X.Row(k), x.ones[:s.cols])
	}
	s.open(block.Reads, block.Untouched, cancellable)
	s.Run(len(x.sums.Tasks), x.passTask)
	if len(x.sums.Tasks) > 1 {
		s.Run(s.panels+1, x.sumTask)
	}
	x.sums.AllReduce()
	s.shut()
	if s.lines.Aborted() {
		return math.Inf(1)
	}
	all := group.Sum(s.share, x.terms, poisson.Terms.Plus)
	x.squares = all.Squares
	if !s.cells.Incomplete() {
		all.VW = matrix.Dot(x.sums.Total().Gram.Row(0), s.short.Sum)
	}
	return all.Logs + (all.VW - x.total)
}

// passSlabs makes the pass over the slabs of one task, a block of rows at a time.
func (x *divergence[T]) passSlabs(member, task int) {
	s, room := x.solver, &x.room[member]
	x.sums.Fold(member, task, func(to *group.Part[T], slab int) {
		clear(to.Product.Data)
		clear(to.Gram.Data)
		var sum poisson.Terms
		first, last := s.slab(slab)
		for i0 := first; i0 < last && !s.leftOut(); i0 += s.block {
			i1 := min(i0+s.block, last)
			m, h := s.rowsOfM(member, i0, i1), matrix.View(s.long.X, i0, i1)
			ratio, a, den := room.ratio.Slice(0, i1-i0, 0, s.cols), matrix.View(room.a, 0, i1-i0), matrix.View(room.den, 0, i1-i0)
			u := x.cellWeights(member, i0, i1-i0)
			if u.Rows > 0 {
				kernel.Contract(den, u, s.short.X)
			}
			if x.renewing {
				x.form(member, ratio, m, h, u, false)
				kernel.Contract(a, ratio, s.short.X)
				before := matrix.View(s.long.Before, i0, i1)
				for k := range s.rank {
					if of := s.short.Sum[k : k+1]; !s.long.Held.Has(k) {
						if u.Rows > 0 {
							of = den.Row(k)
						}
						poisson.Multiply(h.Row(k), before.Row(k), a.Row(k), of, 2*s.long.Penalty, s.long.Ridge, s.long.Beta)
					}
				}
			}
			sum.Logs += x.form(member, ratio, m, h, u, true)
			kernel.Accumulate(to.Product.Slice(0, s.rank, 0, s.cols), h, ratio)
			if u.Rows > 0 {
				kernel.Accumulate(to.Product.Slice(s.rank, 2*s.rank, 0, s.cols), h, u)
				for k := range s.rank {
					sum.VW += float64(kernel.Dot(h.Row(k), den.Row(k)))
				}
			}
		}
		for k := range s.rank {
			h := s.long.X.Row(k)[first:last]
			to.Gram.Row(0)[k] = kernel.Dot(h, x.ones[:last-first])
			sum.Squares += s.long.Squares(h)
		}
		x.terms[slab] = sum
	})
}

// keepSums makes the sums of the last pass those of the kept factors.
func (x *divergence[T]) keepSums() {
	all := x.sums.Total()
	matrix.CopyRows(x.c, all.Product)
	copy(x.solver.long.Sum, all.Gram.Row(0))
}

// renewRow renews row k of the short factor.
func (x *divergence[T]) renewRow(_, k int) {
	s := x.solver
	if s.short.Held.Has(k) {
		return
	}
	den := s.long.Sum[k : k+1]
	if s.cells.Incomplete() {
		den = x.c.Row(s.rank + k)
	}
	poisson.Multiply(s.short.X.Row(k), s.short.Before.Row(k), x.c.Row(k), den, 2*s.short.Penalty, s.short.Ridge, s.short.Beta)
}

// Divergence implements core.Divergent.
func (x *divergence[T]) Divergence() float64 {
	x.Null()
	return poisson.Reported(x.sumUp(false, false), x.Infinite())
}

// Infinite implements core.Divergent.
func (x *divergence[T]) Infinite() bool {
	s := x.solver
	return !s.long.Positive() && s.anyBlock(block.Reads, block.Untouched, false, func(member, i0 int, m, _ kernel.Matrix[T]) (missed bool) {
		p := x.room[member].ratio.Slice(0, m.Rows, 0, s.cols)
		kernel.Product(p, matrix.View(s.long.X, i0, i0+m.Rows), s.short.X)
		u := x.cellWeights(member, i0, m.Rows)
		for i := range m.Rows {
			missed = missed || poisson.Missed(p.Row(i), m.Row(i), u.Row(i))
		}
		return missed
	})
}

// Lift implements core.Divergent.
func (x *divergence[T]) Lift() {
	s := x.solver
	alone := poisson.Alone(x.least)
	s.long.Lift(x.sums.Total().Gram.Row(0), alone)
	s.short.Lift(s.short.Sum, alone)
}

// Penalties implements core.Divergent. It uses the sums of the last pass.
func (x *divergence[T]) Penalties() float64 {
	s := x.solver
	long, short := hals.Sizes{Squares: x.squares}, hals.Sizes{}
	for k, h := range x.sums.Total().Gram.Row(0) {
		long.Sum += float64(h)
		short.Sum += float64(s.short.Sum[k])
		short.Squares += s.short.Squares(s.short.X.Row(k))
	}
	return s.long.PenaltyOf(long) + s.short.PenaltyOf(short)
}

// Begin implements core.Divergent.
func (x *divergence[T]) Begin() float64 {
	x.Null()
	x.solver.BeginMomentum()
	d := x.sumUp(false, true)
	x.keepSums()
	return d
}

// Iterate implements core.Divergent.
func (x *divergence[T]) Iterate(beta float64) float64 {
	s := x.solver
	s.Round()
	s.SetBeta(beta)
	x.save()
	s.Run(s.rank, x.shortTask)
	d := x.sumUp(true, true)
	x.keepSums()
	return d
}

// save saves what Back restores.
func (x *divergence[T]) save() {
	x.solver.keep()
	matrix.CopyRows(x.oldC, x.c)
	copy(x.oldSum, x.solver.long.Sum)
}

// Even implements core.Momentum.
func (x *divergence[T]) Even(*[]float64) {
	if s := x.solver; !s.long.Penalised() && !s.short.Penalised() {
		s.balance(core.Penalty{L2: 1}, core.Penalty{L2: 1}, hals.UnevenSquares)
	}
}

// Back implements core.Divergent.
func (x *divergence[T]) Back() {
	x.solver.Back()
	matrix.CopyRows(x.c, x.oldC)
	copy(x.solver.long.Sum, x.oldSum)
}

// Conclude implements core.Divergent.
func (x *divergence[T]) Conclude() {
	s := x.solver
	s.SetBeta(0)
	x.save()
	pass := func(renew bool) (ok bool) {
		ok = !math.IsInf(x.sumUp(renew, false), 1)
		x.keepSums()
		return ok
	}
	ok := true
	if !s.tall { // V is the short factor
		if ok = pass(false); ok {
			s.Run(s.rank, x.shortTask)
		}
	}
	if ok = ok && pass(true); !ok {
		x.Back()
		return
	}
	if s.tall {
		s.Run(s.rank, x.shortTask)
	}
}

// State implements core.Divergent.
func (x *divergence[T]) State() []state.Field {
	return []state.Field{
		state.Factor("long factor", x.solver.columnsOf(x.solver.long.X)), state.Factor("short factor", x.solver.short.X),
		state.Named("long before", x.solver.columnsOf(x.solver.long.Before)), state.Named("short before", x.solver.short.Before),
		state.Named("C", x.c), state.Named("sums of the long factor", x.solver.long.Sum),
	}
}
