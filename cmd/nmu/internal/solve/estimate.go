package solve

import (
	"math"
	"slices"
	"strconv"
	"unsafe"

	"nmu/cmd/nmu/internal/methods"
	"nmu/lnmu"
	"nmu/lnmu/consensus"
	"nmu/lnmu/rank"
)

// The functions below estimate the memory of computations of package lnmu in bytes,
// with their results but without their input. They rather overestimate. They count
// what grows with the matrix, the rank or the number of threads.

// DenseMemory estimates lnmu.Factor of an m x n matrix, by a plan with all defaults;
// fixed says that the memory of the matrix must not be overwritten, improved that
// lnmu.Improve follows.
func DenseMemory[T lnmu.Float](m, n int, p Plan, fixed, improved bool) int64 {
	d, options := p.Method.Describe(), methods.Options(p.Method)
	size := float64(unsafe.Sizeof(T(0)))
	wide := 8 / size // a float64
	rows, cols := p.sides(m, n)
	all, sides := rows*cols, rows+cols
	threads := float64(p.Settings.Threads)
	slabs := max(1, rows/96)
	sums := min(slabs, 16*threads) + threads*math.Log2(1+slabs/(8*threads))

	// solver holds factors twice or more, sums over slabs of rows, and for each thread
	// some rows.
	solver := func(rank float64) float64 {
		return 2*rank*rows + (1+sums)*rank*(rank+cols) + 4*rank*rank + threads*(100*rank+8*512)
	}
	// Of several processes each works on whole vectors of all rows where a step looks at such.
	whole, panel := float64(max(m, n)), 0.0
	if p.World != nil {
		panel = min(256<<20/size, 2*whole*math.Ceil(cols/float64(p.World.Size())))
	}
	lengths := whole + cols
	rank, together := float64(p.Rank), float64(p.Rank)
	if block, err := strconv.Atoi(options["block"]); err == nil {
		together = float64(block)
	}
	feasible := lnmu.Feasible(options["feasible"])
	partial := p.partial()
	overwrite := !fixed && p.Settings.Restarts == 1 && feasible != lnmu.FeasibleFinal
	inPlace := !partial && m >= n && (overwrite || d.Underapproximates && !d.Recursive)
	one := 4*rank*sides + solver(together) // start, result and the best one
	if !inPlace {
		one += all
	}
	if d.Underapproximates && (inPlace || !overwrite) {
		one += all // the state
	}
	if !d.Underapproximates {
		one += 4*rank*sides + (wide+1)*threads*sides // Hoyer's algorithm, which needs the most of these
		if d.Name == (lnmu.Hoyer{}).Describe().Name {
			one += (5*rank + (wide+1)*threads) * (whole - rows)
		}
	}
	if p.Settings.Init == lnmu.InitSVD {
		q := together + 4
		one += solver(q) + q*lengths + (2+3*wide)*q*q
	}
	if slices.Contains([]lnmu.Init{lnmu.InitSPA, lnmu.InitSNPA}, p.Settings.Init) { // columns, a basis, products; weights
		one += solver(1) + (3*together+2+wide*(together+2))*lengths
	}
	if partial {
		one += threads * (512<<10/size + 16*cols + (rank+2)*rows) // a block of N, and what an own Gram matrix needs
	}
	if lnmu.Solver(options["solver"]) == lnmu.SolverCoordinate { // lines with their columns of the other factor
		one += rank*lengths + threads*((rank+8)*lengths+17*whole) + 2*panel + wide*cols
	}
	if lnmu.Norm(options["norm"]) == lnmu.L1 {
		one += threads*(8*rows+2*wide*whole) + panel + whole
	}
	if feasible != "" {
		one += solver(rank) + 2*wide*rank*lengths + threads*(wide*(7*whole+3*rank*rank+100*rank)+8*rows) + panel
		if m < n {
			one += all
		}
	}
	if p.Settings.Checkpoint != nil {
		one += rank * sides // the finished factors of a state
	}
	if all*size <= 1<<20 { // restarts run side by side
		if p.Settings.Checkpoint != nil {
			one += 2*all + 6*rank*sides // a copy of the state of each
		}
		one *= min(threads, float64(p.Settings.Restarts))
	}
	if improved {
		one = max(one, 2*all+8*rank*sides+solver(rank))
	}
	one += joined(m, n, p)
	known := p.Settings.Fixed
	one += float64(m)*float64(known.V.Cols) + float64(n)*float64(known.W.Rows+1)
	if partial {
		one += all / size // masks
		if p.Weights != nil {
			one += all
		}
	}
	return byteCount(size*one + 2<<20)
}

// SparseMemory estimates lnmu.Factor of a CSR with the given number of stored entries. The doc comment
// of that type has the formula. improved says that lnmu.Improve follows.
func SparseMemory[T lnmu.Float](m, n, entries int, p Plan, improved bool) int64 {
	size := float64(unsafe.Sizeof(T(0)))
	rows, cols := p.sides(m, n)
	z, sides, threads := float64(entries), rows+cols, float64(p.Settings.Threads)
	one := (5+3*size)*z + (12*size*float64(p.Rank)+16)*sides
	if slices.Contains([]lnmu.Init{lnmu.InitSPA, lnmu.InitSNPA}, p.Settings.Init) {
		one += (4*size + 8) * float64(p.Rank+2) * sides
	}
	if lnmu.Solver(methods.Options(p.Method)["solver"]) == lnmu.SolverCoordinate { // M by columns, lines, transposes
		one += (4+size)*z + 16*sides + size*(2*float64(p.Rank)+threads*float64(p.Rank+8))*sides
	}
	if p.Settings.Checkpoint != nil {
		one += size * float64(p.Rank) * sides // the finished factors of a state
	}
	if z*size <= 1<<20 {
		if p.Settings.Checkpoint != nil {
			one += 2*size*z + 6*size*float64(p.Rank)*sides // a copy of the state of each
		}
		one *= min(threads, float64(p.Settings.Restarts))
	}
	if improved {
		one += p.kept(unsafe.Sizeof(T(0)))
	}
	one += size * joined(m, n, p)
	if p.World != nil && m < n {
		one += size * 4 * float64(p.Rank) * float64(n) // W as a whole
	}
	return byteCount(one + threads*(1<<20))
}

