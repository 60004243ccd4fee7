package dense

import (
	"math"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
	"nmu/lnmu/internal/source"
)

// Memory returns the bytes of a run on a matrix in memory, beside that matrix. masked says that
// entries may be missing, and weighted that they have weights. It counts what is allocated and
// lives; the program with its runtime comes on top.
func Memory[T kernel.Float](m source.Given[T], part core.Part, masked, weighted bool, p core.Plan, u core.Usage) int64 {
	s := source.Dense[T]{Given: m, Part: part}
	size := float64(unsafe.Sizeof(T(0)))
	float := 8 / size // a float64
	lines, width := s.Lines()
	rows, cols, whole := float64(lines), float64(width), float64(part.Whole)
	all, sides, lengths, threads := rows*cols, rows+cols, whole+cols, float64(u.Threads)
	k, b := float64(p.Rank), float64(p.Block)

	// A slab is the work of one member of the team. The sums have as many parts as the run makes.
	probe := &solver[T]{layout: &layout[T]{rows: lines, cols: width}}
	probe.slabRows, _ = group.Slabs(part.Whole)
	slabs := max(1, (lines+probe.slabRows-1)/probe.slabRows)
	team := min(u.Threads, slabs)
	members := float64(team)
	sums := group.NewSums[T](group.ForSlabs(group.Self{}, slabs), team, 0, 0, 0)
	parts := float64(sums.Parts())
	if u.Processes > 1 {
		parts++ // that of another process
	}
	block := float64(probe.blockRows())
	if p.Accelerated {
		block = max(block, float64(probe.rowsWithin(acceleratedBlock, leastAcceleratedBlock, probe.panelCols())))
	}
	padded := padded[T]
	solver := func(rank float64) float64 { return numbersOf[T](rows, cols, rank, parts, members, block) }
	panel := 0.0 // steps on whole columns of several processes
	if u.Processes > 1 {
		panel = min(256<<20/size, 2*whole*math.Ceil(cols/float64(u.Processes)))
	}

	one := 4*k*sides + solver(b) // start, result and the best one
	given, arranged := s.Arranged(!s.Tall())
	arranged = arranged && !masked
	copied := !arranged || !u.Overwrite && !readsInPlace(p, given)
	if copied {
		one += all
	}
	if p.Underapproximates && !(copied && u.Overwrite) {
		one += all // N; else it takes the place of M
	}
	if p.Accelerated { // the factors before an iteration and before the extrapolation
		one += b*(2*padded(rows)+padded(cols)) + members*b*padded(block) + 2*whole
	}
	if p.Augmented { // a block of the target
		one += members * block * padded(cols)
	}
	if p.Divergence { // newDivergence: sums, a ratio to M in a block; with missing entries both twice
		n := 1.0
		if masked || weighted {
			n = 2
		}
		one += 2*b*(padded(rows)+padded(cols)) + parts*b*(n*padded(cols)+padded(b)) + 2*n*b*padded(cols) + max(cols, float64(probe.slabRows)) + members*(n*block*padded(cols)+n*b*padded(block)+cols)
	}
	switch {
	case p.Coordinates: // lines with their columns of the other factor
		one += k*lengths + threads*((k+8)*lengths+17*whole) + 2*panel + float*cols
	case p.Products: // products with M, the factors before a step, and the columns of each thread
		one += 5*k*lengths + (float+1)*threads*lengths
	case p.L1:
		one += threads*(8*rows+2*float*whole) + panel + 3*whole
	}
	if p.Recursive { // starts of the blocks
		one += 3 * k * sides
	}
	if p.SVD { // the vectors of both sides twice, an eigenproblem, a solver for products
		q := b + 4
		one += 2*q*(padded(whole)+padded(cols)) + (2+3*float)*q*padded(q) + solver(q)
	}
	if p.Pure() { // columns, a basis, products; weights
		one += solver(1) + (2*b+2+float*(b+2))*lengths
	}
	if p.Exact { // a solver for all factors, these as they were, programs of each thread
		one += solver(k) + k*sides + 2*float*k*lengths + threads*(float*(7*whole+3*k*k+100*k)+8*rows) + panel
		if masked || weighted { // programs for the observed parts of lines
			one += threads * (float*(7*whole+3*k*k+100*k) + (1+float)*k*padded(whole))
		}
		if u.InTheEnd && !arranged {
			one += all // M once more
		}
	}
	if masked || weighted { // a block of N, a Gram matrix of a line
		one += members * (2*block*padded(cols) + 16*cols + (k+2)*rows)
	}
	if u.Saved {
		one += k * sides // the finished factors of a state
		if u.SideBySide > 1 {
			one += 2*all + 6*k*sides // a copy of the state of each
		}
	}
	one *= float64(u.SideBySide)
	if masked || m.ByColumns { // the check of M and its norm, each in a pass over some rows at a time
		one += 2 * source.RowsTogether * float64(m.Cols)
	}
	if masked {
		one += all / size / 4 // by rows and by columns
	}
	if weighted {
		one = max(one, s.LinesTogether()) + all // the weighted norm comes before the run
	}
	return core.Bytes(size*one + small)
}

