package lnmu

import (
	"time"

	"nmu/kernel"
	"nmu/lnmu/internal/block"
)

// How a solver gets at the rows of M and N, which block.Lines has in memory or in files.
// All that goes over them is a pass: open .. Run .. shut.

// open begins a pass with this access to M and N. If it is cancellable, it is aborted
// when the work is over.
func (s *solver[T]) open(m, n block.Access, cancellable bool) {
	s.access = [2]block.Access{m, n}
	s.lines.Begin(s.block, m, n, cancellable)
}

// shut ends a pass.
func (s *solver[T]) shut() { s.lines.End() }

// rowsOfM returns rows [i0, i1) of M, or of what is left of it, which are of one block, or
// within reach.
func (s *solver[T]) rowsOfM(member, i0, i1 int) kernel.Matrix[T] {
	return s.lines.Rows(member, i0, i1, block.OfM)
}

// rowsOfN returns rows [i0, i1) of N or G, which are of one block, or within reach.
func (s *solver[T]) rowsOfN(member, i0, i1 int) kernel.Matrix[T] {
	return s.lines.Rows(member, i0, i1, block.OfN)
}

// eachBlock calls do for the blocks of a slab, which begin with row i0, as long as it is
// true. What the pass does not touch is an empty matrix.
func (s *solver[T]) eachBlock(member, slab int, do func(i0 int, m, n kernel.Matrix[T]) bool) {
	first, last := s.slab(slab)
	for i0 := first; i0 < last && !s.lines.Aborted(); i0 += s.block {
		i1 := min(i0+s.block, last)
		var x [2]kernel.Matrix[T]
		for which, use := range s.access {
			if use != block.Untouched {
				x[which] = s.lines.Rows(member, i0, i1, which)
			}
		}
		if !do(i0, x[block.OfM], x[block.OfN]) {
			return
		}
	}
}

// looksAfter is how many times as long as reading M took the work goes on before it is read
// only to tell the error.
const looksAfter = 20

// errorShown returns a function that computes the relative error of the factors of s for
// those who watch. If M is stored it reads M only now and then: NMF has the error, up to
// rounding, from its sums, and the others show what it was, at first 1.
func (a *worker[T]) errorShown(s *solver[T]) func() float64 {
	relative := a.errorOf(s)
	if a.files == nil {
		return relative
	}
	last, looked := 1.0, time.Now()
	return func() float64 {
		switch {
		case !a.files.Kept[block.OfN]:
			return a.relative(max(0, float64(a.norm2*a.norm2)+s.energy()))
		case time.Since(looked) > looksAfter*a.reading:
			last, looked = relative(), time.Now()
		}
		return last
	}
}

// inFiles makes M that of a reader, and reserves room for the state in files.
func (a *worker[T]) inFiles() {
	f := block.NewFiles(a.source.reader, a.rows, a.cols)
	f.Scratch, f.Cancelled = a.Scratch, a.cancelled
	f.Kept = a.kept(a.rank)
	f.Broken = a.breakOff
	f.Start(a.Size())
	a.files = f
}

// breakOff ends the job for an error of the disk.
func (j *job[T]) breakOff(err error) {
	j.broken.CompareAndSwap(nil, &err)
	j.abandoned.Store(true)
}

// Close ends the goroutines of the worker; its files are gone then.
func (a *worker[T]) Close() {
	if a.files != nil {
		a.files.Close()
	}
	a.Team.Close()
}
