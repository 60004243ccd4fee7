package sparse

import (
	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
)

// For r = 1 the vectors are numbers, and with M kept by rows, in one block, both
// halves of a HALS step are one walk over the entries: V is long, so that v_i
// follows from row i alone, and its entries, which are in the registers' reach by
// then, are added to the sums c at once:
//
//	row i   N <- min(M, N + µ(M - v_i w)),  v_i from N_i w,  c += v_i N_i
//
// The slabs of a group share one c, so that they are walked over one after the
// other, and the groups are what threads share out.

// numbers returns a matrix of one column, without gaps, as one of one row.
func numbers[T kernel.Float](m kernel.Matrix[T]) kernel.Matrix[T] {
	return matrix.AsRow(m.Data[:m.Rows])
}

// ByRows reports whether M is kept by rows whatever its shape, for steps of rank one in one
// walk over the entries: renewRankOne knows one sweep, the multipliers of
// Algorithm L-NMU and no missing entries.
func ByRows(p core.Plan, missing bool) bool {
	return p.Block == 1 && !p.Accelerated && !p.Augmented && !p.General && !missing
}

// fusedRankOne reports whether renewRankOne can be used.
func (s *solver[T]) fusedRankOne() bool { return s.rank == 1 && s.byRows }

// renewRankOne is renewLong and renewShort for r = 1 in one walk over the entries.
func (s *solver[T]) renewRankOne(mu float64) {
	s.prepare(mu, &s.short)
	s.open(s.touched(), true, true)
	s.overGroups(1, s.rankOneTask)
	s.shut()
	if s.disk.aborted() { // the sums are not those of all rows
		return
	}
	all := group.Sum(s.among(), s.moments, moments[T].plus)
	s.long.gram.Data[0], s.long.sum[0] = all.squares, all.sum
	s.long.invert()
	s.prepare(0, &s.long)
	s.late = true
	s.Run(len(s.short.parts.Tasks), s.sweepTask)
	s.short.collect()
}

// rankOneGroup renews the rows of one group of slabs and adds up its sums c.
func (s *solver[T]) rankOneGroup(member, task int) {
	group := s.fromGroup + task
	c := numbers(s.c[group]).Data
	if !s.goesOn(group) {
		clear(c)
	}
	step := kernel.SparseStep[T]{Update: s.mu != 0, Mu: s.mu, G: s.g, Base: s.base[0], Inv: s.short.inv[0]}
	w := numbers(s.short.h).Data
	for slab := s.groups[group]; slab < s.groups[group+1]; slab++ {
		tile, ok := s.tile(member, slab, 0)
		if !ok {
			return
		}
		t0, t1 := tile.Entries(0, tile.Rows())
		v := numbers(s.long.h.Slice(s.slabs[slab], s.slabs[slab+1], 0, 1))
		if step.Update {
			step.M = tile.m[t0:t1]
		}
		kernel.SparseRankOne(c, v.Data, tile.Pattern, tile.n[t0:t1], w, step)
		s.moments[slab] = s.sumUp(member, v)
	}
}

// moments is what a slab adds to the Gram matrix and to the sum of a factor of rank
// one.
type moments[T kernel.Float] struct{ squares, sum T }

func (a moments[T]) plus(b moments[T]) moments[T] {
	return moments[T]{a.squares + b.squares, a.sum + b.sum}
}

// sumUp returns the moments of the numbers of one slab.
func (s *solver[T]) sumUp(member int, h kernel.Matrix[T]) moments[T] {
	x := moments[T]{squares: kernel.SumSquares(h.Data)}
	for ones := s.scratch[member].ht.Row(1); len(h.Data) > 0; {
		n := min(len(ones), len(h.Data))
		x.sum += kernel.Dot(h.Data[:n], ones[:n])
		h.Data = h.Data[n:]
	}
	return x
}
