package lnmu

import (
	"cmp"
	"context"
	"math"
	"slices"

	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/dense"
	"nmu/lnmu/internal/method"
	"nmu/lnmu/internal/sparse"
)

// CSR is a sparse matrix in compressed row storage: row i has the values
// Val[Ptr[i]:Ptr[i+1]] in the columns Idx[Ptr[i]:Ptr[i+1]], which increase
// strictly; every other entry is zero. A stored value may be zero. A CSR is a
// view: copying it does not copy the slices.
//
// Factor has NMF, GNMU, RNMU (blocks included) and SNMF for it. No array of m x n numbers is ever
// formed.
//
// The multipliers of the stored entries are those of Algorithm L-NMU. Those of
// all other entries, the zeros of M, are one number g(k), the paper's suggestion
// for very sparse matrices (last remark of section 3). As proposed there, it
// grows like ρ^k by default, between two values that follow from M:
//
//	g(1) = the mean of M, about what V W is on zeros before it has found parts
//	g(h) = the largest entry of M, and no more after that
//
// where h = 1 + floor((K+1)/2) in K iterations, and M is the residual in a recursion. At the
// upper end no part gains enough elsewhere to pay for covering many zeros. On
// the swimmer set and on planted parts the results are those of the dense
// algorithm, on swimmer those of the dense algorithm run to convergence. See
// Lagrangian.ZeroMultiplier for another g. NMF has no multipliers. SolverADMM takes
// the same g with K = 20, however many iterations it makes.
//
// An iteration takes five passes over the z stored entries (T = 2), of a factor of
// rank one two, O(z r + (m + n) r²) operations, and allocates nothing. With numbers of s bytes the
// memory beside M is at most
//
//	(5 + 3 s) z + (12 s r + 16) (m + n) bytes
//
// and about a megabyte for each thread; NMF needs (5 + s) z, GNMU (5 + 2 s) z.
// Restarts that run side by side, on less than 1 MB of entries, each have their
// own.
//
// The error comes from the residual on the stored entries and, for the zeros,
// from ||V W||² less its part on the stored entries, which cancels when M is
// nearly reproduced: a relative error below about 1e-7 (float64) or 1e-3
// (float32) may be rounding. MaxViolation is then an upper bound on the zeros,
// from the norms of the rows of V and the columns of W, and ViolationBound is
// true. Where V W on all zeros costs no more than the iterations did, or m n is
// at most 2^24, both numbers of the final result are computed entry by entry
// instead, a tile of V W at a time.
//
// Overwrite, exact steps, the norm l1, priors and multipliers of the start are not for
// sparse matrices. Measure, Improve and Transform copy a CSR to a dense
// matrix.
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
func NewCSR[T Float](d Dense[T]) CSR[T] { return CSR[T](sparse.FromDense(d)) }

// Dense returns the matrix with its zeros. It allocates Rows*Cols numbers.
func (c CSR[T]) Dense() Dense[T] { return sparse.CSR[T](c).Dense() }

// Transposed returns a copy of the transpose, by a counting sort in O(Rows +
// Cols + len(Val)) time. The matrix must be well-formed (Validate).
func (c CSR[T]) Transposed() CSR[T] { return CSR[T](sparse.CSR[T](c).Transposed()) }

// Validate reports whether c is well-formed with at least one row and one
// column (else the error wraps ErrShape) and holds values that are finite and
// not negative (else a *ValueError).
func (c CSR[T]) Validate() error { return sparse.CSR[T](c).Validate("M", false) }

// beginSparse checks the arguments of factorSparse. The source is the shape of M alone.
func beginSparse[T Float](ctx context.Context, m CSR[T], start given[T], method Method, settings *Settings) (src dense.Source[T], p resolved, s Settings, err error) {
	if err = cmp.Or(kernel.LevelError(), checkContext(ctx)); err != nil {
		return src, p, s, err
	}
	rows, cols := m.Rows, m.Cols
	if settings != nil && settings.Processes != nil {
		src, err = partIn[T](m.Rows, m.Cols, settings.Processes, core.Part(settings.Part))
		rows, cols = src.Whole()
	}
	if err == nil {
		err = src.Placed(sparse.CSR[T](m).Validate("M", m.Rows < rows || m.Cols < cols))
	}
	if err != nil {
		return src, p, s, err
	}
	if src.Share == nil {
		src = dense.Source[T]{Rows: m.Rows, Cols: m.Cols}.Undivided()
	}
	if max(rows, cols) > math.MaxInt32 {
		return src, p, s, sparse.TooLong("M", rows, cols)
	}
	if err := start.check(m.Rows, m.Cols); err != nil {
		return src, p, s, err
	}
	p, s, err = prepare(rows, cols, start.rank, method, settings, start.start)
	if err != nil {
		return src, p, s, err
	}
	return src, p, s, cmp.Or(p.forSparse(s), sparse.CSR[T](m).CheckLines(s.SparseMissing))
}

// forSparse refuses what is not for sparse matrices.
func (p resolved) forSparse(s Settings) error {
	at := &nonzeros
	switch {
	case s.Processes != nil:
		at = &nonzerosInParts
	case s.SparseMissing:
		at = &storedOnly
	}
	return cmp.Or(at.refuses(p.asks(s, false)), method.Lagrangian{ZeroMultiplier: p.lagrange.ZeroMultiplier}.CheckZeroMultiplier(s.Iterations))
}
