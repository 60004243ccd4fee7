package lnmu

import (
	"cmp"
	"context"
	"sync"
	"time"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/combination"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/dense"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/outline"
	"nmu/lnmu/internal/run"
	"nmu/lnmu/internal/source"
)

// Factor factors the nonnegative m x n matrix M into V W with V, W >= 0, V (m x
// rank) and W (rank x n), by a method, RNMU{} if it is nil. The underapproximations
// keep V W <= M up to violations (the paper's remark on feasibility). How small these
// are depends on the data: of the order of 1 % of the largest entry of M where its
// zeros confine the factors (binary images, graphs), and up to most of it on dense
// data, above all in a recursion, whose violations add up: see Result.MaxViolation.
// Lagrangian.Feasible leaves none.
//
// M is a Dense or a Strided, which are read in place, a CSR, a Stored or a StoredCSR. Any other
// matrix is copied first. An Observed adds missing entries or weights; a Part adds the other
// processes that hold M. The rank may be larger than m and n, see NMF. An iteration on a dense
// one takes O(mnr) operations (RNMU: O(mn) for each factor) and allocates nothing. Beside M,
// Factor keeps the state N and, unless GNMU can read it in place, one copy of M; see
// Settings.Overwrite for less.
//
// The result depends on M, the method and the settings only: not on the processor, the
// operating system, the number of threads, or the memory order of M.
//
// Errors wrap ErrShape, ErrOption or ErrValue. If ctx is cancelled, Factor returns the cause
// and the results so far: the best finished restart, the finished factors of a recursion, or
// the current V and W.
func Factor[T Float](ctx context.Context, m Matrix[T], rank int, method Method, settings *Settings) (*Result[T], error) {
	return instance[factoring[T]](factor32, factor64)(ctx, m, given[T]{rank: rank}, method, settings)
}

// FactorFrom is Factor from the start V (m x r) and W (r x n), which are not changed. NMF,
// SNMF, KL and GNMU go on from there as it is, by any of their solvers, with one exception. Fixed
// penalties of SNMF determine the scale of V and of W: a start far from it is first scaled, factor
// by factor if V or W is too large beside the other one. RNMU first scales the start of every block
// to the matrix that the block approximates (equation (scaling)). Hoyer projects the columns of V
// and the rows of W to the given sparseness, and then scales V in the same way.
func FactorFrom[T Float](ctx context.Context, m Matrix[T], v, w Dense[T], method Method, settings *Settings) (*Result[T], error) {
	return instance[factoring[T]](factor32, factor64)(ctx, m, given[T]{rank: v.Cols, v: v, w: w, start: true}, method, settings)
}

// given is what a caller gives beside M: a rank, or a start.
type given[T Float] struct {
	rank     int
	v, w     Dense[T]
	start    bool
	supports bool       // what is zero in V and W stays zero
	known    *Result[T] // the first blocks of a recursion
}

// check reports whether the start is one for an m x n matrix.
func (g given[T]) check(m, n int) error {
	if !g.start {
		return nil
	}
	if err := matrix.CheckStart("V", g.v, m, g.rank); err != nil && m+g.v.Rows > 0 { // unless a process has no rows
		return err
	}
	if err := matrix.CheckStart("W", g.w, g.rank, n); err != nil && n+g.w.Cols > 0 {
		return err
	}
	return matrix.CheckProduct("the start V W", g.v, g.w)
}

// factor factors any matrix from any start.
func factor[T Float](ctx context.Context, m Matrix[T], start given[T], method Method, settings *Settings) (*Result[T], error) {
	inner, o, err := unwrap(m)
	if err := group.Agree(o.Comm(), err); err != nil {
		return nil, err
	}
	csr, sparse := inner.(CSR[T])
	stored, inFiles := inner.(StoredCSR[T])
	var res *Result[T]
	switch {
	case sparse && !start.supports: // which only dense matrices keep
		res, err = factorSparse(ctx, csr, o, start, method, settings)
	case inFiles:
		res, err = factorStoredSparse(ctx, stored, o, start, method, settings)
	default:
		res, err = factorDense(ctx, inner, o, start, method, settings)
	}
	if res != nil && method != nil {
		switch m := method.Describe().Method.(type) { // the value, also of a pointer
		case KL:
			res.divergence = true
		case NMF:
			res.sumToOne = m.SumToOneW
		}
	}
	return res, err
}

