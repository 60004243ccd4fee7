package lnmu

import (
	"time"

	"nmu/kernel"
)

// How a solver gets at the rows of M and N, be they in memory, where that costs nothing,
// or in a store. All that goes over them is a phase: open .. Run .. shut.

// open begins a phase that does that to M and N, if those are in a store. It may be cut
// short when the work is over, if what it leads to is then of no use to anyone.
func (s *solver[T]) open(m, n access, cut bool) {
	switch {
	case s.disk == nil:
	case s.disk.kept[ofN]:
		s.disk.begin(s.block, m, n, cut)
	default: // N is M
		s.disk.begin(s.block, m|n, untouched, cut)
	}
}

// shut ends a phase.
func (s *solver[T]) shut() {
	if s.disk != nil {
		s.disk.end()
	}
}

// rowsOfM returns rows [i0, i1) of M, or of what is left of it, which are of one block, or
// within reach.
func (s *solver[T]) rowsOfM(member, i0, i1 int) kernel.Matrix[T] {
	if s.disk != nil {
		return s.disk.part(member, i0, i1, ofM)
	}
	return s.m.Slice(i0, i1, 0, s.cols)
}

// rowsOfN returns rows [i0, i1) of N or G, which are of one block, or within reach.
func (s *solver[T]) rowsOfN(member, i0, i1 int) kernel.Matrix[T] {
	switch {
	case s.disk == nil:
		return s.n.Slice(i0, i1, 0, s.cols)
	case s.disk.kept[ofN]:
		return s.disk.part(member, i0, i1, ofN)
	}
	return s.disk.part(member, i0, i1, ofM)
}

// reach returns the end of the rows from i0 on that are at hand together, at most last.
func (s *solver[T]) reach(member, i0, last int) int {
	if s.disk == nil {
		return last
	}
	return min(s.disk.reach(member, i0).last, last)
}

// eachBlock calls do for the blocks of a slab, which begin with row i0, as long as it is
// true. What the phase does not touch is nothing.
func (s *solver[T]) eachBlock(member, slab int, do func(i0 int, m, n kernel.Matrix[T]) bool) {
	first, last := s.slab(slab)
	for i0 := first; i0 < last && !s.disk.halted(); i0 += s.block {
		i1 := min(i0+s.block, last)
		if s.disk == nil {
			if !do(i0, s.m.Slice(i0, i1, 0, s.cols), s.n.Slice(i0, i1, 0, s.cols)) {
				return
			}
			continue
		}
		var x [2]kernel.Matrix[T]
		for which, use := range s.disk.use {
			if use != untouched {
				x[which] = s.disk.part(member, i0, i1, which)
			}
		}
		if !do(i0, x[ofM], x[ofN]) {
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
func (a *attempt[T]) errorShown(s *solver[T]) func() float64 {
	relative := a.errorOf(s)
	if a.disk == nil {
		return relative
	}
	last, looked := 1.0, time.Now()
	return func() float64 {
		switch {
		case !a.disk.kept[ofN]:
			return a.relative(max(0, float64(a.norm2*a.norm2)+s.energy()))
		case time.Since(looked) > looksAfter*a.reading:
			last, looked = relative(), time.Now()
		}
		return last
	}
}

// store makes M that of a reader, and reserves room for the state in files.
func (a *attempt[T]) store() {
	d := newStore(a.source.reader, a.rows, a.cols)
	d.scratch, d.over = a.Scratch, a.over
	d.kept = a.kept(a.rank)
	d.broken = a.breakOff
	d.start(a.Size())
	a.disk = d
}

// breakOff ends the job for an error of the disk.
func (j *job[T]) breakOff(err error) {
	j.broken.CompareAndSwap(nil, &err)
	j.abandoned.Store(true)
}

// Close ends the goroutines of the attempt; its files are gone then.
func (a *attempt[T]) Close() {
	if a.disk != nil {
		a.disk.close()
	}
	a.Team.Close()
}
