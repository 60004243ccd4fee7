package tiles

import (
	"slices"

	"nmu/lnmu/internal/group"
)

// The slabs of a sparse M follow from its stored entries, which group.Share knows nothing of.
// So processes first hand out what they have: of the layout in which M is kept, by its
// rows or by its columns, each gets whole slabs, as many as the others. In the end they
// give back what group.Share says.
//
// The sums over a group of slabs are formed one slab after the other. A group that
// several processes have slabs of is handed on from one to the next with its sums:
//
//	process      0          1          2
//	slab      0  1  2  |  3  4  |  5  6  7
//	group     0-----0     0->1     1->1--1      sums of 0: by process 1; of 1: by 2
//
// so that at most as many processes as there are groups work at the same time in that
// half of a step. What one process adds up entry by entry, or row by row, is handed on
// in the same way (group.Ring).

// Share is what a process has of the slabs of a sparse M.
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

// earlier returns the number of entries of earlier processes.
func (h *Share) earlier() int { return h.before[h.Slabs.First] }

// setGroups takes note of the groups, and returns the bounds of those that this
// process has slabs of, in these.
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
