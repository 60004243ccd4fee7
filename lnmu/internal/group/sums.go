package group

import (
	"nmu/kernel"
	"nmu/lnmu/internal/tree"
)

// Sums reduces H N and H Hᵀ from the slabs to the sums over all processes.
type Sums[T kernel.Float] struct {
	Tasks []tree.Node // nodes of the tree over the slabs, one for each task of a pass

	reducer *Reducer
	heads   []int     // tasks heads[k] to heads[k+1]-1 make up node k of the share
	depth   int       // parts that a member needs beside that of its task
	parts   []Part[T] // of the tasks; then depth for each member
	other   Part[T]   // received from another process
}

// Part is the sums over some slabs.
type Part[T kernel.Float] struct {
	Product kernel.Matrix[T] // H_S N_S
	Gram    kernel.Matrix[T] // H_S H_Sᵀ
	control []T              // of process 0, in a message; empty in a group of one
	message []byte           // the memory of all three
}

// tasksPerMember is the least number of tasks of a pass for each member. With several tasks,
// the others need not wait long for a slow member; with few, there are few parts. Few slabs
// that members can share evenly make one task for each.
const tasksPerMember = 2

// NewSums returns the sums over the slabs of a reducer for a team of the given number of
// members. H N is rows x cols and H Hᵀ rank x rank. The sums take memory for O(members
// log(slabs)) parts, from zeros, which returns zero matrices like kernel.NewMatrix.
func NewSums[T kernel.Float](r *Reducer, members, rows, cols, rank int, zeros func(rows, cols int) kernel.Matrix[T]) Sums[T] {
	own := r.Last - r.First
	most := r.Slabs // in a task
	if members > 1 {
		most = leavesOf(own, members*tasksPerMember)
		// Reading from other members' caches costs more than waiting.
		if alike := leavesOf(own, members); own <= fewSlabs && own%(members*alike) == 0 {
			most = alike
		}
	}
	s := Sums[T]{reducer: r, Tasks: tree.Cover(r.Slabs, r.First, r.Last, most), heads: []int{0}}
	for k, task := range s.Tasks {
		s.depth = max(s.depth, task.Depth())
		if task.Last == r.nodes[len(s.heads)-1].Last {
			s.heads = append(s.heads, k+1)
		}
	}
	s.parts = make([]Part[T], max(len(s.Tasks), 1)+members*s.depth)
	for i := range s.parts {
		s.parts[i] = newPart(rows, cols, rank, r.Distributed(), zeros)
	}
	if r.Distributed() {
		s.other = newPart(rows, cols, rank, true, zeros)
	}
	return s
}

// newPart returns a part that is zero, in one piece of memory.
func newPart[T kernel.Float](rows, cols, rank int, sent bool, zeros func(rows, cols int) kernel.Matrix[T]) Part[T] {
	p := Part[T]{Product: kernel.Matrix[T]{Rows: rows, Cols: cols, Stride: kernel.Stride[T](rows, cols)}, Gram: kernel.Matrix[T]{Rows: rank, Cols: rank, Stride: kernel.Stride[T](rank, rank)}}
	m, n := rows*p.Product.Stride, rank*p.Gram.Stride
	all := zeros(1, m+n+1).Data
	if len(all) == 0 {
		return p // of an estimate
	}
	p.Product.Data, p.Gram.Data = all[:m:m], all[m:m+n:m+n]
	if sent {
		p.control, p.message = all[m+n:m+n+1], Memory(all[:m+n+1])
	}
	return p
}

// leavesOf returns the largest power of two of slabs per task that leaves at least the given
// number of tasks.
func leavesOf(slabs, tasks int) int {
	most := 1
	for 2*most*tasks <= slabs {
		most *= 2
	}
	return most
}

// Total returns the sum of all parts, after AllReduce.
func (s *Sums[T]) Total() Part[T] { return s.parts[0] }

// Parts returns the number of parts that the sums have in memory.
func (s *Sums[T]) Parts() int { return len(s.parts) }

// Fold computes the part of one task. leaf computes the part of a single slab, whose number
// counts from the first slab of this process.
func (s *Sums[T]) Fold(member, task int, leaf func(to *Part[T], slab int)) {
	at := func(k int) *Part[T] {
		if k == 0 {
			return &s.parts[task]
		}
		return &s.parts[len(s.Tasks)+member*s.depth+k-1]
	}
	first := s.reducer.First
	s.Tasks[task].Fold(
		func(k, slab int) { leaf(at(k), slab-first) },
		func(to, from int) { at(to).add(at(from)) })
}

func (p *Part[T]) add(other *Part[T]) {
	kernel.Add(p.Product, other.Product)
	kernel.Add(p.Gram, other.Gram)
}

// AddProducts adds up columns [j0, j1) of the tasks' products.
func (s *Sums[T]) AddProducts(j0, j1 int) {
	s.combine(func(to, from int) {
		kernel.Add(columns(s.parts[to].Product, j0, j1), columns(s.parts[from].Product, j0, j1))
	})
}

// AddGrams adds up the tasks' Gram matrices.
func (s *Sums[T]) AddGrams() {
	s.combine(func(to, from int) { kernel.Add(s.parts[to].Gram, s.parts[from].Gram) })
}

// combine adds up the tasks of each node of the share.
func (s *Sums[T]) combine(add func(to, from int)) {
	for k, head := range s.heads[:len(s.heads)-1] {
		tree.Combine(s.Tasks[head:s.heads[k+1]], func(to, from int) { add(head+to, head+from) })
	}
}

// AllReduce adds up the sums of all processes, and carries the decision of process 0. Call
// AddProducts and AddGrams before it.
func (s *Sums[T]) AllReduce() {
	r := s.reducer
	if !r.Distributed() {
		return
	}
	control := &s.parts[0].control[0]
	*control = 0
	if r.doubles { // the control numbers of the others are 0
		*control = T(r.Control.signal())
	}
	r.exchange(s)
	if !r.doubles {
		toFirst(r, r.root, s.Buffer(0))
		*control = T(r.Control.signal())
		r.Broadcast(s.Buffer(0))
	}
	r.Control.heard(Signal(*control))
}

// Buffer returns the memory of the sum of a node.
func (s *Sums[T]) Buffer(node int) []byte { return s.parts[s.heads[node]].message }

// Received returns the memory for a sum of another process.
func (s *Sums[T]) Received() []byte { return s.other.message }

// Add adds the sum of a node to that of another one.
func (s *Sums[T]) Add(to, from int) { s.parts[s.heads[to]].add(&s.parts[s.heads[from]]) }

// AddReceived adds the received sum, and its control number, to that of a node.
func (s *Sums[T]) AddReceived(to int) {
	p := &s.parts[s.heads[to]]
	p.add(&s.other)
	p.control[0] += s.other.control[0]
}

func columns[T kernel.Float](x kernel.Matrix[T], j0, j1 int) kernel.Matrix[T] {
	return x.Slice(0, x.Rows, j0, j1)
}
