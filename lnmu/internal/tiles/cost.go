package tiles

import (
	"math"
	"unsafe"

	"nmu/internal/direct"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
)

// Cost is about what tiles in files take, rather too much, in bytes.
type Cost struct {
	Values, Places float64 // of the files of one array of values, and of the places of the entries
	Memory         float64 // of what is read ahead, or to make the tiles, and of the slabs
	Scratch        float64 // of all files
}

// CostOf returns what the tiles of a rows x cols matrix with so many stored entries take on so
// many threads.
func CostOf[T kernel.Float](rows, cols, entries int, f Form, threads int) Cost {
	t := &Tiling[T]{Cols: cols, Whole: Extent{rows, entries}}
	blocks := 1
	if !f.ByRows {
		blocks = t.blocksFor(f.Rank)
	}
	t.setBlocks(blocks)

	size, word := float64(unsafe.Sizeof(T(0))), float64(unsafe.Sizeof(0))
	z, l, w, members := float64(entries), float64(rows), float64(cols), float64(threads)
	slabs, b := float64(t.Whole.Slabs()), float64(t.Blocks)
	inUnit := math.Floor(float64(unitBytes(t.Blocks)) / ((z*(4+size) + word*l*b) / slabs)) // slabs of a mean size
	units := min(slabs, slabs/max(1, inUnit)+2*(MostGroups+4*members))
	values, places := bytesOf[T](rows, entries, int(units), t.Blocks)
	c := Cost{Values: float64(values), Places: float64(places)}
	arrays := 1.0
	for _, kept := range []bool{f.Residual, f.State} {
		if kept {
			arrays++
		}
	}
	c.Scratch = c.Values*arrays + c.Places

	// A slab may have the work of most slabs and a row that is full.
	slab := (4+size)*(2*slabEntries+w) + word*slabEntries*b
	piece := (float64(unitBytes(t.Blocks)) + slab) * arrays
	piece += direct.Page * b * (1 + arrays)
	c.Memory = max(members*float64(block.SlotsOfEach), 4) * piece // 4: to make the tiles
	c.Memory += 200*slabs + 32*units*b
	return c
}
