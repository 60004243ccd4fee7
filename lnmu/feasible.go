package lnmu

import (
	"math"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/qp"
)

// Feasible is a way to make an underapproximation exact: V W <= M without any
// tolerance.
//
// The exact step (the remark on feasible solutions, section 3) replaces V by the
// minimum of ||M - V W||_F over V >= 0, V W <= M with W given, or W with V given:
// one convex quadratic program for each row of V, or column of W. For a single
// factor it has the closed solution
// v_i = min(max(0, m_i·w)/(w·w), min_j m_ij/w_j).
//
// The first step is made for V and for W, both from the factors of L-NMU, and
// the better one is kept; then V and W take turns as long as
// Lagrangian.ExactSteps allows and the error falls. The paper's remark names V,
// but the choice matters: on dense data, where one slightly violated entry in a
// long row holds down the whole row, the factor with fewer constraints for each
// program is much the better one.
//
// What is guaranteed is that MaxViolation is 0 in floating point, with V W taken
// off M by the kernels in the precision of the data: e = m_ij, then
// e <- fma(-v_ik, w_kj, e) for k = 0, 1, ..., and e >= 0 at the end. Each of
// these operations is monotone in v_ik and in w_kj, so lowering entries of a
// factor never does harm: the solution of the exact step is rounded to T, and
// while an e_j < 0 is left in a row, its v_ik are lowered along w_:j, by a few
// units in the last place.
//
// Feasibility costs little where the zeros of M already confine the factors
// (binary images, graphs), and much on dense data with many small violations.
type Feasible string

const (
	// FeasibleFinal makes the finished factors of the best run feasible.
	FeasibleFinal Feasible = "final"

	// FeasibleEach makes every block of a recursion feasible before the residual
	// is formed, so that the residuals are nonnegative without clamping; with GNMU
	// there is one block, in every run.
	FeasibleEach Feasible = "each"
)

var feasibles = []Feasible{FeasibleFinal, FeasibleEach}

// ExactStep is one exact step.
type ExactStep struct {
	Factors int    // number of factors by then
	Renewed string // "V" (with W given) or "W" (with V given)
	Kept    bool   // whether the factors were replaced

	// Before and After are the relative errors of V W before and after the step,
	// Violation is the largest violation before it; afterwards it is 0.
	Before, After, Violation float64

	// KKT is the largest residual of the optimality conditions of the quadratic
	// programs, in the scale where every row (column) of M has norm 1, before the
	// solution was rounded to T; 0 for the closed solution.
	KKT float64
}

// leastFall is the part of the error by which an exact step must lower it for
// another one to be made.
const leastFall = 1e-5

// makeFeasible makes the factors of s a feasible underapproximation of s.m by
// exact steps and returns them. If the work is over before that, it returns no
// steps, but why, and leaves the factors as they were.
func (s *solver[T]) makeFeasible(j *job[T], factors int) (steps []ExactStep, stop Stop) {
	start, best := s.keep(), s.keep()
	start.save()
	e := s.residual(false)
	before, violation := j.relative(e.squares), max(0, -e.least)
	try := func(v bool) (step ExactStep, done bool) {
		step = ExactStep{Factors: factors, Renewed: "W", Before: before, Violation: violation}
		if v {
			step.Renewed = "V"
		}
		if step.KKT, done = s.exactStep(j.cancelled, v); !done {
			return step, false
		}
		step.After = j.relative(s.residual(false).squares)
		return step, true
	}

	first, ok := try(true)
	if !ok {
		start.restore()
		stop, _ = j.interrupted()
		return nil, stop
	}
	best.save()
	start.restore()
	second, ok := try(false)
	if !ok {
		start.restore()
		stop, _ = j.interrupted()
		return nil, stop
	}
	v := second.After < first.After // the factor that is next
	if !v {
		best.restore()
	}
	first.Kept, second.Kept = !v, v
	steps = []ExactStep{first, second}
	before, violation = min(first.After, second.After), 0
	for range j.lagrange.ExactSteps - 1 {
		best.save()
		step, ok := try(v)
		if !ok {
			best.restore()
			stop, _ = j.interrupted()
			return steps, stop
		}
		step.Kept = step.After < before
		steps = append(steps, step)
		if !step.Kept {
			best.restore()
			break
		}
		if before-step.After <= float64(leastFall*before) {
			break
		}
		before, v = step.After, !v
	}
	return steps, ""
}

// makeFeasible makes a finished result feasible.
func (j *job[T]) makeFeasible(res *Result[T]) {
	l := newLayout[T](j.source.rows, j.source.cols, j.source.share, team.New(j.Threads))
	defer l.Close()
	l.m = j.source.arrange(!l.tall)
	s := newSolver(l, res.V.Cols)
	s.observe(j.part)
	s.start(res.V, res.W, 0)
	steps, stop := s.makeFeasible(j, s.rank)
	if steps == nil {
		res.Stop = stop
		return
	}
	s.finish(res.V, res.W, 0)
	e := s.residual(false)
	j.exceed(res, e)
	res.Blocks[len(res.Blocks)-1].Exact = steps
	if stop != "" {
		res.Stop = stop
	}
}

// exactStep replaces V, or W, by the solution of the exact step for s.m and
// returns the largest KKT residual. If the work is over before it is done, the
// factor is of no use.
func (s *solver[T]) exactStep(over func() bool, v bool) (kkt float64, done bool) {
	if v == s.tall {
		kkt, n := exactStep(over, s.Team, s.long, s.short, s.rows, rowsOf(s.m), s.line(true))
		return kkt, n == s.rows
	}
	kkt, n := exactStep(over, s.Team, s.short, s.long, s.cols, columnsOf(s.m), s.line(false))
	return kkt, n == s.cols
}

// rowsOf and columnsOf return functions that return row i, or column j, of x; a column
// is copied to scratch.
func rowsOf[T Float](x kernel.Matrix[T]) func(i int, scratch []T) []T {
	return func(i int, _ []T) []T { return x.Row(i) }
}

func columnsOf[T Float](x kernel.Matrix[T]) func(j int, scratch []T) []T {
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
func exactStep[T Float](over func() bool, t *team.Team, h, g kernel.Matrix[T], p int, row func(i int, scratch []T) []T, of line[T]) (kkt float64, done int) {
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
type exactRow[T Float] struct {
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

func newExactRow[T Float](c *qp.Constraints, g kernel.Matrix[T], over func() bool) *exactRow[T] {
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
