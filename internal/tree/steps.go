package tree

import "slices"

// Step is one of the steps by which several holders of leaves add up a tree.
type Step struct {
	Kind    Kind
	Partner int // the other holder, of Send and Receive
	Node    int // the number of the holder's own node that is sent or added to
	Other   int // and of the one that Add adds to it
}

// Kind is what a holder does in a step.
type Kind int

const (
	Send    Kind = iota // it sends the sum of a node
	Receive             // it receives a sum, and adds it to that of a node
	Add                 // it adds one of its sums to another one
)

// Steps returns the steps of one holder, in order, if holder p has the leaves from
// cuts[p] to cuts[p+1]-1, none if these are equal, and has added up the nodes that
// Cover returns for them if they may be of any size. When all holders have taken their
// steps, the sum of all leaves is that of the first node of the holder of leaf 0. They
// are O(len(cuts) log n), in an order in which holders that wait for each other
// always go on in the end.
//
//	holder 0   0..1  2
//	holder 1            3  4..5
//	holder 2                    6
//
//	holder 0   receives 3 from 1, adds (2 3) to 0..1, receives 4..6 from 1
//	holder 1   sends 3 to 0, receives 6 from 2, sends 4..6 to 0
//	holder 2   sends 6 to 1
func Steps(cuts []int, holder int) []Step {
	var steps []Step
	own := 0 // nodes of the holder that were met
	// walk returns who has the sum of a node in the end, and if it is the holder, in
	// which of its own nodes.
	var walk func(n Node) (of, node int)
	walk = func(n Node) (of, node int) {
		of = holderOf(cuts, n.First)
		if n.Last <= cuts[of+1] {
			if of == holder {
				own++
			}
			return of, own - 1
		}
		split := n.split()
		_, node = walk(Node{n.First, split})
		from, other := walk(Node{split, n.Last})
		switch {
		case of == holder && from == holder:
			steps = append(steps, Step{Kind: Add, Node: node, Other: other})
		case of == holder:
			steps = append(steps, Step{Kind: Receive, Partner: from, Node: node})
		case from == holder:
			steps = append(steps, Step{Kind: Send, Partner: of, Node: other})
		}
		return of, node
	}
	if n := cuts[len(cuts)-1]; n > 0 {
		walk(Node{0, n})
	}
	return steps
}

// holderOf returns the holder of a leaf.
func holderOf(cuts []int, leaf int) int {
	p, _ := slices.BinarySearch(cuts, leaf+1)
	return p - 1
}
