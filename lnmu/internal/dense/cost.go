package dense

import (
	"math"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
)

// Cost returns what a run takes on the rows x cols matrix that r reads, on so many
// threads, if it holds so many more V and W beside those it works on.
func Cost[T kernel.Float](r block.Reader[T], rows, cols int, p core.Plan, threads, copies int) core.Cost {
	size := float64(unsafe.Sizeof(T(0)))
	lines, width := max(rows, cols), min(rows, cols)
	_, count := group.Slabs(lines)
	members := min(threads, count)
	probe := &solver[T]{layout: &layout[T]{rows: lines, cols: width}}
	probe.slabRows, probe.slabs = group.Slabs(lines)
	rowsOfBlock := probe.blockRows()
	if p.Accelerated {
		rowsOfBlock = max(rowsOfBlock, probe.rowsWithin(acceleratedBlock))
	}

	at := block.NewFiles(r, lines, width)
	at.Kept = kept(p)
	slot, files := at.Footprint(rowsOfBlock)
	buffers := slot * float64(members*at.Slots)
	if p.Exact { // in the end, by all threads
		buffers = slot * float64(threads*at.Slots)
	}
	if cols > rows { // whole slabs, for the norm
		whole := block.NewFiles(r, lines, width)
		whole.ChunkBytes = math.MaxInt
		slot, _ := whole.Footprint(leastBlock)
		buffers = max(buffers, slot*float64(at.Slots*normMembers[T](lines, width, threads, at.Slots)))
	}

	l, w, k, b := float64(lines), float64(width), float64(p.Rank), float64(p.Block)
	sums := group.NewSums[T](group.ForRows(group.Self{}, lines), members, 0, 0, 0)
	parts := float64(sums.Parts())
	numbers := k*(l+w) + 2*b*l + 2*b*w + parts*b*(w+b) + float64(members)*(b+w)*float64(rowsOfBlock)
	if p.Underapproximates {
		numbers += b * (l + w)
	}
	if p.Accelerated {
		numbers += 2*b*(l+w) + l
	}
	if p.Recursive {
		numbers += k * (l + w)
	}
	numbers += float64(copies) * k * (l + w)
	panel := block.PanelWidth[T](lines, width, 1)
	var wide float64 // numbers in float64
	switch {
	case p.Products:
		numbers += k*l + 3*k*(l+w)
		wide += 2 * float64(members) * l
	case p.L1:
		numbers += float64(panel) * l
		wide += 2 * float64(members) * l
	}
	if p.Exact { // what is kept to fall back on, a panel, programs of r variables and l constraints
		numbers += 2*k*(l+w) + float64(panel)*l + 2*float64(threads)*l
		wide += k*l + l + float64(threads)*(3*l+k*(2*k+64))
	}
	if p.SVD { // some vectors more than factors, twice
		numbers += 2*(b+8)*(l+w) + parts*(b+8)*(w+b+8)
	}
	const rest = 16 << 20 // of the program
	matrix := float64(lines) * float64(width) * size
	reads, writes := 1.0, 0.0 // of M: one product with it for both factors
	steps := float64(p.StepsPerUpdate)
	switch {
	case p.Augmented: // both M and G in each HALS step
		reads, writes = 2*steps, 1
	case p.L1: // in each step N for the rows, and once for every panel of columns; M and N for the update
		reads, writes = steps*(1+math.Ceil(w/float64(panel)))+2, 1
	case p.Priors: // N twice in each step, or once
		reads, writes = 2*steps+1, 1
	case p.Underapproximates: // N in each of them, and M once, for the update of N
		reads, writes = steps+1, 1
	case p.Products:
		reads = 2
	}
	memory := size*numbers + 8*wide + buffers + rest
	return core.Cost{Memory: core.Bytes(memory), Scratch: core.Bytes(files), Reads: core.Bytes(reads * matrix), Writes: core.Bytes(writes * matrix)}
}

// normMembers is the number of threads that look at a wide matrix of so many lines, each
// with whole slabs of them in memory.
func normMembers[T kernel.Float](lines, width, threads, slots int) int {
	size, _ := group.Slabs(lines)
	return min(threads, max(1, normSlabs/(slots*size*width*int(unsafe.Sizeof(T(0))))))
}
