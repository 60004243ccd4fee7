package lnmu

import (
	"context"
	"math"
	"time"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
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
	j := newJob(ctx, src, start, p, s, 0, 0, begun)
	if err := group.Agree(j.comm, j.alike()); err != nil {
		return nil, err
	}
	oneWalk := p.fusedRankOne(s)
	var x sparseInput[T]
	if j.distributed() {
		x = redistributed(src, m, oneWalk)
	} else {
		x = undivided(m, len(m.Val), sparseSlabs(m.Ptr))
	}
	if j.norm2, j.most, err = frobenius("M", x.m, j.comm); err != nil {
		return nil, err
	}
	if j.norm2 == 0 {
		return zeroResult[T](m.Rows, m.Cols, start.rank, s), nil
	}
	x.tile(oneWalk, p.block)
	if j.distributed() {
		j.source = x.source()
		x.tiles.among().Control = j.control
		j.given.v, j.given.w = x.fromParts(start.v, start.w)
	}
	return j.factorTiles(x)
}

// factorTiles runs all restarts on a matrix in tiles, and measures the result.
func (j *job[T]) factorTiles(x sparseInput[T]) (*Result[T], error) {
	j.entries = x.entries
	j.open = func(threads int) runner[T] {
		l := newSparseLayout(x.tiles, j.method.Describe(), team.New(threads))
		l.missing = j.SparseMissing
		if l.disk != nil {
			l.disk.Cancelled, l.disk.Broken = j.cancelled, j.breakOff
		}
		return &sparseAttempt[T]{checkpointer: checkpointer[T]{job: j}, sparseLayout: l, total: newProductNorm[T](j.source.rows, j.source.cols, j.rank)}
	}
	res, err := j.restarts()
	if res == nil {
		return nil, err
	}
	if err := j.measure(x, res); err != nil {
		return nil, err
	}
	if err := inRange[T](res.RelativeError, res.MaxViolation, res.RelativeViolation); err != nil {
		return nil, err
	}
	if j.distributed() {
		res.V, res.W = x.toParts(res.V, res.W)
	}
	return res, err
}

// sparseAttempt is where a method runs on a sparse matrix from one start after
// the other.
type sparseAttempt[T Float] struct {
	checkpointer[T]
	*sparseLayout[T]
	solver *sparseSolver[T] // the last one, to be used again
	total  *productNorm[T]
}

// run runs the method once.
func (a *sparseAttempt[T]) run(restart int) *Result[T] {
	d := a.method.Describe()
	v, w := a.startOf(restart)
	if a.again {
		clear(a.total.v.Data)
		clear(a.total.wt.Data)
	}
	if d.Recursive {
		a.restoreM()
	}
	res := &Result[T]{RelativeError: 1, Stop: StopTolerance, Seed: a.Seed + uint64(restart-1), BestRestart: restart, Level: kernel.Level()}
	rank := 0
	a.finished = func() *Result[T] {
		v, w := a.total.dense(rank)
		return &Result[T]{V: v, W: w, Blocks: res.Blocks}
	}
	for rank < a.rank {
		s := a.solverOf(min(a.block, a.rank-rank))
		if d.Underapproximates && !s.startState() {
			res.Stop = StopExact
			break
		}
		_, tr, finished := a.finishedBlock(len(res.Blocks))
		if finished {
			s.start(a.known.V, a.known.W, rank)
		} else {
			s.start(v, w, rank)
			if !a.given.start || d.Recursive {
				s.scale()
			}
		}
		relative := func() float64 {
			a.total.set(s, rank)
			return a.relativeError(s.residual(false), rank+s.rank)
		}
		shown := a.now(relative)
		if d.Recursive {
			shown = func() float64 { return res.RelativeError }
		}
		report := func(k int) { a.progress(restart, rank, k, shown) }
		switch {
		case finished:
		case d.Underapproximates:
			tr = a.relax(a.relaxed(s), relative, report)
		case a.acceleration.on:
			tr = a.accelerate(s.accelerate(a.acceleration, a.cancelled), matrix.Epsilon[T](), relative, report)
		default:
			s.formGrams()
			tr = a.iterate(relative, report, s.state, func(int) Stop {
				s.Round()
				s.step(0)
				if s.disk.aborted() {
					stop, _ := a.interrupted()
					return stop
				}
				return ""
			})
		}
		if tr.stop == StopCancelled && d.Recursive {
			res.Stop = StopCancelled
			break
		}
		a.total.set(s, rank)
		rank += s.rank
		res.RelativeError = a.relativeError(s.residual(d.Recursive && !tr.cut()), rank)
		if !a.confirmed(len(res.Blocks), res.RelativeError) || a.ended(res, Block{Rank: rank}, tr) {
			break
		}
	}
	if res.Stop == StopExact {
		rank = a.rank
	}
	res.V, res.W = a.total.dense(rank)
	return res
}

// now returns relative, which goes over M, for those who watch. If M is in files it does so
// only now and then; it is 1 at first.
func (a *sparseAttempt[T]) now(relative func() float64) func() float64 {
	if a.disk == nil {
		return relative
	}
	last, looked := 1.0, time.Now()
	return func() float64 {
		if time.Since(looked) > looksAfter*a.reading {
			last, looked = relative(), time.Now()
		}
		return last
	}
}

