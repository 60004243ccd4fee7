package sparse

import (
	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
)

// For r = 1 the vectors are numbers. If M is kept by rows, in one block, one pass over the
// entries makes both halves of a HALS step. V is long, so v_i follows from row i alone. Then the
// entries of row i, which are in cache, are added to the sums c at once:
//
//	row i   N <- min(M, N + µ(M - v_i w)),  v_i from N_i w,  c += v_i N_i
//
// The slabs of a group share one c and are processed one after the other. The threads share out
// the groups.

// fusedRankOne reports whether M is kept by rows, whatever its shape, for steps of rank one in
// one pass. renewRankOne supports one sweep, the multipliers of Algorithm L-NMU and no missing
// entries.
func fusedRankOne(p core.Plan, missing bool) bool {
	return p.Block == 1 && !p.Accelerated && !p.Augmented && !p.General && !p.Supports && !missing
}

// step makes a HALS step, V first, with an update of the multipliers of the length mu
// within its first half.
func (s *solver[T]) step(mu float64) {
	switch {
	case s.rank == 1 && s.ByRows:
		s.renewRankOne(mu)
	case s.Wide:
		s.renewShort(mu)
		s.renewLong(0)
	default:
		s.renewLong(mu)
		s.renewShort(0)
	}
}

// renewRankOne is renewLong and renewShort for r = 1 in one pass over the entries.
func (s *solver[T]) renewRankOne(mu float64) {
	s.prepare(mu, &s.short)
	s.Open(s.touched(), true, true)
	s.overGroups(1, s.rankOneTask)
	s.Shut()
	if s.Aborted() { // the sums are not those of all rows
		return
	}
	all := group.Sum(s.Among(), s.moments, s.plus)
	s.long.Gram.Data[0], s.long.Sum[0] = all.squares, all.sum
	s.long.Invert()
	s.prepare(0, &s.long)
	s.late = true
	s.Run(len(s.short.parts.Tasks), s.sweepTask)
	s.short.collect()
}

// rankOneGroup renews the rows of one group of slabs and adds up its sums c.
func (s *solver[T]) rankOneGroup(member, task int) {
	group := s.fromGroup + task
	c := numbers(s.c[group]).Data
	if !s.GoesOn(group) {
		clear(c)
	}
	step := kernel.SparseStep[T]{Update: s.mu != 0, Mu: s.mu, G: s.g, Base: s.base[0], Inv: s.short.Inv[0]}
	w := numbers(s.short.X).Data
	for slab := s.Groups[group]; slab < s.Groups[group+1]; slab++ {
		tile, ok := s.Tile(member, slab, 0)
		if !ok {
			return
		}
		t0, t1 := tile.Entries(0, tile.Rows())
		v := numbers(s.long.X.Slice(s.Slabs[slab], s.Slabs[slab+1], 0, 1))
		if step.Update {
			step.M = tile.M[t0:t1]
		}
		kernel.SparseRankOne(c, v.Data, tile.Pattern, tile.N[t0:t1], w, step)
		s.moments[slab] = s.sumUp(member, v)
	}
}
