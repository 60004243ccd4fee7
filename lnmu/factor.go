package lnmu

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"
	"unsafe"

	"nmu/kernel"
	"nmu/lnmu/internal/check"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/outline"
	"nmu/lnmu/internal/run"
	"nmu/lnmu/outcome"
)

// Factor factors the nonnegative m x n matrix M into V W with V, W >= 0, V (m x
// rank) and W (rank x n), by a method, NMF{} if it is nil. The underapproximations
// keep V W <= M up to violations (the paper's remark on feasibility). How small these
// are depends on the data: of the order of 1 % of the largest entry of M where its
// zeros confine the factors (binary images, graphs), and up to most of it on dense
// data, above all in a recursion, whose violations add up: see Result.MaxViolation.
// GNMU.Feasible leaves none.
//
// M is a Dense or a Strided, which are read in place, a CSR, or in files (StoredFrom, StoredCSRFrom). Any other
// matrix is copied first. An Observed adds missing entries or weights; the part of a process (package distributed) adds the
// others that hold M. The rank may be larger than m and n, see NMF. An iteration on a dense
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
	return factor(ctx, m, given[T]{rank: rank}, method, settings)
}

// FactorFrom is Factor from the start V (m x r) and W (r x n), which are not changed. NMF,
// SNMF, KL and GNMU go on from there as it is, by any of their solvers, with one exception. Fixed
// penalties of NMF and SNMF determine the scale of V and of W: a start far from it is first scaled, factor
// by factor if V or W is too large beside the other one. RNMU first scales the start of every block
// to the matrix that the block approximates (equation (scaling)). Hoyer projects the columns of V
// and the rows of W to the given sparseness, and then scales V in the same way.
func FactorFrom[T Float](ctx context.Context, m Matrix[T], v, w Dense[T], method Method, settings *Settings) (*Result[T], error) {
	return factor(ctx, m, given[T]{rank: v.Cols, v: v, w: w, start: true}, method, settings)
}

