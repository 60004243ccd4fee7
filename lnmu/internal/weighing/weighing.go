// Package weighing finds the weights of new columns in a basis that is given, alike for dense and sparse matrices.
package weighing

import (
	"math"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/exact"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/poisson"
)

// Checked is an M in memory, dense or sparse, whose entries have been checked. A basis V of its
// columns is given. A start w, which may be a zero matrix, is not changed. The residual has a
// bound on the violations if bound is true.
type Checked[T kernel.Float] interface {
	// Norm returns ||M||_F.
	Norm() float64

	// Transform finds the weights of least error, or of least divergence. Feasible and SumToOne depend on no w.
	Transform(over func() bool, v, w kernel.Matrix[T], by core.Weighing) (weights kernel.Matrix[T], s core.Weighed, e core.Residual, bound bool)

	// Multiply returns W Mᵀ.
	Multiply(w kernel.Matrix[T]) kernel.Matrix[T]
}

// Columns gives the columns of a Checked M to the members of a team. A member overwrites the slices of its last call.
type Columns[T kernel.Float] interface {
	// Memory returns the arena of what is made of the columns.
	Memory() *arena.Arena

	// Lines returns column j, which has at most that many entries. Only parts of columns may count if partial is true.
	Lines(members int) (entries int, partial bool, line func(member, j int) poisson.Line[T])

	// Panels calls settle for columns first to last-1, one or more at a time: with the number of the
	// first one, with Vᵀ M for them, and with their norms and their normal equations. vt is Vᵀ.
	Panels(members int, v, vt kernel.Matrix[T]) func(member, first, last int, settle func(j int, c kernel.Matrix[T], norms []float64, n hals.Normal[T]))

	// Product sets dst to W times rows i0, i0+1, ... of M, as columns.
	Product(w kernel.Matrix[T]) func(dst kernel.Matrix[T], i0 int)

	// Residual measures M - V W, by about that many entries of a tile of V W if M is sparse.
	Residual(t *team.Team, v, w kernel.Matrix[T], entries float64) (e core.Residual, bound bool)
}

// checked implements Checked.
type checked[T kernel.Float] struct {
	Columns[T]
	rows, cols int
	norm       float64
	threads    int
}

// New returns the rows x cols matrix with these columns and this norm.
func New[T kernel.Float](of Columns[T], rows, cols int, norm float64, threads int) Checked[T] {
	return &checked[T]{of, rows, cols, norm, threads}
}

func (x *checked[T]) Norm() float64 { return x.norm }

func (x *checked[T]) Transform(over func() bool, v, w kernel.Matrix[T], by core.Weighing) (weights kernel.Matrix[T], s core.Weighed, e core.Residual, bound bool) {
	t, a := team.New(x.threads), x.Memory()
	defer t.Close()
	weights = arena.Packed[T](a, v.Cols, x.cols)
	vt := arena.Matrix[T](a, v.Cols, v.Rows)
	if !a.Dry() {
		vt.SetTransposed(v)
	}
	switch {
	case by.Divergence:
		if w.Data != nil {
			matrix.CopyRows(weights, w)
		}
		entries, _, line := x.Lines(t.Size())
		s = poisson.FoldIn(a, t, over, vt, weights, w.Data != nil, by, entries, line)
	case by.Feasible:
		s = x.feasible(t, over, vt, weights)
	default:
		settled, panel := make([]core.Weighed, panels(x.cols)), x.Panels(t.Size(), v, vt)
		x.each(t, len(settled), func(member, task int) {
			if over() {
				return
			}
			first := task * hals.ColumnsPerPanel
			panel(member, first, min(first+hals.ColumnsPerPanel, x.cols), func(j int, c kernel.Matrix[T], norms []float64, n hals.Normal[T]) {
				settled[task] = settled[task].Plus(hals.Settle(over, by, weights, w, j, c, norms, n))
			})
		})
		s = sum(settled)
	}
	most := math.Inf(1)
	if !by.Feasible { // the residual costs no more than the steps did
		most = float64(s.Iterations) * float64(v.Cols) * float64(x.cols)
	}
	e, bound = x.Residual(t, v, weights, most)
	return weights, s, e, bound
}

// each does the tasks of a team, unless the memory is that of an estimate.
func (x *checked[T]) each(t *team.Team, tasks int, work func(member, task int)) {
	if !x.Memory().Dry() {
		t.Run(tasks, work)
	}
}

// feasible sets the weights to those of least error with V W <= M.
func (x *checked[T]) feasible(t *team.Team, over func() bool, vt, weights kernel.Matrix[T]) core.Weighed {
	_, partial, line := x.Lines(t.Size())
	step, scratch, parts := exact.New(x.Memory(), vt, t.Size(), partial, over), make([][]T, t.Size()), make([]exact.Part, t.Size())
	found := make([]core.Weighed, t.Size())
	x.each(t, x.cols, func(member, j int) {
		if over() {
			return
		}
		m, part := vectorOf(line(member, j), x.rows, &scratch[member], &parts[member])
		if kkt, done := step.Solve(member, weights, j, m, part); done {
			found[member] = found[member].Plus(core.Weighed{KKT: kkt, Finished: 1})
		}
	})
	return sum(found)
}

func sum(found []core.Weighed) (s core.Weighed) {
	for _, x := range found {
		s = s.Plus(x)
	}
	return s
}

// vectorOf returns a column of so many rows, perhaps in room, and the part of it that counts, in the memory of p.
func vectorOf[T kernel.Float](m poisson.Line[T], rows int, room *[]T, p *exact.Part) ([]T, exact.Part) {
	if len(m.M) < rows {
		*room = append((*room)[:0], make([]T, rows)...)
		for t, i := range m.Positions {
			(*room)[i] = m.M[t]
		}
		m.M = *room
	}
	p.Take, p.Root = p.Take[:0], p.Root[:0]
	weighted := false
	for i, u := range m.Weights {
		if u > 0 {
			p.Take, p.Root = append(p.Take, i), append(p.Root, math.Sqrt(float64(u)))
			weighted = weighted || u != 1
		}
	}
	if weighted {
		return m.M, *p
	}
	return m.M, exact.Part{Take: p.Take}
}

func (x *checked[T]) Multiply(w kernel.Matrix[T]) kernel.Matrix[T] {
	t := team.New(x.threads)
	defer t.Close()
	product, multiply := kernel.NewMatrix[T](w.Rows, x.rows), x.Product(w)
	t.Run(panels(x.rows), func(_, task int) {
		i0 := task * hals.ColumnsPerPanel
		multiply(matrix.View(product, i0, min(i0+hals.ColumnsPerPanel, x.rows)), i0)
	})
	return product
}

// panels returns the number of panels of so many columns.
func panels(cols int) int { return (cols + hals.ColumnsPerPanel - 1) / hals.ColumnsPerPanel }
