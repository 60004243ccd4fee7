package lnmu

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"nmu/internal/team"
	"nmu/kernel"
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
// Options.ZeroMultiplier for another g. NMF has no multipliers.
//
// An iteration takes five passes over the z stored entries (T = 2), O(z r +
// (m + n) r²) operations, and allocates nothing. With numbers of s bytes the
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
// Overwrite, Feasible, the norm l1 and the start svd are not for sparse matrices.
// The result depends on M and the options alone, as that of Factor does; errors
// and cancellation are as there.
func FactorSparse[T Float](ctx context.Context, m CSR[T], opt Options[T]) (*Result[T], error) {
	begun := time.Now()
	if err := cmp.Or(kernel.LevelError(), checkContext(ctx), m.validate("M")); err != nil {
		return nil, err
	}
	opt, err := opt.WithDefaults(m.Rows, m.Cols)
	if err != nil {
		return nil, err
	}
	if err := opt.forSparse(); err != nil {
		return nil, err
	}
	norm, most, err := m.frobenius("M")
	if err != nil {
		return nil, err
	}
	if norm == 0 {
		return zeroResult(m.Rows, m.Cols, opt), nil
	}
	j := newJob(ctx, Dense[T]{Rows: m.Rows, Cols: m.Cols}, opt, norm, most, begun)
	j.entries = len(m.Val)
	tiles := newTiled(m, opt.Block)
	j.open = func(threads int) runner[T] {
		l := newSparseLayout(tiles, opt.Method, team.New(threads))
		return &sparseAttempt[T]{job: j, sparseLayout: l, total: newSparseTotal[T](m.Rows, m.Cols, opt.Rank)}
	}
	res, err := j.restarts()
	if res == nil {
		return nil, err
	}
	j.measure(m, tiles, res)
	if err := inRange[T](res.RelativeError, res.MaxViolation); err != nil {
		return nil, err
	}
	return res, err
}

// growth returns the default of Options.ZeroMultiplier for a matrix whose mean
// is the given part of its largest entry: from that part, ρ times more in each
// iteration, up to 1 in the middle of the iterations.
func growth(part float64, iterations int) func(k int) float64 {
	rho := root(1/part, (iterations+1)/2)
	g, next := part, 1
	return func(k int) float64 { // called with k = 1, 2, ...
		for ; next < k && g < 1; next++ {
			g *= rho
		}
		return min(g, 1)
	}
}

// root returns the n-th root of x >= 1, by bisection, so that its bits are the
// same everywhere, which those of math.Pow are not.
func root(x float64, n int) float64 {
	lo, hi := 1.0, x
	for {
		mid := lo + float64((hi-lo)/2)
		if mid <= lo || mid >= hi {
			return hi
		}
		p := 1.0
		for square, e := mid, n; e > 0; e /= 2 {
			if e%2 == 1 {
				p *= square
			}
			square *= square
		}
		if p < x {
			lo = mid
		} else {
			hi = mid
		}
	}
}

// forSparse refuses what is not for sparse matrices.
func (o Options[T]) forSparse() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: "+format, append([]any{ErrOption}, args...)...)
	}
	switch {
	case o.Method != NMF && o.Method != GNMU && o.Method != RNMU:
		return bad("method %s on a sparse matrix; choose nmf, gnmu or rnmu, or make M dense", o.Method)
	case o.Init == InitSVD:
		return bad("start svd on a sparse matrix; choose random or given, or make M dense")
	case o.Overwrite:
		return bad("overwrite on a sparse matrix, which is left alone; it is for dense ones")
	case o.Norm == L1:
		return bad("norm l1 on a sparse matrix; choose l2, or make M dense")
	case o.Norm != L2:
		return bad("norm %s on a sparse matrix; choose l2, or make M dense", o.Norm)
	case o.Feasible != "":
		return bad("feasible %s on a sparse matrix; leave it out, or make M dense", o.Feasible)
	case o.Method == NMF && o.ZeroMultiplier != nil:
		return bad("a multiplier of the zeros for method nmf, which has none")
	case o.ZeroMultiplier == nil:
		return nil
	}
	last := 0.0
	for k := 1; k <= o.Iterations; k++ {
		g := o.ZeroMultiplier(k)
		if !(g >= last) || math.IsInf(g, 0) {
			return bad("the multiplier of the zeros is %v in iteration %d, after %v; it must be finite, nonnegative and must not decrease", g, k, last)
		}
		last = g
	}
	return nil
}

// sparseAttempt is where a method runs on a sparse matrix from one start after
// the other.
type sparseAttempt[T Float] struct {
	*job[T]
	*sparseLayout[T]
	solver *sparseSolver[T] // the last one, to be used again
	total  *sparseTotal[T]
}

// sparseTotal is all factors so far, and the norm of their product.
type sparseTotal[T Float] struct {
	rank  int
	v, wt kernel.Matrix[T] // V and Wᵀ
	grams [2][]float64     // VᵀV and W Wᵀ, lower halves
}

func newSparseTotal[T Float](m, n, rank int) *sparseTotal[T] {
	return &sparseTotal[T]{
		rank: rank,
		v:    vectors[T](m, rank), wt: vectors[T](n, rank),
		grams: [2][]float64{make([]float64, rank*rank), make([]float64, rank*rank)},
	}
}