// small is the memory of tasks, teams and records: objects that do not grow with M.
const small = 64 << 10

// padded returns the numbers of a row, which fill cache lines, and one more against conflicts in a cache.
func padded[T kernel.Float](n float64) float64 {
	return n + 2*kernel.Alignment/float64(unsafe.Sizeof(T(0)))
}

// numbersOf returns what newSolver allocates: the long factor twice, the short one, sums, Gram matrices,
// and for each member two blocks. The last ones are the tiles of newLayout.
func numbersOf[T kernel.Float](rows, cols, rank, parts, members, block float64) float64 {
	padded := padded[T]
	return rank*(2*padded(rows)+padded(cols)) + parts*rank*(padded(cols)+padded(rank)) + 2*rank*padded(rank) +
		members*(2*rank*padded(block)+(matrix.TileRows+1)*padded(min(cols, matrix.TileCols)))
}

// TransformMemory returns the bytes of source.Checked, Transform and FoldIn for a basis of the given rank,
// beside that and the matrix. masked says that entries may be missing, and weighted that they have
// weights.
func TransformMemory[T kernel.Float](m source.Given[T], rank int, masked, weighted bool, by core.Weighing) int64 {
	size := float64(unsafe.Sizeof(T(0)))
	float := 8 / size // a float64
	x, padded := source.Undivided(m), padded[T]
	lines, width := x.Lines()
	rows, cols, k, threads := float64(m.Rows), float64(m.Cols), float64(rank), float64(by.Threads)

	// The basis by columns, and what each member of the team has.
	busy, each := min(threads, math.Ceil(cols/hals.ColumnsPerPanel)), hals.ColumnsPerPanel*(padded(rows)+3*k)
	if masked || weighted {
		each += (k + 2*float) * rows // the Gram matrix of a column
	}
	shared := k*padded(rows) + 4*float*(rows+cols) + 8*k*k + threads*100*k // and lists of lines, small matrices
	switch {
	case by.SumToOne:
		each += 4 * float * k * k
	case by.Divergence:
		each, busy = (k+8)*rows+8*k, threads
		shared += 2*k*rows + 10*float*cols // the basis by rows, the terms of a column
	case by.Feasible:
		each, busy = float*(7*rows+3*k*k+100*k)+padded(rows), threads
		shared += 2 * float * k * rows
		if masked || weighted { // programs for the observed parts of columns
			each += float*(7*rows+3*k*k+100*k) + (1+float)*k*padded(rows)
		}
	}
	// The error is measured by a solver.
	probe := &solver[T]{layout: &layout[T]{rows: lines, cols: width}}
	probe.slabRows, _ = group.Slabs(lines)
	slabs := max(1, (lines+probe.slabRows-1)/probe.slabRows)
	sums := group.NewSums[T](group.ForSlabs(group.Self{}, slabs), by.Threads, 0, 0, 0)
	block := float64(probe.blockRows())
	measured := numbersOf[T](float64(lines), float64(width), k, float64(sums.Parts()), threads, block)
	if _, arranged := x.Arranged(!x.Tall()); !arranged || masked {
		measured += rows * cols
	}
	if masked || weighted {
		measured += threads * block * padded(float64(width))
	}

	before := 0.0 // the weighted norm
	if weighted {
		before = x.LinesTogether()
	}
	numbers := max(before, k*cols+shared+busy*each+measured)
	if masked { // by rows and by columns
		numbers += rows * cols / size / 4
	}
	if weighted {
		numbers += rows * cols
	}
	return core.Bytes(size*numbers + small)
}

