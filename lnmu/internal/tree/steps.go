package tree

import (
	"cmp"
	"slices"
)

// Step is one of the steps by which several holders of leaves add up a tree.
type Step struct {
	Kind    Kind
	Partner int // the other holder; unused by Add
	Node    int // the number of the holder's own node that is sent or added to
	Other   int // the number of the node that Add adds to it
}

// Kind is what a holder does in a step.
type Kind int

const (
	Send    Kind = iota // it sends the sum of a node
	Receive             // it receives a sum, and adds it to that of a node
	Add                 // it adds one of its sums to another one
	Swap                // both send their sum, and add what they receive
)

// Steps returns the steps of one holder, in order. Holder p has the leaves from cuts[p] to
// cuts[p+1]-1, none if these are equal. It has added up the nodes that Cover returns for them
// without a limit on their size. After all steps of all holders, the first node of the holder
// of leaf 0 has the sum of all leaves. There are O(len(cuts) log n) steps. Their order is free
// of deadlocks.
//
//	holder 0   0..1  2
//	holder 1            3  4..5
//	holder 2                    6
//
//	holder 0   receives 3 from 1, adds (2 3) to 0..1, receives 4..6 from 1
//	holder 1   sends 3 to 0, receives 6 from 2, sends 4..6 to 0
//	holder 2   sends 6 to 1
//
// If Doubles is true, all holders have the sum in the end, in their only node:
//
//	holder 0   0..1              swaps with 1     swaps with 2
//	holder 1         2..3        swaps with 0     swaps with 3
//	holder 2               4..5  swaps with 3     swaps with 0
//	holder 3                  6  swaps with 2     swaps with 1
//
// Two partners of a swap get the same bits, because addition is commutative.
func Steps(cuts []int, holder int) []Step {
	var steps []Step
	if Doubles(cuts) {
		for distance := 1; distance < len(cuts)-1; distance *= 2 {
			steps = append(steps, Step{Kind: Swap, Partner: holder ^ distance})
		}
		return steps
	}
	for _, m := range meetings(cuts) {
		switch {
		case m.to == holder && m.from == holder:
			steps = append(steps, Step{Kind: Add, Node: m.node, Other: m.other})
		case m.to == holder:
			steps = append(steps, Step{Kind: Receive, Partner: m.from, Node: m.node})
		case m.from == holder:
			steps = append(steps, Step{Kind: Send, Partner: m.to, Node: m.other})
		}
	}
	return steps
}

// Doubles reports whether holders can add up by recursive doubling: their number is a power of
// two, and each has one node. All nodes have the same size; only the last one may be smaller.
func Doubles(cuts []int) bool {
	holders, each := len(cuts)-1, cuts[1]-cuts[0]
	if holders&(holders-1) != 0 || each < 1 || each&(each-1) != 0 {
		return false
	}
	for p := range holders {
		if here := cuts[p+1] - cuts[p]; here != each && (p < holders-1 || here < 1 || here > each) {
			return false
		}
	}
	return true
}

// Cuts shares out leaves among holders: holder p has those from cuts[p] to cuts[p+1]-1. Shares
// consist of whole nodes, as large as possible while no holder has more than 1/32 above the
// average. Each node that is cut in two costs a message. With large nodes, the holder of leaf 0
// waits for some log2(holders) messages, one after the other.
func Cuts(leaves, holders int) []int {
	block := 1 // leaves that are not cut
	for b := 2; b < 2*leaves; b *= 2 {
		blocks := (leaves-1)/b + 1
		if most := ((blocks-1)/holders + 1) * b; float64(most)*float64(holders) <= float64(leaves)*(1+1./32) {
			block = b
		}
	}
	blocks := (leaves-1)/block + 1
	cuts := make([]int, holders+1)
	for p := range cuts { // the first ones have a block more
		cuts[p] = min((p*(blocks/holders)+min(p, blocks%holders))*block, leaves)
	}
	return cuts
}

// meeting is where the sums of both halves of a node are added up.
type meeting struct {
	Node
	to, from    int // the holders of the left and of the right half
	node, other int // the numbers of these halves among their nodes
}

// meetings returns all meetings, in an order that is free of deadlocks. Smaller nodes come
// first. Among nodes of one depth, those of even holders come first: in the order of the
// leaves, each holder would wait for the one before it.
func meetings(cuts []int) []meeting {
	var list []meeting
	own := make([]int, len(cuts)) // number of nodes found so far, for each holder
	// walk returns the holder that has the sum of a node in the end, and the number of its own
	// node.
	var walk func(n Node) (holder, node int)
	walk = func(n Node) (holder, node int) {
		holder = holderOf(cuts, n.First)
		if n.Last <= cuts[holder+1] {
			own[holder]++
			return holder, own[holder] - 1
		}
		split := n.split()
		m := meeting{Node: n}
		m.to, m.node = walk(Node{n.First, split})
		m.from, m.other = walk(Node{split, n.Last})
		list = append(list, m)
		return m.to, m.node
	}
	if n := cuts[len(cuts)-1]; n > 0 {
		walk(Node{0, n})
	}
	slices.SortStableFunc(list, func(a, b meeting) int {
		return cmp.Or(cmp.Compare(a.Depth(), b.Depth()), cmp.Compare(a.to%2, b.to%2))
	})
	return list
}

func holderOf(cuts []int, leaf int) int {
	p, _ := slices.BinarySearch(cuts, leaf+1)
	return p - 1
}