// factorDense is factor for a dense matrix.
func factorDense[T Float](ctx context.Context, m Matrix[T], o outline.Matrix, start given[T], method Method, settings *Settings) (*Result[T], error) {
	begun := time.Now()
	src, p, s, err := begin(ctx, m, o, start, method, settings)
	if err := group.Agree(o.Comm(), err); err != nil {
		return nil, err
	}
	j := newJob(ctx, p, s, start, begun)
	x := run.Matrix{Files: src.Reader != nil, Incomplete: p.Incomplete(), Precision: j.Precision}
	if err := j.SameStorage(x.Files); err != nil {
		return nil, err
	}
	src.Share.Control = j.Control
	if x.Files {
		j.Files = true
		j.Limit()
		done := false
		if x.Norm, x.Largest, done, err = src.FilesNorm(j.Over, j.Break, s.Threads); !done && err == nil {
			return unread[T](j, src.Rows, src.Cols, s)
		}
		x.Reading = time.Since(begun)
	} else {
		x.Norm, x.Largest, err = src.Norm("M", s.Threads)
	}
	if err != nil {
		return nil, err
	}
	fixed, err := newFixed[T](s.Fixed, o.Rows, o.Cols)
	if err := group.Agree(j.Comm, err); err != nil {
		return nil, err
	}
	fixed = fixed.Of(src.Part.Window(src.Rows, src.Cols))
	if x.Norm == 0 {
		res := summedZero[T](p, src.Rows, src.Cols, start.rank, s)
		fixed.Fill(res.V, res.W, 0)
		return res, nil
	}
	x.Bytes = o.Rows * o.Cols * int(unsafe.Sizeof(T(0)))
	d := dense.NewStorage(src, p.plan(s, start.rank, start.supports), start.v, start.w, fixed)
	d.Scratch = s.Scratch
	d.Overwrite = s.Overwrite && s.Restarts == 1 && p.lagrange.Feasible != FeasibleFinal
	x.Storage = d
	j.Matrix = x
	d.Cancelled, d.Over, d.Failed = j.Cancelled, j.Over, j.Break
	if err := group.Agree(j.Comm, j.Alike()); err != nil {
		return nil, err
	}
	return resultOf[T](j, s)
}

// newJob returns the job of a method with its defaults.
func newJob[T Float](ctx context.Context, p resolved, s Settings, start given[T], begun time.Time) *run.Job {
	j := run.New(ctx, p.run(s, start.rank, start.supports), s.run(), p.Comm(), begun)
	j.Precision = matrix.Epsilon[T]()
	sums := sync.OnceValues(func() (mask, weights string) { return p.Entries.Sums(j.Comm, p.Part()) })
	j.Identity = func() string { return identity[T](j, p, s, sums) }
	j.FromStart = start.start
	j.StartSums = func() (v, w string) { return outline.FactorSums(&p.Matrix, start.v, start.w) }
	if k := start.known; k != nil {
		j.Known = &run.Result{Factors: &core.Pair[T]{V: k.V, W: k.W}, Blocks: coreBlocks(k.Blocks)}
	}
	return j
}

