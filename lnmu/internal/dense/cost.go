package dense

import (
	"math"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/observed"
)

// Cost returns what a run takes on a matrix in files, or a process on its part of one, of which
// these entries count. The run has that many threads, and holds copies of V and W beside those
// that it works on. exact is that of Observe.
func (s Source[T]) Cost(e observed.Entries, exact bool, p core.Plan, threads, copies int) core.Cost {
	size := float64(unsafe.Sizeof(T(0)))
	lines, width := s.lines()
	members := min(threads, max(s.Share.Last-s.Share.First, 1))
	probe := &solver[T]{layout: &layout[T]{rows: lines, cols: width}}
	probe.slabRows, _ = group.Slabs(s.Part.Whole)
	rowsOfBlock := probe.blockRows()
	if p.Accelerated {
		rowsOfBlock = max(rowsOfBlock, probe.rowsWithin(acceleratedBlock))
	}

	at := s.files()
	at.Kept = kept(p)
	slot, files := at.Footprint(rowsOfBlock)
	buffers := slot * float64(members*at.Slots)
	if s.ByColumns { // whole slabs, for the norm
		whole := s.files()
		whole.ChunkBytes = math.MaxInt
		slot, _ := whole.Footprint(leastBlock)
		buffers = max(buffers, slot*float64(at.Slots*normMembers[T](s.Part.Whole, width, threads, at.Slots)))
	}

	l, w, k, b := float64(lines), float64(width), float64(p.Rank), float64(p.Block)
	sums := group.NewSums[T](s.Share, members, 0, 0, 0)
	parts := float64(sums.Parts())
	if s.Share.Distributed() {
		parts++ // that of another process
	}
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
	bits := 0.0 // beside those of the caller
	if e.Incomplete() {
		blocks := 1.0 // of numbers, for each member
		if e.Weights != nil {
			blocks, bits = 2, l*w
		}
		numbers += blocks*float64(members)*float64(rowsOfBlock)*w + parts*w
		if exact {
			numbers += float64(members) * l * (b + 8/size)
		}
		if e.Seen.Data != nil && (exact || s.ByColumns) { // those of the transpose
			bits += l * w
		}
	}
	const rest = 16 << 20 // of the program
	matrix := float64(lines) * float64(width) * size
	reads, writes := 1.0, 0.0 // of M: one product with it for both factors
	switch {
	case p.Augmented: // both M and G in each HALS step
		reads, writes = 2*float64(p.StepsPerUpdate), 1
	case p.Underapproximates: // N in each of them, and M once, for the update of N
		reads, writes = float64(p.StepsPerUpdate)+1, 1
	case p.Accelerated && e.Incomplete(): // and one for the error
		reads = 2
	}
	return core.Cost{Memory: core.Bytes(size*numbers + bits/8 + buffers + rest), Scratch: core.Bytes(files), Reads: core.Bytes(reads * matrix), Writes: core.Bytes(writes * matrix)}
}

// normMembers is the number of threads that look at a wide matrix of so many lines as a
// whole, each with whole slabs of them in memory.
func normMembers[T kernel.Float](whole, width, threads, slots int) int {
	size, _ := group.Slabs(whole)
	return min(threads, max(1, normSlabs/(slots*size*width*int(unsafe.Sizeof(T(0))))))
}
