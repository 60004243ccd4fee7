package sparse

import (
	"math"
	"unsafe"

	"nmu/internal/memory"
	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/exact"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/poisson"
	"nmu/lnmu/internal/tiles"
)

// Transform implements source.Checked. It uses the stored entries of M. The weights have the same
// bits as for a dense M. The residual costs no more than the sweeps did.
func (x *checked[T]) Transform(over func() bool, v, w kernel.Matrix[T], feasible bool, end hals.Ending) (weights kernel.Matrix[T], s hals.Settled, e core.Residual, bound bool) {
	t := team.New(x.threads)
	defer t.Close()
	m := x.m
	if feasible {
		weights, s = transformFeasible(t, over, m, v)
		e, _ = residualOf(t, m, v, weights, math.Inf(1))
		return weights, s, e, false
	}
	weights = matrix.New[T](v.Cols, m.Cols, nil)
	normal := hals.NewNormal(matrix.Transposed(v))
	columns := m.Transposed()
	panels := (m.Cols + hals.ColumnsPerPanel - 1) / hals.ColumnsPerPanel
	settled := make([]hals.Settled, panels)
	t.Run(panels, func(_, task int) {
		if over() {
			return
		}
		first := task * hals.ColumnsPerPanel
		c, norms := panelOf(columns, v, first, min(first+hals.ColumnsPerPanel, m.Cols))
		settled[task] = hals.Settle(over, end, weights, w, first, c, norms, normal)
	})
	for _, x := range settled {
		s = s.Plus(x)
	}
	sweeps := float64(s.Iterations) * float64(v.Cols) * float64(m.Cols) // in entries of a tile of V W
	e, bound = residualOf(t, m, v, weights, sweeps)
	return weights, s, e, bound
}

// transformFeasible finds the exact weights with V W <= M. Its time grows with the zeros of M,
// which are constraints, but its memory does not.
func transformFeasible[T kernel.Float](t *team.Team, over func() bool, m tiles.CSR[T], v kernel.Matrix[T]) (weights kernel.Matrix[T], s hals.Settled) {
	weights = matrix.New[T](v.Cols, m.Cols, nil)
	step, columns := exact.New(matrix.Transposed(v), t.Size(), over), m.Transposed()
	settled, scratch := make([]hals.Settled, t.Size()), kernel.NewMatrix[T](t.Size(), m.Rows)
	t.Run(m.Cols, func(member, j int) {
		x := scratch.Row(member)
		clear(x)
		for at := columns.Ptr[j]; at < columns.Ptr[j+1]; at++ {
			x[columns.Idx[at]] = columns.Val[at]
		}
		if kkt, done := step.Solve(member, weights, j, x, exact.Part{}); done {
			settled[member] = settled[member].Plus(hals.Settled{KKT: kkt, Finished: 1})
		}
	})
	for _, x := range settled {
		s = s.Plus(x)
	}
	return weights, s
}

// FoldIn implements source.Checked.
func (x *checked[T]) FoldIn(over func() bool, v, w kernel.Matrix[T], end poisson.Ending) (weights kernel.Matrix[T], s poisson.Folded, e core.Residual, bound bool) {
	t := team.New(x.threads)
	defer t.Close()
	m := x.m
	weights = matrix.New[T](v.Cols, m.Cols, nil)
	if w.Data != nil {
		matrix.CopyRows(weights, w)
	}
	columns := m.Transposed()
	s = poisson.FoldIn(t, over, matrix.Transposed(v), weights, w.Data != nil, end, columns.Longest(), func(_, j int) poisson.Line[T] {
		first, last := columns.Ptr[j], columns.Ptr[j+1]
		return poisson.Line[T]{Positions: columns.Idx[first:last:last], M: columns.Val[first:last]}
	})
	e, bound = residualOf(t, m, v, weights, float64(s.Iterations)*float64(v.Cols)*float64(m.Cols))
	return weights, s, e, bound
}