// set takes the solver's factors as columns [k0, k0+s.rank) of V and rows of W.
func (t *sparseTotal[T]) set(s *sparseSolver[T], k0 int) {
	v, wt := s.factors()
	for i, f := range []struct{ all, h kernel.Matrix[T] }{{t.v, v.h}, {t.wt, wt.h}} {
		gram := t.grams[i]
		clear(gram[k0*t.rank : (k0+s.rank)*t.rank])
		for r := range f.all.Rows {
			row := f.all.Row(r)[:k0+s.rank]
			copy(row[k0:], f.h.Row(r))
			for k := k0; k < len(row); k++ {
				if x := float64(row[k]); x != 0 {
					g := gram[k*t.rank:]
					for l, y := range row[:k+1] {
						g[l] += float64(x * float64(y))
					}
				}
			}
		}
	}
}

// squares returns ||V W||² of the first rank factors.
func (t *sparseTotal[T]) squares(rank int) float64 {
	var sum float64
	for k := range rank {
		v, w := t.grams[0][k*t.rank:], t.grams[1][k*t.rank:]
		for l := range k {
			sum += float64(2 * float64(v[l]*w[l]))
		}
		sum += float64(v[k] * w[k])
	}
	return sum
}

// dense returns the first rank factors as V and W.
func (t *sparseTotal[T]) dense(rank int) (v, w Dense[T]) {
	v, w = NewDense[T](t.v.Rows, rank, nil), NewDense[T](rank, t.wt.Rows, nil)
	for i := range v.Rows {
		copy(v.Row(i), t.v.Row(i))
	}
	wt := t.wt
	wt.Cols = rank
	transpose(w, wt)
	return v, w
}

// run runs the method once.
func (a *sparseAttempt[T]) run(restart int) *Result[T] {
	seed := a.Seed + uint64(restart-1)
	v, w := a.V, a.W
	if a.Init != InitGiven {
		v, w = randomStart[T](a.source.Rows, a.source.Cols, a.Rank, seed)
	}
	if restart > 1 {
		clear(a.total.v.Data)
		clear(a.total.wt.Data)
		if a.Method == RNMU {
			copy(a.m, a.val)
		}
	}
	res := &Result[T]{RelativeError: 1, Stop: StopTolerance, Seed: seed, BestRestart: restart, Level: kernel.Level()}
	rank := 0
	for rank < a.Rank {
		s := a.solverOf(min(a.Block, a.Rank-rank))
		if a.Method != NMF && !s.startState() {
			res.Stop = StopExact
			break
		}
		s.start(v, w, rank)
		if a.Init != InitGiven || a.Method == RNMU {
			s.scale()
		}
		relative := func() float64 {
			a.total.set(s, rank)
			return a.relativeError(s.residual(false), rank+s.rank)
		}
		tr := s.iterate(a.job, relative, func(k int) {
			a.progress(restart, rank, k, func() float64 {
				if a.Method == RNMU {
					return res.RelativeError
				}
				return relative()
			})
		})
		if tr.stop == StopCancelled && a.Method == RNMU {
			res.Stop = StopCancelled
			break
		}
		a.total.set(s, rank)
		rank += s.rank
		res.RelativeError = a.relativeError(s.residual(a.Method == RNMU), rank)
		if a.ended(res, tr, rank) {
			break
		}
	}
	if res.Stop == StopExact {
		rank = a.Rank
	}
	res.V, res.W = a.total.dense(rank)
	return res
}

// relativeError returns the relative error of the first rank factors.
func (a *sparseAttempt[T]) relativeError(e sparseExtent, rank int) float64 {
	return a.relative(e.squares + max(0, a.total.squares(rank)-e.product))
}

// solverOf returns a solver for the given rank.
func (a *sparseAttempt[T]) solverOf(rank int) *sparseSolver[T] {
	if a.solver == nil || a.solver.rank != rank {
		a.solver = newSparseSolver(a.sparseLayout, rank)
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
		within += float64(kernel.Dot(s.long.gram.Row(k), s.short.gram.Row(k)))
	}
	alpha := T(math.Sqrt(s.residual(false).across / within))
	if !(alpha > 0) || math.IsInf(float64(alpha), 0) {
		return
	}
	for _, h := range []kernel.Matrix[T]{s.long.h, s.short.h} {
		for i := range h.Data {
			h.Data[i] *= alpha
		}
	}
}

// iterate runs Algorithm L-NMU, or HALS for NMF, as the dense solver does: T
// HALS steps, V first; the multipliers are updated within the first of the next
// iteration.
func (s *sparseSolver[T]) iterate(j *job[T], relative func() float64, report func(k int)) trace {
	tr := trace{stop: StopIterations}
	multipliers := j.Method != NMF
	pending, share := 0.0, 1.0
	g := j.ZeroMultiplier
	if multipliers && g == nil {
		g = growth(s.mean/float64(s.unit), j.Iterations)
	}
	first, second := s.renewLong, s.renewShort
	if s.wide {
		first, second = second, first
	}
	s.formGrams()
	renewed := false // by an iteration after which something was left
iterations:
	for k := 1; k <= j.Iterations; k++ {
		mu := j.Step(k)
		if multipliers {
			s.keep()
			s.g = T(share * g(k) * float64(s.unit))
		}
		alive := true
		for t := 0; t < j.Inner && alive; t++ {
			if stop, ok := j.interrupted(); ok {
				tr.stop = stop
				break iterations
			}
			if t > 0 {
				pending = 0
			}
			first(pending)
			second(0)
			alive = !multipliers || !s.vanished()
		}
		if !alive {
			s.restore()
			s.halveMultipliers()
			share /= 2
			mu = 0
			s.formGrams()
		}
		renewed = renewed || alive
		if multipliers {
			pending = mu
		}
		if tr.check(k, j.Tolerance, j.CheckEvery, relative) {
			break
		}
		report(k)
	}
	if !renewed && !tr.cut() {
		clear(s.long.h.Data)
		clear(s.short.h.Data)
		tr.stop = StopVanished
	}
	return tr
}
