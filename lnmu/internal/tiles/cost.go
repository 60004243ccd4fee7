package tiles

import (
	"math"
	"unsafe"

	"nmu/internal/direct"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
)

// Cost is an estimate, rather too high, of what the tiles of one process take if they are in
// files, in bytes.
type Cost struct {
	Rows, Cols     float64 // of the layout; Rows are those of the process
	Values, Places float64 // of the files of one array of values, and of the places of the entries
	Memory         float64 // of the prefetched chunks of an iteration, and of the slabs
	Making         float64 // of making the tiles, before the first iteration, and of the slabs
	Scratch        float64 // of all files
	Groups         float64 // of the slabs of the rows of the layout
}

// CostOf returns the Cost for a rows x cols matrix. entries is the number of stored entries of
// each process, and threads the number of threads of each.
func CostOf[T kernel.Float](rows, cols, entries int, f Form, threads, processes int) Cost {
	wide := cols > rows && !f.ByRows
	t := &Tiling[T]{Cols: cols, Whole: Extent{rows, min(entries, math.MaxInt/64/processes) * processes}}
	if wide {
		t.Cols, t.Whole.Rows = rows, cols
	}
	blocks := 1
	if !f.ByRows {
		blocks, _ = t.blocksFor(f.Rank)
	}
	t.setBlocks(blocks)

	size, word := float64(unsafe.Sizeof(T(0))), float64(unsafe.Sizeof(0))
	own, w, b := (t.Whole.Rows+processes-1)/processes, float64(t.Cols), float64(t.Blocks)
	z, l, members := float64(entries), float64(own), float64(threads)
	slabs := float64(t.Whole.Slabs()) / float64(processes)
	inUnit := math.Floor(float64(unitBytes(t.Blocks)) / ((z*(4+size) + word*l*b) / slabs)) // slabs of a mean size
	units := math.Ceil(min(slabs, slabs/max(1, inUnit)+2*(MostGroups+4*members)))
	values, places := bytesOf[T](own, entries, int(units), t.Blocks)
	c := Cost{Rows: l, Cols: w, Values: float64(values), Places: float64(places), Groups: MostGroups}
	if processes == 1 {
		c.Groups = float64(t.groups(entries, t.Whole.Slabs(), f.ByRows))
	}
	arrays := 1.0
	for _, kept := range []bool{f.Residual, f.State} {
		if kept {
			arrays++
		}
	}

	// Slabs that follow each other have the same work each, but for one row, and no unit has more of them
	// than a task. What is beyond the bytes of a unit is beyond those of one slab.
	slab := 2*slabEntries + w
	each, row := float64(t.Whole.work())/float64(t.Whole.Slabs()), w+entriesPerRow
	held := func(work float64) float64 { // of the places and all arrays
		return min(work*max(4+size*arrays, word*b/entriesPerRow), z*(4+size*arrays)+word*l*b)
	}
	full := max(float64(unitBytes(t.Blocks)), (each+row)*max(4+size, word*b/entriesPerRow))
	piece := min(full*(4+size*arrays)/(4+size), held(longestTask[T](t.Whole.Slabs(), threads, processes)*max(each, row)+row))
	piece += direct.Page * b * (1 + arrays)
	const reader = 4 << 20
	making := 4*piece + reader
	c.Scratch = c.Values*arrays + c.Places
	sorters := 0.0
	if wide {
		sorters++
	}
	if processes > 1 {
		sorters++
	}
	if sorters > 0 {
		e := float64(bytesOfEntries[T](1))
		sorted := z * e
		bins := binsFor(sorted)
		making += sorters * (bins*bufferBytes + 2*(sorted/bins+e*slab) + 2*e*float64(block.ChunkBytes)/(4+size))
		sorted += bins * direct.Page
		if wide { // the sorted columns are gone before the state has files
			c.Scratch = c.Values + c.Places + max(sorted, c.Values*(arrays-1))
		}
		if processes > 1 { // the sorted rows stay
			c.Scratch += sorted
		}
	}
	cuts := 200*slabs + 32*units*b + 16*(l+w)
	c.Memory, c.Making = members*float64(block.SlotsOfEach)*piece+cuts, making+cuts
	return c
}

// longestTask returns the slabs of the longest task of a pass, or all of them, if there are several processes:
// they cut them elsewhere.
func longestTask[T kernel.Float](slabs, threads, processes int) float64 {
	if processes > 1 {
		return float64(slabs)
	}
	most := 0
	for _, task := range group.NewSums[T](group.ForSlabs(group.Self{}, slabs), threads, 0, 0, 0, kernel.NewMatrix).Tasks {
		most = max(most, task.Last-task.First)
	}
	return float64(most)
}

// groups returns the largest number of groups of so many slabs.
func (t *Tiling[T]) groups(entries, slabs int, byRows bool) int {
	each := groupEntries
	if byRows {
		each = groupNumbers
	}
	return max(1, min(MostGroups, entries/(each*max(1, t.Cols)), slabs))
}