// resultOf runs a job with these settings and returns its result.
func resultOf[T Float](j *run.Job, s Settings) (*Result[T], error) {
	r, err := j.Run()
	if r == nil {
		return nil, err
	}
	f := r.Factors.(*core.Pair[T])
	if f.V.Stride != f.V.Cols {
		f.V = matrix.Clone(f.V)
	}
	f.W.Data = f.W.Data[:f.W.Rows*f.W.Stride]
	return &Result[T]{
		V: f.V, W: f.W,
		RelativeError: r.RelativeError, RelativeL1: r.RelativeL1, RelativeDivergence: r.RelativeDivergence,
		MaxViolation: r.MaxViolation, ViolationBound: r.ViolationBound, RelativeViolation: r.RelativeViolation,
		Blocks: blocksOf(r.Blocks), Revived: r.Revived,
		Stop: Stop(r.Stop), Seed: r.Seed, BestRestart: r.BestRestart,
		RestartsBegun: r.RestartsBegun, RestartsFinished: r.RestartsFinished,
		LargestEntry: j.Largest, MissingSolver: s.MissingSolver, Level: r.Level,
	}, err
}

// beginSource checks the arguments of factor that need no other process.
func beginSource[T Float](ctx context.Context, m Matrix[T], o outline.Matrix, start given[T]) (src source.Dense[T], err error) {
	if err := cmp.Or(kernel.LevelError(), checkContext(ctx)); err != nil {
		return src, err
	}
	if src, err = sourceOf(m, o); err != nil {
		return src, err
	}
	return src, cmp.Or(start.check(src.Rows, src.Cols), checkRank(start.rank, o.Rows, o.Cols))
}

// begin checks the arguments of factor, as far as that needs no look at M as a whole. All
// processes call it.
func begin[T Float](ctx context.Context, m Matrix[T], o outline.Matrix, start given[T], method Method, settings *Settings) (src source.Dense[T], p resolved, s Settings, err error) {
	src, err = beginSource(ctx, m, o, start)
	if err = group.Agree(o.Comm(), err); err != nil {
		return src, p, s, err
	}
	if err = o.Settle(); err != nil {
		return src, p, s, err
	}
	p, s, err = prepare(o, start.rank, method, settings, start.start)
	switch {
	case err != nil:
	case s.Overwrite && (matrix.Overlap(src.Memory, start.v) || matrix.Overlap(src.Memory, start.w)):
		err = core.Bad("overwrite would destroy the start, which shares memory with M; copy it")
	case src.Reader != nil:
		err = p.check(&combination.InFiles, s, start.supports)
	default:
		err = p.check(&combination.InFull, s, start.supports)
	}
	if err != nil {
		return src, p, s, err
	}
	return src.Observe(p.Entries, s.MissingSolver == MissingExact), p, s, nil
}

// summedZero is zeroResult with equal numbers in the factor whose sums must be 1.
func summedZero[T Float](p resolved, m, n, rank int, s Settings) *Result[T] {
	res := zeroResult[T](m, n, rank, s)
	switch {
	case p.sumV:
		for i := range m {
			hals.SetSum(res.V.Row(i), rank, 1)
		}
	case p.sumW:
		for j := range n {
			hals.SetSum(res.W.Data[j:], rank, res.W.Stride)
		}
	}
	return res
}

// zeroResult is the factorization of M = 0.
func zeroResult[T Float](m, n, rank int, s Settings) *Result[T] {
	return &Result[T]{
		V:           NewDense[T](m, rank, nil),
		W:           NewDense[T](rank, n, nil),
		Stop:        StopExact,
		Seed:        s.Seed,
		BestRestart: 1,
		Level:       kernel.Level(),

		RestartsBegun: 1, RestartsFinished: 1, MissingSolver: s.MissingSolver,
	}
}

// unread is the outcome of a run that ended, in all processes, before M was read once.
func unread[T Float](j *run.Job, m, n int, s Settings) (*Result[T], error) {
	stop, _ := j.Interrupted()
	res := zeroResult[T](m, n, 0, s)
	res.RelativeError, res.Stop, res.RestartsFinished = 1, Stop(stop), 0
	return res, j.Early(stop)
}

// checkContext refuses a nil context.
func checkContext(ctx context.Context) error {
	if ctx == nil {
		return core.Bad("the context is nil; pass context.Background()")
	}
	return nil
}
