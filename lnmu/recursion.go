package lnmu

import "nmu/kernel"

// recursion computes the factors in blocks of b: Algorithm L-NMU on R_1 = M,
// then on R_2 = max(0, R_1 - V_1 W_1), and so on (section 2.1). R-NMU is b = 1.
//
// What is kept is not R but E = M - V W with the factors so far. R = max(0, E),
// since no factor ever adds to E, so the kernels clamp E as they read it; the
// error of the factorization is the norm of E, however small, and its largest
// violation is -min(E).
func (a *attempt[T]) recursion(v, w Dense[T]) *Result[T] {
	res := &Result[T]{
		V:             NewDense[T](a.source.Rows, a.Rank, nil),
		W:             NewDense[T](a.Rank, a.source.Cols, nil),
		RelativeError: 1,
		Stop:          StopTolerance,
	}
	if a.restart > 1 {
		a.read()
	}
	rank := 0
	var sum, left float64 // Σ|M| and Σ|E|, for L1
	for rank < a.Rank {
		s := a.solverOf(min(a.Block, a.Rank-rank))
		if !s.startState() {
			res.Stop = StopExact
			break
		}
		a.start(s, v, w, rank)
		s.scale()
		report := func(k int) {
			a.progress(a.restart, rank, k, func() float64 { return res.RelativeError })
		}
		var tr trace
		if a.Norm == L1 {
			if rank == 0 {
				sum = s.absolute(s.m)
				left = sum
			}
			tr = s.iterateL1(a.job, report)
			if !(s.residual(false).absolute < left) {
				s.clear() // a start, if there was no time; long steps may lead away from M too
			}
		} else {
			tr = s.iterate(a.job, true, report)
		}
		if tr.stop == StopCancelled {
			res.Stop = StopCancelled
			break
		}
		if a.Feasible == FeasibleEach {
			steps, stop := s.makeFeasible(a.job, rank+s.rank)
			if steps == nil {
				res.Stop = stop
				break
			}
			res.Feasible = append(res.Feasible, steps...)
			if stop != "" {
				tr.stop = stop
			}
		}
		s.finish(res.V, res.W, rank)
		rank += s.rank
		e := s.residual(true)
		res.RelativeError = a.relative(e.squares)
		res.MaxViolation = max(0, -e.least)
		if a.Norm == L1 {
			left = e.absolute
			res.RelativeL1 = left / sum
			res.L1PerRank = append(res.L1PerRank, res.RelativeL1)
		}
		if a.ended(res, tr, rank) {
			break
		}
	}
	if res.Stop == StopCancelled || res.Stop == StopTime || res.Stop == StopTarget {
		res.V, res.W = leading(res.V, res.W, rank)
	}
	return res
}

// ended adds the block of factors up to rank, of which tr is the trace, to res,
// and reports whether it is the last one, although more are wanted.
func (j *job[T]) ended(res *Result[T], tr trace, rank int) bool {
	res.Iterations = append(res.Iterations, tr.iterations)
	if tr.history != nil {
		res.History = append(res.History, tr.history)
	}
	if j.Method == RNMU {
		res.ErrorPerRank = append(res.ErrorPerRank, res.RelativeError)
		res.RankOfError = append(res.RankOfError, rank)
	}
	switch {
	case tr.stop == StopCancelled || tr.stop == StopTime:
		res.Stop = tr.stop
		return true
	case j.TargetError > 0 && res.RelativeError <= j.TargetError:
		res.Stop = StopTarget
		return true
	case tr.stop == StopIterations:
		res.Stop = StopIterations
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
	s.Run(s.slabs, func(_, task int) {
		i0, i1 := s.slab(task)
		var most T
		for i := i0; i < i1; i++ {
			n := s.n.Row(i)
			for j, e := range s.m.Row(i) {
				n[j] = max(0, e)
			}
			most = max(most, kernel.Max(n))
		}
		s.sums[task].least = float64(most)
	})
	for _, sum := range s.sums {
		if sum.least > 0 {
			return true
		}
	}
	return false
}
