package lnmu

import (
	"math"
	"slices"

	"nmu/lnmu/internal/tiles"
)

// StoredCSRFrom returns a sparse matrix of cols columns that is not in memory, but in files, for example. Its
// rows are read as a whole: row i has the entries ptr[i] to ptr[i+1]-1, as in a CSR, and the function returns
// rows first to last-1. It may be called concurrently, and rows from earlier calls stay valid.
//
// Factor, FactorFrom and Continue read it twice: to check it, and to put its entries, in the
// order in which the passes go over them, into files in Settings.Scratch, beside the state of
// an underapproximation and the residual of a recursion. A wide M is put in the order of its
// columns, unless the factors are found one by one (RNMU with Block 1 and SolverLagrangian, or
// rank 1). The passes read the files ahead and write behind, in pieces of a few megabytes for
// each thread. Data of the size of the factors are in memory. The bits are those of M in
// memory, a CSR. docs/combinations.md says what goes with it.
//
// Of several processes (package distributed), each reads its rows or columns, and sends entries to the process that
// needs them, a few megabytes at a time. Where every process can read M as a whole, that may
// be the matrix of each part: each then reads an equal number of rows.
//
// An error of the reader, or of a scratch file, ends the run and is its error. TimeLimit and
// cancellation end the writing of these files, and then there are no factors. They also end a
// pass. The error of the result then comes from one or two more passes, for which TimeLimit
// reserves the time of the first reading of M.
func StoredCSRFrom[T Float](cols int, ptr []int, read func(first, last int) (CSR[T], error)) Matrix[T] {
	return storedRows[T]{cols, ptr, read}
}

// storedRows implements storedCSR by a function.
type storedRows[T Float] struct {
	cols int
	ptr  []int
	read func(first, last int) (CSR[T], error)
}

// Dims returns the number of rows and columns.
func (r storedRows[T]) Dims() (rows, cols int) { return len(r.ptr) - 1, r.cols }

// At returns an entry, or NaN if it cannot be read.
func (r storedRows[T]) At(i, j int) T {
	c, err := r.read(i, i+1)
	if err != nil {
		return T(math.NaN())
	}
	return c.At(0, j)
}

// Entries returns how many entries are stored.
func (r storedRows[T]) Entries() int {
	if len(r.ptr) == 0 {
		return 0
	}
	return r.ptr[len(r.ptr)-1]
}

// Pointers returns where rows begin and the last of them ends.
func (r storedRows[T]) Pointers(first, last int) ([]int, error) {
	return slices.Clone(r.ptr[first : last+1]), nil
}

// ReadRows returns rows first to last-1.
func (r storedRows[T]) ReadRows(first, last int) (CSR[T], error) { return r.read(first, last) }

// storedCSR is what StoredCSRFrom returns. It is public by its methods, which the readers of files have as
// well. They are called concurrently. A factorization reads rows only; At is for other callers.
type storedCSR[T Float] interface {
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
type stored[T Float] struct{ storedCSR[T] }

// ReadRows implements tiles.Reader.
func (r stored[T]) ReadRows(first, last int) (tiles.CSR[T], error) {
	c, err := r.storedCSR.ReadRows(first, last)
	return tiles.CSR[T](c), err
}
