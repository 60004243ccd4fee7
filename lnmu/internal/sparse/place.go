package sparse

import (
	"math"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/start"
)

// Storage is a sparse M in tiles, as one run works on it.
type Storage[T kernel.Float] struct {
	core.Plan
	input      Input[T]
	rows, cols int              // of M, or of the part of it whose factors this process works on
	part       core.Part        // which part that is
	v, w       kernel.Matrix[T] // the given start, if there is one
	fixed      start.Fixed[T]
	Missing    bool // what is not stored is missing, rather than zero
	Threads    int
	Cancelled  func() bool
	Ask        func()      // several processes agree on whether the work is over
	Failed     func(error) // is told of an error of the disk
}

// NewStorage returns M in its tiles for a method, with the given start, if there is
// one, of several processes that of the part of M that each of them was given, and what is
// fixed of the factors.
func NewStorage[T kernel.Float](x Input[T], p core.Plan, v, w kernel.Matrix[T], f start.Fixed[T]) *Storage[T] {
	d := &Storage[T]{Plan: p, input: x, rows: x.rows, cols: x.cols, part: core.Part{Whole: max(x.rows, x.cols), Columns: x.cols > x.rows}, v: v, w: w, fixed: f}
	if x.comm.Size() > 1 {
		d.rows, d.cols, d.part = x.share()
		d.v, d.w = x.fromParts(v, w)
	}
	return d
}

// Entries returns how many entries of M are stored, in all processes.
func (d *Storage[T]) Entries() int { return d.input.entries }

// SetControl makes a control decide for the sums of several processes.
func (d *Storage[T]) SetControl(c *group.Control) { d.input.tiles.among().Control = c }

// Result returns V and W, of several processes those of the part of M that each of them was
// given.
func (d *Storage[T]) Result(f core.Factors) (v, w kernel.Matrix[T]) {
	p := f.(*core.Pair[T])
	if d.input.comm.Size() == 1 {
		return p.V, p.W
	}
	return d.input.toParts(p.V, p.W)
}

// Open implements core.Storage.
func (d *Storage[T]) Open(threads int) core.Place {
	l := newLayout(d.input.tiles, d.Plan, team.New(threads))
	l.missing = d.Missing
	if l.disk != nil {
		l.disk.Cancelled, l.disk.Broken = d.Cancelled, d.Failed
	}
	return &place[T]{Storage: d, layout: l, total: newProductNorm[T](d.rows, d.cols, d.Rank)}
}

// Factors implements core.Storage.
func (d *Storage[T]) Factors(rank int) core.Factors {
	return &core.Pair[T]{V: matrix.New[T](d.rows, rank, nil), W: matrix.New[T](rank, d.cols, nil), Part: d.part}
}

// place is where a method runs on a sparse M from one start after the other.
type place[T kernel.Float] struct {
	*Storage[T]
	*layout[T]
	solver  *solver[T]       // the last one, to be used again
	vectors *solver[T]       // likewise, for vectors that are multiplied by N
	total   *productNorm[T]  // the factors so far
	v, w    kernel.Matrix[T] // the present start
	rank    int              // number of the factors that are finished
}

// Restart implements core.Place.
func (a *place[T]) Restart(seed uint64, again bool) {
	a.rank = 0
	if again {
		clear(a.total.v.Data)
		clear(a.total.wt.Data)
	}
	if a.Recursive {
		a.restoreM(again)
	}
	if a.v, a.w = a.Storage.v, a.Storage.w; a.v.Data == nil && a.w.Data == nil {
		a.v, a.w = start.Draw[T](a.input.rows, a.input.cols, a.Rank, seed, a.Nested, a.part.Window(a.Storage.rows, a.Storage.cols))
	}
}

