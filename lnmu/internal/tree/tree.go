// Package tree adds up terms in an order that depends on their number alone, not on who has
// computed which of them.
//
// The terms are the leaves 0 to n-1 of a binary tree. A node with more than one leaf
// is split at the largest power of two below their number, and its sum is that of
// its left half plus that of its right half. For 7 leaves:
//
//	             0..6
//	     0..3            4..6
//	 0..1    2..3    4..5    6
//	0    1  2    3  4    5
//
// A thread, or a machine, with a contiguous range of leaves adds up the nodes that cover it
// (Cover, Fold). Fold keeps one partial sum for each level of a node. The sums of the nodes are
// added up along the rest of the tree (Combine). So the sum has the same bits however the
// leaves are shared out.
package tree

import (
	"fmt"
	"math/bits"
)

// Node is a node of a tree: its leaves are those from First to Last-1.
type Node struct{ First, Last int }

// Leaves returns the number of leaves.
func (n Node) Leaves() int { return n.Last - n.First }

// Depth returns the number of sums that Fold keeps at a time, besides the sum of the node.
func (n Node) Depth() int { return bits.Len(uint(n.Leaves() - 1)) }

// split returns the first leaf of the right half of a node with more than one leaf.
func (n Node) split() int { return n.First + 1<<(n.Depth()-1) }

// Cover returns the largest nodes of the tree of n leaves that together have the leaves from
// first to last-1, in order. No node has more than most leaves. There are O(log n + n/most)
// nodes. Cover panics if the leaves are not in the tree or most < 1.
func Cover(n, first, last, most int) []Node {
	if first < 0 || last > n || most < 1 {
		panic(fmt.Sprintf("tree: nodes of at most %d of the leaves from %d to %d of %d", most, first, last-1, n))
	}
	var nodes []Node
	for first < last {
		// The nodes that begin here end at the next multiple of a power of two that
		// divides first, or with the tree.
		end := first + 1
		for step := 2; first%step == 0; step *= 2 {
			next := min(first+step, n)
			if next > last || next-first > most || next == end && end == n {
				break
			}
			end = next
		}
		nodes = append(nodes, Node{first, end})
		first = end
	}
	return nodes
}

// Fold adds up the leaves of a node, one after the other. leaf(at, i) must leave leaf
// i in the sum numbered at, and add(to, from) must add one sum to another one. The
// numbers are from 0 to Depth; the sum of the node is number 0.
func (n Node) Fold(leaf func(at, i int), add func(to, from int)) {
	// To the left of leaf i there is one complete node of 2^k leaves for each set bit k of i.
	// Nodes are merged like the carries of a binary counter.
	for i := range n.Leaves() {
		at := bits.OnesCount(uint(i))
		leaf(at, n.First+i)
		for k := i; k%2 == 1; k /= 2 {
			add(at-1, at)
			at--
		}
	}
	for at := bits.OnesCount(uint(n.Leaves())) - 1; at > 0; at-- {
		add(at-1, at)
	}
}

// Combine adds up nodes that are in order and together make up one node. add(to, from) must add
// the sum of nodes[from] to that of nodes[to]. nodes[0] then has the sum of all.
func Combine(nodes []Node, add func(to, from int)) { combine(nodes, 0, add) }

// combine is Combine for nodes that begin with number base.
func combine(nodes []Node, base int, add func(to, from int)) {
	if len(nodes) == 1 {
		return
	}
	split := Node{nodes[0].First, nodes[len(nodes)-1].Last}.split()
	k := 1
	for nodes[k].First < split {
		k++
	}
	combine(nodes[:k], base, add)
	combine(nodes[k:], base+k, add)
	add(base, base+k)
}

// Sum returns the sum of the terms x, of which there must be at least one.
func Sum[T any](x []T, add func(a, b T) T) T {
	if len(x) == 1 {
		return x[0]
	}
	split := Node{0, len(x)}.split()
	return add(Sum(x[:split], add), Sum(x[split:], add))
}
