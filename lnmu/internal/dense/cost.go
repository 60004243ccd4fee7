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

// sizes are the numbers from which the memory of the solvers of a process follows.
type sizes[T kernel.Float] struct {
	rows, cols, whole float64 // of a pass in this process, and its rows in all processes
	slabRows, block   int
	members, threads  float64 // that share a pass, and other steps
	parts             float64 // of the sums
	panel, copied     float64 // whole columns: those of a panel, and the number that a thread copies
	float             float64 // a float64
}

// newSizes returns the sizes for a team of so many threads. A slab is the work of one member in the passes of a
// run. run is false for a measurement, where members may wait.
func newSizes[T kernel.Float](s source.Dense[T], processes, threads int, run, accelerated bool) *sizes[T] {
	lines, width := s.Lines()
	probe := &solver[T]{layout: &layout[T]{rows: lines, cols: width}}
	probe.slabRows, _ = group.Slabs(s.Part.Whole)
	slabs, members := max(1, (lines+probe.slabRows-1)/probe.slabRows), threads
	if run {
		members = min(threads, slabs)
	}
	sums := group.NewSums[T](group.ForSlabs(group.Self{}, slabs), members, 0, 0, 0) // of as many parts as the run makes
	z := &sizes[T]{
		rows: float64(lines), cols: float64(width), whole: float64(s.Part.Whole), slabRows: probe.slabRows, block: probe.rowsWithin(blockBytes, leastBlock, mostBlock),
		members: float64(members), threads: float64(threads), parts: float64(sums.Parts()), float: 8 / float64(unsafe.Sizeof(T(0))),
	}
	if accelerated {
		z.block = max(z.block, probe.rowsWithin(acceleratedBlock, leastAcceleratedBlock, probe.panelCols()))
	}
	if z.copied = block.Together; s.Reader != nil || processes > 1 {
		z.copied, z.panel = 0, float64(block.PanelWidth[T](s.Part.Whole, width, processes))*z.whole
	}
	if processes > 1 { // with what another one sends
		z.parts++
		z.panel *= 2
	}
	return z
}

// padded returns the stride of several rows of n numbers: see kernel.NewMatrix.
func padded[T kernel.Float](n float64) float64 {
	line := kernel.Alignment / float64(unsafe.Sizeof(T(0)))
	stride := math.Ceil(n/line) * line
	if !(kernel.Matrix[T]{Rows: 2, Stride: int(stride)}).Aligned() {
		stride += line
	}
	return stride
}

// solver returns the numbers of newSolver: the long factor twice, the short one, sums, Gram matrices,
// and for each member two blocks. The last ones are the tiles of newLayout.
func (z *sizes[T]) solver(rank float64) float64 {
	padded := padded[T]
	return rank*(2*padded(z.rows)+padded(z.cols)) + z.parts*rank*(padded(z.cols)+padded(rank)) + 2*rank*padded(rank) +
		z.members*(2*rank*padded(float64(z.block))+(matrix.TileRows+1)*padded(min(z.cols, matrix.TileCols)))
}

