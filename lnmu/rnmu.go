package lnmu

import (
	"slices"

	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/group"
)

// RNMU is recursive underapproximation, R-NMU: Algorithm L-NMU finds one factor, or
// Block of them, then the next on what these leave of M (section 2.1). The first k
// factors are the answer for rank k.
type RNMU struct {
	Lagrangian

	// Block is the number of factors that are found together; default 1. With all of
	// them it is GNMU.
	Block int

	// Norm is the norm that is minimised; default L2. See Norm for L1.
	Norm Norm

	// Priors are what is known of the factors beforehand: that they are sparse, or that
	// they show pictures. They are for blocks of one factor, the norm L2 and
	// SolverLagrangian.
	Priors
}

// Describe implements Method.
func (m RNMU) Describe() Description {
	return Description{
		Name:              "rnmu",
		Title:             "recursive underapproximation: one factor after the other",
		Problem:           "L-NMU with r = 1 on M, on the residual, and so on; `--block B` for B at a time, `--penalty-v`, `--sparsity-v`, `--smooth-v` and those of W for sparse and smooth factors",
		Factors:           "sparsest; the first k factors are the answer for rank k",
		Iterations:        180,
		Underapproximates: true,
		Recursive:         true,
		Fixes:             true,
		Sparse:            true,
		Partial:           true,
		Distributed:       true,
		Options: func() (Method, []Option) {
			m := m
			return &m, slices.Concat([]Option{
				{"block", "number `B` of factors computed together (default 1)", count{&m.Block}},
				{"norm", "`NORM` that is minimised, l2 or l1 (robust against\nsingle large entries; default l2)", word[Norm]{&m.Norm, norms}},
			}, m.Lagrangian.options(), m.Priors.options())
		},
	}
}

func (m RNMU) prepare(rank int) (resolved, error) {
	if err := atLeast([]wholeNumber{{"block", &m.Block, 1}}); err != nil {
		return resolved{}, err
	}
	m.Block = min(m.Block, rank)
	if err := m.check(m.Block); err != nil {
		return resolved{}, err
	}
	if err := m.checkNorm(); err != nil {
		return resolved{}, err
	}
	if err := m.checkPriors(); err != nil {
		return resolved{}, err
	}
	return resolved{method: m, block: m.Block, priors: m.Priors, lagrange: &m.Lagrangian, most: m.iterations(m.Block), norm: m.Norm}, nil
}

// recursion computes the factors in blocks of b: Algorithm L-NMU on R_1 = M,
// then on R_2 = max(0, R_1 - V_1 W_1), and so on (section 2.1). R-NMU is b = 1.
//
// What is kept is not R but E = M - V W with the factors so far. R = max(0, E),
// since no factor ever adds to E, so the kernels clamp E as they read it; the
// error of the factorization is the norm of E, however small, and its largest
// violation is -min(E).
func (a *worker[T]) recursion() *Result[T] {
	res := &Result[T]{
		V:             NewDense[T](a.source.rows, a.rank, nil),
		W:             NewDense[T](a.rank, a.source.cols, nil),
		RelativeError: 1,
		Stop:          StopTolerance,
	}
	if a.again {
		a.read()
	}
	rank := 0
	a.finished = func() *Result[T] {
		v, w := res.V, res.W
		v.Cols, w.Rows = rank, rank
		return &Result[T]{V: v, W: w, Blocks: res.Blocks}
	}
	var sum, left float64 // Σ|M| and Σ|E|, for L1
	for rank < a.rank {
		s := a.solverOf(min(a.block, a.rank-rank))
		if !s.startState() {
			res.Stop = StopExact
			a.fixed.fill(res.V, res.W, rank)
			break
		}
		if a.norm == L1 && rank == 0 {
			sum = s.absolute(s.m)
			left = sum
		}
		block, tr, finished := a.finishedBlock(len(res.Blocks))
		if finished {
			s.start(a.known.V, a.known.W, rank)
		} else {
			started := false
			if tr, started = a.iterateBlock(s, rank, res, left); !started {
				res.Stop = tr.stop
				break
			}
		}
		if tr.stop == StopCancelled {
			res.Stop = StopCancelled
			break
		}
		if a.lagrange.Feasible == FeasibleEach && !finished {
			steps, stop := s.makeFeasible(a.job, rank+s.rank)
			if steps == nil {
				res.Stop = stop
				break
			}
			block.Exact = steps
			if stop != "" {
				tr.stop = stop
			}
		}
		s.finish(res.V, res.W, rank)
		rank += s.rank
		e := s.residual(rank < a.rank && !tr.cut() || a.files == nil) // no one reads the last one
		a.exceed(res, e)
		if a.norm == L1 {
			left = e.absolute
			res.RelativeL1 = left / sum
		}
		block.Rank = rank
		if !a.confirmed(len(res.Blocks), res.RelativeError) || a.ended(res, block, tr) {
			break
		}
	}
	if res.Stop == StopCancelled || res.Stop == StopTime || res.Stop == StopTarget {
		res.V, res.W = leading(res.V, res.W, rank)
	}
	return res
}