// sides returns the longer and the shorter side of the part of an m x n matrix that a
// process holds.
func (p Plan) sides(m, n int) (rows, cols float64) {
	rows, cols = float64(max(m, n)), float64(min(m, n))
	if p.World != nil {
		first, last := lnmu.Share(m, n, p.World.Rank(), p.World.Size())
		rows = float64(last - first)
	}
	return rows, cols
}

// joined returns how many numbers process 0 stores to gather the longer factor of an
// m x n matrix and to write it in another format than npy, 0 if it does not gather.
func joined(m, n int, p Plan) float64 {
	if !p.Gathers || p.World == nil || p.World.Rank() > 0 {
		return 0
	}
	return 2 * float64(p.Rank) * float64(max(m, n))
}

// RankMemory estimates rank.Curve of an m x n matrix at the given number of ranks. The plan p
// has the largest rank and the settings of each concurrent run.
func RankMemory[T lnmu.Float](m, n, ranks int, s *rank.Settings, p Plan) int64 {
	rows, cols, runs := float64(m), float64(n), float64(s.SideBySide)
	columns := min(cols, 1000) // of a consensus matrix
	// A run holds its factors a second time while they are examined. The compared data stays.
	one := float64(DenseMemory[T](m, n, p, true, false)) + 8*float64(p.Rank)*rows
	compared := float64(max(s.Restarts, s.Folds)) * float64(ranks) * (8*float64(p.Rank)*rows + 4*columns)
	listed := 256 * float64(s.Restarts+s.Folds) * float64(ranks)
	return byteCount(runs*(one+2*8*columns*columns) + rows*cols + compared + listed)
}

// ConsensusMemory estimates consensus.Find of an m x n matrix with so many stored entries, or a dense
// one, for the given ranks. The plan p has the largest rank and the settings of each concurrent
// run.
func ConsensusMemory[T lnmu.Float](m, n, entries int, sparse bool, ranks []int, s *consensus.Settings, p Plan) int64 {
	size := float64(unsafe.Sizeof(T(0)))
	sides, runs := float64(m)+float64(n), float64(s.SideBySide)
	columns := min(float64(n), 1000) // of a consensus map
	var one, matrix float64
	if sparse {
		one, matrix = float64(SparseMemory[T](m, n, entries, p, false)), (size+4)*float64(entries)
	} else {
		one, matrix = float64(DenseMemory[T](m, n, p, true, false)), size*float64(m)*float64(n)
	}
	kept := float64(s.Runs) * size * float64(p.Rank) * sides // the factors of the runs for a rank
	points := float64(len(ranks)) * (3*size*float64(p.Rank)*sides + size*columns*columns)
	// A run has a matrix of its own, and another one of some rows. The runs for two ranks are there
	// at a time, and the directions of the parts of one.
	return byteCount(runs*(one+2*matrix) + 3*kept + points + 2*8*columns*columns)
}

// TransformMemory estimates lnmu.Transform of n columns in a basis v.
func TransformMemory[T lnmu.Float](v lnmu.Dense[T], n int, under, divergence bool, threads int, partial bool) int64 {
	size := float64(unsafe.Sizeof(T(0)))
	m, r := float64(v.Rows), float64(v.Cols)
	rows, cols := max(m, float64(n)), min(m, float64(n))
	elements := 2*r*(rows+cols) + 2*r*rows + (1+min(64, max(1, rows/96)))*r*cols + 8*r*r
	if rows > m || partial {
		elements += rows * cols
	}
	each := 64 * (m + 3*r) // a panel of columns
	if partial {
		elements += (1 + 1/size) * rows * cols // masks and weights
		each += (r + 2) * m
	}
	busy := min(float64(threads), float64(n/64+1))
	if divergence {
		each, busy = (r+8)*m+8*r, min(float64(threads), float64(n))
		elements += r*m + 8/size*10*float64(n) // the basis by rows, the terms of a column
	}
	if under {
		elements += 2 * 8 / size * r * m
		each, busy = 8/size*(7*m+3*r*r+100*r), min(float64(threads), float64(n))
		if partial {
			each += 8 / size * 4 * r * m // programs of their own
		}
	}
	return byteCount(size*(elements+busy*each+float64(threads)*(100*r+8*512)) + 1<<20)
}

// GraphMemory estimates the graph of an m x n matrix with the given number of edges
// and for biclique.Find.
func GraphMemory(m, n, edges int, dense bool, searches int) int64 {
	rows, cols, z := float64(m), float64(n), float64(edges)
	build := 28*z + 36*rows + 20*cols
	if dense {
		build += 24 * z // a list that grows
	}
	search := 8*(2*rows+3*cols) + 16*(rows+cols) + max(8*z, min(16*rows*cols, max(64*z, 1<<20)))
	return byteCount(build + float64(searches)*search + 1<<20)
}

// byteCount converts x to a number of bytes, at most math.MaxInt64.
func byteCount(x float64) int64 {
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(x)
}

// Plus returns a + b, at most math.MaxInt64.
func Plus(a, b int64) int64 { return byteCount(float64(a) + float64(b)) }