// restoreM makes what is left of M all of it, before a restart.
func (a *sparseAttempt[T]) restoreM() {
	if a.disk == nil {
		if a.again {
			copy(a.m, a.val)
		}
		return
	}
	if !a.disk.kept[block.OfM] {
		return
	}
	a.open([3]block.Access{block.OfM: block.Writes, ofGiven: block.Reads}, false, true)
	a.Run(len(a.file.units)-1, func(member, unit int) {
		for slab := a.file.units[unit]; slab < a.file.units[unit+1]; slab++ {
			for b := range a.blocks {
				x, ok := a.tile(member, slab, b)
				if !ok {
					return
				}
				t0, t1 := x.Entries(0, x.Rows())
				copy(x.m[t0:t1], x.given[t0:t1])
			}
		}
	})
	a.shut()
}

// relaxed returns the relaxation that was chosen.
func (a *sparseAttempt[T]) relaxed(s *sparseSolver[T]) relaxation {
	if a.lagrange.Solver == SolverADMM {
		return s.newAugmented(a.lagrange)
	}
	return s.newLagrangian(a.lagrange.ZeroMultiplier, a.Iterations)
}

// relativeError returns the relative error of the first rank factors.
func (a *sparseAttempt[T]) relativeError(e sparseResidual, rank int) float64 {
	if a.SparseMissing {
		return a.relative(e.squares)
	}
	return a.relative(e.squares + max(0, a.total.squares(rank)-e.product))
}

// solverOf returns a solver for the given rank.
func (a *sparseAttempt[T]) solverOf(rank int) *sparseSolver[T] {
	if a.solver == nil || a.solver.rank != rank {
		a.solver = newSparseSolver(a.sparseLayout, rank)
		if rank > 1 {
			a.solver.long.sweeping, a.solver.short.sweeping = a.sweeping(), a.sweeping()
		}
	}
	return a.solver
}

// scale multiplies both factors by the square root of α, so that equation
// (scaling) holds.
func (s *sparseSolver[T]) scale() {
	s.g = 0
	s.formGrams()
	var within float64
	for k := range s.rank {
		within += matrix.Dot(s.long.gram.Row(k), s.short.gram.Row(k))
	}
	e := s.residualOf([3]block.Access{block.OfM: block.Reads, block.OfN: block.Reads, ofGiven: block.Reads}, true)
	if s.disk.aborted() { // what is not scaled may lead far away from M
		s.clear()
		return
	}
	if s.missing {
		within = e.within
	}
	alpha := T(math.Sqrt(e.across / within))
	if !(alpha > 0) || math.IsInf(float64(alpha), 0) {
		return
	}
	for _, h := range []kernel.Matrix[T]{s.long.h, s.short.h} {
		for i := range h.Data {
			h.Data[i] *= alpha
		}
	}
}

// step makes a HALS step, V first, with an update of the multipliers of the length mu
// within its first half.
func (s *sparseSolver[T]) step(mu float64) {
	switch {
	case s.fusedRankOne():
		s.renewRankOne(mu)
	case s.wide:
		s.renewShort(mu)
		s.renewLong(0)
	default:
		s.renewLong(mu)
		s.renewShort(0)
	}
}

// relaxedSparse is the relaxation of a sparse problem: the multipliers of the stored
// entries are updated within the first HALS step of the next iteration, that of the
// zeros is g(k).
type relaxedSparse[T Float] struct {
	*sparseSolver[T]
	zeros   func(k int) float64 // g, in parts of the largest entry
	pending float64
	share   float64 // of g, after the multipliers were halved
}

// newLagrangian returns the relaxation of s, whose state and factors are set.
func (s *sparseSolver[T]) newLagrangian(zeros func(k int) float64, iterations int) *relaxedSparse[T] {
	if zeros == nil {
		zeros = growth(s.mean/float64(s.unit), iterations)
	}
	s.formGrams()
	return &relaxedSparse[T]{sparseSolver: s, zeros: zeros, share: 1}
}

func (r *relaxedSparse[T]) begin(k int) {
	r.Round()
	r.keep()
	if !r.missing {
		r.g = T(r.share * r.zeros(k) * float64(r.unit))
	}
}

func (r *relaxedSparse[T]) step(_ float64, first, _ bool) (alive bool) {
	if !first {
		r.pending = 0
	}
	r.sparseSolver.step(r.pending)
	return !r.vanished()
}

func (r *relaxedSparse[T]) update(mu float64) { r.pending = mu }

func (r *relaxedSparse[T]) converged(int, float64) bool { return false }

func (r *relaxedSparse[T]) restore() {
	r.sparseSolver.restore()
	r.halveMultipliers()
	r.share /= 2
	r.pending = 0
	r.formGrams()
}

// multiplied is true: the multiplier of the zeros is hardly ever zero, and what
// vanishes without multipliers vanishes to the last iteration.
func (r *relaxedSparse[T]) multiplied() bool { return true }

func (s *sparseSolver[T]) clear() {
	clear(s.long.h.Data)
	clear(s.short.h.Data)
}
