package sparse

import (
	"math"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/tiles"
)

// Cost returns what a run takes on a rows x cols matrix with so many stored entries in
// files, on so many threads, if it holds so many more V and W beside those it works on.
func Cost[T kernel.Float](rows, cols, entries int, p core.Plan, missing bool, threads, copies int) core.Cost {
	f := FormOf(p, missing)
	c := tiles.CostOf[T](rows, cols, entries, f, threads)

	size := float64(unsafe.Sizeof(T(0)))
	l, w, k, b := float64(rows), float64(cols), float64(p.Rank), float64(p.Block)
	numbers := b*(2*l+2*w) + k*(4*(l+w)+tiles.MostGroups*w) + float64(threads)*tiles.MostRows*max(b, k)
	if p.Accelerated {
		numbers += b * (l + w)
	}
	numbers += float64(copies) * k * (l + w)
	const rest = 20 << 20 // of the program, and what a reader takes
	reads, writes := 2*(c.Places+c.Values), 0.0
	if f.ByRows {
		reads /= 2
	}
	if p.Underapproximates {
		reads = reads*float64(p.StepsPerUpdate) + c.Values
		if p.Augmented {
			reads += (2*float64(p.StepsPerUpdate) - 1) * c.Values
		}
		writes = c.Values
	}
	return core.Cost{
		Memory:  core.Bytes(size*numbers + c.Memory + rest),
		Scratch: core.Bytes(c.Scratch),
		Reads:   core.Bytes(math.Ceil(reads)), Writes: core.Bytes(writes),
	}
}
