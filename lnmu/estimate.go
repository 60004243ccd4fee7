package lnmu

import (
	"cmp"
	"runtime"
	"unsafe"

	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/engine"
	"nmu/lnmu/internal/run"
)

// Estimate is an upper bound on what a call takes, in bytes. Memory is beside M, if M is in
// memory. The other fields are those of Factor of a matrix in files.
type Estimate struct {
	Memory, Scratch int64 // of memory, with the results; of the folder for scratch files
	Reads, Writes   int64 // of files, by an iteration of one block of factors
}

// Unread stands for a matrix in memory that is still to be read, for EstimateOf. Its entries are 0.
type Unread[T Float] struct {
	Rows, Cols int
	ByColumns  bool // it will be a Strided whose columns are contiguous
	Sparse     bool // it will be a CSR
	Entries    int  // that a CSR stores
	Missing    bool // entries may be missing
	Weighted   bool // entries have weights
}

// Dims returns the number of rows and columns.
func (u Unread[T]) Dims() (rows, cols int) { return u.Rows, u.Cols }

// At returns 0.
func (u Unread[T]) At(i, j int) T { return 0 }

// EstimateOf returns the estimate for Factor at a rank of m. It does not read the entries of m.
// Settings without an Init, and with one restart, are those of FactorFrom or of the default start, which take
// the same memory. For the part of a process, it is the estimate for this process.
//
// With L lines of w elements, the memory is a few times r (L + w) numbers: the long factor
// twice, one or two copies of it (GNMU, RNMU and the accelerated solver may restore an earlier
// one), the result, the best one of several restarts, and for RNMU the start. To these a dense M in
// memory adds its copies, and a CSR its tiles: see Factor and CSR. A sparse M in files takes
// up to eight times r w more for sums over groups of rows. For a matrix in files, each thread also
// takes chunks of M and of N.
func EstimateOf[T Float](m Matrix[T], rank int, method Method, settings *Settings) (Estimate, error) {
	inner, o, err := unwrap(m)
	if err != nil {
		return Estimate{}, err
	}
	var x operand[T]
	switch inner.(type) {
	case storedDense[T], storedCSR[T]:
		if x, err = operandOf(inner, o, false); err != nil {
			return Estimate{}, err
		}
	}
	p, s, err := prepare(o, rank, method, settings, settings != nil && settings.Init == "" && settings.Restarts == 1)
	if err == nil && x.Files {
		err = x.check(p, s, false)
	}
	if err != nil {
		return Estimate{}, err
	}
	plan, size := p.plan(s, rank, false), int(unsafe.Sizeof(T(0)))
	e, c := Estimate{}, o.Comm()
	switch {
	case !x.Files:
		e.Memory = memoryOf(inner, p, s, plan)
	case x.Sparse:
		entries, processes := x.stored.Entries(), c.Size()
		if o.Shared {
			entries = (entries + processes - 1) / processes
		}
		e = Estimate(engine.Of[T]().CostSparse(o.Rows, o.Cols, entries, plan, p.StoredOnly, s.Threads, processes, s.copies()))
	default:
		exact := s.MissingSolver == MissingExact || s.MissingSolver == "" && p.Entries.Weights != nil // the weights of other processes may call for it
		e = Estimate(engine.Of[T]().CostDense(x.dense, o.Part(), c, p.Entries, exact, plan, s.Threads, s.copies()))
	}
	e.Memory += int64(size) * (int64(o.Rows*s.FixedV.Cols+o.Cols*s.fixedRows()) + pausedNumbers(p, s, rank))
	return e, nil
}

// pausedNumbers returns the numbers of the restarts that wait in a race: the factors, with extrapolation twice, Gram
// matrices, and the best factors so far.
func pausedNumbers(p resolved, s Settings, rank int) int64 {
	r := s.run(p)
	n, sides, k := int64(r.Paused()), int64(p.Own.Rows.Len()+p.Own.Cols.Len()), int64(rank)
	if n == 0 {
		return 0
	}
	each := k * (sides + 8*k)
	if p.on || p.divergence {
		each += k * sides
	}
	return (n+1)*each + 2*k*sides // with a state that grows, and the best factors before
}

// memoryOf returns the estimate for a matrix in memory.
func memoryOf[T Float](m Matrix[T], p resolved, s Settings, plan core.Plan) int64 {
	x, ok := inPlace(m)
	masked, weighted, entries, isSparse := p.Entries.Mask.Data != nil, p.Entries.Weights != nil, x.Rows*x.Cols, false
	switch m := m.(type) {
	case Unread[T]:
		masked, weighted = masked || m.Missing, weighted || m.Weighted
		if isSparse = m.Sparse; isSparse {
			entries = m.Entries
		}
	case CSR[T]:
		entries, isSparse = len(m.Val), true
	}
	size := int(unsafe.Sizeof(T(0)))
	u := core.Usage{
		Threads: s.Threads, Processes: p.Comm().Size(), SideBySide: 1, Copies: s.copies(), Saved: s.Checkpoint != nil,
		Overwrite: s.overwrites(p), InTheEnd: p.lagrange.Feasible == FeasibleFinal,
	}
	if u.Processes == 1 {
		u.SideBySide = run.SideBySide(entries*size, s.Threads, s.Restarts)
	}
	if isSparse {
		return engine.Of[T]().MemorySparse(p.Rows, p.Cols, entries, p.Own, plan, p.StoredOnly, u)
	}
	bytes := engine.Of[T]().MemoryDense(x, p.Part(), masked, weighted, plan, u)
	if !ok { // a copy
		bytes += int64(entries * size)
	}
	return bytes
}

// EstimateTransform returns the estimate for Transform of the matrix in a basis of that rank. The Memory is
// beside M and the basis.
func (u Unread[T]) EstimateTransform(rank int, settings *TransformSettings) Estimate {
	s := check.Given(settings)
	s.Threads = cmp.Or(s.Threads, runtime.GOMAXPROCS(0))
	by := core.Weighing(s)
	if u.Sparse {
		return Estimate{Memory: engine.Of[T]().MemorySparseTransform(u.Rows, u.Cols, u.Entries, rank, by)}
	}
	x, _ := inPlace(Matrix[T](u))
	return Estimate{Memory: engine.Of[T]().MemoryTransform(x, rank, u.Missing, u.Weighted, by)}
}

// overwrites reports whether a run may destroy M.
func (s *Settings) overwrites(p resolved) bool {
	return s.Overwrite && s.Restarts == 1 && p.lagrange.Feasible != FeasibleFinal
}

// copies returns how many more V and W a run holds beside those that it works on.
func (s *Settings) copies() (n int) {
	if s.Restarts > 1 { // the best ones
		n++
	}
	if s.Checkpoint != nil { // what a run that goes on from one has to read
		n++
	}
	return n
}
