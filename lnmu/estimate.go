package lnmu

import (
	"fmt"
	"unsafe"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/engine"
)

// Estimate is an upper bound on what a factorization of a matrix in files takes, in bytes.
type Estimate struct {
	Memory, Scratch int64 // of memory, with the results; of the folder for scratch files
	Reads, Writes   int64 // of files, by an iteration of one block of factors
}

// EstimateOf returns the estimate for Factor at a rank of m, a Stored or a StoredCSR. Method
// and settings have all defaults filled in, as WithDefaults returns them. For a Part, it is the
// estimate for this process.
//
// With L lines of w elements, the memory is a few times r (L + w) numbers: the long factor
// twice, one or two copies of it (GNMU, RNMU and the accelerated solver may restore an earlier
// one), the result, the best one of several restarts, and for RNMU the start. A sparse M takes
// up to eight times r w more for sums over groups of rows. Each thread also takes chunks of M
// and of N.
func EstimateOf[T Float](m Matrix[T], rank int, method Method, settings Settings) (Estimate, error) {
	return core.Instance[estimating[T]](estimate32, estimate64)(m, rank, method, settings)
}

func estimate[T Float](m Matrix[T], rank int, method Method, settings Settings) (Estimate, error) {
	inner, o, err := unwrap(m)
	if err != nil {
		return Estimate{}, err
	}
	switch inner.(type) {
	case Stored[T], StoredCSR[T]:
	default:
		return Estimate{}, fmt.Errorf("%w: an estimate of a %T, which is in memory; it is for a Stored and a StoredCSR", ErrOption, inner)
	}
	x, err := operandOf(inner, o, false)
	if err != nil {
		return Estimate{}, err
	}
	p, s, err := prepare(o, rank, method, &settings, settings.Init == "")
	if err == nil {
		err = x.check(p, s, false)
	}
	if err != nil {
		return Estimate{}, err
	}
	plan := p.plan(s, rank, false)
	if x.Sparse {
		entries, processes := x.stored.Entries(), o.Comm().Size()
		if o.Shared {
			entries = (entries + processes - 1) / processes
		}
		return Estimate(engine.CostSparse[T](o.Rows, o.Cols, entries, plan, p.StoredOnly, s.Threads, processes, s.copies())), nil
	}
	exact := s.MissingSolver == MissingExact || s.MissingSolver == "" && p.Entries.Weights != nil // the weights of other processes may call for it
	e := Estimate(engine.CostDense(x.dense, o.Part(), o.Comm(), p.Entries, exact, plan, s.Threads, s.copies()))
	e.Memory += int64(unsafe.Sizeof(T(0))) * int64(o.Rows*s.Fixed.V.Cols+o.Cols*s.Fixed.W.Rows)
	return e, nil
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
