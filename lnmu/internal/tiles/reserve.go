package tiles

import (
	"math"
	"unsafe"

	"nmu/internal/direct"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
)

// Reserve is Scan.Store for an estimate: it takes what each of some processes takes, rather too much, since nothing is
// known of where the entries lie.
func (x *Input[T]) Reserve(f Form, threads, processes int) {
	t := x.newTiling(f)
	x.Tiles, t.file = t, &tileFile[T]{}
	slabs, most := t.Count(), t.Count() // of a task; processes cut them elsewhere
	if processes == 1 {
		most = 0
		for _, task := range group.NewSums[T](t.Among(), threads, 0, 0, 0, kernel.NewMatrix).Tasks {
			most = max(most, task.Last-task.First)
		}
	}
	size, word, arrays := float64(unsafe.Sizeof(T(0))), float64(unsafe.Sizeof(0)), 1.0
	for _, kept := range []bool{f.Residual, f.State} {
		if kept {
			arrays++
		}
	}
	z, l, w, b := float64(t.Whole.Entries), float64(t.Whole.Rows), float64(t.Cols), float64(t.Blocks)
	inUnit := max(1, math.Floor(float64(unitBytes(t.Blocks)*slabs)/(z*(4+size)+word*l*b))) // slabs of a mean size
	units := math.Ceil(min(float64(slabs), float64(slabs)/inUnit+float64(2*(MostGroups+4*threads))))
	t.setBytes(t.Whole.Rows, t.Whole.Entries, int(units))

	// Slabs that follow each other have the same work each, but for one row, and no unit has more of them
	// than a task. What is beyond the bytes of a unit is beyond those of one slab.
	each, row := float64(t.Whole.work())/float64(slabs), w+entriesPerRow
	held := func(work float64) float64 { // of the places and all arrays
		return min(work*max(4+size*arrays, word*b/entriesPerRow), z*(4+size*arrays)+word*l*b)
	}
	full := max(float64(unitBytes(t.Blocks)), (each+row)*max(4+size, word*b/entriesPerRow))
	t.file.chunk = min(full*(4+size*arrays)/(4+size), held(float64(most)*max(each, row)+row)) + direct.Page*b*(1+arrays)

	const reader = 4 << 20
	before, cuts := float64(x.arena.Bytes()), 200*float64(slabs)+32*units*b+16*(l+w)
	x.arena.Add(cuts + 4*t.file.chunk + reader)
	values, places := t.Stored()
	scratch, e := values*arrays, float64(bytesOfEntries[T](1))
	bins := binsFor(z * e)
	sorted := z*e + bins*direct.Page
	sort := func() {
		x.arena.Add(bins*bufferBytes + 2*(z*e/bins+e*(2*slabEntries+w)) + 2*e*float64(block.ChunkBytes)/(4+size))
	}
	if t.Wide { // the sorted columns are gone before the state has files
		sort()
		scratch = values + max(sorted, values*(arrays-1))
	}
	if processes > 1 { // the sorted rows stay
		sort()
		scratch += sorted
	}
	x.arena.Scratch += scratch + places
	x.arena.Collect(before)
	x.arena.Add(cuts)
}
