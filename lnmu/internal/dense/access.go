package dense

import (
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/observed"
)

// A solver reads and writes the rows of M and N through block.Lines, in memory or in files.
// Each such pass is the sequence open, Run, shut.

// open begins a pass with this access to M and N. If it is cancellable, it is aborted
// when the work is over.
func (s *solver[T]) open(m, n block.Access, cancellable bool) {
	s.access = [2]block.Access{m, n}
	s.lines.Begin(s.block, m, n, cancellable)
}

// shut ends a pass. Then all processes know whether it was aborted.
func (s *solver[T]) shut() {
	s.lines.End()
	s.lines.Agree()
}

// overSlabs runs the task for each slab, in a pass of its own.
func (s *solver[T]) overSlabs(m, n block.Access, cancellable bool, task func(member, slab int)) {
	s.open(m, n, cancellable)
	s.Run(s.slabs, task)
	s.shut()
}

// overRows calls do for each row of M and of N, in a pass of its own. Of a matrix that the pass does not access they are
// empty.
func (s *solver[T]) overRows(m, n block.Access, cancellable bool, do func(slab int, m, n []T)) {
	s.overSlabs(m, n, cancellable, func(member, slab int) {
		s.eachBlock(member, slab, func(_ int, m, n kernel.Matrix[T]) bool {
			for i := range max(m.Rows, n.Rows) {
				do(slab, m.Row(i), n.Row(i))
			}
			return true
		})
	})
}

// anyBlock reports whether find is true for a block of any process, or the pass was aborted.
func (s *solver[T]) anyBlock(m, n block.Access, cancellable bool, find func(member, i0 int, m, n kernel.Matrix[T]) bool) bool {
	found := make([]bool, s.slabs)
	s.overSlabs(m, n, cancellable, func(member, slab int) {
		s.eachBlock(member, slab, func(i0 int, m, n kernel.Matrix[T]) bool {
			found[slab] = find(member, i0, m, n)
			return !found[slab]
		})
	})
	return s.lines.Aborted() || group.Any(s.share, found)
}

// inOrder calls do for the rows of N or G of this process, in order. It is no pass of all processes, which
// then Agree together.
func (s *solver[T]) inOrder(use block.Access, cancellable bool, do func(i0 int, n kernel.Matrix[T])) {
	s.lines.Begin(s.block, block.Untouched, use, cancellable)
	for i0 := 0; i0 < s.rows && !s.lines.Aborted(); {
		n := s.rowsOfN(0, i0, s.lines.Reach(0, i0, s.rows))
		do(i0, n)
		i0 += n.Rows
	}
	s.lines.End()
}

// rowsOfM returns rows [i0, i1) of M or of its residual. They belong to one block, or are within
// Reach.
func (s *solver[T]) rowsOfM(member, i0, i1 int) kernel.Matrix[T] {
	return s.lines.Rows(member, i0, i1, block.OfM)
}

// rowsOfN returns rows [i0, i1) of N or G. They belong to one block, or are within Reach.
func (s *solver[T]) rowsOfN(member, i0, i1 int) kernel.Matrix[T] {
	n := s.lines.Rows(member, i0, i1, block.OfN)
	if s.means != nil {
		observed.Fill(s.means, member, n, i0)
	}
	return n
}

// ahead returns as many rows of M or of N behind [i0, i1), which a pass works on next. It returns
// none if the pass does not read the matrix, or if they are not in memory yet.
func (s *solver[T]) ahead(member, i0, i1, which int) kernel.Matrix[T] {
	end := i1 + i1 - i0
	if s.access[which]&block.Reads == 0 || end > s.lines.Reach(member, i0, s.rows) {
		return kernel.Matrix[T]{}
	}
	return s.lines.Rows(member, i1, end, which)
}

// eachBlock calls do for each block of a slab, from row i0 on, until do returns false. A matrix
// that the pass does not access is empty.
func (s *solver[T]) eachBlock(member, slab int, do func(i0 int, m, n kernel.Matrix[T]) bool) {
	first, last := s.slab(slab)
	for i0 := first; i0 < last && !s.leftOut(); i0 += s.block {
		i1 := min(i0+s.block, last)
		var x [2]kernel.Matrix[T]
		if s.access[block.OfM] != block.Untouched {
			x[block.OfM] = s.rowsOfM(member, i0, i1)
		}
		if s.access[block.OfN] != block.Untouched {
			x[block.OfN] = s.rowsOfN(member, i0, i1)
		}
		if s.lines.Aborted() || !do(i0, x[block.OfM], x[block.OfN]) { // an aborted pass leaves them invalid
			return
		}
	}
}

// wholeColumns returns the columns of M or of N, over the lines of all processes.
func (s *solver[T]) wholeColumns(which int) *block.Columns[T] {
	if s.wholes[which] == nil {
		s.wholes[which] = block.NewColumns(s.arena, s.lines, s.Team, s.share, s.spans, s.cols, s.block, which)
	}
	return s.wholes[which]
}

// leftOut reports whether a pass skips its remaining blocks.
func (s *solver[T]) leftOut() bool { return s.lines.Aborted() || s.ends != nil && s.ends() }
