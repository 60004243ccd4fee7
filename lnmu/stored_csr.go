package lnmu

import "nmu/lnmu/internal/tiles"

// StoredCSR is a sparse matrix that is not in memory, but in files, for example. It is read by
// whole rows. Its methods are called concurrently. A factorization reads rows only; At is for
// other callers.
//
// Factor, FactorFrom and Continue read it twice: to check it, and to put its entries, in the
// order in which the passes go over them, into files in Settings.Scratch, beside the state of
// an underapproximation and the residual of a recursion. A wide M is put in the order of its
// columns, unless the factors are found one by one (RNMU with Block 1 and SolverLagrangian, or
// rank 1). The passes read the files ahead and write behind, in pieces of a few megabytes for
// each thread. Data of the size of the factors are in memory. The bits are those of M in
// memory, a CSR. docs/combinations.md says what goes with it.
//
// In a Part, each process reads its rows or columns, and sends entries to the process that
// needs them, a few megabytes at a time. Where every process can read M as a whole, that may
// be the matrix of each Part: each then reads an equal number of rows.
//
// An error of the reader, or of a scratch file, ends the run and is its error. TimeLimit and
// cancellation end the writing of these files, and then there are no factors. They also end a
// pass. The error of the result then comes from one or two more passes, for which TimeLimit
// reserves the time of the first reading of M.
type StoredCSR[T Float] interface {
	Matrix[T]

	// Entries returns how many entries are stored.
	Entries() int

	// Pointers returns last-first+1 numbers: where the entries of rows first to last-1
	// begin, and the last of them end, counted from the first entry of the matrix.
	Pointers(first, last int) ([]int, error)

	// ReadRows returns rows first to last-1 as a matrix. Rows from earlier calls stay valid.
	ReadRows(first, last int) (CSR[T], error)
}

// stored is a StoredCSR as the engine reads it.
type stored[T Float] struct{ StoredCSR[T] }

// ReadRows implements tiles.Reader.
func (r stored[T]) ReadRows(first, last int) (tiles.CSR[T], error) {
	c, err := r.StoredCSR.ReadRows(first, last)
	return tiles.CSR[T](c), err
}
