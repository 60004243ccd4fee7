package lnmu

import (
	"nmu/kernel"
	"nmu/lnmu/internal/tree"
)

// The sums over the rows of N, H N and H Hᵀ, are formed slab by slab, a slab being
// some hundred rows. The slabs follow from the number of rows alone, and their parts
// are added up along the tree over them (package tree), so that whoever has done
// which slabs does not show in the bits:
//
//	slab     0   1   2   3   4   5   6        H_S N_S, H_S H_Sᵀ
//	         |   |   |   |   |   |   |
//	task     0-+-1   2-+-3   4-+-5   6        as a member does its slabs
//	           +--- + ---+     +- + -+        when all have done theirs, by columns
//	                +------ + ----+

// sums are H N and H Hᵀ on their way.
type sums[T Float] struct {
	among *holding    // of the slabs, or nil for all of them
	tasks []tree.Node // nodes of the tree over the slabs, one for each task of a pass
	heads []int       // tasks heads[k] to heads[k+1]-1 make up a node of the share, or all
	depth int         // parts that a member needs beside that of its task
	parts []part[T]   // of the tasks; then depth for each member. The first becomes the sum

	// of one process among several
	other    part[T]  // received from another one
	messages [][]byte // the memory of every part, and of the one that is received
}

// part is what some slabs come to.
type part[T Float] struct {
	product kernel.Matrix[T] // H_S N_S
	gram    kernel.Matrix[T] // H_S H_Sᵀ
	word    []T              // of the first process, in a message
}

const (
	fewSlabs          = 8       // up to so many slabs,
	fewRows, manyRows = 96, 256 // a slab has at least 96 rows, beyond, 256

	// Tasks of a pass, at least: a slow member is not waited for to the end, and parts
	// are few. Few slabs that members can share evenly make one task for each.
	tasksPerMember = 2
)

// slabs cuts rows into slabs of one size, but for the last. The size follows
// from the number of rows alone, since the sums over slabs are rounded slab by slab.
// Adding up the slabs' parts (rank x cols each) costs as much as a few rows of a
// slab in the pass itself, so slabs are large; small problems are cut finer, lest
// threads go idle.
func slabs(rows int) (size, count int) {
	for count = 1; ; count *= 2 {
		least := fewRows
		if count >= fewSlabs {
			least = manyRows
		}
		if rows/2/count < least {
			break
		}
	}
	size = (rows + count - 1) / count
	size = (size + 7) / 8 * 8
	return size, (rows + size - 1) / size
}

// newSums returns the sums over the given number of slabs, for a team of the given
// size, where H N is rows x cols and H Hᵀ rank x rank. They take memory for
// O(members log(slabs)) parts.
func newSums[T Float](slabs, members, rows, cols, rank int) sums[T] {
	return newSumsOf[T](nil, slabs, members, rows, cols, rank)
}

// newSumsOf is newSums for a share of the slabs.
func newSumsOf[T Float](h *holding, slabs, members, rows, cols, rank int) sums[T] {
	first, last := 0, slabs
	if h != nil {
		first, last = h.first, h.last
	}
	own := last - first
	most := slabs // in a task
	if members > 1 {
		most = leavesOf(own, members*tasksPerMember)
		// What a member takes from the caches of others costs more than waiting.
		if alike := leavesOf(own, members); own <= fewSlabs && own%(members*alike) == 0 {
			most = alike
		}
	}
	s := sums[T]{among: h, tasks: tree.Cover(slabs, first, last, most)}
	s.heads = []int{0}
	for k, task := range s.tasks {
		s.depth = max(s.depth, task.Depth())
		if h != nil && task.Last == h.nodes[len(s.heads)-1].Last || k == len(s.tasks)-1 {
			s.heads = append(s.heads, k+1)
		}
	}
	s.parts = make([]part[T], max(len(s.tasks), 1)+members*s.depth)
	for i := range s.parts {
		s.parts[i] = newPart[T](rows, cols, rank)
	}
	if h != nil {
		s.other = newPart[T](rows, cols, rank)
		for i := range s.parts {
			s.messages = append(s.messages, s.parts[i].message())
		}
		s.messages = append(s.messages, s.other.message())
	}
	return s
}

