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

// Factor factors the nonnegative m x n matrix M into V W with V, W >= 0 and,
// for the underapproximations, V W <= M up to violations (the paper's remark on
// feasibility). How small these are depends on the data: of the order of 1 % of
// the largest entry of M where its zeros confine the factors (binary images,
// graphs), and up to most of it on dense data, above all in a recursion, whose
// violations add up: see Result.MaxViolation. Options.Feasible leaves none.
//
// An iteration takes O(mnr) operations (RNMU: O(mn) for each factor) and
// allocates nothing. Beside M, Factor keeps the state N and, unless GNMU can
// read it in place, one copy of M; see Options.Overwrite for less.
//
// The result depends on M, the options and nothing else: not on the processor,
// the operating system or the number of threads.
//
// Errors wrap ErrShape, ErrOption or ErrValue. If ctx is cancelled, Factor
// returns what is finished so far together with the cause: of several restarts
// the best finished one, of a recursion the finished factors, else the current
// V and W.
func Factor[T Float](ctx context.Context, m Dense[T], opt Options[T]) (*Result[T], error) {
	return factor(ctx, m, opt, false)
}

// factor is Factor, on request with the supports of the given V and W fixed.
func factor[T Float](ctx context.Context, m Dense[T], opt Options[T], supports bool) (*Result[T], error) {
	begun := time.Now()
	if err := cmp.Or(kernel.LevelError(), checkContext(ctx), validate("M", m)); err != nil {
		return nil, err
	}
	opt, err := opt.WithDefaults(m.Rows, m.Cols)
	if err != nil {
		return nil, err
	}
	if opt.ZeroMultiplier != nil {
		return nil, fmt.Errorf("%w: a multiplier of the zeros is for sparse matrices (FactorSparse)", ErrOption)
	}
	if opt.Overwrite && (overlap(m, opt.V) || overlap(m, opt.W)) {
		return nil, fmt.Errorf("%w: overwrite would destroy the start, which shares memory with M; copy it", ErrOption)
	}
	norm, most, err := frobenius("M", m)
	if err != nil {
		return nil, err
	}
	if norm == 0 {
		return zeroResult(m.Rows, m.Cols, opt), nil
	}
	j := newJob(ctx, m, opt, norm, most, begun)
	j.supports = supports
	return j.restarts()
}

// frobenius returns ||M||_F and the largest entry of M, or an error if M holds an
// entry that is negative or not finite, or if its squares leave the range of T.
func frobenius[T Float](name string, m Dense[T]) (norm, largest float64, err error) {
	var squares float64
	for i := range m.Rows {
		row := m.Row(i)
		sum := float64(kernel.SumSquares(row))
		if kernel.Min(row) < 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
			if err := checkValues(name, m); err != nil {
				return 0, 0, err
			}
			return 0, 0, fmt.Errorf("%w: the squares of row %d of %s overflow; scale %s down", ErrValue, i+1, name, name)
		}
		most := kernel.Max(row)
		if most > 0 && most*most == 0 {
			return 0, 0, fmt.Errorf("%w: the squares of row %d of %s underflow; scale %s up", ErrValue, i+1, name, name)
		}
		squares += sum
		largest = max(largest, float64(most))
	}
	return math.Sqrt(squares), largest, nil
}

// zeroResult is the factorization of M = 0.
func zeroResult[T Float](m, n int, opt Options[T]) *Result[T] {
	return &Result[T]{
		V:           NewDense[T](m, opt.Rank, nil),
		W:           NewDense[T](opt.Rank, n, nil),
		Stop:        StopExact,
		Seed:        opt.Seed,
		BestRestart: 1,
		Level:       kernel.Level(),

		RestartsBegun: 1, RestartsFinished: 1,
	}
}

// attempt is a place where the method runs from one start after the other: its
// threads and its memory.
type attempt[T Float] struct {
	*job[T]
	*layout[T]
	state   kernel.Matrix[T] // N
	solver  *solver[T]       // the last one, to be used again
	svd     *singular[T]     // likewise, for InitSVD
	restart int              // 1-based
}

