package dense

import (
	"nmu/internal/memory"
	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
	"nmu/lnmu/internal/source"
	"nmu/lnmu/internal/start"
)

// Storage is a dense M as one run works on it. It implements source.Opened, too.
type Storage[T kernel.Float] struct {
	core.Plan
	core.Session
	source source.Dense[T]
	v, w   kernel.Matrix[T] // the given start, if there is one
	fixed  start.Fixed[T]
}

// Open implements core.Storage.
func (d *Storage[T]) Open(threads int) core.Place {
	// A slab is the work of one member in a pass; more members would only wait.
	most := max(d.source.Share.Last-d.source.Share.First, 1)
	a := &place[T]{Storage: d, layout: layoutOf(d.source, team.New(min(threads, most)))}
	if d.source.Reader != nil {
		a.inFiles(kept(d.Plan))
		return a
	}
	m, ok := d.source.Arranged(!a.tall)
	if ok = ok && (d.Overwrite || readsInPlace(d.Plan, m)); ok {
		a.m = m
	} else {
		a.m = a.large()
		a.read()
	}
	switch {
	case !d.Underapproximates:
		a.state = a.m
	case !ok && d.Overwrite && m.Stride == m.Cols: // gaps do not belong to M
		a.state = kernel.Matrix[T]{Rows: a.rows, Cols: a.cols, Data: m.Data, Stride: a.cols}
	default:
		a.state = a.large()
	}
	return a
}

// readsInPlace reports whether the passes of a method read M, which they do not change, where it lies.
func readsInPlace[T kernel.Float](p core.Plan, m kernel.Matrix[T]) bool {
	return !p.Underapproximates && m.Aligned() || p.Underapproximates && !p.Recursive
}

// large returns a zero matrix of the size of M, in huge pages if the system has them.
func (l *layout[T]) large() kernel.Matrix[T] {
	m := l.matrix(l.rows, l.cols)
	memory.HugePages(m.Data)
	return m
}

// Factors implements core.Storage.
func (d *Storage[T]) Factors(rank int) core.Factors {
	return &core.Pair[T]{V: arena.Packed[T](d.Arena, d.source.Rows, rank), W: arena.Packed[T](d.Arena, rank, d.source.Cols), Part: d.source.Part}
}

// Reopen implements core.Rechecking.
func (d *Storage[T]) Reopen(f core.Factors, threads int) (core.Exact, func()) {
	p := f.(*core.Pair[T])
	a, s := d.reopened(team.New(threads), p.V, p.W)
	a.all, s.Over, s.at = p, d.Cancelled, a
	return s, a.Close
}

// reopened returns a place with all of M, and a solver there with the factors V and W.
func (d *Storage[T]) reopened(t *team.Team, v, w kernel.Matrix[T]) (*place[T], *solver[T]) {
	a := &place[T]{Storage: d, layout: layoutOf(d.source, t)}
	if d.source.Reader != nil {
		a.inFiles([2]bool{})
	} else {
		a.m = d.source.Arrange(!a.tall)
	}
	s := newSolver(a.layout, v.Cols)
	s.n = a.m
	s.observe(d.source.Observed)
	if a.reserved(s) {
		return a, s
	}
	s.Take(v, w, 0)
	return a, s
}

// layoutOf returns the layout of the passes over M.
func layoutOf[T kernel.Float](m source.Dense[T], t *team.Team) *layout[T] {
	rows, cols := m.Whole()
	return newLayout[T](m.Arena, rows, cols, m.Share, t)
}

// place is where a method runs on a dense M from one start after the other.
type place[T kernel.Float] struct {
	*Storage[T]
	*layout[T]
	state   kernel.Matrix[T] // N
	solver  *solver[T]       // the last one, for reuse
	vectors *solver[T]       // likewise, for vectors that are multiplied by N,
	means   *observed.Means  // the missing entries of N for vectors; nil: 0
	v, w    kernel.Matrix[T] // the present start
	all     *core.Pair[T]    // the factors that are finished, and room for the others; nil before the first
	rank    int              // number of finished factors
}

// Restart implements core.Place.
func (a *place[T]) Restart(seed uint64, again bool) {
	if again && a.Recursive {
		a.read()
	}
	a.all, a.rank = nil, 0
	if a.Arena.Dry() {
		a.Storage.Factors(a.Rank)
		return
	}
	m, n := a.source.Whole()
	a.v, a.w = start.Of(a.Storage.v, a.Storage.w, m, n, a.Plan, seed, a.source.Window())
}

// read copies M into the layout of the passes. As in a pass, each member begins with adjacent
// slabs, so that memory is first touched where it is used.
func (a *place[T]) read() {
	if a.files != nil {
		a.files.Original()
		return
	}
	size, _ := group.Slabs(a.whole)
	if a.arena.Dry() {
		return
	}
	a.Run((a.rows+size-1)/size, func(_, slab int) {
		a.source.CopyTo(a.m, !a.tall, slab*size, min((slab+1)*size, a.rows))
	})
}

