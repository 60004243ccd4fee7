package lnmu

import (
	"context"
	"time"
	"unsafe"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/run"
	"nmu/lnmu/internal/sparse"
)

// FactorSparse is Factor for a sparse matrix and the methods NMF, GNMU and RNMU
// (blocks included). No array of m x n numbers is ever formed.
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
// Overwrite, exact steps, the norm l1, priors, multipliers of the start and the start
// svd are not for sparse matrices.
// The result depends on M, the method and the settings alone, as that of Factor does;
// errors and cancellation are as there.
func FactorSparse[T Float](ctx context.Context, m CSR[T], rank int, method Method, settings *Settings) (*Result[T], error) {
	return instance[factoring[T, CSR[T]]](factorSparse32, factorSparse64)(ctx, m, given[T]{rank: rank}, method, settings)
}

// FactorSparseFrom is FactorSparse from the start V and W, as FactorFrom is Factor.
func FactorSparseFrom[T Float](ctx context.Context, m CSR[T], v, w Dense[T], method Method, settings *Settings) (*Result[T], error) {
	return instance[factoring[T, CSR[T]]](factorSparse32, factorSparse64)(ctx, m, given[T]{rank: v.Cols, v: v, w: w, start: true}, method, settings)
}

func factorSparse[T Float](ctx context.Context, m CSR[T], start given[T], method Method, settings *Settings) (*Result[T], error) {
	begun := time.Now()
	src, p, s, err := beginSparse(ctx, m, start, method, settings)
	if err := group.Agree(processesOf(settings), err); err != nil {
		return nil, err
	}
	rows, cols := src.Whole()
	j := newJob(ctx, p, s, start, rows, cols, begun)
	if err := group.Agree(j.Comm, j.Alike()); err != nil {
		return nil, err
	}
	var x sparse.Input[T]
	if j.Comm.Size() > 1 {
		x = sparse.Redistribute(j.Comm, rows, cols, src.Part, sparse.CSR[T](m), j.Plan, s.SparseMissing)
	} else {
		x = sparse.InMemory(sparse.CSR[T](m))
	}
	if j.Norm, j.Largest, err = x.Norm(); err != nil {
		return nil, err
	}
	if j.Norm == 0 {
		return zeroResult[T](m.Rows, m.Cols, start.rank, s), nil
	}
	x.Tile(j.Plan, s.SparseMissing)
	return factorTiles(j, sparse.NewStorage(x, j.Plan, start.v, start.w), s)
}

// factorTiles runs all restarts on a matrix in tiles.
func factorTiles[T Float](j *run.Job, d *sparse.Storage[T], s Settings) (*Result[T], error) {
	d.Missing, d.Threads = s.SparseMissing, s.Threads
	d.Cancelled, d.Failed = j.Cancelled, j.Break
	if j.Comm.Size() > 1 {
		d.Ask = func() { j.Interrupted() }
		d.SetControl(j.Control)
	}
	j.Storage, j.Loose, j.Incomplete = d, true, s.incomplete()
	j.Bytes = d.Entries() * int(unsafe.Sizeof(T(0)))
	res, err := resultOf[T](j)
	if res != nil {
		res.V, res.W = d.Result(&core.Pair[T]{V: res.V, W: res.W})
	}
	return res, err
}
