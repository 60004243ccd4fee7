package sparse

import (
	"math"
	"unsafe"

	"nmu/internal/direct"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
)

// Cost returns what a run takes on a rows x cols matrix with so many stored entries in
// files, on so many threads, if it holds so many more V and W beside those it works on.
func Cost[T kernel.Float](rows, cols, entries int, p core.Plan, missing bool, members, copies int) core.Cost {
	t := &tiling[T]{byRows: ByRows(p, missing), rows: rows, cols: cols, whole: extentOfM{rows, entries}}
	blocks := 1
	if !t.byRows {
		blocks = t.blocksFor(p.Block)
	}
	t.setBlocks(blocks)

	size := float64(unsafe.Sizeof(T(0)))
	word := float64(unsafe.Sizeof(0))
	z, l, w, k, b := float64(t.whole.entries), float64(rows), float64(cols), float64(p.Rank), float64(p.Block)
	slabs, threads := float64(t.whole.slabs()), float64(members)
	inUnit := math.Floor(float64(unitBytes(t.blocks)) / ((z*(4+size) + word*l*float64(t.blocks)) / slabs)) // slabs of a mean size
	units := min(slabs, slabs/max(1, inUnit)+2*(maxGroups+4*threads))
	parts := units * float64(t.blocks)
	values, places := size*z+direct.Page*parts, 4*z+word*(l*float64(t.blocks)+parts)+direct.Page*parts
	arrays := 1.0
	if p.Underapproximates {
		arrays++
	}
	if p.Recursive && p.Block < p.Rank {
		arrays++
	}

	// A slab may have the work of most slabs and a row that is full.
	slab := (4+size)*(2*slabEntries+w) + word*slabEntries*float64(t.blocks)
	piece := (float64(unitBytes(t.blocks)) + slab) * arrays
	piece += direct.Page * float64(t.blocks) * (1 + arrays)
	buffers := max(threads*float64(block.SlotsOfEach), 4) * piece // 4: to make the tiles
	numbers := b*(2*l+2*w) + k*(4*(l+w)+maxGroups*w) + threads*slabEntries/entriesPerRow*max(b, k)
	if p.Accelerated {
		numbers += b * (l + w)
	}
	numbers += float64(copies) * k * (l + w)
	const rest = 20 << 20 // of the program, and what a reader takes
	reads, writes := 2*(places+values), 0.0
	if t.byRows {
		reads /= 2
	}
	if p.Underapproximates {
		reads = reads*float64(p.StepsPerUpdate) + values
		if p.Augmented {
			reads += (2*float64(p.StepsPerUpdate) - 1) * values
		}
		writes = values
	}
	return core.Cost{
		Memory:  core.Bytes(size*numbers + buffers + 200*slabs + 32*parts + rest),
		Scratch: core.Bytes(values*arrays + places),
		Reads:   core.Bytes(math.Ceil(reads)), Writes: core.Bytes(writes),
	}
}