// Problem implements core.Place.
func (a *place[T]) Problem(rank int) core.Problem {
	if a.solver == nil || a.solver.rank != rank {
		s := newSolver(a.layout, rank)
		s.at, s.n = a, a.state
		s.Over = a.Cancelled
		for _, f := range []*hals.Side[T]{&s.long, &s.short} {
			f.Sweeps = hals.Sweeps{Most: max(1, a.Sweeps), Over: a.Cancelled}
		}
		s.SumToOne(a.SumV, a.SumW, s.Size())
		if rank == 1 && (a.General || a.Supports || a.Accelerated || a.source.Observed.Weighted()) {
			s.generalPass()
		}
		if a.Accelerated {
			s.accelerate()
		}
		s.observe(a.source.Observed)
		s.prepare(a.Plan)
		a.reserved(s)
		a.solver = s
	}
	return a.solver
}

// prepare takes the memory of the steps of a plan.
func (s *solver[T]) prepare(p core.Plan) {
	if p.Underapproximates {
		s.undoable()
	}
	switch {
	case p.Divergence:
		s.divergence = newDivergence(s)
		if p.Coordinates {
			s.divergence.coordinates = newCoordinates(s.divergence)
		}
	case p.L1:
		s.medians = s.newL1()
	case p.Priors, p.Products:
		s.products = s.matrix(s.rank, s.whole)
	case p.Augmented && !s.rankOne && s.targets == nil:
		s.makeTargets()
	}
}

// reserved reports whether the memory of a solver is that of an estimate, and takes that of its chunks of files.
func (a *place[T]) reserved(s *solver[T]) bool {
	if a.arena.Dry() && a.files != nil {
		slots, scratch := a.files.Footprint(s.block, a.Size())
		a.arena.Buffer(slots)
		a.arena.Scratch += scratch
	}
	return a.arena.Dry()
}

// Factors implements core.Place.
func (a *place[T]) Factors(rank int) core.Factors {
	if rank == 0 {
		return a.Storage.Factors(0)
	}
	a.room()
	if rank > a.rank {
		a.fixed.Fill(a.all.V, a.all.W, a.rank)
	}
	return a.all.First(rank)
}

// room makes room for all factors.
func (a *place[T]) room() {
	if a.all == nil {
		a.all = a.Storage.Factors(a.Rank).(*core.Pair[T])
	}
}

// Close implements core.Place. It ends the goroutines and closes the files.
func (a *place[T]) Close() {
	if a.files != nil {
		a.files.Close()
	}
	a.Team.Close()
}

// inFiles takes M from its reader. kept says whether the residual and N get files.
func (a *place[T]) inFiles(kept [2]bool) {
	f := a.source.Files()
	f.Scratch, f.Cancelled, f.Broken = a.Scratch, a.Over, a.Failed
	f.Kept = kept
	f.Start(a.Size())
	a.files = f
}

// kept reports whether the residual of M and N are kept in files.
func kept(p core.Plan) [2]bool {
	return [2]bool{block.OfM: p.Underapproximates && p.Block < p.Rank, block.OfN: p.Underapproximates}
}

// Rank implements core.Problem.
func (s *solver[T]) Rank() int { return s.rank }

// Start implements core.Problem.
func (s *solver[T]) Start(k0 int) {
	a := s.at
	s.Take(a.v, a.w, k0)
	if k0+s.rank == a.Rank {
		a.v, a.w = kernel.Matrix[T]{}, kernel.Matrix[T]{} // no longer needed
	}
	if a.Supports {
		s.KeepSupport()
	}
}

// Fix implements core.Problem.
func (s *solver[T]) Fix(k0 int) { s.Hold(k0, s.at.fixed.Columns, s.at.fixed.Rows) }

// Finish implements core.Problem.
func (s *solver[T]) Finish(k0 int) {
	a := s.at
	a.room()
	s.finish(a.all.V, a.all.W, k0)
	a.rank = k0 + s.rank
}

// Energy implements core.Problem. The sums of a pass are valid if N is M, M is complete, and
// nothing else changes the factors.
func (s *solver[T]) Energy() (energy float64, ok bool) {
	if s.files == nil || s.files.Kept[block.OfN] || s.cells.Incomplete() || s.productTask != nil || s.divergence != nil {
		return 0, false
	}
	return s.energy(), true
}

// Aborted implements core.Problem.
func (s *solver[T]) Aborted() bool { return s.lines.Aborted() }

// Copies implements core.Exact.
func (s *solver[T]) Copies() (save, restore func()) {
	long, short := s.matrix(s.rank, s.rows), s.matrix(s.rank, s.cols)
	save = func() { matrix.CopyRows(long, s.long.X); matrix.CopyRows(short, s.short.X) }
	restore = func() { matrix.CopyRows(s.long.X, long); matrix.CopyRows(s.short.X, short) }
	return save, restore
}

// Relax implements core.Problem.
func (s *solver[T]) Relax(r core.Relaxation) (core.Relaxed, float64) {
	switch {
	case r.L1:
		if r.FromStart {
			s.medians.Update(1)
		}
		return s.medians, 0
	case r.Rho > 0:
		return s.newAugmented(r.Rho), 0
	}
	x := &relaxedDense[T]{relaxation: relaxation[T]{s}}
	s.Begin()
	if r.FromStart {
		x.violate()
	}
	if r.V != (core.Prior{}) || r.W != (core.Prior{}) {
		return x.with(r.V, r.W), 0
	}
	return x, 0
}
