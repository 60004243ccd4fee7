package dense

import (
	"math"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/exact"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
	"nmu/lnmu/internal/poisson"
	"nmu/lnmu/internal/source"
)

// found are the weights of new columns.
type found[T kernel.Float] struct {
	W kernel.Matrix[T]
	hals.Settled
}

// Transform implements source.Checked.
func (x *checked[T]) Transform(over func() bool, v, w kernel.Matrix[T], feasible bool, end hals.Ending) (kernel.Matrix[T], hals.Settled, core.Residual, bool) {
	t := team.New(x.threads)
	defer t.Close()
	m, vt := x.m, kernel.NewMatrix[T](v.Cols, v.Rows)
	matrix.Transpose(vt, v)
	res := found[T]{W: matrix.New[T](v.Cols, m.Cols, nil)}
	if feasible {
		res.exact(over, t, vt, m)
	} else {
		res.sweep(over, t, vt, w, m, end)
	}
	return res.W, res.Settled, reopen(m, v, res.W, t).Residual(0, false), false
}

// FoldIn implements source.Checked.
func (x *checked[T]) FoldIn(over func() bool, v, w kernel.Matrix[T], end poisson.Ending) (kernel.Matrix[T], poisson.Folded, core.Residual, bool) {
	t := team.New(x.threads)
	defer t.Close()
	m := x.m
	weights := matrix.New[T](v.Cols, m.Cols, nil)
	if w.Data != nil {
		matrix.CopyRows(weights, w)
	}
	of := observedColumns(m, kernel.Matrix[T]{}, kernel.Matrix[T]{}, nil)
	entries, u := kernel.NewMatrix[T](t.Size(), m.Rows), kernel.NewMatrix[T](t.Size(), m.Rows)
	s := poisson.FoldIn(t, over, matrix.Transposed(v), weights, w.Data != nil, end, m.Rows, func(member, j int) poisson.Line[T] {
		x := poisson.Line[T]{M: m.Column(j, entries.Row(member))}
		if m.Observed.Incomplete() {
			x.Weights = u.Row(member)
			setWeights(x.Weights, of, j)
		}
		return x
	})
	return weights, s, reopen(m, v, weights, t).Residual(0, false), false
}

// observedColumns returns what the Gram matrices of the columns of M depend on, given Vᵀ, that of all its
// columns and the reciprocals of its diagonal.
func observedColumns[T kernel.Float](m source.Dense[T], vt, whole kernel.Matrix[T], inv []T) observed.Line[T] {
	return m.Observed.Line(vt, whole, inv, m.Tall())
}

// exact sets W by an exact step.
func (res *found[T]) exact(over func() bool, t *team.Team, vt kernel.Matrix[T], m source.Dense[T]) {
	step, of := exact.New(vt, t.Size(), over), observedColumns(m, vt, kernel.Matrix[T]{}, nil)
	parts := make([]exact.Part, t.Size())
	scratch, worst, finished := kernel.NewMatrix[T](t.Size(), m.Rows), make([]float64, t.Size()), make([]int, t.Size())
	t.Run(m.Cols, func(member, j int) {
		if over() {
			return
		}
		if kkt, done := step.Solve(member, res.W, j, m.Column(j, scratch.Row(member)), partOf(&parts[member], of, m.Rows, j)); done {
			worst[member] = max(worst[member], kkt)
			finished[member]++
		}
	})
	for member, kkt := range worst {
		res.KKT = max(res.KKT, kkt)
		res.Finished += finished[member]
	}
}

// columnsRoom is the memory of one member of a team for a panel of columns.
type columnsRoom[T kernel.Float] struct {
	x     kernel.Matrix[T] // the columns, as rows
	grams *grams[T]        // of incomplete ones
}

// sweep sets W by HALS sweeps, or by quadratic programs if its columns have the sum 1, given
// D = Vᵀ V and C = Vᵀ M.
//
// An incomplete column has its own D and its own panel.
func (res *found[T]) sweep(over func() bool, t *team.Team, vt, start kernel.Matrix[T], m source.Dense[T], end hals.Ending) {
	r, n := vt.Rows, m.Cols
	whole := hals.NewNormal(vt)
	of := observedColumns(m, vt, whole.D, whole.Inv)
	panels := (n + hals.ColumnsPerPanel - 1) / hals.ColumnsPerPanel
	settled, rooms := make([]hals.Settled, panels), make([]columnsRoom[T], t.Size())
	solve := func(task, j0 int, x kernel.Matrix[T], normal hals.Normal[T]) {
		norms := make([]float64, x.Rows)
		for j := range norms {
			norms[j] = math.Sqrt(of.Weigh(x.Row(j), j0+j))
		}
		c := kernel.NewMatrix[T](r, x.Rows)
		kernel.Contract(c, x, vt)
		settled[task] = settled[task].Plus(hals.Settle(over, end, res.W, start, j0, c, norms, normal))
	}
	t.Run(panels, func(member, task int) {
		if over() {
			return
		}
		room := &rooms[member]
		if room.x.Data == nil {
			room.x = kernel.NewMatrix[T](min(hals.ColumnsPerPanel, n), m.Rows)
			if m.Observed.Incomplete() {
				room.grams = newGrams[T](r, m.Rows)
			}
		}
		j0 := task * hals.ColumnsPerPanel
		x := room.x.Slice(0, min(hals.ColumnsPerPanel, n-j0), 0, m.Rows)
		m.Columns(x, j0)
		if !m.Observed.Incomplete() {
			solve(task, j0, x, whole)
			return
		}
		for j := range x.Rows {
			d, inv := room.grams.of(of, j0+j, 0)
			solve(task, j0+j, x.Slice(j, j+1, 0, x.Cols), hals.Normal[T]{D: d, Inv: inv})
		}
	})
	for _, s := range settled {
		res.Settled = res.Settled.Plus(s)
	}
}

// Multiply implements source.Checked.
func (x *checked[T]) Multiply(w kernel.Matrix[T]) kernel.Matrix[T] {
	t := team.New(x.threads)
	defer t.Close()
	turned := x.m
	turned.Rows, turned.Cols, turned.ByColumns = x.m.Cols, x.m.Rows, !x.m.ByColumns
	product := kernel.NewMatrix[T](w.Rows, x.m.Rows)
	t.Run((x.m.Rows+hals.ColumnsPerPanel-1)/hals.ColumnsPerPanel, func(_, task int) {
		i0 := task * hals.ColumnsPerPanel
		rows := kernel.NewMatrix[T](min(hals.ColumnsPerPanel, x.m.Rows-i0), x.m.Cols)
		turned.Columns(rows, i0)
		kernel.Contract(product.Slice(0, w.Rows, i0, i0+rows.Rows), rows, w)
	})
	return product
}