// working returns the numbers of a run: its solvers, what its steps and its start need beside them, and so many V and W.
// masked says that entries may be missing, weighted that they have weights, and exact that lines have Gram matrices.
func (z *sizes[T]) working(p core.Plan, factors int, masked, weighted, exact bool) float64 {
	padded, block := padded[T], float64(z.block)
	k, b, lengths, sides := float64(p.Rank), float64(p.Block), z.whole+z.cols, z.rows+z.cols
	n := z.solver(b) + float64(factors)*k*sides
	if p.Underapproximates { // the factors before an iteration
		n += b * sides
	}
	if p.Recursive { // the finished factors
		n += k * sides
	}
	if p.Accelerated { // the factors before an iteration and before the extrapolation
		n += b*(2*padded(z.rows)+padded(z.cols)) + z.members*b*padded(block) + 2*z.whole
	}
	if p.Augmented { // a block of the target
		n += z.members * block * padded(z.cols)
	}
	if p.Divergence { // newDivergence: sums, a ratio to M in a block; with missing entries both twice
		twice := 1.0
		if masked || weighted {
			twice = 2
		}
		n += 2*b*(padded(z.rows)+padded(z.cols)) + z.parts*b*(twice*padded(z.cols)+padded(b)) + 2*twice*b*padded(z.cols) + max(z.cols, float64(z.slabRows)) +
			z.members*(twice*block*padded(z.cols)+twice*b*padded(block)+z.cols)
	}
	switch {
	case p.Coordinates: // lines with their columns of the other factor
		n += k*lengths + z.threads*((k+8)*lengths+(2*z.copied+1)*z.whole) + z.panel + z.float*z.cols
	case p.Products: // products with M, the factors before a step, and the columns of each thread
		n += 5*k*lengths + (z.float+1)*z.threads*lengths
	case p.L1:
		n += z.threads*(z.copied*padded(z.rows)+2*z.float*z.whole) + z.panel + 3*z.whole
	case p.Priors:
		n += 4 * lengths
	}
	if p.SVD { // the vectors of both sides twice, an eigenproblem, a solver for products
		q := b + 4
		n += 2*q*(padded(z.whole)+padded(z.cols)) + (2+3*z.float)*q*padded(q) + z.solver(q)
	}
	if p.Pure() { // columns, a basis, products; weights
		n += z.solver(1) + (2*b+2+z.float*(b+2))*lengths
	}
	if p.Exact { // a solver for all factors, these as they were, programs of each thread
		n += z.solver(k) + k*sides + 2*z.float*k*lengths + z.threads*(z.float*(7*lengths+6*k*k+200*k)+z.copied*z.rows) + z.panel
		if masked || weighted { // programs for the observed parts of lines
			n += z.threads * (z.float*(7*z.whole+3*k*k+100*k) + (1+z.float)*k*padded(z.whole))
		}
	}
	if masked || weighted { // a block of N and of the weights, the Gram matrix of a line
		each := 2 * block * padded(z.cols)
		if exact {
			each += 16*z.cols + (k+2)*z.whole
		}
		n += z.members*each + z.parts*z.cols
		if p.Exact { // once more for all factors
			n += z.threads * each
		}
	}
	return n
}

// Memory returns the bytes of a run on a matrix in memory, beside that matrix. masked says that
// entries may be missing, and weighted that they have weights. It counts what is allocated and
// lives; the program with its runtime comes on top.
func Memory[T kernel.Float](m source.Given[T], part core.Part, masked, weighted bool, p core.Plan, u core.Usage) int64 {
	s := source.Dense[T]{Given: m, Part: part}
	size := float64(unsafe.Sizeof(T(0)))
	z := newSizes(s, u.Processes, u.Threads/u.SideBySide, true, p.Accelerated)
	all := z.rows * padded[T](z.cols)

	one := z.working(p, 2+u.Copies, masked, weighted, true) // start and result
	given, arranged := s.Arranged(!s.Tall())
	arranged = arranged && !masked
	copied := !arranged || !u.Overwrite && !readsInPlace(p, given)
	if copied {
		one += all
	}
	if p.Underapproximates && !(copied && u.Overwrite) {
		one += all // N; else it takes the place of M
	}
	if p.Exact && u.InTheEnd && !arranged {
		one += all // M once more
	}
	if u.Saved && u.SideBySide > 1 { // a copy of the state of each
		one += 2*all + 6*float64(p.Rank)*(z.rows+z.cols)
	}
	one *= float64(u.SideBySide)
	before := 0.0
	if masked || m.ByColumns { // the check of M and its norm, each in a pass over some rows at a time
		before = float64(u.Threads) * source.RowsTogether * float64(m.Cols)
	}
	if masked {
		one += all / size / 4 // by rows and by columns
	}
	if weighted {
		before = max(before, s.LinesTogether()) // the weighted norm
		one += all
	}
	return core.Bytes(size*max(one, before) + small + perThread*float64(u.Threads))
}

// small is the memory of tasks, teams and records: objects that do not grow with M. perThread is that of the objects
// of a thread, with what the runtime rounds them up by: up to 11 KiB by measurement.
const (
	small     = 64 << 10
	perThread = 16 << 10
)

