package sparse

import (
	"math"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/tiles"
)

// Cost returns the resources of each process of a run on a rows x cols matrix in files. entries
// is the number of stored entries of a process. copies is the number of V and W that the process
// holds beside those it works on.
func Cost[T kernel.Float](rows, cols, entries int, p core.Plan, missing bool, threads, processes, copies int) core.Cost {
	f := formOf(p, missing)
	c := tiles.CostOf[T](rows, cols, entries, f, threads, processes)

	size := float64(unsafe.Sizeof(T(0)))
	l, w, k, b := c.Rows, c.Cols, float64(p.Rank), float64(tiles.Padded[T](p.Block))
	numbers := b*(2*l+2*w) + k*(4*(l+w)+tiles.MostGroups*w) + float64(threads)*tiles.MostRows*max(b, k)
	if p.Accelerated {
		numbers += b * (l + w)
	}
	if p.Pure() { // columns, an orthonormal basis, products; weights; a solver for one vector
		numbers += (3*b+4)*(l+w) + tiles.MostGroups*w + 8/size*(b+2)*(l+w)
	}
	if p.Divergence { // the factors before extrapolation, and the sums
		numbers += b * (l + 3*w)
	}
	numbers += float64(copies) * k * (l + w)
	if processes > 1 && cols > rows {
		numbers += 4 * k * float64(cols) // W as a whole
	}
	const rest = 20 << 20 // for the program and a reader
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
