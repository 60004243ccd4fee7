// Package exact makes the steps after which V W <= M holds exactly. Each step sets a factor to
// the best one that the other factor and M allow. This is a quadratic program (package qp) for
// each line of M. The step rounds the solution so that V W <= M holds in floating point. The
// package sees one line of M at a time. It does not know where M is stored, nor which process has
// which lines.
package exact

import (
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/qp"
)

// Step finds the columns of a factor h (r x p) given the other factor g (r x q).
type Step[T kernel.Float] struct {
	g       kernel.Matrix[T]
	over    func() bool
	members []*workspace[T] // for whole lines
	parts   []*workspace[T] // for parts of lines
}

// wider is the tiny of qp.NewConstraints, in units of the precision of T.
const wider = 16

// New returns the step for g, which must not change, and a team with this number of members.
// Parts of lines may count if partial is true. Solve calls over within every column.
func New[T kernel.Float](a *arena.Arena, g kernel.Matrix[T], members int, partial bool, over func() bool) *Step[T] {
	s := &Step[T]{g: g, over: over}
	wide := kernel.Matrix[float64]{Rows: g.Rows, Cols: g.Cols}
	if a.Dry() {
		arena.Matrix[float64](a, g.Rows, g.Cols)
	} else {
		wide = matrix.Widen(g)
	}
	tiny := wider * matrix.Epsilon[T]()
	shared := qp.NewConstraints(a, wide, tiny) // for lines whose entries all count
	for range members {
		s.members = append(s.members, newWorkspace(a, shared, g, over))
		if partial {
			weighted := arena.Matrix[float64](a, g.Rows, g.Cols)
			w := newWorkspace(a, qp.NewConstraints(a, weighted, tiny), arena.Matrix[T](a, g.Rows, g.Cols), over)
			w.all, w.weighted, w.left = w.g, weighted, w.e
			s.parts = append(s.parts, w)
		}
	}
	return s
}

// Part is the part of a line of M that counts.
type Part struct {
	Take []int     // the entries that are observed, one at least; nil: all
	Root []float64 // the square roots of their weights; nil: 1
}

// Solve sets column i of h to the minimum of ||x - h_i g|| over h_i >= 0, h_i g <= x,
// feasible in floating point, and returns the KKT residual. x has q nonnegative entries, and the
// given part of them counts. If the run is cancelled before the end, the column is zero and done
// is false.
//
// Each constraint that becomes active costs O(r²) operations, and about every tenth of them O(rq)
// more.
func (s *Step[T]) Solve(member int, h kernel.Matrix[T], i int, x []T, of Part) (kkt float64, done bool) {
	if s.over() {
		return 0, false
	}
	kkt = s.workspace(member, of).solve(h, x, i)
	if s.over() { // perhaps within the program
		for k := range h.Rows {
			h.Row(k)[i] = 0
		}
		return 0, false
	}
	return kkt, true
}

// workspace returns the workspace of a member for a part of a line.
func (s *Step[T]) workspace(member int, of Part) *workspace[T] {
	if of.Root == nil && (of.Take == nil || len(of.Take) == s.g.Cols) {
		return s.members[member]
	}
	s.parts[member].choose(s.g, of)
	return s.parts[member]
}

// choose sets the part of the lines that follow. There is memory for whole ones.
func (s *workspace[T]) choose(g kernel.Matrix[T], of Part) {
	s.take, s.root = of.Take, of.Root
	n := len(of.Take)
	weighted := matrix.View(s.weighted, 0, n)
	s.g, s.e, s.row, s.x = matrix.View(s.all, 0, n), matrix.View(s.left, 0, n), s.row[:n], s.x[:n]
	for k := range g.Rows {
		from, to, by := g.Row(k), s.g.Row(k), weighted.Row(k)
		for l, j := range of.Take {
			to[l], by[l] = from[j], float64(from[j])
		}
		for l, w := range of.Root {
			by[l] *= w
		}
	}
	s.qp.Renew(weighted)
}

