package lnmu

import (
	"math"
	"unsafe"

	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
)

// Needs is what a factorization of a Stored matrix takes, in bytes: of memory, with the
// results, and of the folder for scratch files.
type Needs struct{ Memory, Scratch int64 }

// NeedsOf returns, about and rather too much, what Factor needs at a rank for the matrix
// that r reads, by a method and settings with all defaults, as WithDefaults returns them.
//
// In numbers, with L lines of w elements, it is a few times r (L + w): the long factor
// twice, its copy that an iteration of GNMU or RNMU falls back on or two that the
// accelerated solver does, the result, the best one of several restarts, and for RNMU the
// start. Beside that there are chunks of M, and of N, for each thread.
func NeedsOf[T Float](r Reader[T], rank int, method Method, settings Settings) (Needs, error) {
	return instance[needing[Reader[T], Needs]](needs32, needs64)(r, rank, method, settings)
}

func needsOf[T Float](r Reader[T], rank int, method Method, settings Settings) (Needs, error) {
	rows, cols := r.Dims()
	p, s, err := prepare(rows, cols, rank, method, &settings, settings.Init == "")
	if err == nil {
		err = p.forStored(s)
	}
	if err != nil {
		return Needs{}, err
	}
	size, d := float64(unsafe.Sizeof(T(0))), p.method.Describe()
	lines, width := max(rows, cols), min(rows, cols)
	_, count := group.Slabs(lines)
	members := min(s.Threads, count)
	probe := &solver[T]{layout: &layout[T]{rows: lines, cols: width}}
	probe.slabRows, probe.slabs = group.Slabs(lines)
	rowsOfBlock := probe.blockRows()
	if p.acceleration.on {
		rowsOfBlock = max(rowsOfBlock, probe.rowsWithin(acceleratedBlock))
	}

	at := block.NewFiles(r, lines, width)
	at.Kept = kept(p.plan(s, rank, false))
	slot, files := at.Footprint(rowsOfBlock)
	buffers := slot * float64(members*at.Slots)
	if cols > rows { // whole slabs, for the norm
		whole := block.NewFiles(r, lines, width)
		whole.ChunkBytes = math.MaxInt
		slot, _ := whole.Footprint(leastBlock)
		buffers = max(buffers, slot*float64(at.Slots*normMembers[T](lines, width, s.Threads, at.Slots)))
	}

	l, w, k, b := float64(lines), float64(width), float64(rank), float64(p.block)
	sums := group.NewSums[T](group.ForRows(group.Self{}, lines), members, 0, 0, 0)
	parts := float64(sums.Parts())
	numbers := k*(l+w) + 2*b*l + 2*b*w + parts*b*(w+b) + float64(members)*(b+w)*float64(rowsOfBlock)
	if d.Underapproximates {
		numbers += b * (l + w)
	}
	if p.acceleration.on {
		numbers += 2*b*(l+w) + l
	}
	if d.Recursive {
		numbers += k * (l + w)
	}
	if s.Restarts > 1 {
		numbers += k * (l + w)
	}
	if s.Checkpoint != nil { // what a run that goes on from one has to read
		numbers += k * (l + w)
	}
	fixed := s.Fixed
	numbers += float64(rows*fixed.V.Cols + cols*fixed.W.Rows)
	const rest = 16 << 20 // of the program
	return Needs{Memory: wholeBytes(size*numbers + buffers + rest), Scratch: wholeBytes(files)}, nil
}

// wholeBytes returns x as a number of bytes, at most math.MaxInt64.
func wholeBytes(x float64) int64 {
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(x)
}

// normMembers is the number of threads that look at a wide matrix of so many lines, each
// with whole slabs of them in memory.
func normMembers[T Float](lines, width, threads, slots int) int {
	size, _ := group.Slabs(lines)
	return min(threads, max(1, normSlabs/(slots*size*width*int(unsafe.Sizeof(T(0))))))
}
