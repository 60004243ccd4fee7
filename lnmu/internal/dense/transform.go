package dense

import (
	"math"

	"nmu/internal/team"
	"nmu/kernel"
	"nmu/lnmu/internal/arena"
	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/hals"
	"nmu/lnmu/internal/observed"
	"nmu/lnmu/internal/poisson"
	"nmu/lnmu/internal/source"
	"nmu/lnmu/internal/weighing"
)

// columns implements weighing.Columns.
type columns[T kernel.Float] struct{ source.Dense[T] }

// Check returns a matrix in memory, or an error about one of its entries. e are those that count.
func Check[T kernel.Float](m source.Given[T], e observed.Entries, threads int) (weighing.Checked[T], error) {
	x := source.Undivided(m).Observe(e, false)
	norm, _, err := x.Norm("M", threads)
	return weighing.New(columns[T]{x}, x.Rows, x.Cols, norm, threads), err
}

// observed returns what the Gram matrices of the columns depend on, given Vᵀ, that of all its columns and the
// reciprocals of its diagonal.
func (m columns[T]) observed(vt, whole kernel.Matrix[T], inv []T) observed.Line[T] {
	return m.Observed.Line(vt, whole, inv, m.Tall())
}

// ReserveTransform takes from an arena what Check, Transform and FoldIn take for a basis of the given rank, beside that and
// the matrix, of which e are the entries that count.
func ReserveTransform[T kernel.Float](a *arena.Arena, m source.Given[T], rank int, e observed.Entries, by core.Weighing) {
	x := source.Undivided(m)
	x.Arena = a
	x = x.Observe(e, false)
	x.Reserve(by.Threads)
	weighing.New(columns[T]{x}, x.Rows, x.Cols, 0, by.Threads).Transform(nil, kernel.Matrix[T]{Rows: x.Rows, Cols: rank}, kernel.Matrix[T]{}, by)
}

// Memory implements weighing.Columns.
func (m columns[T]) Memory() *arena.Arena { return m.Arena }

// Lines implements weighing.Columns.
func (m columns[T]) Lines(members int) (entries int, partial bool, line func(member, j int) poisson.Line[T]) {
	none := kernel.Matrix[T]{}
	of, scratch, weights := m.observed(none, none, nil), arena.Matrix[T](m.Arena, members, m.Rows), none
	partial = m.Observed.Incomplete()
	if partial {
		weights = arena.Matrix[T](m.Arena, members, m.Rows)
	}
	return m.Rows, partial, func(member, j int) poisson.Line[T] {
		x := poisson.Line[T]{M: m.Column(j, scratch.Row(member))}
		if partial {
			x.Weights = weights.Row(member)
			setWeights(x.Weights, of, j)
		}
		return x
	}
}

// columnsRoom is the memory of one member of a team for a panel of columns.
type columnsRoom[T kernel.Float] struct {
	x     kernel.Matrix[T] // the columns, as rows
	grams *grams[T]        // of incomplete ones
}

// Panels implements weighing.Columns. An incomplete column has its own Vᵀ V and its own panel.
func (m columns[T]) Panels(members int, _, vt kernel.Matrix[T]) func(member, first, last int, settle func(j int, c kernel.Matrix[T], norms []float64, n hals.Normal[T])) {
	panel, grams := min(hals.ColumnsPerPanel, m.Cols), func() (g *grams[T]) {
		if m.Observed.Incomplete() {
			g = newGrams[T](m.Arena, vt.Rows, m.Rows)
		}
		return g
	}
	if a := m.Arena; a.Dry() {
		for range min(members, (m.Cols+panel-1)/panel) {
			arena.Matrix[T](a, panel, m.Rows)
			grams()
			arena.Slice[T](a, 3*panel*(vt.Rows+4)) // of hals.Settle, with the products and norms
		}
		return nil
	}
	whole := hals.NewNormal(vt)
	of, rooms := m.observed(vt, whole.D, whole.Inv), make([]columnsRoom[T], members)
	return func(member, first, last int, settle func(j int, c kernel.Matrix[T], norms []float64, n hals.Normal[T])) {
		room := &rooms[member]
		if room.x.Data == nil {
			room.x, room.grams = kernel.NewMatrix[T](panel, m.Rows), grams()
		}
		solve := func(j0, j1 int, n hals.Normal[T]) {
			x := room.x.Slice(j0-first, j1-first, 0, m.Rows)
			norms, c := make([]float64, x.Rows), kernel.NewMatrix[T](vt.Rows, x.Rows)
			for j := range norms {
				norms[j] = math.Sqrt(of.Weigh(x.Row(j), j0+j))
			}
			kernel.Contract(c, x, vt)
			settle(j0, c, norms, n)
		}
		m.Columns(room.x.Slice(0, last-first, 0, m.Rows), first)
		if !m.Observed.Incomplete() {
			solve(first, last, whole)
			return
		}
		for j := first; j < last; j++ {
			d, inv := room.grams.of(of, j, 0)
			solve(j, j+1, hals.Normal[T]{D: d, Inv: inv})
		}
	}
}

// Product implements weighing.Columns.
func (m columns[T]) Product(w kernel.Matrix[T]) func(dst kernel.Matrix[T], i0 int) {
	turned := m.Dense
	turned.Rows, turned.Cols, turned.ByColumns = m.Cols, m.Rows, !m.ByColumns
	return func(dst kernel.Matrix[T], i0 int) {
		rows := kernel.NewMatrix[T](dst.Cols, m.Cols)
		turned.Columns(rows, i0)
		kernel.Contract(dst, rows, w)
	}
}

// Residual implements weighing.Columns.
func (m columns[T]) Residual(t *team.Team, v, w kernel.Matrix[T], _ float64) (e core.Residual, bound bool) {
	_, s := (&Storage[T]{source: m.Dense}).reopened(t, v, w)
	if m.Arena.Dry() {
		return e, false
	}
	return s.Residual(0, false), false
}
