package lnmu

import (
	"iter"
	"slices"

	"nmu/lnmu/internal/tiles"
)

// CSR is a sparse matrix in compressed row storage: row i has the values
// Val[Ptr[i]:Ptr[i+1]] in the columns Idx[Ptr[i]:Ptr[i+1]], which increase
// strictly; every other entry is zero. A stored value may be zero. A CSR is a
// view: copying it does not copy the slices.
//
// Factor takes it for all methods but Hoyer. No array of m x n numbers is formed.
//
// Each stored entry has a multiplier of Algorithm L-NMU. All other entries, the zeros of M,
// share one multiplier g(k), as the paper suggests for very sparse matrices (last remark of
// section 3). By default it grows like ρ^k, as proposed there, between two values that follow
// from M:
//
//	g(1) = the mean of M, about what V W is on zeros before it has found parts
//	g(h) = the largest entry of M, and no more after that
//
// where h = 1 + floor((K+1)/2) in K iterations, and M is the residual in a recursion. At the
// upper end no part gains enough elsewhere to pay for covering many zeros. On planted parts
// the results are those of the dense algorithm, on the swimmer set those of the dense
// algorithm run to convergence. GNMU.ZeroMultiplier sets another g. NMF has no
// multipliers. SolverADMM takes the same g with K = 20, whatever its number of iterations.
//
// An iteration takes five passes over the z stored entries (T = 2), two for a factor of rank
// one: O(z r + (m + n) r²) operations. It allocates nothing. With numbers of s bytes, the
// memory beside M is at most
//
//	(5 + 3 s) z + (12 s r + 16) (m + n) bytes
//
// and about a megabyte for each thread. NMF needs (5 + s) z, GNMU (5 + 2 s) z. Restarts run
// side by side on less than 1 MB of entries; then each has memory of its own.
//
// During the iterations, the error is the sum of the residual on the stored entries and, for the zeros,
// of ||V W||² less its part on the stored entries. These terms cancel when M is nearly reproduced: an error of the
// History below about 1e-7 (float64) or 1e-3 (float32) may be rounding. The errors of the final result and of its blocks
// are computed entry by entry, a tile of V W at a time, if m n is at most 2^24. Those of a larger M are sums over rows, in
// float64, and the rows whose terms cancel are computed entry by entry. If that would cost more than the iterations did,
// a note says what RelativeError and RelativeViolation are at most.
//
// MaxViolation of a larger M is searched for: V W is formed where a bound on it, for 64 rows at
// once, exceeds the largest violation so far. If that would cost more than the iterations did,
// MaxViolation is an upper bound for the zeros, from the norms of the rows of V and the columns of
// W, and ViolationBound is true.
//
// docs/combinations.md lists the methods and options that do not go with a sparse matrix.
type CSR[T Float] struct {
	Rows, Cols int
	Ptr        []int // Rows+1 of them, from 0 to len(Val)
	Idx        []int32
	Val        []T
}

// Dims returns the number of rows and columns.
func (c CSR[T]) Dims() (rows, cols int) { return c.Rows, c.Cols }

// At returns entry (i, j), in O(log n) steps for n stored entries of row i. It panics if there
// is no such row.
func (c CSR[T]) At(i, j int) T {
	first, last := c.Ptr[i], c.Ptr[i+1]
	if k, ok := slices.BinarySearch(c.Idx[first:last], int32(j)); ok {
		return c.Val[first+k]
	}
	return 0
}

// NewCSR returns d without its zeros.
func NewCSR[T Float](d Dense[T]) CSR[T] { return CSR[T](tiles.FromDense(d)) }

// CSRFrom returns the rows x cols matrix of entries in any order, each with its place: row and
// column, counted from 0. Entries of one place are added in float64, in their order. Errors wrap
// ErrShape. The cost is O(rows + cols + z) for z entries.
func CSRFrom[T Float](rows, cols int, entries iter.Seq2[[2]int, T]) (CSR[T], error) {
	c, err := tiles.FromEntries(rows, cols, entries)
	return CSR[T](c), err
}

// Dense returns the matrix with its zeros. It allocates Rows*Cols numbers.
func (c CSR[T]) Dense() Dense[T] { return tiles.CSR[T](c).Dense() }

// Transposed returns a copy of the transpose, by a counting sort in O(Rows +
// Cols + len(Val)) time. The matrix must be well-formed (Validate).
func (c CSR[T]) Transposed() CSR[T] { return CSR[T](tiles.CSR[T](c).Transposed()) }

// Validate reports whether c is well-formed with at least one row and one
// column (else the error wraps ErrShape) and holds values that are finite and
// not negative (else a *ValueError).
func (c CSR[T]) Validate() error { return tiles.CSR[T](c).Validate("M", false) }
