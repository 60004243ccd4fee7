package tiles

import (
	"slices"

	"nmu/lnmu/internal/group"
)

// The slabs of a sparse M follow from its stored entries, which group.Share does not know. So
// processes first redistribute M. Each gets the same number of whole slabs of the layout, which
// are of rows or of columns. In the end they return the factors to the parts of group.Share.
//
// The sums over a group of slabs are formed one slab after the other. If a group has slabs of
// several processes, each process passes its sums on to the next:
//
//	process      0          1          2
//	slab      0  1  2  |  3  4  |  5  6  7
//	group     0-----0     0->1     1->1--1      sums of 0: by process 1; of 1: by 2
//
// While these sums are formed, at most one process per group works at the same time. Sums entry
// by entry, or row by row, are passed on in the same way (group.Ring).

// Share is the share of a process of the slabs of a sparse M.
type Share struct {
	Slabs  *group.Reducer
	Groups *group.Reducer // each group belongs to the process that has its last slab
	Begun  bool           // the first group of this process was begun by an earlier one
	Open   bool           // its last group goes on in the next process
	cuts                  // of the rows of all processes
}

// newShare returns the share of a process of these slabs.
func newShare(c group.Comm, all cuts) *Share {
	return &Share{Slabs: group.ForSlabs(c, len(all.bounds)-1), cuts: all}
}

// rows returns the rows of the slabs of a process.
func (h *Share) rows(rank int) group.Span {
	cut := h.Slabs.Cut(rank)
	return group.Span{From: h.bounds[cut.From], To: h.bounds[cut.To]}
}

// all returns the rows of all processes.
func (h *Share) all() []group.Span {
	all := make([]group.Span, h.Slabs.Size())
	for rank := range all {
		all[rank] = h.rows(rank)
	}
	return all
}

// own returns the slabs of this process, whose rows and entries count from 0.
func (h *Share) own() cuts {
	from0 := func(x []int) []int {
		x = slices.Clone(x[h.Slabs.First : h.Slabs.Last+1])
		for i := len(x) - 1; i >= 0; i-- {
			x[i] -= x[0]
		}
		return x
	}
	return cuts{from0(h.bounds), from0(h.before)}
}

// setGroups sets Groups, Begun and Open for groups with these bounds. It returns the bounds of
// the groups of this process, as numbers of its own slabs.
func (h *Share) setGroups(groups []int) []int {
	first, last, count := h.Slabs.First, h.Slabs.Last, len(groups)-1
	cuts := make([]int, h.Slabs.Size()+1)
	for rank := range cuts {
		slab := h.Slabs.Slabs
		if rank < h.Slabs.Size() {
			slab = h.Slabs.Cut(rank).From
		}
		for cuts[rank] < count && groups[cuts[rank]+1] <= slab {
			cuts[rank]++
		}
	}
	h.Groups = group.NewReducer(h.Slabs.Comm, cuts)
	if first == last {
		return []int{0}
	}
	h.Begun, h.Open = !slices.Contains(groups, first), !slices.Contains(groups, last)
	own := []int{0}
	for _, slab := range groups {
		if slab > first && slab < last {
			own = append(own, slab-first)
		}
	}
	return append(own, last-first)
}
