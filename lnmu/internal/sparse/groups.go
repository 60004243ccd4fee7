package sparse

import (
	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/tree"
)

// overGroups runs each tasks for every group. With several processes it also leaves the sums over
// all groups in c[0].
func (s *solver[T]) overGroups(each int, task func(member, task int)) {
	h := s.Shared
	if !h.Slabs.Distributed() {
		s.Run(len(s.c)*each, task)
		return
	}
	if s.other == nil {
		s.other = make([]T, len(s.c[0].Data))
	}
	count := len(s.Groups) - 1
	rank, last := h.Slabs.Rank(), count-1
	s.fromGroup = 0
	if h.Begun {
		s.fromGroup = 1
	}
	s.Run((count-s.fromGroup)*each, task)
	if h.Open && !(h.Begun && last == 0) {
		h.Slabs.Exchange(rank+1, group.Memory(s.c[last].Data), nil)
	}
	if h.Begun {
		h.Slabs.Exchange(rank-1, nil, group.Memory(s.c[0].Data))
		s.fromGroup = 0
		s.Run(each, task)
		if h.Open && last == 0 {
			h.Slabs.Exchange(rank+1, group.Memory(s.c[0].Data), nil)
		}
	}
	s.meetGroups(h.Groups)
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

// groupSums lets a Reducer add up the sums c of the groups.
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
