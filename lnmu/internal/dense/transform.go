package dense

import (
	"math"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/exact"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/observed"
)

// Weighing says how the weights of new columns are found.
type Weighing struct {
	Feasible   bool    // V W <= M, exactly
	Iterations int     // else at most so many sweeps over a column,
	Tolerance  float64 // until its KKT residual is at most that
	Threads    int
}

// found are the weights of new columns.
type found[T kernel.Float] struct {
	W          kernel.Matrix[T]
	Iterations int     // the most sweeps that a column took
	KKT        float64 // the largest KKT residual of a column
	Finished   int     // number of columns that were found
}

// Measure returns the residual of V and W, the α that minimises ||M - α V W||, which is not a
// finite number if V W = 0, and the residual of α V W.
func (m Source[T]) Measure(v, w kernel.Matrix[T], threads int) (e core.Residual, alpha float64, scaled core.Residual) {
	t := team.New(threads)
	defer t.Close()
	s := m.reopen(v, w, t)
	e = s.Residual(0, false)
	if alpha = s.fit(); math.IsNaN(alpha) || math.IsInf(alpha, 0) {
		return e, alpha, scaled
	}
	for i := range s.short.Data {
		s.short.Data[i] *= T(alpha)
	}
	return e, alpha, s.Residual(0, false)
}

// Transform finds weights for the columns of m given a basis, from the start w, or from 0 if
// w is the zero matrix, and returns them with their residual.
func (m Source[T]) Transform(over func() bool, v, w kernel.Matrix[T], opt Weighing) (found[T], core.Residual) {
	t := team.New(opt.Threads)
	defer t.Close()
	vt := kernel.NewMatrix[T](v.Cols, v.Rows)
	matrix.Transpose(vt, v)
	part := m.cells(true).Copied()
	res := found[T]{W: matrix.New[T](v.Cols, m.Cols, nil)}
	if opt.Feasible {
		res.exact(over, t, vt, m, part)
	} else {
		res.sweep(over, t, vt, w, m, part, opt)
	}
	return res, m.reopen(v, res.W, t).Residual(0, false)
}

// exact sets W by an exact step.
func (res *found[T]) exact(over func() bool, t *team.Team, vt kernel.Matrix[T], m Source[T], part observed.Cells[T]) {
	step, of := exact.New(vt, t.Size(), over), part.Line(vt, kernel.Matrix[T]{}, nil, true)
	scratch, worst, finished := kernel.NewMatrix[T](t.Size(), m.Rows), make([]float64, t.Size()), make([]int, t.Size())
	t.Run(m.Cols, func(member, j int) {
		if over() {
			return
		}
		if kkt, done := step.Solve(member, res.W, j, m.column(j, scratch.Row(member)), partOf(of, m.Rows, j)); done {
			worst[member] = max(worst[member], kkt)
			finished[member]++
		}
	})
	for member, kkt := range worst {
		res.KKT = max(res.KKT, kkt)
		res.Finished += finished[member]
	}
}

const (
	columnsPerTask = 64 // columns that are swept side by side
	sweepsPerCheck = 10 // sweeps between two looks at the KKT residuals
)

// sweep sets W by HALS sweeps given D = Vᵀ V and C = Vᵀ M. A column that is done
// makes room for the last one of its panel: what a sweep does to a column does
// not depend on its place.
//
// A column that is incomplete has a D of its own, and is a panel of its own.
func (res *found[T]) sweep(over func() bool, t *team.Team, vt, start kernel.Matrix[T], m Source[T], part observed.Cells[T], opt Weighing) {
	r, n := vt.Rows, m.Cols
	whole, wholeInv := kernel.NewMatrix[T](r, r), make([]T, r)
	kernel.Gram(whole, vt)
	kernel.Reciprocals(wholeInv, whole)
	of := part.Line(vt, whole, wholeInv, true)
	panels := (n + columnsPerTask - 1) / columnsPerTask
	iterations, finished, worst := make([]int, panels), make([]int, panels), make([]float64, panels)
	solve := func(task, j0 int, x, d kernel.Matrix[T], inv []T) {
		left := x.Rows
		length := make([]float64, r) // of the columns of V
		for k := range length {
			length[k] = math.Sqrt(float64(d.Row(k)[k]))
		}
		c, w := kernel.NewMatrix[T](r, left), kernel.NewMatrix[T](r, left)
		norm := make([]float64, left)
		place := make([]int, left)
		for j := range place {
			norm[j] = math.Sqrt(of.Weigh(x.Row(j), j0+j))
			place[j] = j0 + j
			for k := range r {
				if start.Data != nil && inv[k] > 0 {
					w.Row(k)[j] = start.At(k, place[j])
				}
			}
		}
		kernel.Contract(c, x, vt)
		for it := 0; left > 0 && !over(); it++ {
			for j := left - 1; j >= 0 && (it%sweepsPerCheck == 0 || it == opt.Iterations); j-- {
				kkt := residualKKT(c, w, d, length, norm[j], j)
				if kkt > opt.Tolerance && it < opt.Iterations {
					continue
				}
				worst[task], iterations[task] = max(worst[task], kkt), max(iterations[task], it)
				finished[task]++
				left--
				for k := range r {
					res.W.Row(k)[place[j]] = w.Row(k)[j]
					w.Row(k)[j], c.Row(k)[j] = w.Row(k)[left], c.Row(k)[left]
				}
				norm[j], place[j] = norm[left], place[left]
			}
			kernel.Sweep(w.Slice(0, r, 0, left), c.Slice(0, r, 0, left), d, inv, 0, kernel.Matrix[T]{})
		}
	}
	t.Run(panels, func(_, task int) {
		if over() {
			return
		}
		j0 := task * columnsPerTask
		x := kernel.NewMatrix[T](min(columnsPerTask, n-j0), m.Rows) // the columns, as rows
		m.columns(x, j0)
		if !part.Incomplete() {
			solve(task, j0, x, whole, wholeInv)
			return
		}
		grams := observed.NewGrams[T](r, m.Rows)
		for j := range x.Rows {
			d, inv := grams.Of(of, j0+j)
			solve(task, j0+j, x.Slice(j, j+1, 0, x.Cols), d, inv)
		}
	})
	for task := range panels {
		res.Iterations = max(res.Iterations, iterations[task])
		res.KKT = max(res.KKT, worst[task])
		res.Finished += finished[task]
	}
}

// residualKKT returns the KKT residual of column j of W.
func residualKKT[T kernel.Float](c, w, d kernel.Matrix[T], length []float64, norm float64, j int) float64 {
	if norm == 0 {
		norm = 1
	}
	var worst float64
	for k := range length {
		if length[k] == 0 {
			continue
		}
		grad := -float64(c.Row(k)[j])
		for l, x := range d.Row(k) {
			grad = math.FMA(float64(x), float64(w.Row(l)[j]), grad)
		}
		worst = max(worst, math.Abs(min(float64(w.Row(k)[j])*length[k]/norm, grad/length[k]/norm)))
	}
	return worst
}
