package lnmu

import (
	"nmu/lnmu/internal/sparse"
)

// SparseNeeds is what a factorization of a stored sparse matrix takes, and what an
// iteration reads and writes, in bytes.
type SparseNeeds struct {
	Needs
	Reads, Writes int64
}

// NeedsOfSparse is NeedsOf for FactorStoredSparse.
//
// In numbers, with L rows and w columns, memory is a few times r (L + w), as the long
// factor is kept twice and both are in the start, in the finished factors and in the
// result, and up to eight times r w for the sums over groups of rows. Beside that there
// are pieces of M, and of N, for each thread. The scratch files have M and the state as
// often as FactorSparse has them in memory.
func NeedsOfSparse[T Float](m StoredCSR[T], rank int, method Method, settings Settings) (SparseNeeds, error) {
	return instance[needing[StoredCSR[T], SparseNeeds]](sparseNeeds32, sparseNeeds64)(m, rank, method, settings)
}

func needsOfSparse[T Float](m StoredCSR[T], rank int, method Method, settings Settings) (SparseNeeds, error) {
	p, s, err := prepareStored(m, rank, method, &settings, settings.Init == "")
	if err != nil {
		return SparseNeeds{}, err
	}
	rows, cols := m.Dims()
	c := sparse.Cost[T](rows, cols, m.Entries(), p.plan(s, rank, false), s.SparseMissing, s.Threads, s.copies())
	return SparseNeeds{Needs: Needs{c.Memory, c.Scratch}, Reads: c.Reads, Writes: c.Writes}, nil
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