// Multiply implements source.Checked. The product has the bits of that for a dense M.
func (x *checked[T]) Multiply(w kernel.Matrix[T]) kernel.Matrix[T] {
	t := team.New(x.threads)
	defer t.Close()
	product, wt := kernel.NewMatrix[T](w.Rows, x.m.Rows), matrix.Transposed(w)
	t.Run((x.m.Rows+hals.ColumnsPerPanel-1)/hals.ColumnsPerPanel, func(_, task int) {
		i0 := task * hals.ColumnsPerPanel
		c, _ := panelOf(x.m, wt, i0, min(i0+hals.ColumnsPerPanel, x.m.Rows))
		matrix.CopyRows(product.Slice(0, w.Rows, i0, i0+c.Cols), c)
	})
	return product
}

const (
	productBytes = 64  // lanes of kernel.Contract
	squareBytes  = 128 // lanes of kernel.SumSquares
)

// panelOf returns Vᵀ M for columns [j0, j1) of M, which are rows of columns, and their norms,
// with the bits that kernel.Contract and kernel.SumSquares have for dense columns: an entry that
// is not stored adds +0 to its lane, so each lane is the sum of its stored entries.
func panelOf[T kernel.Float](columns tiles.CSR[T], v kernel.Matrix[T], j0, j1 int) (c kernel.Matrix[T], norms []float64) {
	size := int(unsafe.Sizeof(T(0)))
	lanes, lanesOfSquares := productBytes/size, squareBytes/size
	from, to := columns.Ptr[j0], columns.Ptr[j1]
	ptr, idx, val := make([]int, (j1-j0)*lanes+1), make([]int32, to-from), make([]T, to-from)
	norms = make([]float64, j1-j0)
	var aligned []T
	for j := range norms {
		// A counting sort by lanes, in which the rows still increase.
		first, last := columns.Ptr[j0+j], columns.Ptr[j0+j+1]
		ends := ptr[j*lanes : (j+1)*lanes+1]
		for _, i := range columns.Idx[first:last] {
			ends[int(i)%lanes+1]++
		}
		for l := range lanes {
			ends[l+1] += ends[l]
		}
		at := make([]int, lanes)
		copy(at, ends)
		for t := first; t < last; t++ {
			l := int(columns.Idx[t]) % lanes
			idx[at[l]], val[at[l]] = columns.Idx[t], columns.Val[t]
			at[l]++
		}
		norms[j] = math.Sqrt(float64(squares(&aligned, columns.Idx[first:last], columns.Val[first:last], lanesOfSquares)))
	}
	pattern, err := kernel.NewPattern(columns.Cols, ptr, idx)
	if err != nil {
		panic(err) // the rows come from a valid matrix
	}
	sums := kernel.NewMatrix[T](pattern.Rows(), v.Cols)
	kernel.AddSparseProduct(sums, pattern, val, 0, v)
	c = kernel.NewMatrix[T](v.Cols, j1-j0)
	for j := range norms {
		of := sums.Slice(j*lanes, (j+1)*lanes, 0, v.Cols)
		for half := lanes / 2; half > 0; half /= 2 {
			kernel.Add(of.Slice(0, half, 0, v.Cols), of.Slice(half, 2*half, 0, v.Cols))
		}
		for k, x := range of.Row(0) {
			c.Row(k)[j] = x
		}
	}
	return c, norms
}

// squares returns kernel.SumSquares of a column with these entries. It moves each entry up
// within its lane as far as there is room, in the scratch space x, which it lets grow.
func squares[T kernel.Float](x *[]T, rows []int32, val []T, lanes int) T {
	*x = (*x)[:0]
	next := make([]int, lanes)
	for t, i := range rows {
		l := int(i) % lanes
		at := next[l]*lanes + l
		for len(*x) <= at {
			*x = append(*x, 0)
		}
		(*x)[at] = val[t]
		next[l]++
	}
	return kernel.SumSquares(*x)
}

// residualOf returns the residual of V and W, and whether Least is a bound, as measurement.sums.
func residualOf[T kernel.Float](t *team.Team, m tiles.CSR[T], v, w kernel.Matrix[T], most float64) (sum core.Residual, bound bool) {
	memory.Collect(int64(len(m.Val)) * int64(unsafe.Sizeof(T(0)))) // the columns that the weights came from
	part := core.Part{Whole: max(m.Rows, m.Cols), Columns: m.Cols > m.Rows}
	e := &measurement[T]{Team: t, m: tiles.Redistribute(group.Self{}, m.Rows, m.Cols, part, m, false), v: v, w: w}
	sum, exact := e.sums(most, never)
	return sum, !exact
}
