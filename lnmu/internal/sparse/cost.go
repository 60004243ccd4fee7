package sparse

import (
	"math"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/tiles"
)

// Memory returns the bytes of a run on a rows x cols matrix in memory, beside that matrix, of which
// this process has so many entries.
func Memory[T kernel.Float](rows, cols, entries int, part core.Window, p core.Plan, missing bool, u core.Usage) int64 {
	f := formOf(p, missing)
	size := float64(unsafe.Sizeof(T(0)))
	z, l, w := float64(entries), float64(part.Rows.Len()), float64(part.Cols.Len())
	if cols > rows {
		l, w = w, l
	}
	k, b, threads := float64(p.Rank), float64(tiles.Padded[T](p.Block)), float64(u.Threads)
	arrays := 1.0 // of values
	for _, kept := range []bool{f.State, f.Residual} {
		if kept {
			arrays++
		}
	}
	one := (5+arrays*size)*z + 16*w + 21*l
	numbers := b*(2*l+2*w) + k*(3*(l+w)+tiles.MostGroups*w) + threads*tiles.MostRows*max(b, k)
	if p.Accelerated || p.Augmented {
		numbers += b * (l + w)
	}
	if p.Divergence { // the factors before extrapolation, and the sums
		numbers += b * (l + 3*w)
	}
	if p.Pure() { // columns, an orthonormal basis, products; weights
		numbers += (3*b+4)*(l+w) + tiles.MostGroups*w + 8/size*(b+2)*(l+w)
	}
	if p.SVD { // a few more vectors than factors, and products
		numbers += 3 * (b + 8) * (l + w)
	}
	if p.Coordinates { // M by columns, lines, transposes
		one += (4+size)*z + 16*(l+w)
		numbers += (2*k + threads*(k+8)) * (l + w)
	}
	if u.Saved {
		numbers += k * (l + w) // the finished factors of a state
		if u.SideBySide > 1 {
			numbers += 2*z + 6*k*(l+w) // a copy of the state of each
		}
	}
	one = (one + size*numbers) * float64(u.SideBySide)
	if u.Processes > 1 && cols > rows {
		one += size * 4 * k * float64(cols) // W as a whole
	}
	if cols > rows && !f.ByRows {
		one += 12 * w // the counts of the columns
	}
	return core.Bytes(one + 2<<20)
}

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
