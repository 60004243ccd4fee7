package sparse

import (
	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/start"
	"nmu/lnmu/internal/tiles"
)

// formOf returns the form in which M is kept for a method. missing says that entries that are not
// stored are missing, rather than zero.
func formOf(p core.Plan, missing bool) tiles.Form {
	return tiles.Form{ByRows: fusedRankOne(p, missing), Rank: p.Block, Residual: p.Recursive && p.Block < p.Rank, State: p.Underapproximates}
}

// Storage is a sparse M in tiles, as one run works on it. It implements source.Opened, too.
type Storage[T kernel.Float] struct {
	core.Plan
	core.Session
	reader     tiles.Reader[T]  // nil: M is in memory
	input      *tiles.Input[T]  // of a matrix in files, nil before Survey makes them
	norm       float64          // of M, after Survey
	missing    bool             // what is not stored is missing, rather than zero
	rows, cols int              // of the part of M whose factors this process works on
	part       core.Part        // which part that is; before a run, that of the reader
	v, w       kernel.Matrix[T] // the given start, if there is one
	fixed      start.Fixed[T]

	lines func() (rows, columns tiles.CSR[T]) // M by the rows of the layout and by its columns, made once
}

// Open implements core.Storage.
func (d *Storage[T]) Open(threads int) core.Place {
	l := tiles.NewLayout(d.input.Tiles, formOf(d.Plan, d.missing), team.New(threads))
	l.Limit(d.Over, d.Failed)
	return &place[T]{Storage: d, layout: l, total: newProductNorm[T](d.Arena, d.rows, d.cols, d.Rank)}
}

// Factors implements core.Storage.
func (d *Storage[T]) Factors(rank int) core.Factors {
	return &core.Pair[T]{V: arena.Packed[T](d.Arena, d.rows, rank), W: arena.Packed[T](d.Arena, rank, d.cols), Part: d.part}
}

// place is where a method runs on a sparse M from one start after the other.
type place[T kernel.Float] struct {
	*Storage[T]
	layout  *tiles.Layout[T]
	problem *problem[T] // the last one, for reuse
	vectors *solver[T]  // likewise, for vectors that are multiplied by N

	startV, startW kernel.Matrix[T] // of the present restart
	total          *productNorm[T]  // its factors so far
	rank           int              // number of those that are finished
}

// Close implements core.Place.
func (a *place[T]) Close() {
	a.layout.Stop()
	a.layout.Team.Close()
}

// Restart implements core.Place.
func (a *place[T]) Restart(seed uint64, again bool) {
	a.rank = 0
	if a.Arena.Dry() {
		a.Storage.Factors(a.Rank)
		return
	}
	if again {
		a.total.clear()
	}
	a.layout.Restore(again)
	rows, cols := a.input.Dims()
	a.startV, a.startW = start.Of(a.v, a.w, rows, cols, a.Plan, seed, a.part.Window(a.rows, a.cols))
}

// Problem implements core.Place.
func (a *place[T]) Problem(rank int) core.Problem {
	if a.problem == nil || a.problem.rank != rank {
		s := newSolver(a.layout, rank, a.missing)
		sweeps := hals.Sweeps{Most: 1, Over: a.Cancelled}
		if rank > 1 {
			sweeps.Most = max(1, a.Sweeps)
		}
		s.long.Sweeps, s.short.Sweeps = sweeps, sweeps
		s.SumToOne(a.SumV, a.SumW, s.Size())
		a.problem = &problem[T]{solver: s, at: a}
		switch {
		case a.Accelerated:
			a.problem.accelerated = newAccelerated(s)
		case a.Divergence:
			a.problem.diverging = newDivergence(s)
			if a.Coordinates {
				a.problem.diverging.coordinates = newCoordinates(a.problem.diverging, a.lines)
			}
		}
	}
	return a.problem
}

// Factors implements core.Place.
func (a *place[T]) Factors(rank int) core.Factors {
	v, w := a.total.dense(rank)
	if rank > a.rank {
		a.fixed.Fill(v, w, a.rank)
	}
	return &core.Pair[T]{V: v, W: w, Part: a.part}
}