// iterateBlock finds a block of factors, of which rank are found, on s, whose state is
// set; left is Σ|E|, for L1. It returns false if the work is over before the start of the
// block is known.
func (a *worker[T]) iterateBlock(s *solver[T], rank int, res *Result[T], left float64) (tr trace, started bool) {
	if !a.start(s, rank) {
		tr.stop, _ = a.interrupted()
		return tr, false
	}
	s.scale()
	if s.lines.Aborted() {
		s.clear() // what is not scaled may lead far away from M
	}
	report := func(k int) {
		a.progress(a.restart, rank, k, func() float64 { return res.RelativeError })
	}
	if a.norm != L1 {
		return a.underapproximate(s, report), true
	}
	r := s.relaxedL1(a.cancelled)
	if a.lagrange.Multipliers == MultipliersStart {
		r.update(1)
	}
	tr = a.relax(r, a.errorOf(s), report)
	if !(s.residual(false).absolute < left) {
		s.clear() // a start, if there was no time; long steps may lead away from M too
	}
	return tr, true
}

// ended adds a block, of which tr is the trace, to the result of a recursion, and
// reports whether it is the last one, although more are wanted.
func (j *job[T]) ended(res *Result[T], block Block, tr trace) bool {
	block.Iterations, block.History, block.Stop = tr.iterations, tr.history, tr.stop
	block.Error, block.L1 = res.RelativeError, res.RelativeL1
	block.Lowered = tr.lowered
	res.Blocks = append(res.Blocks, block)
	switch {
	case tr.cut():
		res.Stop = tr.stop
		return true
	case tr.stop == StopTarget, j.TargetError > 0 && res.RelativeError <= j.TargetError:
		res.Stop = StopTarget
		return true
	case tr.stop == StopIterations:
		res.Stop = StopIterations
	case tr.stop == StopResidual && res.Stop == StopTolerance:
		res.Stop = StopResidual
	}
	return false
}

// leading returns the first rank factors.
func leading[T Float](v, w Dense[T], rank int) (Dense[T], Dense[T]) {
	short := NewDense[T](v.Rows, rank, nil)
	for i := range v.Rows {
		copy(short.Row(i), v.Row(i))
	}
	return short, NewDense(rank, w.Cols, w.Data[:rank*w.Cols])
}

// startState sets N = max(0, E), that is Λ = 0, and reports whether anything is
// left to factor.
func (s *solver[T]) startState() bool {
	s.rho = 0
	found := make([]bool, s.slabs)
	s.open(block.Reads, block.Writes, true)
	s.Run(s.slabs, func(member, task int) {
		var most T
		s.eachBlock(member, task, func(_ int, m, n kernel.Matrix[T]) bool {
			for i := range n.Rows {
				row := n.Row(i)
				for j, e := range m.Row(i) {
					row[j] = max(0, e)
				}
				most = max(most, kernel.Max(row))
			}
			return true
		})
		found[task] = most > 0
	})
	s.shut()
	return s.lines.Aborted() || group.Any(s.share, found) // if it is, for all that is known
}
