package sparse

import (
	"slices"

	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/tree"
)

// The slabs of a sparse M follow from its stored entries, which Share knows nothing of.
// So processes first hand out what they have: of the layout in which M is kept, by its
// rows or by its columns, each gets whole slabs, as many as the others. In the end they
// give back what Share says.
//
// The sums c over a group of slabs are formed one slab after the other. A group that
// several processes have slabs of is handed on from one to the next with its sums:
//
//	process      0          1          2
//	slab      0  1  2  |  3  4  |  5  6  7
//	group     0-----0     0->1     1->1--1      c of 0: by process 1; of 1: by 2
//
// so that at most as many processes as there are groups work at the same time in that
// half of a step. What one process adds up entry by entry, or row by row, is handed on
// in the same way (group.Ring).

// share is what a process has of the slabs of a sparse M.
type share struct {
	slabs  *group.Reducer
	bounds []int          // of the rows of all slabs
	groups *group.Reducer // each group belongs to the process that has its last slab
	begun  bool           // the first group of this process was begun by an earlier one
	open   bool           // its last group goes on in the next process
	before int            // stored entries of earlier processes
}

// newShare returns the share of a process of the slabs with the given bounds.
func newShare(c group.Comm, bounds []int) *share {
	return &share{slabs: group.ForSlabs(c, len(bounds)-1), bounds: bounds}
}

// rows returns the rows of the slabs of a process.
func (h *share) rows(rank int) group.Span {
	cut := h.slabs.Cut(rank)
	return group.Span{From: h.bounds[cut.From], To: h.bounds[cut.To]}
}

// own returns the bounds of the slabs of this process, from 0 on.
func (h *share) own() []int {
	own := slices.Clone(h.bounds[h.slabs.First : h.slabs.Last+1])
	for i := len(own) - 1; i >= 0; i-- {
		own[i] -= own[0]
	}
	return own
}

// setGroups takes note of the groups, and returns the bounds of those that this
// process has slabs of, in these.
func (h *share) setGroups(groups []int) []int {
	first, last, count := h.slabs.First, h.slabs.Last, len(groups)-1
	cuts := make([]int, h.slabs.Size()+1)
	for rank := range cuts {
		slab := h.slabs.Slabs
		if rank < h.slabs.Size() {
			slab = h.slabs.Cut(rank).From
		}
		for cuts[rank] < count && groups[cuts[rank]+1] <= slab {
			cuts[rank]++
		}
	}
	h.groups = group.NewReducer(h.slabs.Comm, cuts)
	if first == last {
		return []int{0}
	}
	h.begun, h.open = !slices.Contains(groups, first), !slices.Contains(groups, last)
	own := []int{0}
	for _, slab := range groups {
		if slab > first && slab < last {
			own = append(own, slab-first)
		}
	}
	return append(own, last-first)
}

// among returns the share of the slabs.
func (t *tiling[T]) among() *group.Reducer { return t.shared.slabs }

// isFirst reports whether this process has the first slab.
func (t *tiling[T]) isFirst() bool { return t.shared.slabs.First == 0 }

// goesOn reports whether the sums of a group begin with those of an earlier process.
func (t *tiling[T]) goesOn(group int) bool { return t.shared.begun && group == 0 }

// overGroups runs so many tasks for each group. With several processes it leaves the
// sums over all groups in c[0], too.
func (s *solver[T]) overGroups(each int, task func(member, task int)) {
	h := s.shared
	if !h.slabs.Distributed() {
		s.Run(len(s.c)*each, task)
		return
	}
	if s.other == nil {
		s.other = make([]T, len(s.c[0].Data))
	}
	count := len(s.groups) - 1
	rank, last := h.slabs.Rank(), count-1
	s.fromGroup = 0
	if h.begun {
		s.fromGroup = 1
	}
	s.Run((count-s.fromGroup)*each, task)
	if h.open && !(h.begun && last == 0) {
		h.slabs.Exchange(rank+1, group.Memory(s.c[last].Data), nil)
	}
	if h.begun {
		h.slabs.Exchange(rank-1, nil, group.Memory(s.c[0].Data))
		s.fromGroup = 0
		s.Run(each, task)
		if h.open && last == 0 {
			h.slabs.Exchange(rank+1, group.Memory(s.c[0].Data), nil)
		}
	}
	s.meetGroups(h.groups)
}

// meetGroups adds up the sums of the groups of all processes. The first node of a
// process begins with its c[0], as every process that has the last slab of a group has
// none of an earlier one that is not its own.
func (s *solver[T]) meetGroups(h *group.Reducer) {
	for _, n := range h.Nodes() {
		at := n.First - h.First
		tree.Combine(tree.Cover(h.Slabs, n.First, n.Last, 1), func(to, from int) {
			kernel.Add(matrix.AsRow(s.c[at+to].Data), matrix.AsRow(s.c[at+from].Data))
		})
	}
	h.Reduce(&groupSums[T]{s, h})
}

// groupSums are the sums c of the groups, as a Reducer adds them up.
type groupSums[T kernel.Float] struct {
	s *solver[T]
	h *group.Reducer
}

// at returns the sum of a node; a process without groups gets the sum of all in c[0].
func (g *groupSums[T]) at(node int) []T {
	if nodes := g.h.Nodes(); node < len(nodes) {
		return g.s.c[nodes[node].First-g.h.First].Data
	}
	return g.s.c[0].Data
}

func (g *groupSums[T]) Buffer(node int) []byte { return group.Memory(g.at(node)) }
func (g *groupSums[T]) Received() []byte       { return group.Memory(g.s.other) }
func (g *groupSums[T]) Add(to, from int) {
	kernel.Add(matrix.AsRow(g.at(to)), matrix.AsRow(g.at(from)))
}
func (g *groupSums[T]) AddReceived(to int) {
	kernel.Add(matrix.AsRow(g.at(to)), matrix.AsRow(g.s.other))
}
