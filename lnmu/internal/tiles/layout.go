package tiles

import (
	"nmu/internal/memory"
	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/block"
)

// Layout is the tiles and the state of a method, in memory or in files, and the team that works
// on them. Every access is within a pass: Open .. Run .. Shut. In memory, Open and Shut do
// nothing.
type Layout[T kernel.Float] struct {
	*team.Team
	*Tiling[T]
	m []T // M, or E = M - V W of a recursion, in the order of the tiles
	n []T // N = M - Λ; M itself for NMF; G of the augmented Lagrangian

	form     Form
	disk     *store[T] // of M and of the state in files; without files it has no chunks
	task     func(member, slab int)
	unitTask func(member, unit int) // made once: a closure per pass would allocate
}

// NewLayout reserves the state of a method for the tiles of M.
func NewLayout[T kernel.Float](of *Tiling[T], f Form, t *team.Team) *Layout[T] {
	l := &Layout[T]{Team: t, Tiling: of, m: of.val, n: of.val, form: f, disk: &store[T]{Tiling: of, form: f}}
	l.unitTask = l.slabsOfUnit
	switch {
	case l.InMemory():
	case of.Arena.Dry():
		of.Arena.Buffer(float64(t.Size()*block.SlotsOfEach) * of.file.chunk)
		return l
	default:
		l.disk.start(t.Size())
		return l
	}
	entries := len(of.val)
	if of.Arena.Dry() {
		entries = of.Whole.Entries
	}
	if f.State {
		l.n = memory.HugePages(arena.Slice[T](of.Arena, entries))
	}
	if f.Residual {
		l.m = memory.HugePages(arena.Slice[T](of.Arena, entries))
		copy(l.m, of.val)
	}
	return l
}

// Limit lets a process abort its passes when over returns true. aborted is called in all
// processes with the error of the disk that has aborted a pass, or nil.
func (l *Layout[T]) Limit(over func() bool, aborted func(error)) {
	l.disk.Cancelled, l.disk.Broken = over, aborted
}

// Open begins a pass. use is its access to M or E, to N or G, and to M itself. If byBlocks is
// true, the pass takes the blocks of columns of each group one after the other, else the slabs.
// If it is cancellable, it is aborted when the work is over.
func (l *Layout[T]) Open(use [3]block.Access, byBlocks, cancellable bool) {
	if !l.InMemory() {
		l.disk.begin(use, byBlocks, cancellable)
	}
}

// Shut ends a pass. All processes then know whether it is aborted.
func (l *Layout[T]) Shut() {
	l.disk.End()
	l.Agree()
}

// Agree lets all processes know whether one of them has aborted InOrder.
func (l *Layout[T]) Agree() {
	if !l.InMemory() {
		l.disk.Agree()
	}
}

// Aborted reports whether the pass is aborted. Its sums are then to be discarded.
func (l *Layout[T]) Aborted() bool { return l.disk.Aborted() }

// Err returns the first error of the disk.
func (l *Layout[T]) Err() error { return l.disk.Err() }

// InMemory reports whether the tiles are in memory, where a pass may take them in any order.
func (l *Layout[T]) InMemory() bool { return l.file == nil }

// Kept reports whether a pass finds in M what the previous one has written there.
func (l *Layout[T]) Kept() bool { return l.form.Residual }

// Stop ends the goroutines, except those of the team.
func (l *Layout[T]) Stop() { l.disk.Stop() }

// Tile returns a tile of a slab, unless the pass is aborted.
func (l *Layout[T]) Tile(member, slab, b int) (x Tile[T], ok bool) {
	if !l.InMemory() {
		return l.disk.tile(member, slab, b)
	}
	return Tile[T]{l.patterns[slab][b], l.m, l.n, l.val}, true
}

// entries returns the values of the entries of a tile alone.
func (x Tile[T]) entries() (m, n, given []T) {
	t0, t1 := x.Entries(0, x.Rows())
	of := func(all []T) []T {
		if all == nil {
			return nil
		}
		return all[t0:t1]
	}
	return of(x.M), of(x.N), of(x.Given)
}

// OverSlabs runs the task for each slab, in a pass of its own. In files a member takes whole
// units, because a unit is written as a whole.
func (l *Layout[T]) OverSlabs(use [3]block.Access, cancellable bool, task func(member, slab int)) {
	if l.InMemory() {
		l.Run(l.Count(), task)
		return
	}
	l.Open(use, false, cancellable)
	l.task = task
	l.Run(len(l.file.units)-1, l.unitTask)
	l.Shut()
}

// slabsOfUnit does the task of all slabs of a unit.
func (l *Layout[T]) slabsOfUnit(member, unit int) {
	for slab := l.file.units[unit]; slab < l.file.units[unit+1]; slab++ {
		l.task(member, slab)
	}
}

// InOrder calls do for the values of all entries of this process, in the order of the tiles, in
// a pass of its own. The processes call it one after the other, and then Agree together.
func (l *Layout[T]) InOrder(use [3]block.Access, cancellable bool, do func(m, n []T)) {
	l.EveryTile(use, cancellable, func(_ int, x Tile[T]) {
		m, n, _ := x.entries()
		do(m, n)
	})
}

// EveryTile calls do for all tiles of this process, in their order, in a pass of its own. The
// processes call it one after the other, and then Agree together.
func (l *Layout[T]) EveryTile(use [3]block.Access, cancellable bool, do func(slab int, x Tile[T])) {
	l.Open(use, false, cancellable)
	defer l.disk.End()
	for slab := range l.Count() {
		for b := range l.Blocks {
			x, ok := l.Tile(0, slab, b)
			if !ok {
				break
			}
			do(slab, x)
		}
	}
}

// EveryEntry calls do for the values of the entries of each tile of this process, on all members, in a pass of
// its own.
func (l *Layout[T]) EveryEntry(use [3]block.Access, do func(m, n, given []T)) {
	l.OverSlabs(use, true, func(member, slab int) {
		for b := range l.Blocks {
			x, ok := l.Tile(member, slab, b)
			if !ok {
				return
			}
			do(x.entries())
		}
	})
}

// Restore sets the residual to M before a restart. again is false before the first start, where
// a residual in memory still is M.
func (l *Layout[T]) Restore(again bool) {
	if l.Kept() && (again || !l.InMemory()) {
		l.EveryEntry([3]block.Access{block.OfM: block.Writes, OfGiven: block.Reads}, func(m, _, given []T) { copy(m, given) })
	}
}

// Entries returns N or G as a field of a checkpoint.
func (l *Layout[T]) Entries() any { return stateEntries[T]{l} }

// stateEntries implements group.Scattered.
type stateEntries[T kernel.Float] struct{ l *Layout[T] }

func (x stateEntries[T]) Span() (first, count, whole int) {
	h := x.l.Shared
	own := h.own()
	return h.before[h.Slabs.First], own.before[x.l.Count()], x.l.Whole.Entries
}

func (x stateEntries[T]) Turns() int                  { return 1 }
func (x stateEntries[T]) Err() error                  { return x.l.Err() }
func (x stateEntries[T]) Read(_ int, do func(x []T))  { x.each(block.Reads, do) }
func (x stateEntries[T]) Write(_ int, do func(x []T)) { x.each(block.Writes, do) }

func (x stateEntries[T]) each(use block.Access, do func(x []T)) {
	x.l.InOrder([3]block.Access{block.OfN: use}, false, func(_, n []T) { do(n) })
}