// newPart returns a part that is zero.
func newPart[T Float](rows, cols, rank int) part[T] {
	return part[T]{product: kernel.NewMatrix[T](rows, cols), gram: kernel.NewMatrix[T](rank, rank)}
}

// message moves a part to one piece of memory, and returns that.
func (p *part[T]) message() []byte {
	m, n := len(p.product.Data), len(p.gram.Data)
	all := kernel.NewMatrix[T](1, m+n+1).Data[:m+n+1]
	p.product.Data, p.gram.Data, p.word = all[:m:m], all[m:m+n:m+n], all[m+n:]
	return memoryOf(all)
}

// leavesOf returns how many slabs, a power of two, are in a task if there are to be at
// least so many tasks.
func leavesOf(slabs, tasks int) int {
	most := 1
	for 2*most*tasks <= slabs {
		most *= 2
	}
	return most
}

// fold forms the part of one task, from those that leaf forms of single slabs, which
// are numbered from the first one of the share.
func (s *sums[T]) fold(member, task int, leaf func(to *part[T], slab int)) {
	at := func(k int) *part[T] {
		if k == 0 {
			return &s.parts[task]
		}
		return &s.parts[len(s.tasks)+member*s.depth+k-1]
	}
	first := 0
	if s.among != nil {
		first = s.among.first
	}
	s.tasks[task].Fold(
		func(k, slab int) { leaf(at(k), slab-first) },
		func(to, from int) { at(to).add(at(from)) })
}

// add adds another part to p.
func (p *part[T]) add(other *part[T]) {
	kernel.Add(p.product, other.product)
	kernel.Add(p.gram, other.gram)
}

// addProducts adds up columns [j0, j1) of the tasks' products.
func (s *sums[T]) addProducts(j0, j1 int) {
	s.combine(func(to, from int) {
		kernel.Add(view(s.parts[to].product, j0, j1), view(s.parts[from].product, j0, j1))
	})
}

// addGrams adds up the tasks' Gram matrices.
func (s *sums[T]) addGrams() {
	s.combine(func(to, from int) { kernel.Add(s.parts[to].gram, s.parts[from].gram) })
}

// combine adds up the tasks of each node of the share.
func (s *sums[T]) combine(add func(to, from int)) {
	for k, head := range s.heads[:len(s.heads)-1] {
		tree.Combine(s.tasks[head:s.heads[k+1]], func(to, from int) { add(head+to, head+from) })
	}
}

// meet adds up what the processes have, and tells all what the first one says.
func (s *sums[T]) meet() {
	if s.among == nil {
		return
	}
	word := &s.parts[0].word[0]
	if s.among.doubles { // those of the others are 0
		*word = T(s.among.saying())
	}
	for _, step := range s.among.steps {
		switch p := &s.parts[s.heads[step.Node]]; step.Kind {
		case tree.Add:
			p.add(&s.parts[s.heads[step.Other]])
		case tree.Send:
			s.among.Exchange(step.Partner, s.messages[s.heads[step.Node]], nil)
		case tree.Receive:
			s.among.Exchange(step.Partner, nil, s.messages[len(s.parts)])
			p.add(&s.other)
		case tree.Swap:
			s.among.Exchange(step.Partner, s.messages[s.heads[step.Node]], s.messages[len(s.parts)])
			p.add(&s.other)
			*word += s.other.word[0]
		}
	}
	if !s.among.doubles {
		s.among.toFirst(s.messages[0])
		*word = T(s.among.saying())
		s.among.Broadcast(s.messages[0])
	}
	s.among.hearing(byte(*word))
}