// Cost returns the resources of a run on a matrix in files, or of a process on its part. e are
// the observed entries. copies is the number of V and W that the run holds beside those that it
// works on. exact is that of source.Dense.Observe.
func Cost[T kernel.Float](m source.Given[T], part core.Part, c group.Comm, e observed.Entries, exact bool, p core.Plan, threads, copies int) core.Cost {
	s := source.New(m, part, c)
	size := float64(unsafe.Sizeof(T(0)))
	lines, width := s.Lines()
	members := min(threads, max(s.Share.Last-s.Share.First, 1))
	probe := &solver[T]{layout: &layout[T]{rows: lines, cols: width}}
	probe.slabRows, _ = group.Slabs(s.Part.Whole)
	rowsOfBlock := probe.blockRows()
	if p.Accelerated {
		rowsOfBlock = max(rowsOfBlock, probe.rowsWithin(acceleratedBlock, leastAcceleratedBlock, probe.panelCols()))
	}

	at := s.Files()
	at.Kept = kept(p)
	slot, files := at.Footprint(rowsOfBlock)
	buffers := slot * float64(members*at.Slots)
	if p.Exact { // in the end, by all threads
		buffers = slot * float64(threads*at.Slots)
	}
	buffers = max(buffers, s.NormMemory(threads))

	l, w, k, b := float64(lines), float64(width), float64(p.Rank), float64(p.Block)
	sums := group.NewSums[T](s.Share, members, 0, 0, 0)
	parts := float64(sums.Parts())
	if s.Share.Distributed() {
		parts++ // that of another process
	}
	numbers := k*(l+w) + 2*b*l + 2*b*w + parts*b*(w+b) + float64(members)*(2*b+w)*float64(rowsOfBlock)
	if p.Underapproximates {
		numbers += b * (l + w)
	}
	if p.Accelerated {
		numbers += 2*b*(l+w) + l
	}
	if p.Divergence { // copies of the factors and of the sums, and the ratio to M in a block
		numbers += 2*b*l + 6*b*w + parts*2*b*w + float64(members)*(w+2*b)*float64(rowsOfBlock) + l
	}
	if p.Recursive {
		numbers += k * (l + w)
	}
	numbers += float64(copies) * k * (l + w)
	// Some steps need vectors as long as M over all processes.
	a, processes := float64(s.Part.Whole), s.Share.Size()
	var panel, wide float64 // numbers of a panel of columns; numbers in float64
	columns := float64(block.PanelWidth[T](s.Part.Whole, width, processes))
	if panel = columns * a; processes > 1 {
		panel *= 2
	}
	switch {
	case p.Coordinates: // lines with their columns of the other factor, the long one of all processes, weights
		numbers += panel + k*a + float64(members)*((k+8)*(w+a)+a)
		wide += w
	case p.Products:
		numbers += k*a + 3*k*(a+w)
		wide += 2 * float64(members) * a
	case p.L1:
		numbers += panel + a
		wide += 2 * float64(members) * a
	case p.Priors:
		numbers += 2 * a
	}
	if p.Exact { // copies of the factors, a panel, programs of r variables and a constraints
		numbers += 2*k*(l+w) + panel + k*a + 2*float64(threads)*a
		wide += k*a + a + float64(threads)*(3*a+k*(2*k+64))
		if e.Incomplete() { // those for the observed parts of lines
			numbers += float64(threads) * (k + 2) * a
			wide += float64(threads) * ((k+7)*a + k*(3*k+100))
		}
	}
	if p.SVD { // a few more vectors than factors, twice
		numbers += 2*(b+8)*(a+w) + parts*(b+8)*(w+b+8)
	}
	if p.Pure() { // columns, an orthonormal basis, products; weights; a solver for one vector
		numbers += 3*b*(a+w) + parts*(w+1) + 2*(a+w)
		wide += (b + 2) * (a + w)
	}
	bits := 0.0 // beside those of the caller
	if e.Incomplete() {
		blocks := 1.0 // of numbers, for each member
		if e.Weights != nil {
			blocks, bits = 2, l*w
		}
		numbers += blocks*float64(members)*float64(rowsOfBlock)*w + parts*w
		if exact {
			numbers += float64(members) * (max(a, w)*(b+8/size) + b*b)
		}
		if s.Share.Distributed() && (exact || p.Coordinates || p.Exact) { // whole columns: see observed.NewColumns
			own := math.Ceil(w / float64(processes))
			if bits += own * a; e.Weights != nil {
				numbers += 3 * own * a // with those that another process sends and receives
			}
		}
		if e.Mask.Data != nil && (exact || s.ByColumns || p.Coordinates) { // those of the transpose
			bits += l * w
		}
	}
	matrix := float64(lines) * float64(width) * size
	reads, writes := 1.0, 0.0 // of M: one product with it for both factors
	steps := float64(p.StepsPerUpdate)
	switch {
	case p.Augmented: // both M and G in each HALS step
		reads, writes = 2*steps, 1
	case p.L1: // in each step N for the rows, and once for every panel of columns; M and N for the update
		reads, writes = steps*(1+math.Ceil(math.Ceil(w/float64(processes))/columns))+2, 1
	case p.Priors: // N twice in each step, or once
		reads, writes = 2*steps+1, 1
	case p.Underapproximates: // N in each of them, and M once, for the update of N
		reads, writes = steps+1, 1
	case p.Coordinates: // whole columns, a panel of all processes at a time
		reads += math.Ceil(math.Ceil(w/float64(processes)) / columns)
	case p.Products, p.Accelerated && e.Incomplete(): // of the latter one is for the error
		reads = 2
	}
	memory := size*numbers + 8*wide + buffers
	if e.Weights != nil { // the weighted norm comes before the run: lines, and their weights
		memory = max(memory, 2*size*s.LinesTogether())
	}
	memory += bits/8 + small
	return core.Cost{Memory: core.Bytes(memory), Scratch: core.Bytes(files), Reads: core.Bytes(reads * matrix), Writes: core.Bytes(writes * matrix)}
}
