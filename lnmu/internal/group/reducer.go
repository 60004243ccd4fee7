package group

import (
	"slices"

	"nmu/lnmu/internal/tree"
)

// Reducer is the share of one process of the slabs of a problem, and the steps of the reduction
// over all processes. It adds along the tree over all slabs, in the same order as one process.
// The sum of a node is sent to the process with the other half of the parent node. Process 0,
// or the process with slab 0, then has the total and sends it to the others:
//
//	process     0         1         2
//	slab     0   1   2 | 3   4 | 5   6
//	         +-+-+   |   |   |   |   |
//	          0 1    +<--3   4   +-+-+
//	           +--+--+       |    5 6
//	              |          |     |
//	              |          +     |     (4 5) is split: 5 is sent on its own
type Reducer struct {
	Comm
	Control *Control // carries decisions of process 0 with every sum of a pass; nil: none

	First, Last int // the slabs of this process are those from First to Last-1
	Slabs       int // of all processes

	cuts    []int       // the first slab of each process, and the number of slabs
	nodes   []tree.Node // the maximal subtrees that cover the local slabs
	steps   []tree.Step // of the reduction, for this process
	doubles bool        // all processes have the sum after the steps
	root    int         // else the process with slab 0 has it
}

// NewReducer returns the reducer of a process if process p has the slabs from cuts[p] to
// cuts[p+1]-1.
func NewReducer(c Comm, cuts []int) *Reducer {
	rank, slabs := c.Rank(), cuts[len(cuts)-1]
	first, last := cuts[rank], cuts[rank+1]
	return &Reducer{
		Comm: c, cuts: cuts, Slabs: slabs, First: first, Last: last,
		nodes: tree.Cover(slabs, first, last, slabs), steps: tree.Steps(cuts, rank), doubles: tree.Doubles(cuts),
		root: slices.IndexFunc(cuts, func(cut int) bool { return cut > 0 }) - 1,
	}
}

// ForSlabs returns the reducer of a process if the slabs are shared evenly.
func ForSlabs(c Comm, slabs int) *Reducer { return NewReducer(c, tree.Cuts(slabs, c.Size())) }

// ForRows returns the reducer of a process if each process has its Share of the rows.
func ForRows(c Comm, rows int) *Reducer {
	_, slabs := Slabs(rows)
	return ForSlabs(c, slabs)
}

// Cut returns the slabs of a process.
func (r *Reducer) Cut(rank int) Span { return Span{r.cuts[rank], r.cuts[rank+1]} }

// Nodes returns the maximal subtrees that cover the local slabs.
func (r *Reducer) Nodes() []tree.Node { return r.nodes }

// Distributed reports whether there are other processes.
func (r *Reducer) Distributed() bool { return r.Size() > 1 }

// Partial holds the sums of the nodes of a process, and memory for a sum that another
// process sends. The nodes are numbered as Nodes returns them.
type Partial interface {
	Buffer(node int) []byte // the sum of a node
	Received() []byte       // the sum that was received
	Add(to, from int)       // adds the sum of a node to that of another one
	AddReceived(to int)     // adds the received sum to that of a node
}

// Reduce leaves the sum of the nodes of all processes in node 0 of each process.
func (r *Reducer) Reduce(p Partial) {
	r.exchange(p)
	if !r.doubles {
		toFirst(r, r.root, p.Buffer(0))
		r.Broadcast(p.Buffer(0))
	}
}

// exchange makes the steps of the reduction.
func (r *Reducer) exchange(p Partial) {
	for _, step := range r.steps {
		switch step.Kind {
		case tree.Add:
			p.Add(step.Node, step.Other)
		case tree.Send:
			r.Exchange(step.Partner, p.Buffer(step.Node), nil)
		case tree.Receive:
			r.Exchange(step.Partner, nil, p.Received())
			p.AddReceived(step.Node)
		case tree.Swap:
			r.Exchange(step.Partner, p.Buffer(step.Node), p.Received())
			p.AddReceived(step.Node)
		}
	}
}

// Sum returns the sum of terms over the slabs of all processes. terms are those of the
// local slabs and hold no pointers. A closure that is passed as add is allocated, and so are
// a function literal in a generic function and a method expression of a generic type; a
// function and a method expression of another type are not.
func Sum[E any](r *Reducer, terms []E, add func(a, b E) E) E {
	if !r.Distributed() {
		return tree.Sum(terms, add)
	}
	p := &values[E]{sums: make([]E, max(len(r.nodes), 1)), other: new(E), add: add} // a process without slabs waits for the sum
	for k, n := range r.nodes {
		p.sums[k] = tree.Sum(terms[n.First-r.First:n.Last-r.First], add)
	}
	r.Reduce(p)
	return p.sums[0]
}

// Any reports whether anything was found in a slab of any process.
func Any(r *Reducer, found []bool) bool {
	return Sum(r, found, either)
}

func either(a, b bool) bool { return a || b }

// Vote lets the processes of a group agree repeatedly on whether one of them says yes. It
// allocates nothing.
type Vote struct {
	reducer *Reducer // each process has a slab
	values  values[bool]
}

// NewVote returns the votes of a process.
func NewVote(c Comm) *Vote {
	return &Vote{ForSlabs(c, c.Size()), values[bool]{sums: make([]bool, 1), other: new(bool), add: either}}
}

// Any returns in all processes whether one of them says yes.
func (v *Vote) Any(yes bool) bool {
	if v.reducer.Distributed() {
		v.values.sums[0] = yes
		v.reducer.Reduce(&v.values)
		yes = v.values.sums[0]
	}
	return yes
}

// values are the sums of nodes that are single values. Each message is in memory of its own,
// because C code must not get memory beside Go pointers.
type values[E any] struct {
	sums  []E
	other *E
	add   func(a, b E) E
}

func (v *values[E]) Buffer(node int) []byte { return Bytes(&v.sums[node]) }
func (v *values[E]) Received() []byte       { return Bytes(v.other) }
func (v *values[E]) Add(to, from int)       { v.sums[to] = v.add(v.sums[to], v.sums[from]) }
func (v *values[E]) AddReceived(to int)     { v.sums[to] = v.add(v.sums[to], *v.other) }
