package sparse

import (
	"nmu/kernel"
	"nmu/lnmu/internal/block"
)

// How a sparse solver gets at the tiles of M and N, be they in memory, where that costs
// nothing, or in files. All that goes over them is a phase: open .. Run .. shut.

// open begins a phase that does that to M or E, to N or G, and to M itself, if those are in
// files. By blocks it goes over one block of columns of a group after the other, else over
// one slab after the other. It may be cut short when the work is over.
func (l *layout[T]) open(use [3]block.Access, byBlocks, cut bool) {
	if l.disk != nil {
		l.disk.begin(use, byBlocks, cut)
	}
}

// shut ends a phase.
func (l *layout[T]) shut() {
	if l.disk != nil {
		l.disk.End()
		l.disk.Agree()
	}
}

// count returns the number of slabs.
func (t *tiling[T]) count() int { return len(t.slabs) - 1 }

// tile returns a tile of a slab, unless the pass is aborted.
func (l *layout[T]) tile(member, slab, b int) (x tile[T], ok bool) {
	if l.disk != nil {
		return l.disk.tile(member, slab, b)
	}
	return tile[T]{l.tiles[slab][b], l.m, l.n, l.val}, true
}

// overSlabs is Run with a task for each slab, in a phase of its own. What is written is
// that of whole units.
func (s *solver[T]) overSlabs(use [3]block.Access, cut bool, task func(member, slab int)) {
	if s.disk == nil {
		s.Run(s.count(), task)
		return
	}
	s.open(use, false, cut)
	s.ofUnit = task
	s.Run(len(s.file.units)-1, s.unitTask)
	s.shut()
}

// unitSlabs does the task of all slabs of a unit.
func (s *solver[T]) unitSlabs(member, unit int) {
	for slab := s.file.units[unit]; slab < s.file.units[unit+1]; slab++ {
		s.ofUnit(member, slab)
	}
}

// inOrder calls do for the values of all entries, in the order of the tiles, in a phase of
// its own.
func (l *layout[T]) inOrder(use [3]block.Access, cut bool, do func(m, n []T)) {
	if l.disk == nil {
		do(l.m, l.n)
		return
	}
	l.open(use, false, cut)
	for slab := range l.count() {
		for b := range l.blocks {
			x, ok := l.tile(0, slab, b)
			if !ok {
				break
			}
			t0, t1 := x.Entries(0, x.Rows())
			part := func(all []T) []T {
				if all == nil {
					return nil
				}
				return all[t0:t1]
			}
			do(part(x.m), part(x.n))
		}
	}
	l.shut()
}

// everyEntry is inOrder in any order, by all members.
func (s *solver[T]) everyEntry(use [3]block.Access, do func(m, n []T)) {
	if s.disk == nil {
		do(s.m, s.n)
		return
	}
	s.overSlabs(use, true, func(member, slab int) {
		for b := range s.blocks {
			x, ok := s.tile(member, slab, b)
			if !ok {
				return
			}
			t0, t1 := x.Entries(0, x.Rows())
			var m []T
			if x.m != nil {
				m = x.m[t0:t1]
			}
			do(m, x.n[t0:t1])
		}
	})
}

// storedEntries is the state of a solver in a file as a field of a checkpoint.
type storedEntries[T kernel.Float] struct{ l *layout[T] }

func (x storedEntries[T]) Span() (first, n, whole int) {
	return x.l.shared.before, x.l.whole.entries, x.l.whole.entries
}
func (x storedEntries[T]) Err() error           { return x.l.disk.Err() }
func (x storedEntries[T]) Read(do func(x []T))  { x.each(block.Reads, do) }
func (x storedEntries[T]) Write(do func(x []T)) { x.each(block.Writes, do) }

func (x storedEntries[T]) each(use block.Access, do func(x []T)) {
	x.l.inOrder([3]block.Access{block.OfN: use}, false, func(_, n []T) { do(n) })
}

// stateOfEntries returns N or G as a part of a state.
func (l *layout[T]) stateOfEntries() any {
	if l.disk != nil {
		return storedEntries[T]{l}
	}
	return l.entriesOf(l.n)
}

// Close ends the goroutines.
func (l *layout[T]) Close() {
	if l.disk != nil {
		l.disk.Stop()
	}
	l.Team.Close()
}
