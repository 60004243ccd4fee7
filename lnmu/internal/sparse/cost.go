package sparse

import (
	"math"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/tiles"
)

// Memory returns the bytes of a run on a rows x cols matrix in memory, beside that matrix, of which
// this process has so many entries. It counts what is allocated and lives; the program with its
// runtime comes on top.
func Memory[T kernel.Float](rows, cols, entries int, part core.Window, p core.Plan, missing bool, u core.Usage) int64 {
	f := formOf(p, missing)
	size := float64(unsafe.Sizeof(T(0)))
	z, l, w := float64(entries), float64(part.Rows.Len()), float64(part.Cols.Len())
	if cols > rows {
		l, w = w, l
	}
	k, b, threads := float64(p.Rank), float64(tiles.Padded[T](p.Block)), float64(u.Threads)
	c := tiles.MemoryOf[T](rows, cols, entries, int(l), f)
	parts := 0.0 // of the sums over the rows of both factors
	for _, slabs := range []int{c.Slabs, c.Across} {
		sums := group.NewSums[T](group.ForSlabs(group.Self{}, slabs), u.Threads, 0, 0, 0, kernel.NewMatrix)
		parts += float64(sums.Parts())
	}
	// newSolver allocates both factors twice, sums over each group, Gram matrices, and for each
	// member the entries of a block, a slab and two blocks of a sweep.
	solver := func(rank int) float64 {
		r, q := float64(rank), float64(tiles.Padded[T](rank))
		sweep := max(leastSweep, float64(sweepBytes/rank)) / size
		return q*(2*(l+w)+float64(c.Groups)*w) + (parts+4)*(q+r*q) +
			threads*(max(blockEntries, w)+max(min(tiles.MostRows, l), sweep)*q+(2*q+2)*sweep+q*q)
	}
	one := c.Bytes
	// The start, the result, the best one, the factors so far, and those of the last measurement.
	numbers := solver(p.Block) + (4*k+float64(tiles.Padded[T](p.Rank)))*(l+w) + 2*8/size*k*k
	if p.Accelerated || p.Augmented {
		numbers += b * (l + w)
	}
	if p.Divergence { // the factors before extrapolation, and the sums
		numbers += b * (l + 3*w)
	}
	if p.Pure() { // columns, an orthonormal basis, products; weights
		numbers += (2*k+1)*(l+w) + solver(1) + 8/size*(k+2)*(l+w+k)
	}
	if p.SVD { // the vectors of both sides twice, their transposes, a solver for products
		numbers += 3*(k+4)*(l+w) + solver(p.Block+4) + (2+3*8/size)*(k+4)*(k+4)
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
	const small = 64 << 10 // tasks, teams, records: objects that do not grow with M
	return core.Bytes(one + small)
}

// TransformMemory returns the bytes of finding the weights of a rows x cols matrix in memory with so many
// entries in a basis of that rank, beside both.
func TransformMemory[T kernel.Float](rows, cols, entries, rank int, by core.Weighing) int64 {
	size := float64(unsafe.Sizeof(T(0)))
	m, n, k, threads := float64(rows), float64(cols), float64(rank), float64(by.Threads)
	columns := (4+size)*float64(entries) + 8*n // a copy of M
	basis := size * k * m
	var each float64 // what a member of the team has
	switch {
	case by.Feasible:
		each = size*m + 8*(7*m+3*k*k+100*k)
		basis += 2 * 8 * k * m
	case by.Divergence:
		each = size * ((k+8)*m + 8*k)
		basis += 2*size*k*m + 80*n
	default:
		// A copy of the entries of a panel, which may have twice as many as others, and their lanes.
		panel, lanes := min(hals.ColumnsPerPanel, n), productBytes/size
		each = 2*(4+size)*float64(entries)*panel/max(1, n) + panel*(lanes*(8+size*k)+3*size*k)
		threads = min(threads, math.Ceil(n/hals.ColumnsPerPanel))
	}
	whole := core.Window{Rows: group.Span{To: rows}, Cols: group.Span{To: cols}}
	measured := Memory[T](rows, cols, entries, whole, core.Plan{Rank: rank, Block: rank}, false, core.Usage{Threads: by.Threads, SideBySide: 1})
	return core.Bytes(size*k*n + max(columns+basis+threads*each, float64(measured)))
}

// Cost returns the resources of each process of a run on a rows x cols matrix in files. entries
// is the number of stored entries of a process. copies is the number of V and W that the process
// holds beside those it works on.
func Cost[T kernel.Float](rows, cols, entries int, p core.Plan, missing bool, threads, processes, copies int) core.Cost {
	f := formOf(p, missing)
	c := tiles.CostOf[T](rows, cols, entries, f, threads, processes)

	size := float64(unsafe.Sizeof(T(0)))
	l, w, k, b := c.Rows, c.Cols, float64(p.Rank), float64(tiles.Padded[T](p.Block))
	// Both factors twice and sums over each group; the start, the result, the factors so far.
	numbers := b*(2*l+2*w+c.Groups*w) + (2*k+float64(tiles.Padded[T](p.Rank)))*(l+w) + float64(threads)*tiles.MostRows*max(b, k)
	if float64(rows)*float64(cols) > alwaysExact { // the columns of W of the last measurement
		numbers += k * float64(cols)
	}
	if p.Recursive { // as much garbage is left when the result is formed, by measurement: the solver itself is small
		numbers += k * (l + w)
	}
	numbers += b * (l + w) // garbage of that much is left, by measurement
	if p.Accelerated {
		numbers += b * (l + w)
	}
	if p.SVD { // the vectors of both sides, their transposes and copies; a solver for products
		numbers += 3*(k+4)*(l+w) + float64(tiles.Padded[T](p.Block+4))*(2*l+2*w+c.Groups*w)
	}
	if p.Pure() { // columns, an orthonormal basis, products; weights; a solver for one vector
		numbers += (3*b+4)*(l+w) + c.Groups*w + 8/size*(b+2)*(l+w)
	}
	if p.Divergence { // the factors before extrapolation, and the sums
		numbers += b * (l + 3*w)
	}
	held := float64(copies) * k * (l + w)
	numbers += held
	if processes > 1 && cols > rows {
		numbers += 4 * k * float64(cols) // W as a whole
	}
	reads, writes := 2*(c.Places+c.Values), 0.0
	if f.ByRows {
		reads /= 2
	}
	if p.Underapproximates {
		reads = reads*float64(p.Inner) + c.Values
		if p.Augmented {
			reads += (2*float64(p.Inner) - 1) * c.Values
		}
		writes = c.Values
	}
	return core.Cost{
		Memory:  core.Bytes(max(size*numbers+c.Memory, size*held+c.Making)),
		Scratch: core.Bytes(c.Scratch),
		Reads:   core.Bytes(math.Ceil(reads)), Writes: core.Bytes(writes),
	}
}
