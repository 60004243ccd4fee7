package lnmu

import (
	"cmp"
	"context"
	"runtime"
	"time"
	"unsafe"

	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/engine"
	"nmu/lnmu/internal/observed"
	"nmu/lnmu/internal/run"
	"nmu/lnmu/internal/source"
	"nmu/lnmu/internal/start"
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

// observed returns the entries that will count. Their mask is taken from an arena.
func (u Unread[T]) observed(a *arena.Arena) (e observed.Entries) {
	if u.Missing {
		e.Mask = arena.Bits(a, u.Rows, u.Cols)
	}
	if u.Weighted {
		e.Weights = Unread[float64]{Rows: u.Rows, Cols: u.Cols}
	}
	return e
}

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
	unread, _ := inner.(Unread[T])
	x.Sparse = unread.Sparse
	inOrder := true
	switch m := inner.(type) {
	case storedDense[T], storedCSR[T]:
		if x, err = operandOf(inner, o, false); err != nil {
			return Estimate{}, err
		}
		if x.Sparse {
			if unread.Entries = x.stored.Entries(); o.Shared {
				unread.Entries = (unread.Entries + o.Comm().Size() - 1) / o.Comm().Size()
			}
		}
	case CSR[T]:
		x.Sparse, unread.Entries = true, len(m.Val)
	default:
		x.dense, inOrder = inPlace(inner)
	}
	p, s, err := prepare(o, rank, method, settings, settings != nil && settings.Init == "" && settings.Restarts == 1)
	if err == nil && (x.Files || x.Sparse) {
		err = x.check(p, s, false)
	}
	if err != nil {
		return Estimate{}, err
	}
	a := &arena.Arena{}
	if arena.Slice[T](a, o.Rows*s.FixedV.Cols+o.Cols*s.fixedRows()); !inOrder { // a copy
		arena.Packed[T](a, x.dense.Rows, x.dense.Cols)
	}
	return reserve(a, x, unread, p, s, rank), nil
}

// reserve takes from an arena what Factor takes.
func reserve[T Float](a *arena.Arena, x operand[T], m Unread[T], p resolved, s Settings, rank int) Estimate {
	if e := m.observed(a); e.Incomplete() {
		p.Entries = e
	} else if p.Entries.Weights != nil { // whose zeros are missing
		arena.Bits(a, x.dense.Rows, x.dense.Cols)
	}
	if s.Checkpoint != nil { // a state to resume
		arena.Slice[T](a, rank*(p.Own.Rows.Len()+p.Own.Cols.Len()))
	}
	j := newJob(context.Background(), x.Form, p, s, given[T]{rank: rank}, time.Time{})
	session := sessionOf(j, s, p)
	session.Arena = a
	// The weights of other processes may call for exact steps.
	exact := s.MissingSolver == MissingExact || s.MissingSolver == "" && p.Entries.Weights != nil
	var src source.Opened[T]
	if x.Sparse {
		src = engine.Of[T]().OutlineSparse(session, j.Plan, p.Rows, p.Cols, m.Entries, p.Part(), p.Own, x.Files, p.StoredOnly)
	} else {
		src = engine.Of[T]().OpenDense(session, j.Plan, x.dense, p.Part(), p.Entries, exact)
	}
	of, _ := src.Survey() // which reads nothing
	j.Reserve(a, run.Matrix{Storage: src.Storage(Dense[T]{}, Dense[T]{}, start.Fixed[T]{}), Bytes: of.Entries * int(unsafe.Sizeof(T(0)))})
	reads, writes := src.Transfers()
	return Estimate{Memory: a.Bytes(), Scratch: arena.Whole(a.Scratch), Reads: arena.Whole(reads), Writes: arena.Whole(writes)}
}

// EstimateTransform returns the estimate for Transform of the matrix in a basis of that rank. The Memory is
// beside M and the basis.
func (u Unread[T]) EstimateTransform(rank int, settings *TransformSettings) Estimate {
	s := check.Given(settings)
	s.Threads = cmp.Or(s.Threads, runtime.GOMAXPROCS(0))
	by := core.Weighing(s)
	a := &arena.Arena{}
	if a.Add(run.Small); u.Sparse {
		engine.Of[T]().ReserveSparseTransform(a, u.Rows, u.Cols, u.Entries, rank, by)
	} else {
		x, _ := inPlace(Matrix[T](u))
		engine.Of[T]().ReserveTransform(a, x, rank, u.observed(a), by)
	}
	return Estimate{Memory: a.Bytes()}
}

// overwrites reports whether a run may destroy M.
func (s *Settings) overwrites(p resolved) bool {
	return s.Overwrite && s.Restarts == 1 && p.lagrange.Feasible != FeasibleFinal
}
