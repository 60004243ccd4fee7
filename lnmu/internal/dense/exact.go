package dense

import (
	"math"
	"slices"
	"time"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/block"
	"nmu/lnmu/internal/exact"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/observed"
)

// Solve implements core.Exact. A row of the long factor needs only its row of a pass. A column of
// the short one needs a whole column and the whole long factor.
func (s *solver[T]) Solve(v bool) (kkt float64, done bool) {
	if v == s.tall {
		x := s.exactly(s.long.X, s.short.X, s.line(), 0)
		if s.arena.Dry() {
			return 0, true
		}
		s.open(block.Reads, block.Untouched, true)
		defer s.shut()
		return x.solve(0, s.rows, func(member, i int) []T { return s.rowsOfM(member, i, i+1).Row(0) })
	}
	own := s.observedColumns()
	x := s.exactly(s.short.X, s.gather(s.long.X, s.roomFor(s.rank)), own.Line(kernel.Matrix[T]{}, nil), own.Own.From)
	columns := s.wholeColumns(block.OfM)
	if s.arena.Dry() {
		return 0, true
	}
	done = columns.Each(func(first, last int) bool {
		worst, ok := x.solve(first, last, columns.Column)
		kkt = max(kkt, worst)
		return ok
	})
	columns.Complete(s.short.X)
	return kkt, done
}

// exactly is an exact step for the columns of h, given g. of has the observed entries of the
// lines of M for these columns. Within a column, only process 0 knows that the run is cancelled.
// The other processes know it after a round.
type exactly[T kernel.Float] struct {
	solver *solver[T]
	step   *exact.Step[T]
	h, g   kernel.Matrix[T]
	of     observed.Line[T]
	first  int          // number of the first line in of
	parts  []exact.Part // of the lines of each member
}

// exactly returns a step for h, given g.
func (s *solver[T]) exactly(h, g kernel.Matrix[T], of observed.Line[T], first int) *exactly[T] {
	over := s.Over
	if s.share.Rank() == 0 {
		over = s.at.Over
	}
	x := &exactly[T]{s, exact.New(s.arena, g, s.Size(), s.cells.Incomplete(), over), h, g, of, first, make([]exact.Part, s.Size())}
	for i := range x.parts {
		if s.cells.Incomplete() {
			x.parts[i].Take = arena.Slice[int](s.arena, g.Cols)
		}
		if s.cells.Weighted() {
			x.parts[i].Root = arena.Slice[float64](s.arena, g.Cols)
		}
	}
	return x
}

// solve solves the programs of the lines from first to last-1, which row returns, and
// reports whether those of all processes are done. It returns the largest KKT residual of
// any of them.
func (x *exactly[T]) solve(first, last int, row func(member, i int) []T) (kkt float64, done bool) {
	solved := make([]bool, last-first)
	worst := make([]float64, x.solver.Size())
	for {
		begun := time.Now()
		x.solver.Run(len(solved), func(member, task int) {
			if solved[task] || x.solver.share.Distributed() && time.Since(begun) > x.solver.roundTime {
				return
			}
			i := first + task
			m := row(member, i)
			if x.solver.lines.Aborted() {
				return // m is invalid
			}
			var residual float64
			residual, solved[task] = x.step.Solve(member, x.h, i, m, partOf(&x.parts[member], x.of, x.g.Cols, i-x.first))
			worst[member] = max(worst[member], residual)
		})
		share, all := x.solver.share, []float64{slices.Max(worst), 0, 0} // whether programs are left; whether the pass is aborted
		if slices.Contains(solved, false) {
			all[1] = 1
		}
		if x.solver.lines.Aborted() {
			all[2] = 1
		}
		group.Max(share, all)
		over := !share.Distributed() || share.Control.Ask()&(group.Cancelled|group.TimeOver) != 0
		if all[1] == 0 || all[2] > 0 || over {
			return all[0], all[1] == 0
		}
	}
}

// partOf returns the observed part of line i, which has this number of entries. It uses the memory of p.
func partOf[T kernel.Float](p *exact.Part, of observed.Line[T], entries, i int) exact.Part {
	if of.Mask.Data == nil && !of.Weighted() {
		return exact.Part{}
	}
	p.Take = observed.Positions(p.Take[:0], of.Mask, entries, i, true)
	if of.Weighted() {
		p.Root = p.Root[:len(p.Take)]
		for at, j := range p.Take {
			p.Root[at] = math.Sqrt(float64(of.Weight(i, j)))
		}
	}
	return *p
}
