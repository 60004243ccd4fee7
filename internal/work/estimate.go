package work

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
	"unsafe"

	"nmu/internal/data"
	"nmu/internal/matio"
	"nmu/internal/page"
	"nmu/lnmu"
)

// The functions below estimate the memory of computations in bytes, with their results but without
// their input. Package lnmu knows its own.

// Process returns the memory of the program itself.
func Process() int64 { return Program + heap + int64(runtime.GOMAXPROCS(0))*processor }

// Program is what a run has of the program's own file in memory: the pages of the code that it
// executes, and of tables. It is an upper bound: on amd64, commands had 10 to 12 MiB of 19.6 in memory. A
// test compares it.
const Program = 13 << 20

// heap is the memory of the runtime, of a command line and of what reading has left, with the C library.
// The collector waits for a heap of 4 MiB (heapMinimum of package runtime). With its tables, with stacks
// and the program's variables the peak was 4.2 to 5.7 MiB on amd64 with 1 or 2 processors, and 1 MiB more
// with 32: each has caches of its own.
const (
	heap      = 6 << 20
	libraries = 2 << 20 // of it, which the runtime does not count
	processor = 64 << 10
)

// keepWithin frees what reading has left, and keeps garbage within the estimate of a computation, which counts none. undo
// restores the limit. Several processes have limits already, and the program of a caller has its own.
func (j *Job) keepWithin(estimate int64) (undo func()) {
	const small = 2 << 20 // with as much garbage it does not exceed the heap that the collector waits for
	if estimate < small || j.All != nil || j.Library {
		return func() {}
	}
	all := held()
	_, live := counted()
	const least = 1 << 20 // of garbage
	return limit(&computing, Plus(all+max(least, heap-libraries-(all-live)), estimate))
}

// ReadWithin keeps garbage within most bytes for the program until undo restores the limit. 0 stands for no
// limit.
func ReadWithin(most int64) (undo func()) {
	if most == 0 {
		return func() {}
	}
	before, _ := counted()
	return limit(&reading, before+max(0, most-Process()))
}

// held frees what reading has left, and is what the program holds then, as the limit of the collector
// counts.
func held() int64 {
	debug.FreeOSMemory()
	all, _ := counted()
	return all
}

// counted returns the memory that the limit of the runtime counts, and that of objects.
func counted() (all, objects int64) {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return int64(now.Sys - now.HeapReleased), int64(now.HeapAlloc)
}

// The locks are held by those who have set the limit of the whole program. Of several at the same time one
// is enough.
var reading, computing sync.Mutex

// limit lowers the limit of the runtime, unless the lock is held.
func limit(by *sync.Mutex, bytes int64) (undo func()) {
	if !by.TryLock() {
		return func() {}
	}
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, bytes))
	return func() {
		debug.SetMemoryLimit(before)
		by.Unlock()
	}
}

// memory is Memory of M, of which this process has the given number of stored entries if it is sparse.
func (c *Call[T]) memory(p Plan, entries int, fixed bool) int64 {
	rows, cols := c.File.Dims()
	return Memory(&c.Job, lnmu.Unread[T]{Rows: rows, Cols: cols, Sparse: c.sparse(), Entries: entries}, p, fixed)
}

// Memory estimates lnmu.Factor of the part of a matrix that this process holds, by a plan with all defaults, what gathers
// the longer factor, and what else the job asks for. fixed says that the memory of a dense matrix must not be
// overwritten. Options that lnmu refuses need nothing.
func Memory[T lnmu.Float](j *Job, m lnmu.Unread[T], p Plan, fixed bool) (need int64) {
	size := unsafe.Sizeof(T(0))
	p.rows, p.cols = m.Rows, m.Cols
	shown, gathered := j.pageBytes(m.Rows, m.Cols, p, size), byteCount(float64(size)*joined(m.Rows, m.Cols, p))
	if !m.Sparse {
		m.Missing, m.Weighted, p.Settings.Overwrite, p.StoredOnly = p.Missing(), p.Weights != nil, !fixed, false
	}
	m.Rows, m.Cols = p.own()
	p.Selection, p.Weight = data.Selection{}, 0 // m says it
	if e, err := lnmu.EstimateOf(matrix(p, lnmu.Matrix[T](m)), p.Rank, p.Method, &p.Settings); err == nil {
		need = Plus(e.Memory, gathered)
	}
	switch {
	case j.Improve && m.Sparse:
		need = Plus(need, byteCount(p.kept(size)))
	case j.Improve:
		if more, err := improvingNeed(p, lnmu.Matrix[T](m)); err == nil {
			need = max(need, more)
		}
	}
	return Plus(need, shown)
}

// pageBytes returns what the page about a run takes beside the factors, 0 if none is asked for. size
// is that of a number.
func (j *Job) pageBytes(rows, cols int, p Plan, size uintptr) int64 {
	if !j.Report {
		return 0
	}
	return page.Bytes(rows, cols, p.Rank, int(size))
}

// aside returns what a run with M on disk takes beside the computation: the program, the factors that are gathered or
// spread, and the page, which takes buffer bytes to look at M. It sets the folder for scratch files.
func (c *Call[T]) aside(p *Plan, buffer int64) int64 {
	size := unsafe.Sizeof(T(0))
	ofRows, ofCols := c.File.Dims()
	rows, cols := p.Lines.Dims(ofRows, ofCols)
	p.Settings.Scratch = c.folder()
	if !c.Report {
		buffer = 0
	}
	factors := byteCount((joined(rows, cols, *p) + placed(ofRows, ofCols, *p)) * float64(size))
	return Plus(Plus(c.program(), factors), Plus(buffer, c.pageBytes(rows, cols, *p, size)))
}

// joined returns how many numbers process 0 stores to gather the longer factor of an
// m x n matrix and to write it in another format than npy, 0 if it does not gather.
func joined(m, n int, p Plan) float64 {
	if !p.Gathers || p.World == nil || p.World.Rank() > 0 {
		return 0
	}
	return 2 * float64(p.Rank) * float64(max(m, n))
}

// placed returns how many numbers the factors of an m x n matrix have that are NaN where lines are left out, with
// those that are zero there.
func placed(m, n int, p Plan) float64 {
	if p.Lines == nil || p.World != nil && p.World.Rank() > 0 {
		return 0
	}
	return 2 * float64(p.Rank) * (float64(m) + float64(n))
}

// Pages returns the pages that a dense matrix has in memory if it was read in place, or will have if it is still to be
// read, else 0: package matio counts what it has allocated.
func Pages[T lnmu.Float](file *matio.File, isRead bool) int64 {
	if isRead && file.Mapped() || !isRead && matio.Mappable[T](file) {
		return whole[T](file)
	}
	return 0
}

// whole returns the bytes of a dense matrix.
func whole[T lnmu.Float](file *matio.File) int64 {
	rows, cols := file.Dims()
	return byteCount(float64(rows) * float64(cols) * float64(unsafe.Sizeof(T(0))))
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
