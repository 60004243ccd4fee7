package sparse

import (
	"nmu/kernel"
	"nmu/lnmu/internal/group"
	"nmu/lnmu/internal/matrix"
	"nmu/lnmu/internal/tiles"
)

// boundRows is the number of rows of V W that one bound covers.
const boundRows = 64

// leastOnZeros returns the least entry of E = M - V W on the zeros of M, or least if that is less.
// It forms V W only where a bound on boundRows rows of it exceeds what was found so far:
//
//	                                                        v_i·w_j <= t·w_j
//	rows of V    v_1 ... v_64   t = (max v_i1, ..., max v_ir)
//
// The bound holds also for rounded numbers, since kernel.Product adds up the terms of both in the
// same order. done is false if a slab of rows would form more than its share of most entries of
// V W, or when over.
func (e *measurement[T]) leastOnZeros(least, most float64, over func() bool) (_ float64, done bool) {
	slabs := e.m.Slabs()
	rows, _ := e.m.Dims()
	v, w := e.m.ForRows(e.v, e.w)
	vt := matrix.Transposed(v)
	members := make([]*zeroSearch[T], e.Size())
	for i := range members {
		members[i] = newZeroSearch(v, vt, w)
	}
	found := make([]onZeros, len(slabs)-1)
	e.overSlabs(func(member, slab int) {
		first, last := slabs[slab], slabs[slab+1]
		left := most * float64(last-first) / float64(rows)
		found[slab] = onZeros{least: least, unfinished: true}
		if over() || e.err() != nil {
			return
		}
		m, top, err := e.m.Rows(first, last)
		if err != nil {
			e.fail(err)
			return
		}
		x := members[member]
		x.m, x.top, x.largest, x.left = m, top, T(-least), left
		for i := first; i < last && !over(); i += matrix.TileRows * boundRows {
			x.rows(i, min(i+matrix.TileRows*boundRows, last))
		}
		found[slab] = onZeros{least: -float64(x.largest), unfinished: x.left < 0}
	})
	all := group.Sum(e.m.Among(), found, onZeros.plus)
	return all.least, !all.unfinished && !over()
}

// onZeros is what was found in some slabs.
type onZeros struct {
	least      float64
	unfinished bool
}

func (a onZeros) plus(b onZeros) onZeros {
	return onZeros{min(a.least, b.least), a.unfinished || b.unfinished}
}

// zeroSearch is the search of a member of the team in some rows of M.
type zeroSearch[T kernel.Float] struct {
	v, vt, w kernel.Matrix[T]
	m        tiles.CSR[T] // has the rows, from row top of V on
	top      int
	largest  T       // entry of V W on a zero so far
	left     float64 // how many entries of V W may still be formed

	tops    kernel.Matrix[T] // the vectors t of TileRows times boundRows rows, as columns
	bounds  kernel.Matrix[T] // t·w_j for the columns of a tile
	columns []int32          // of the tile whose bound exceeds largest
	place   []int32          // of each column of the tile among these, or -1
	part    kernel.Matrix[T] // these columns of W
	product kernel.Matrix[T] // V W there
	at      []int            // the next stored entry of each row
}

func newZeroSearch[T kernel.Float](v, vt, w kernel.Matrix[T]) *zeroSearch[T] {
	width := min(matrix.TileCols, w.Cols)
	return &zeroSearch[T]{
		v: v, vt: vt, w: w,
		tops:    kernel.NewMatrix[T](w.Rows, matrix.TileRows),
		bounds:  kernel.NewMatrix[T](matrix.TileRows, width),
		columns: make([]int32, 0, width),
		place:   make([]int32, width),
		part:    kernel.NewMatrix[T](w.Rows, width),
		product: kernel.NewMatrix[T](matrix.TileRows, width),
		at:      make([]int, matrix.TileRows*boundRows),
	}
}

// rows searches rows i0 to i1-1, at most TileRows times boundRows, unless no entry is left.
func (x *zeroSearch[T]) rows(i0, i1 int) {
	parts := (i1 - i0 + boundRows - 1) / boundRows
	clear(x.tops.Data)
	for i := i0; i < i1; i++ {
		for k, y := range x.v.Row(i) {
			t := &x.tops.Row(k)[(i-i0)/boundRows]
			*t = max(*t, y)
		}
	}
	copy(x.at, x.m.Ptr[i0-x.top:i1-x.top])
	for j := 0; j < x.w.Cols && x.left >= 0; j += matrix.TileCols {
		to := min(j+matrix.TileCols, x.w.Cols)
		x.left -= float64(parts * (to - j))
		kernel.Product(x.bounds.Slice(0, parts, 0, to-j), matrix.View(x.tops, 0, parts), matrix.View(x.w, j, to))
		for part := range parts {
			x.choose(part, j, to)
			if len(x.columns) > 0 {
				first := i0 + part*boundRows
				x.form(first, min(first+boundRows, i1), first-i0, j, to)
			}
		}
	}
}

// choose finds the columns j0 to j1-1 whose bound exceeds the largest entry so far.
func (x *zeroSearch[T]) choose(part, j0, j1 int) {
	x.columns = x.columns[:0]
	for k, bound := range x.bounds.Row(part)[:j1-j0] {
		x.place[k] = -1
		if bound > x.largest {
			x.place[k] = int32(len(x.columns))
			x.columns = append(x.columns, int32(k))
		}
	}
	for k := range x.w.Rows {
		from, to := x.w.Row(k)[j0:j1], x.part.Row(k)
		for c, j := range x.columns {
			to[c] = from[j]
		}
	}
}

// form forms V W in rows i0 to i1-1 and the chosen ones of columns j0 to j1-1. at is that of row i0.
func (x *zeroSearch[T]) form(i0, i1, at, j0, j1 int) {
	x.left -= float64((i1 - i0) * len(x.columns))
	for i := i0; i < i1; i += matrix.TileRows {
		end := min(i+matrix.TileRows, i1)
		p := x.product.Slice(0, end-i, 0, len(x.columns))
		kernel.Product(p, matrix.View(x.vt, i, end), matrix.View(x.part, 0, len(x.columns)))
		for r := range end - i {
			row, t := p.Row(r), &x.at[at+i-i0+r]
			for ; *t < x.m.Ptr[i-x.top+r+1] && int(x.m.Idx[*t]) < j1; *t++ {
				if j := int(x.m.Idx[*t]) - j0; j >= 0 && x.place[j] >= 0 {
					row[x.place[j]] = 0
				}
			}
			x.largest = max(x.largest, kernel.Max(row))
		}
	}
}