// newAttempt reserves threads and memory.
func newAttempt[T Float](j *job[T], threads int) *attempt[T] {
	m := j.source
	// A slab is the work of one member in a pass; more members would only wait.
	_, most := slabs(max(m.Rows, m.Cols))
	a := &attempt[T]{job: j, layout: newLayout[T](m.Rows, m.Cols, team.New(min(threads, most)))}
	overwrite := j.Overwrite && j.Restarts == 1 && j.Feasible != FeasibleFinal
	var spare []T
	if a.tall && (overwrite || j.Method == GNMU) {
		a.layout.m = m
	} else {
		a.layout.m = kernel.NewMatrix[T](a.rows, a.cols)
		a.read()
		if overwrite {
			spare = m.Data
		}
	}
	switch {
	case !j.Method.underapproximates():
		a.state = a.layout.m
	case len(spare) >= a.rows*a.cols:
		a.state = kernel.Matrix[T]{Rows: a.rows, Cols: a.cols, Data: spare, Stride: a.cols}
	default:
		a.state = kernel.NewMatrix[T](a.rows, a.cols)
	}
	return a
}

// read copies M into the layout of the passes.
func (a *attempt[T]) read() {
	if a.tall {
		for i := range a.rows {
			copy(a.layout.m.Row(i), a.source.Row(i))
		}
		return
	}
	transpose(a.layout.m, a.source)
}

// solverOf returns a solver for the given rank that works on the state.
func (a *attempt[T]) solverOf(rank int) *solver[T] {
	if a.solver == nil || a.solver.rank != rank {
		a.solver = newSolver(a.layout, rank)
		a.solver.n = a.state
		a.solver.l1 = a.Norm == L1
		if rank == 1 && (a.Method == SNMF || a.supports) {
			a.solver.generalPass()
		}
	}
	return a.solver
}

// start sets the factors of s, before they are scaled.
func (a *attempt[T]) start(s *solver[T], v, w Dense[T], k0 int) {
	s.start(v, w, k0)
	if a.Init != InitSVD {
		return
	}
	if a.svd == nil || a.svd.wanted != s.rank {
		a.svd = newSingular(a.layout, a.state, s.rank)
	}
	s.startSVD(a.svd, a.over)
}

// run runs the method once.
func (a *attempt[T]) run(restart int) *Result[T] {
	a.restart = restart
	seed := a.Seed + uint64(restart-1)
	v, w := a.V, a.W
	if a.Init != InitGiven {
		v, w = randomStart[T](a.source.Rows, a.source.Cols, a.Rank, seed)
	}
	var res *Result[T]
	if a.Method == RNMU {
		res = a.recursion(v, w)
	} else {
		res = a.global(v, w)
	}
	res.Seed, res.BestRestart, res.Level = seed, restart, kernel.Level()
	return res
}

// global factors M at once, by any method but R-NMU.
func (a *attempt[T]) global(v, w Dense[T]) *Result[T] {
	s := a.solverOf(a.Rank)
	if a.Method == GNMU {
		s.startState()
	}
	a.start(s, v, w, 0)
	if a.Init != InitGiven {
		s.scale()
	}
	if a.supports {
		s.keepSupports()
	}
	report := func(k int) {
		a.progress(a.restart, 0, k, func() float64 { return a.relative(s.residual(false).squares) })
	}
	var tr trace
	switch a.Method {
	case SNMF:
		tr = s.iteratePenalised(a.job, a.Seed+uint64(a.restart-1), report)
	case Hoyer:
		tr = s.iterateHoyer(a.job, report)
	default:
		tr = s.iterate(a.job, a.Method == GNMU, report)
	}
	res := &Result[T]{
		V:          NewDense[T](a.source.Rows, a.Rank, nil),
		W:          NewDense[T](a.Rank, a.source.Cols, nil),
		Iterations: []int{tr.iterations},
		Stop:       tr.stop,
		Revived:    tr.revived,
	}
	if tr.history != nil {
		res.History = [][]float64{tr.history}
	}
	if a.Feasible == FeasibleEach && tr.stop != StopCancelled {
		steps, stop := s.makeFeasible(a.job, a.Rank)
		res.Feasible = steps
		if stop != "" {
			res.Stop = stop
		}
	}
	s.finish(res.V, res.W, 0)
	e := s.residual(false)
	res.RelativeError = a.relative(e.squares)
	res.MaxViolation = max(0, -e.least)
	return res
}

// finish copies the factors to columns [k0, k0+rank) of v and rows of w.
func (s *solver[T]) finish(v, w Dense[T], k0 int) {
	vt, wk := s.h, s.g
	if !s.tall {
		vt, wk = s.g, s.h
	}
	transpose(kernel.Matrix[T]{Rows: v.Rows, Cols: s.rank, Data: v.Data[k0:], Stride: v.Stride}, vt)
	for k := range s.rank {
		copy(w.Row(k0+k), wk.Row(k))
	}
}