// TransformMemory returns the bytes of weighing.Checked, Transform and FoldIn for a basis of the given rank,
// beside that and the matrix. masked says that entries may be missing, and weighted that they have
// weights.
func TransformMemory[T kernel.Float](m source.Given[T], rank int, masked, weighted bool, by core.Weighing) int64 {
	x, padded, size := source.Undivided(m), padded[T], float64(unsafe.Sizeof(T(0)))
	z := newSizes(x, 1, by.Threads, false, false)
	rows, cols, k, threads := float64(m.Rows), float64(m.Cols), float64(rank), float64(by.Threads)

	// The basis by columns, and what each member of the team has.
	busy, each := min(threads, math.Ceil(cols/hals.ColumnsPerPanel)), hals.ColumnsPerPanel*(padded(rows)+3*k)
	if masked || weighted {
		each += (k + 2*z.float) * rows // the Gram matrix of a column
	}
	shared := k*padded(rows) + 4*z.float*(rows+cols) + 8*k*k + threads*100*k // and lists of lines, small matrices
	switch {
	case by.SumToOne:
		each += 4 * z.float * k * k
	case by.Divergence:
		each, busy = (k+8)*rows+8*k, threads
		shared += 2*k*rows + 10*z.float*cols // the basis by rows, the terms of a column
	case by.Feasible:
		each, busy = z.float*(7*rows+3*k*k+100*k)+padded(rows), threads
		shared += 2 * z.float * k * rows
		if masked || weighted { // programs for the observed parts of columns, weights
			each += z.float*(7*rows+3*k*k+100*k) + (1+z.float)*k*padded(rows) + padded(rows)
		}
	}
	measured := z.solver(k) // of the error
	if _, arranged := x.Arranged(!x.Tall()); !arranged || masked {
		measured += rows * cols
	}
	if masked || weighted {
		measured += threads * float64(z.block) * padded(z.cols)
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
	size, processes := float64(unsafe.Sizeof(T(0))), s.Share.Size()
	z := newSizes(s, processes, threads, true, p.Accelerated)
	at := s.Files()
	at.Kept = kept(p)
	slot, files := at.Footprint(z.block)
	if p.Accelerated { // whose blocks are larger: the chunks of the passes before are garbage
		first, _ := at.Footprint(newSizes(s, processes, threads, true, false).block)
		slot += first
	}
	buffers := slot * z.members * float64(at.Slots)
	if p.Exact { // in the end, by all threads
		buffers = slot * z.threads * float64(at.Slots)
	}
	buffers = max(buffers, s.NormMemory(threads))

	masked, weighted := e.Mask.Data != nil, e.Weights != nil
	numbers := z.working(p, 1+copies, masked, weighted, exact)
	bits := 0.0 // beside those of the caller
	if weighted {
		bits = z.rows * z.cols
	}
	if e.Incomplete() && processes > 1 && (exact || p.Coordinates || p.Exact) { // whole columns: see observed.NewColumns
		own := math.Ceil(z.cols / float64(processes))
		if bits += own * z.whole; weighted {
			numbers += 3 * own * z.whole // with those that another process sends and receives
		}
	}
	if masked && (exact || s.ByColumns || p.Coordinates) { // those of the transpose
		bits += z.rows * z.cols
	}
	reads, writes := 1.0, 0.0 // of M: one product with it for both factors
	steps, panels := float64(p.Inner), math.Ceil(math.Ceil(z.cols/float64(processes))/float64(block.PanelWidth[T](s.Part.Whole, int(z.cols), processes)))
	switch {
	case p.Augmented: // both M and G in each HALS step
		reads, writes = 2*steps, 1
	case p.L1: // in each step N for the rows, and once for every panel of columns; M and N for the update
		reads, writes = steps*(1+panels)+2, 1
	case p.Priors: // N twice in each step, or once
		reads, writes = 2*steps+1, 1
	case p.Underapproximates: // N in each of them, and M once, for the update of N
		reads, writes = steps+1, 1
	case p.Coordinates: // whole columns, a panel of all processes at a time
		reads += panels
	case p.Products, p.Accelerated && e.Incomplete(): // of the latter one is for the error
		reads = 2
	}
	memory := size*numbers + buffers
	if weighted { // the weighted norm comes before the run: lines, and their weights
		memory = max(memory, 2*size*s.LinesTogether())
	}
	matrix := size * z.rows * z.cols
	return core.Cost{Memory: core.Bytes(memory + bits/8 + small), Scratch: core.Bytes(files), Reads: core.Bytes(reads * matrix), Writes: core.Bytes(writes * matrix)}
}