// restoreM makes what is left of M all of it, before a restart.
func (a *place[T]) restoreM(again bool) {
	if a.disk == nil {
		if again {
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

// Problem implements core.Place.
func (a *place[T]) Problem(rank int) core.Problem {
	if a.solver == nil || a.solver.rank != rank {
		s := newSolver(a.layout, rank)
		s.at = a
		sweeps := hals.Sweeps{Most: 1, Over: a.Cancelled}
		if rank > 1 {
			sweeps.Most = max(1, a.Sweeps)
		}
		s.long.Sweeps, s.short.Sweeps = sweeps, sweeps
		a.solver = s
	}
	return a.solver
}

// Factors implements core.Place.
func (a *place[T]) Factors(rank int) core.Factors {
	v, w := a.total.dense(rank)
	if rank > a.rank {
		a.fixed.Fill(v, w, a.rank)
	}
	return &core.Pair[T]{V: v, W: w, Part: a.part}
}

// Rank implements core.Problem.
func (s *solver[T]) Rank() int { return s.rank }

// Start implements core.Problem.
func (s *solver[T]) Start(k0 int) { s.start(s.at.v, s.at.w, k0) }

// Fix implements core.Problem.
func (s *solver[T]) Fix(k0 int) {
	f := s.at.fixed
	v, w := s.factors()
	v.held, w.held = f.Held(k0, s.rank)
	v.set(v.held, f.Columns, k0)
	w.set(w.held, f.Rows, k0-f.Columns.Rows)
}

// set sets the vectors that are held to rows of x, which begin with factor -k0.
func (f *factor[T]) set(held group.Span, x kernel.Matrix[T], k0 int) {
	for k := held.From; k < held.To; k++ {
		for i, a := range x.Row(k0 + k) {
			f.h.Row(i)[k] = a
		}
	}
}

// Resume implements core.Problem.
func (s *solver[T]) Resume(k0 int, finished core.Factors) {
	p := finished.(*core.Pair[T])
	s.start(p.V, p.W, k0)
}

// Residual implements core.Problem: what is below zero is that of the stored entries
// alone.
func (s *solver[T]) Residual(k0 int, keep bool) core.Residual {
	s.at.total.set(s, k0)
	e := s.residual(keep)
	if !s.missing {
		e.squares += max(0, s.at.total.squares(k0+s.rank)-e.product)
	}
	return core.Residual{Squares: e.squares, Excess: e.excess, Least: e.least}
}

// Finish implements core.Problem.
func (s *solver[T]) Finish(k0 int) {
	s.at.total.set(s, k0)
	s.at.rank = k0 + s.rank
}

// Energy implements core.Problem.
func (s *solver[T]) Energy() (energy float64, ok bool) { return 0, false }

// Begin implements core.Problem.
func (s *solver[T]) Begin() { s.formGrams() }

// Step implements core.Problem.
func (s *solver[T]) Step() { s.step(0) }

// Aborted implements core.Problem.
func (s *solver[T]) Aborted() bool { return s.disk.aborted() }

// Relax implements core.Problem.
func (s *solver[T]) Relax(r core.Relaxation) (p core.Relaxed, mean float64) {
	mean = s.mean / float64(s.unit)
	if r.Rho > 0 {
		return s.newAugmented(r.Rho), mean
	}
	return s.newLagrangian(), mean
}

// Scale multiplies both factors by the square root of α, so that equation
// (scaling) holds.
func (s *solver[T]) Scale() {
	s.g = 0
	s.formGrams()
	var within float64
	for k := range s.rank {
		within += matrix.Dot(s.long.gram.Row(k), s.short.gram.Row(k))
	}
	e := s.residualOf([3]block.Access{block.OfM: block.Reads, block.OfN: block.Reads, ofGiven: block.Reads}, true)
	if s.disk.aborted() {
		return
	}
	if s.missing {
		within = e.within
	}
	s.multiply(e.across / within)
}

// multiply multiplies both factors by the square root of α, if that can be done; where one
// side is held, the other one takes all of α.
func (s *solver[T]) multiply(squared float64) {
	alpha := T(math.Sqrt(squared))
	if !(alpha > 0) || math.IsInf(float64(alpha), 0) {
		return
	}
	s.long.multiply(alpha, s.short.held)
	s.short.multiply(alpha, s.long.held)
}

// multiply multiplies the vectors that are not held by α, those that the other side holds
// twice.
func (f *factor[T]) multiply(alpha T, other group.Span) {
	for i := range f.h.Rows {
		row := f.h.Row(i)
		for k := range row {
			switch {
			case f.held.Has(k):
			case other.Has(k):
				row[k] *= alpha * alpha
			default:
				row[k] *= alpha
			}
		}
	}
}
