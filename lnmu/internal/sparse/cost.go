package sparse

import (
	"math"
	"unsafe"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/tiles"
)

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
	a, t := &arena.Arena{}, team.New(by.Threads) // of the measurement
	defer t.Close()
	in := tiles.Outline[T](a, rows, cols, entries, cols > rows)
	in.Tile(tiles.Form{Rank: rank})
	newSolver(tiles.NewLayout(in.Tiles, tiles.Form{}, t), rank, false)
	newProductNorm[T](a, rows, cols, rank)
	return arena.Whole(size*k*n + max(columns+basis+threads*each, float64(a.Bytes())))
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
		Memory:  arena.Whole(max(size*numbers+c.Memory, size*held+c.Making)),
		Scratch: arena.Whole(c.Scratch),
		Reads:   arena.Whole(math.Ceil(reads)), Writes: arena.Whole(writes),
	}
}
