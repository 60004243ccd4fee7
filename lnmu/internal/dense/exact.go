package dense

import (
	"math"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
	"nmu/lnmu/internal/qp"
)

// Solve implements core.Exact.
func (s *solver[T]) Solve(v bool) (kkt float64, done bool) {
	if v == s.tall {
		kkt, n := exactStep(s.Over, s.Team, s.long, s.short, s.rows, rowsOf(s.m), s.line(true))
		return kkt, n == s.rows
	}
	kkt, n := exactStep(s.Over, s.Team, s.short, s.long, s.cols, columnsOf(s.m), s.line(false))
	return kkt, n == s.cols
}

// rowsOf and columnsOf return functions that return row i, or column j, of x; a column
// is copied to scratch.
func rowsOf[T kernel.Float](x kernel.Matrix[T]) func(i int, scratch []T) []T {
	return func(i int, _ []T) []T { return x.Row(i) }
}

func columnsOf[T kernel.Float](x kernel.Matrix[T]) func(j int, scratch []T) []T {
	return func(j int, scratch []T) []T {
		for i := range scratch {
			scratch[i] = x.Data[i*x.Stride+j]
		}
		return scratch
	}
}

// rowsPerTask is the number of quadratic programs that one task solves.
const rowsPerTask = 4

// exactStep sets every column i of h (r x p) to the minimum of ||x_i - h_i g||
// over h_i >= 0, h_i g <= x_i, feasible in floating point, and returns the
// largest KKT residual. g is r x q; row returns the nonnegative x_i, of length q,
// perhaps in scratch.
//
// It asks over within every column, and returns the number of columns that were done
// before that; the others are zero or as they were. A column costs a multiple of r²
// operations for every constraint that becomes active on the way, and of rq for about
// every tenth of them.
//
// of says what is observed: a column of which something is missing, or that has
// weights, has a program of its own, with the Gram matrix of that.
func exactStep[T kernel.Float](over func() bool, t *team.Team, h, g kernel.Matrix[T], p int, row func(i int, scratch []T) []T, of observed.Line[T]) (kkt float64, done int) {
	const wider = 16 // entries below wider units in the last place of the row count as none
	shared := qp.NewConstraints(matrix.Widen(g), wider*matrix.Epsilon[T]())
	tasks := (p + rowsPerTask - 1) / rowsPerTask
	worst, finished := make([]float64, tasks), make([]int, tasks)
	members := make([]*exactRow[T], t.Size())
	t.Run(tasks, func(member, task int) {
		w := members[member]
		if w == nil {
			w = newExactRow(shared, g, over)
			members[member] = w
		}
		for i := task * rowsPerTask; i < min((task+1)*rowsPerTask, p) && !over(); i++ {
			residual := w.observed(of, i, wider*matrix.Epsilon[T](), over).solve(h, row(i, w.row), i)
			if over() { // perhaps within the program
				for k := range h.Rows {
					h.Row(k)[i] = 0
				}
				break
			}
			worst[task] = max(worst[task], residual)
			finished[task]++
		}
	})
	for task, w := range worst {
		kkt = max(kkt, w)
		done += finished[task]
	}
	return kkt, done
}

// exactRow is the workspace of one member of a team.
type exactRow[T kernel.Float] struct {
	qp   *qp.Solver
	g    kernel.Matrix[T]
	row  []T // scratch
	x, h []float64
	take []int            // the entries of a row that the program has; nil: all
	root []float64        // of their weights; nil: 1
	v    kernel.Matrix[T] // the row of hᵀ, as a column
	neg  kernel.Matrix[T] // its negative
	e    kernel.Matrix[T] // what is left of the row of X
	one  kernel.Matrix[T]
}

func newExactRow[T kernel.Float](c *qp.Constraints, g kernel.Matrix[T], over func() bool) *exactRow[T] {
	return &exactRow[T]{
		qp: qp.New(c, over), g: g, row: make([]T, g.Cols), x: make([]float64, g.Cols), h: make([]float64, g.Rows),
		v: kernel.NewMatrix[T](g.Rows, 1), neg: kernel.NewMatrix[T](g.Rows, 1),
		e: kernel.NewMatrix[T](1, g.Cols), one: kernel.NewMatrix[T](1, 1),
	}
}

// solve sets column i of h and returns the KKT residual.
func (s *exactRow[T]) solve(h kernel.Matrix[T], x []T, i int) (kkt float64) {
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
		// Where g is next to nothing, or near the end of the range, h may be beyond T or
		// no number. Less of it is feasible too. A residual that has become -0 makes h a -0.
		if !(a > 0) {
			a = 0
		}
		s.v.Row(k)[0] = T(min(a, matrix.Largest[T]()))
	}
	s.lower(x)
	for k := range s.h {
		h.Row(k)[i] = s.v.Row(k)[0]
	}
	return kkt
}

// lower lowers v until x - v g, formed by the kernel, has no negative entry.
func (s *exactRow[T]) lower(x []T) {
	e := s.e.Row(0)
	copy(e, x)
	s.negate()
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
				break // x[j] itself is negative, or no number
			}
			s.negate()
		}
	}
}

// lowerAlong lowers v along column j of g, so that v g_:j falls by about d, and
// each positive entry that has a part in it by at least one unit in the last
// place. It returns false if there is none.
func (s *exactRow[T]) lowerAlong(j int, d float64) (lowered bool) {
	var squares float64
	for k := range s.v.Rows {
		if g := float64(s.g.Row(k)[j]); s.v.Row(k)[0] > 0 {
			squares = math.FMA(g, g, squares)
		}
	}
	for k := range s.v.Rows {
		v, g := s.v.Row(k), s.g.Row(k)[j]
		if !(v[0] > 0) || !(g > 0) {
			continue
		}
		lowered = true
		less := T(float64(v[0]) - float64(d*float64(g)/squares))
		switch {
		case !(less > 0):
			v[0] = 0
		case less < v[0]:
			v[0] = less
		default:
			v[0] = matrix.Below(v[0])
		}
	}
	return lowered
}

func (s *exactRow[T]) negate() {
	for k := range s.v.Rows {
		s.neg.Row(k)[0] = -s.v.Row(k)[0]
	}
}