// given is what a caller gives beside M: a rank, or a start.
type given[T Float] struct {
	rank     int
	v, w     Dense[T]
	start    bool
	supports bool       // what is zero in V and W stays zero
	copies   bool       // a CSR with a mask or weights is copied to a dense matrix, rather than refused
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

// factor is the body of Factor, FactorFrom, Continue and Improve: any matrix, from any start.
func factor[T Float](ctx context.Context, m Matrix[T], start given[T], method Method, settings *Settings) (*Result[T], error) {
	begun := time.Now()
	inner, o, err := unwrap(m)
	if err := group.Agree(o.Comm(), err); err != nil {
		return nil, err
	}
	x, p, s, err := begin(ctx, inner, o, start, method, settings)
	if err := group.Agree(o.Comm(), err); err != nil {
		return nil, err
	}
	j := newJob(ctx, x.Form, p, s, start, begun)
	if err := x.Form.Same(j.Comm); err != nil {
		return nil, err
	}
	if err := group.Agree(j.Comm, j.Alike()); err != nil {
		return nil, err
	}
	if x.Files {
		j.Limit(0)
	}
	src, err := x.open(sessionOf(j, s, p), j.Plan, p.Matrix, s.MissingSolver == MissingExact)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	of, err := src.Survey()
	switch {
	case errors.Is(err, group.ErrInterrupted):
		return unread[T](j, p, s)
	case err != nil:
		return nil, err
	}
	fixed, err := newFixed[T](s, o.Rows, o.Cols)
	if err := group.Agree(j.Comm, err); err != nil {
		return nil, err
	}
	if of.Norm == 0 {
		res := summedZero[T](p, start.rank, s)
		fixed.Of(o.Own).Fill(res.V, res.W, 0)
		res.weigh(p.Matrix, of)
		return res, nil
	}
	r, err := j.Run(run.Matrix{
		Storage: src.Storage(start.v, start.w, fixed), Norm: of.Norm, Largest: of.Largest,
		Entries: of.Entries, Bytes: of.Entries * int(unsafe.Sizeof(T(0))), Reading: of.Reading,
	})
	if r == nil {
		return nil, err
	}
	res := resultOf[T](r, p, s)
	res.V, res.W = src.Result(r.Factors)
	if res.V.Stride != res.V.Cols {
		res.V = matrix.Clone(res.V)
	}
	res.W.Data = res.W.Data[:res.W.Rows*res.W.Stride]
	res.LargestEntry = of.Largest
	res.weigh(p.Matrix, of)
	res.Notes = notesOn(res, p, s, x.Form.Sparse)
	return res, err
}

// begin checks the arguments of factor, as far as that needs no look at M as a whole. All
// processes call it.
func begin[T Float](ctx context.Context, m Matrix[T], o outline.Matrix, start given[T], method Method, settings *Settings) (x operand[T], p resolved, s Settings, err error) {
	asDense := start.copies && group.NewVote(o.Comm()).Any(o.Entries.Incomplete())
	if err = cmp.Or(kernel.LevelError(), check.Context(ctx)); err == nil {
		x, err = operandOf(m, o, asDense)
	}
	if err == nil {
		err = cmp.Or(start.check(o.Own.Rows.Len(), o.Own.Cols.Len()), checkRank(start.rank, o.Rows, o.Cols))
	}
	if err = group.Agree(o.Comm(), err); err != nil {
		return x, p, s, err
	}
	if err = o.Settle(); err != nil {
		return x, p, s, err
	}
	if p, s, err = prepare(o, start.rank, method, settings, start.start); err != nil {
		return x, p, s, err
	}
	if s.Overwrite && (matrix.Overlap(x.dense.Memory, start.v) || matrix.Overlap(x.dense.Memory, start.w)) {
		return x, p, s, fault.Bad("overwrite would destroy the start, which shares memory with M; copy it")
	}
	return x, p, s, cmp.Or(penaltiesInRange[T](p), x.check(p, s, start.supports))
}

// newJob returns the job of a method with its defaults on a matrix of that form.
func newJob[T Float](ctx context.Context, f run.Form, p resolved, s Settings, start given[T], begun time.Time) *run.Job {
	c := p.Comm()
	sums := sync.OnceValues(func() (mask, weights string) { return p.Entries.Sums(c, p.Part()) })
	t := run.Task{
		Comm: c, Form: f, Incomplete: p.Incomplete(), Precision: matrix.Epsilon[T](),
		Identity:  func(m run.Matrix) string { return identity[T](m, p, s, start.rank, sums) },
		FromStart: start.start,
		StartSums: func() (v, w string) { return outline.FactorSums(&p.Matrix, start.v, start.w) },
	}
	if k := start.known; k != nil {
		t.Known = &run.Result{Factors: &core.Pair[T]{V: k.V, W: k.W}, Report: outcome.Report{Blocks: k.Blocks}}
	}
	return run.New(ctx, p.run(s, start.rank, start.supports), s.run(p), t, begun)
}

// sessionOf returns what a storage has to know of a job.
func sessionOf(j *run.Job, s Settings, p resolved) core.Session {
	return core.Session{
		Comm: j.Comm, Control: j.Control, Threads: s.Threads, Scratch: s.Scratch,
		Overwrite:   s.overwrites(p),
		Interrupted: func() bool { _, over := j.Interrupted(); return over },
		Cancelled:   j.Cancelled, Over: j.Over, Failed: j.Break,
	}
}

// resultOf returns the result of a run, without its factors.
func resultOf[T Float](r *run.Result, p resolved, s Settings) *Result[T] {
	res := &Result[T]{divergence: p.divergence, sumToOne: p.sumW, light: r.Light, noise: r.Noise, fell: r.Fell, Report: r.Report}
	for _, x := range r.Ran {
		if s.Restarts > 1 {
			res.Restarts = append(res.Restarts, outcome.Restart{Seed: s.Seed + uint64(x.Restart-1), IterationsDone: x.Iterations, Error: outcome.Real(x.Value), Stop: x.Stop})
		}
	}
	res.MissingSolver = string(s.MissingSolver)
	return res
}

// summedZero is zeroResult with equal numbers in the factor whose sums must be 1.
func summedZero[T Float](p resolved, rank int, s Settings) *Result[T] {
	res := zeroResult[T](p, rank, s)
	switch {
	case p.sumV:
		for i := range res.V.Rows {
			hals.SetSum(res.V.Row(i), rank, 1)
		}
	case p.sumW:
		for j := range res.W.Cols {
			hals.SetSum(res.W.Data[j:], rank, res.W.Stride)
		}
	}
	return res
}

// zeroResult is the factorization of M = 0.
func zeroResult[T Float](p resolved, rank int, s Settings) *Result[T] {
	res := resultOf[T](&run.Result{Report: outcome.Report{Stop: outcome.StopExact, BestSeed: s.Seed, Level: kernel.Level(), BestRestart: 1, RestartsBegun: 1, RestartsFinished: 1}}, p, s)
	res.V, res.W = NewDense[T](p.Own.Rows.Len(), rank, nil), NewDense[T](rank, p.Own.Cols.Len(), nil)
	return res
}

// unread is the outcome of a run that ended, in all processes, before M was read once.
func unread[T Float](j *run.Job, p resolved, s Settings) (*Result[T], error) {
	stop, _ := j.Interrupted()
	res := zeroResult[T](p, 0, s)
	res.RelativeError, res.Stop, res.RestartsFinished = 1, stop, 0
	return res, j.Early(stop)
}