// workspace is that of one member of a team.
type workspace[T kernel.Float] struct {
	qp   *qp.Solver
	g    kernel.Matrix[T]
	row  []T // scratch
	x, h []float64
	take []int            // the entries of a row that the program has; nil: all
	root []float64        // the square roots of their weights; nil: 1
	neg  kernel.Matrix[T] // -v, for the row v of hᵀ as a column
	e    kernel.Matrix[T] // the residual x - v g of the row
	one  kernel.Matrix[T]

	all, left kernel.Matrix[T]       // g and e for whole lines, if the program is for a part
	weighted  kernel.Matrix[float64] // g with the roots of the weights, for whole lines
}

func newWorkspace[T kernel.Float](a *arena.Arena, c *qp.Constraints, g kernel.Matrix[T], over func() bool) *workspace[T] {
	return &workspace[T]{
		qp: qp.New(a, c, over), g: g, row: arena.Slice[T](a, g.Cols), x: arena.Slice[float64](a, g.Cols), h: make([]float64, g.Rows),
		neg: arena.Matrix[T](a, g.Rows, 1), e: arena.Matrix[T](a, 1, g.Cols), one: arena.Matrix[T](a, 1, 1),
	}
}

// solve sets column i of h and returns the KKT residual.
func (s *workspace[T]) solve(h kernel.Matrix[T], x []T, i int) (kkt float64) {
	if s.take != nil {
		for k, j := range s.take {
			s.row[k] = x[j]
		}
		x = s.row
	}
	for j, a := range x {
		s.x[j] = float64(a)
		if s.root != nil {
			s.x[j] *= s.root[j]
		}
	}
	kkt = s.qp.Solve(s.h, s.x)
	for k, a := range s.h {
		// If g is tiny or huge, h may exceed the range of T or be NaN. A smaller h is feasible,
		// too. An x of -0 can make h -0.
		if !(a > 0) {
			a = 0
		}
		s.neg.Row(k)[0] = -T(min(a, matrix.Largest[T]()))
	}
	s.lower(x)
	for k := range s.h {
		h.Row(k)[i] = -s.neg.Row(k)[0]
	}
	return kkt
}

// lower lowers v until x - v g, formed by the kernel, has no negative entry.
func (s *workspace[T]) lower(x []T) {
	e := s.e.Row(0)
	copy(e, x)
	kernel.AddProduct(s.e, s.neg, s.g)
	if kernel.Min(e) >= 0 {
		return
	}
	for j := range e {
		if e[j] >= 0 {
			continue
		}
		for factor := 1.0; ; factor *= 2 {
			s.one.Data[0] = x[j]
			kernel.AddProduct(s.one, s.neg, s.g.Slice(0, s.g.Rows, j, j+1))
			if s.one.Data[0] >= 0 {
				break
			}
			if !s.lowerAlong(j, -float64(s.one.Data[0])*factor) {
				break // x[j] itself is negative or NaN
			}
		}
	}
}

// lowerAlong lowers v along column j of g, so that v g_:j falls by about d. Each v_k > 0 with
// g_kj > 0 falls by at least one unit in the last place. It returns false if there is no such k.
func (s *workspace[T]) lowerAlong(j int, d float64) (lowered bool) {
	var squares float64
	for k := range s.neg.Rows {
		if g := float64(s.g.Row(k)[j]); s.neg.Row(k)[0] < 0 {
			squares = math.FMA(g, g, squares)
		}
	}
	for k := range s.neg.Rows {
		v, g := -s.neg.Row(k)[0], s.g.Row(k)[j]
		if !(v > 0) || !(g > 0) {
			continue
		}
		lowered = true
		less := T(float64(v) - float64(d*float64(g)/squares))
		switch {
		case !(less > 0):
			less = 0
		case less >= v:
			less = matrix.Below(v)
		}
		s.neg.Row(k)[0] = -less
	}
	return lowered
}
