package sparse

import (
	"math"
	"unsafe"

	"nmu/internal/memory"
	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/poisson"
	"nmu/lnmu/internal/tiles"
	"nmu/lnmu/internal/weighing"
)

// columns implements weighing.Columns by the stored entries of M. The weights have the same bits as for a dense
// M, and so have the products.
type columns[T kernel.Float] struct {
	tiles.CSR[T]
	arena   *arena.Arena // nil, or that of an estimate,
	entries int          // with so many entries
}

// Check returns a matrix in memory, which is well-formed, or an error about its squares.
func Check[T kernel.Float](m tiles.CSR[T], threads int) (weighing.Checked[T], error) {
	norm, _, err := m.Norm("M")
	return weighing.New(columns[T]{CSR: m}, m.Rows, m.Cols, norm, threads), err
}

// Memory implements weighing.Columns.
func (m columns[T]) Memory() *arena.Arena { return m.arena }

// ReserveTransform takes from an arena what Check, Transform and FoldIn take for a rows x cols matrix in memory with so many
// entries and a basis of that rank, beside both.
func ReserveTransform[T kernel.Float](a *arena.Arena, rows, cols, entries, rank int, by core.Weighing) {
	m := columns[T]{tiles.CSR[T]{Rows: rows, Cols: cols}, a, entries}
	weighing.New(m, rows, cols, 0, by.Threads).Transform(nil, kernel.Matrix[T]{Rows: rows, Cols: rank}, kernel.Matrix[T]{}, by)
}

// Lines implements weighing.Columns.
func (m columns[T]) Lines(members int) (entries int, partial bool, line func(member, j int) poisson.Line[T]) {
	if m.arena.Dry() { // with all entries of a line for each member
		tiles.NewCSR[T](m.arena, m.Cols, m.Rows, m.entries)
		arena.Slice[T](m.arena, members*m.Rows)
		return m.Rows, false, nil
	}
	columns := m.Transposed()
	return columns.Longest(), false, func(_, j int) poisson.Line[T] {
		first, last := columns.Ptr[j], columns.Ptr[j+1]
		return poisson.Line[T]{Positions: columns.Idx[first:last:last], M: columns.Val[first:last]}
	}
}

// Panels implements weighing.Columns.
func (m columns[T]) Panels(members int, v, vt kernel.Matrix[T]) func(member, first, last int, settle func(j int, c kernel.Matrix[T], norms []float64, n hals.Normal[T])) {
	if a := m.arena; a.Dry() {
		panel, lanes := min(hals.ColumnsPerPanel, max(1, m.Cols)), productBytes/int(unsafe.Sizeof(T(0)))
		tiles.NewCSR[T](a, m.Cols, m.Rows, m.entries)
		a.Times(min(members, (m.Cols+panel-1)/panel), func() {
			tiles.NewCSR[T](a, panel*lanes, m.Rows, 2*panel*(m.entries/max(1, m.Cols)+1)) // some have twice as many as others
			arena.Matrix[T](a, panel*lanes, vt.Rows)
			arena.Slice[T](a, 3*panel*(vt.Rows+4)) // of hals.Settle, with the products and norms
		})
		return nil
	}
	columns, normal := m.Transposed(), hals.NewNormal(vt)
	return func(_, first, last int, settle func(j int, c kernel.Matrix[T], norms []float64, n hals.Normal[T])) {
		c, norms := panelOf(columns, v, first, last)
		settle(first, c, norms, normal)
	}
}

// Product implements weighing.Columns.
func (m columns[T]) Product(w kernel.Matrix[T]) func(dst kernel.Matrix[T], i0 int) {
	wt := w.Transposed()
	return func(dst kernel.Matrix[T], i0 int) {
		c, _ := panelOf(m.CSR, wt, i0, i0+dst.Cols)
		matrix.CopyRows(dst, c)
	}
}

// Residual implements weighing.Columns, as measurement.sums.
func (m columns[T]) Residual(t *team.Team, v, w kernel.Matrix[T], most float64) (sum core.Residual, bound bool) {
	if a := m.arena; a.Dry() {
		a.Collect(float64(unsafe.Sizeof(T(0))) * float64(w.Rows) * float64(w.Cols))
		in := tiles.Outline[T](a, m.Rows, m.Cols, m.entries, m.Cols > m.Rows)
		in.Tile(tiles.Form{Rank: v.Cols})
		newSolver(tiles.NewLayout(in.Tiles, tiles.Form{}, t), v.Cols, false)
		newProductNorm[T](a, m.Rows, m.Cols, v.Cols)
		return sum, false
	}
	memory.Collect(int64(len(m.Val)) * int64(unsafe.Sizeof(T(0)))) // the columns that the weights came from
	part := core.Part{Whole: max(m.Rows, m.Cols), Columns: m.Cols > m.Rows}
	e := &measurement[T]{Team: t, m: tiles.Redistribute(group.Self{}, m.Rows, m.Cols, part, m.CSR, false), v: v, w: w}
	sum, exact := e.sums(most, never)
	return sum, !exact
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
