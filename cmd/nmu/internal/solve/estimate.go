package solve

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"unsafe"

	"nmu/internal/page"
	"nmu/lnmu"
	"nmu/lnmu/consensus"
	"nmu/lnmu/rank"
)

// The functions below estimate the memory of computations in bytes, with their results but without
// their input. Package lnmu knows its own.

// Process is the memory of the program itself: its code, the runtime and its threads.
const Process = 18 << 20

// keepWithin frees what reading has left and keeps garbage within a run's estimate, which counts none.
// undo restores the limit. Several processes have theirs already, beside a small run garbage does not
// count, and of runs at the same time one is enough: the limit is that of the whole program.
func (j *Job) keepWithin(estimate int64) (undo func()) {
	const small = 8 << 20
	if j.All != nil || estimate < small || !within.TryLock() {
		return func() {}
	}
	debug.FreeOSMemory()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	held := int64(now.Sys - now.HeapReleased) // as the limit counts
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, Plus(held+Process/2, estimate)))
	return func() {
		debug.SetMemoryLimit(before)
		within.Unlock()
	}
}

// within is locked while a run has set the limit of the program.
var within sync.Mutex

// DenseMemory estimates lnmu.Factor of an m x n matrix, by a plan with all defaults;
// fixed says that the memory of the matrix must not be overwritten, improved that
// lnmu.Improve follows.
func DenseMemory[T lnmu.Float](m, n int, p Plan, fixed, improved bool) int64 {
	shape := lnmu.Unread[T]{Missing: p.Gaps || p.Mask != nil, Weighted: p.Weights != nil}
	p.Settings.Overwrite = !fixed
	need := estimate(m, n, p, shape)
	if improved {
		p.Method, p.Settings = lnmu.NMF{}, lnmu.Settings{Threads: p.Settings.Threads, Restarts: 1}
		rows, cols := p.sides(m, n)
		need = max(need, Plus(estimate(m, n, p, shape), byteCount(4*float64(p.Rank)*(rows+cols)*float64(unsafe.Sizeof(T(0))))))
	}
	return need
}

// SparseMemory estimates lnmu.Factor of a CSR, of which this process has the given number of stored
// entries. improved says that lnmu.Improve follows.
func SparseMemory[T lnmu.Float](m, n, entries int, p Plan, improved bool) int64 {
	need := estimate(m, n, p, lnmu.Unread[T]{Sparse: true, Entries: entries})
	if improved {
		need = Plus(need, byteCount(p.kept(unsafe.Sizeof(T(0)))))
	}
	return need
}

// denseNeed is DenseMemory for a job, with what the page takes.
func denseNeed[T lnmu.Float](j *Job, m, n int, p Plan, fixed bool) int64 {
	return Plus(DenseMemory[T](m, n, p, fixed, j.Improve), j.pageBytes(m, n, p, unsafe.Sizeof(T(0))))
}

// sparseNeed is SparseMemory for a job, with what the page takes.
func sparseNeed[T lnmu.Float](j *Job, m, n, entries int, p Plan) int64 {
	return Plus(SparseMemory[T](m, n, entries, p, j.Improve), j.pageBytes(m, n, p, unsafe.Sizeof(T(0))))
}

// pageBytes returns what the page about a run takes beside the factors, 0 if none is asked for. size
// is that of a number.
func (j *Job) pageBytes(rows, cols int, p Plan, size uintptr) int64 {
	if !j.Report {
		return 0
	}
	return page.Bytes(rows, cols, p.Rank, int(size))
}

// estimate returns what lnmu estimates for the part of an m x n matrix that this process holds, and
// what gathers the longer factor. Options that lnmu refuses need nothing.
func estimate[T lnmu.Float](m, n int, p Plan, x lnmu.Unread[T]) int64 {
	p.rows, p.cols = m, n
	x.Rows, x.Cols = p.own()
	whole := Plan{World: p.World, rows: m, cols: n, StoredOnly: x.Sparse && p.StoredOnly}
	e, err := lnmu.EstimateOf(matrix[T](whole, x), p.Rank, p.Method, p.Settings)
	if err != nil {
		return 0
	}
	return Plus(e.Memory, byteCount(float64(unsafe.Sizeof(T(0)))*joined(m, n, p)))
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
