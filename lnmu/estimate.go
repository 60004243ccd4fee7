package lnmu

import (
	"fmt"
	"unsafe"

	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/sparse"
)

// Estimate is about what a factorization of a matrix in files takes, rather too much, in
// bytes.
type Estimate struct {
	Memory, Scratch int64 // of memory, with the results; of the folder for scratch files
	Reads, Writes   int64 // of files, by an iteration of one block of factors
}

// EstimateOf returns what Factor takes at a rank for m, a Stored or a StoredCSR, by a method
// and settings with all defaults, as WithDefaults returns them; of several processes, what
// this one takes for its part.
//
// In numbers, with L lines of w elements, the memory is a few times r (L + w): the long factor
// twice, its copy that an iteration of GNMU or RNMU falls back on or two that the
// accelerated solver does, the result, the best one of several restarts, and for RNMU the
// start; of a sparse M up to eight times r w more for the sums over groups of rows. Beside
// that there are chunks of M, and of N, for each thread.
func EstimateOf[T Float](m Matrix[T], rank int, method Method, settings Settings) (Estimate, error) {
	return instance[estimating[T]](estimate32, estimate64)(m, rank, method, settings)
}

func estimate[T Float](m Matrix[T], rank int, method Method, settings Settings) (Estimate, error) {
	switch m := m.(type) {
	case Stored[T]:
		src, err := sourceFor(m, &settings)
		if err != nil {
			return Estimate{}, err
		}
		rows, cols := src.Whole()
		p, s, err := prepare(rows, cols, rank, method, &settings, settings.Init == "")
		if err == nil {
			err = inFiles.refuses(p.asks(s, false))
		}
		if err != nil {
			return Estimate{}, err
		}
		e := Estimate(src.Cost(p.plan(s, rank, false), s.Threads, s.copies()))
		e.Memory += int64(unsafe.Sizeof(T(0))) * int64(rows*s.Fixed.V.Cols+cols*s.Fixed.W.Rows)
		return e, nil
	case StoredCSR[T]:
		src, p, s, err := prepareStored(m, rank, method, &settings, settings.Init == "")
		if err != nil {
			return Estimate{}, err
		}
		rows, cols := src.Whole()
		entries, processes := m.Entries(), group.Or(s.Processes).Size()
		if m, n := m.Dims(); m == rows && n == cols { // each process reads some of its rows
			entries = (entries + processes - 1) / processes
		}
		return Estimate(sparse.Cost[T](rows, cols, entries, p.plan(s, rank, false), s.SparseMissing, s.Threads, processes, s.copies())), nil
	}
	return Estimate{}, fmt.Errorf("%w: an estimate of a %T, which is in memory; it is for a Stored and a StoredCSR", ErrOption, m)
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
