package sparse

import (
	"slices"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/tiles"
	"nmu/lnmu/internal/tree"
)

// A sweep works on a block of sweepBytes, which fits into L1 with its sums. In the transposed
// block a row has at least leastSweep bytes.
const (
	sweepBytes = 16 << 10
	leastSweep = 384
)

// newSolver returns a solver for factors of a rank.
func newSolver[T kernel.Float](l *tiles.Layout[T], rank int, missing bool) *solver[T] {
	s := &solver[T]{
		Layout: l, rank: rank, missing: missing,
		c:       make([]kernel.Matrix[T], max(len(l.Groups)-1, 1)),
		scratch: make([]scratch[T], l.Size()),
		most:    max(leastSweep, sweepBytes/rank) / int(unsafe.Sizeof(T(0))) / 8 * 8,
		base:    make([]T, rank),
		sums:    arena.Slice[entriesResidual](l.Arena, l.Count()),
		moments: arena.Slice[moments[T]](l.Arena, l.Count()), plus: moments[T].plus,
	}
	s.long = newFactor[T](l.Arena, l.Among(), l.Slabs, l.Own, l.Whole.Rows, rank, l.Size())
	s.groupNodes = tree.Cover(len(s.c), 0, len(s.c), 1)
	if l.Among().Distributed() {
		s.groupNodes = tree.Cover(1, 0, 1, 1) // overGroups has added them up
	}
	s.short = newFactor[T](l.Arena, group.ForSlabs(group.Self{}, len(l.Across)-1), l.Across, group.Span{To: l.Cols}, l.Cols, rank, l.Size())
	s.Sides = hals.SidesOf(&s.long.Side, &s.short.Side, l.Wide)
	for i := range s.c {
		s.c[i] = vectors[T](l.Arena, l.Cols, rank)
	}
	for i := range s.scratch {
		s.scratch[i] = scratch[T]{
			p:    arena.Slice[T](l.Arena, max(blockEntries, l.Longest)),
			a:    vectors[T](l.Arena, max(l.Tallest, s.most), rank),
			at:   arena.Matrix[T](l.Arena, rank, s.most),
			ht:   arena.Matrix[T](l.Arena, rank+1, s.most),
			gram: arena.Matrix[T](l.Arena, rank+1, rank+1),
		}
		if !l.Arena.Dry() {
			copy(s.scratch[i].ht.Row(rank), slices.Repeat([]T{1}, s.most))
		}
	}
	s.longTask, s.sweepTask = s.long.folded(s.longSlab), s.short.folded(s.shortSlab)
	for _, f := range []*factor[T]{&s.long, &s.short} {
		f.gramTask = f.folded(func(member, slab int, to *group.Part[T]) {
			s.sweep(member, slab, f, false, kernel.Matrix[T]{}, to)
		})
	}
	s.shortTask, s.residualTask, s.rankOneTask, s.backTask = s.shortStrip, s.residualSlab, s.rankOneGroup, s.back
	return s
}
