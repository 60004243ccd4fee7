package lnmu

import (
	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/group"
)

// worker is a place where the method runs from one start after the other: its
// threads and its memory.
type worker[T Float] struct {
	checkpointer[T]
	*layout[T]
	state   kernel.Matrix[T] // N
	solver  *solver[T]       // the last one, to be used again
	svd     *singular[T]     // likewise, for InitSVD
	restart int              // 1-based
	v, w    Dense[T]         // its start
}

// newWorker reserves threads and memory.
func newWorker[T Float](j *job[T], threads int) *worker[T] {
	rows, cols := j.source.whole()
	// A slab is the work of one member in a pass; more members would only wait.
	most := max(j.source.share.Last-j.source.share.First, 1)
	a := &worker[T]{checkpointer: checkpointer[T]{job: j}, layout: newLayout[T](rows, cols, j.source.share, team.New(min(threads, most)))}
	if j.source.reader != nil {
		a.inFiles()
		return a
	}
	d := j.method.Describe()
	overwrite := j.Overwrite && j.Restarts == 1 && j.lagrange.Feasible != FeasibleFinal
	var spare []T
	m, ok := j.source.arranged(!a.tall)
	readOnly := !d.Underapproximates && m.Aligned() || d.Underapproximates && !d.Recursive
	if ok && (overwrite || readOnly) {
		a.layout.m = m
	} else {
		a.layout.m = kernel.NewMatrix[T](a.rows, a.cols)
		a.read()
		if overwrite && m.Stride == m.Cols { // gaps are not M's
			spare = m.Data[:m.Rows*m.Cols]
		}
	}
	switch {
	case !d.Underapproximates:
		a.state = a.layout.m
	case len(spare) >= a.rows*a.cols:
		a.state = kernel.Matrix[T]{Rows: a.rows, Cols: a.cols, Data: spare, Stride: a.cols}
	default:
		a.state = kernel.NewMatrix[T](a.rows, a.cols)
	}
	return a
}

// read copies M into the layout of the passes. As everywhere, a member begins with
// slabs that are next to each other, so that memory is first touched where it is used.
func (a *worker[T]) read() {
	if a.files != nil {
		a.files.Original()
		return
	}
	size, _ := group.Slabs(a.whole)
	a.Run((a.rows+size-1)/size, func(_, slab int) {
		a.source.copyTo(a.layout.m, !a.tall, slab*size, min((slab+1)*size, a.rows))
	})
}

// solverOf returns a solver for the given rank that works on the state.
func (a *worker[T]) solverOf(rank int) *solver[T] {
	if a.solver == nil || a.solver.rank != rank {
		a.solver = newSolver(a.layout, rank)
		a.solver.n = a.state
		a.solver.l1 = a.norm == L1
		a.solver.sweeping = a.sweeping()
		if rank == 1 && (a.resolved.penalised || a.given.supports || a.acceleration.on || a.part.weights.Data != nil) {
			a.solver.generalPass()
		}
		a.solver.observe(a.part)
	}
	return a.solver
}

// start sets the factors of s to columns [k0, k0+rank) of V and rows of W, before they
// are scaled. It returns false if the work is over before there are singular vectors to
// start from.
func (a *worker[T]) start(s *solver[T], k0 int) (ok bool) {
	s.start(a.v, a.w, k0)
	defer a.fixed.place(s, k0)
	if a.Init != InitSVD || a.from != nil {
		return true
	}
	if a.svd == nil || a.svd.wanted != s.rank {
		a.svd = newSingular(a.layout, a.state, s.rank)
	}
	s.fillMissing()
	ok = s.startSVD(a.svd, a.cancelled)
	for i := range s.rows {
		clearMissing(s.n.Slice(i, i+1, 0, s.cols), s.mask.rows, i, 0)
	}
	return ok
}

// seed returns the seed of the current restart.
func (a *worker[T]) seed() uint64 { return a.Seed + uint64(a.restart-1) }

// errorOf returns a function that computes the relative error of the factors of s.
func (a *worker[T]) errorOf(s *solver[T]) func() float64 {
	return func() float64 { return a.relative(s.residual(false).squares) }
}

// run runs the method once.
func (a *worker[T]) run(restart int) *Result[T] {
	a.restart = restart
	a.v, a.w = a.startOf(restart)
	res := a.factorize()
	res.Seed, res.BestRestart, res.Level = a.seed(), restart, kernel.Level()
	return res
}

// factorize runs the method from the start of the restart.
func (a *worker[T]) factorize() *Result[T] {
	switch a.method.(type) {
	case NMF:
		return a.global((*worker[T]).hals)
	case SNMF:
		return a.global((*worker[T]).penalised)
	case Hoyer:
		return a.global((*worker[T]).constrained)
	case GNMU:
		return a.global((*worker[T]).underapproximate)
	default: // RNMU
		return a.recursion()
	}
}

// global factors M at once, by iterations on a solver whose n and factors are set.
func (a *worker[T]) global(iterations func(a *worker[T], s *solver[T], report func(k int)) trace) *Result[T] {
	s := a.solverOf(a.rank)
	if a.method.Describe().Underapproximates {
		s.startState()
	}
	started := a.start(s, 0)
	a.v, a.w = Dense[T]{}, Dense[T]{} // of no use any more
	if !started {
		stop, _ := a.interrupted()
		return &Result[T]{V: NewDense[T](a.source.rows, 0, nil), W: NewDense[T](0, a.source.cols, nil), RelativeError: 1, Stop: stop}
	}
	if !a.given.start {
		s.scale()
	}
	if a.given.supports {
		s.keepSupports()
	}
	shown := a.errorShown(s)
	tr := iterations(a, s, func(k int) { a.progress(a.restart, 0, k, shown) })
	res := &Result[T]{
		V:       NewDense[T](a.source.rows, a.rank, nil),
		W:       NewDense[T](a.rank, a.source.cols, nil),
		Stop:    tr.stop,
		Revived: tr.revived,
	}
	block := Block{Rank: a.rank, Iterations: tr.iterations, Stop: tr.stop, History: tr.history}
	if a.lagrange.Feasible == FeasibleEach && tr.stop != StopCancelled {
		steps, stop := s.makeFeasible(a.job, a.rank)
		block.Exact = steps
		if stop != "" {
			res.Stop = stop
		}
	}
	s.finish(res.V, res.W, 0)
	e := s.residual(false)
	a.exceed(res, e)
	block.Error = res.RelativeError
	res.Blocks = []Block{block}
	return res
}
