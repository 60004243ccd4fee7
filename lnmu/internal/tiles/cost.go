package tiles

import (
	"math"
	"unsafe"

	"nmu/internal/direct"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
)

// Cost is an estimate, rather too high, of what the tiles of one process take if they are in
// files, in bytes.
type Cost struct {
	Rows, Cols     float64 // of the layout; Rows are those of the process
	Values, Places float64 // of the files of one array of values, and of the places of the entries
	Memory         float64 // of making the tiles or of the prefetched chunks, whichever is more, and of the slabs
	Scratch        float64 // of all files
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
	c := Cost{Rows: l, Cols: w, Values: float64(values), Places: float64(places)}
	arrays := 1.0
	for _, kept := range []bool{f.Residual, f.State} {
		if kept {
			arrays++
		}
	}

	// A slab has at most twice the least work, plus one full row.
	slab := 2*slabEntries + w
	piece := (float64(unitBytes(t.Blocks)) + (4+size)*slab + word*slabEntries*b) * arrays
	piece += direct.Page * b * (1 + arrays)
	making := 4 * piece
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
	c.Memory = max(members*float64(block.SlotsOfEach)*piece, making)
	c.Memory += 200*slabs + 32*units*b + 16*(l+w)
	return c
}
