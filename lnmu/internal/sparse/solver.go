package sparse

import (
	"unsafe"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/tree"
)

// newLayout reserves the state for M.
func newLayout[T kernel.Float](given *tiling[T], d core.Plan, t *team.Team) *layout[T] {
	l := &layout[T]{Team: t, tiling: given, m: given.val, n: given.val}
	if given.file != nil {
		l.disk = newStore(given, d, t.Size())
		return l
	}
	if d.Underapproximates {
		l.n = make([]T, len(given.val))
	}
	if d.Recursive {
		l.m = append([]T(nil), given.val...)
	}
	return l
}

// vectors returns a zero matrix of rows vectors of r numbers, for access at
// random: dense in memory, but no vector that fits into a cache line lies across
// two.
func vectors[T kernel.Float](rows, r int) kernel.Matrix[T] {
	var zero T
	line := kernel.Alignment / int(unsafe.Sizeof(zero))
	stride := r
	if r < line {
		for stride = 1; stride < r; {
			stride *= 2
		}
	}
	m := kernel.NewMatrix[T](1, rows*stride)
	return kernel.Matrix[T]{Rows: rows, Cols: r, Data: m.Data[:rows*stride], Stride: stride}
}

func newSolver[T kernel.Float](l *layout[T], rank int) *solver[T] {
	var zero T
	s := &solver[T]{
		layout: l, rank: rank,
		c:       make([]kernel.Matrix[T], max(len(l.groups)-1, 1)),
		scratch: make([]scratch[T], l.Size()),
		most:    max(leastSweep, sweepBytes/rank) / int(unsafe.Sizeof(zero)) / 8 * 8,
		base:    make([]T, rank),
		sums:    make([]entriesResidual, l.count()),
		moments: make([]moments[T], l.count()),
	}
	s.long = newFactor[T](l.among(), l.slabs, rank, l.Size())
	s.groupNodes = tree.Cover(len(s.c), 0, len(s.c), 1)
	if l.among().Distributed() {
		s.groupNodes = tree.Cover(1, 0, 1, 1) // they are added up by then
	}
	s.short = newFactor[T](group.ForSlabs(group.Self{}, len(l.across)-1), l.across, rank, l.Size())
	s.long.other, s.short.other = &s.short, &s.long
	for i := range s.c {
		s.c[i] = vectors[T](l.cols, rank)
	}
	for i := range s.scratch {
		s.scratch[i] = scratch[T]{
			p:    make([]T, max(blockEntries, l.longest)),
			a:    vectors[T](max(l.tallest, s.most), rank),
			at:   kernel.NewMatrix[T](rank, s.most),
			ht:   kernel.NewMatrix[T](rank+1, s.most),
			gram: kernel.NewMatrix[T](rank+1, rank+1),
		}
		for j := range s.most {
			s.scratch[i].ht.Row(rank)[j] = 1
		}
	}
	s.longTask, s.shortTask, s.sweepTask, s.gramTask, s.residualTask = s.longSlabs, s.shortTile, s.shortSlabs, s.gramSlabs, s.residualSlab
	s.rankOneTask, s.unitTask = s.rankOneGroup, s.unitSlabs
	return s
}

func newFactor[T kernel.Float](h *group.Reducer, slabs []int, rank, members int) factor[T] {
	rows := slabs[len(slabs)-1]
	parts := group.NewSums[T](h, members, 1, rank, rank)
	return factor[T]{
		h: vectors[T](rows, rank), old: vectors[T](rows, rank),
		gram: parts.Total().Gram, inv: make([]T, rank), sum: parts.Total().Product.Row(0),
		slabs: slabs, Sweeps: hals.Sweeps{Most: 1}, parts: parts, among: h,
	}
}
