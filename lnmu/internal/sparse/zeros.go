package sparse

import (
	"math"
	"sync/atomic"

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
// same order. done is false if the search is expected to form more than most entries of V W, or
// when over.
func (e *measurement[T]) leastOnZeros(least, most float64, over func() bool) (_ float64, done bool) {
	slabs := e.m.Slabs()
	rows, cols := e.m.Dims()
	v, w := e.m.ForRows(e.v, e.w)
	if float64(rows)*float64(cols)/boundRows+e.mayExceed(v, w, -least) > most {
		return least, false
	}
	vt := v.Transposed()
	var largest atomic.Uint64 // the bits of the largest violation so far; bits of numbers that are not negative have their order
	largest.Store(math.Float64bits(math.Abs(least)))
	members := make([]*zeroSearch[T], e.Size())
	for i := range members {
		members[i] = newZeroSearch(v, vt, w, &largest)
	}
	bands := e.m.Bands(boundRows)
	e.tasks(len(bands)-1, func(member, task int) {
		first, last := slabs[bands[task]], slabs[bands[task+1]]
		m, top, ok := e.rowsOf(first, last, over)
		if !ok {
			return
		}
		x := members[member]
		x.m, x.top = m, top
		for i := first; i < last && !over(); i += matrix.TileRows * boundRows {
			x.rows(i, min(i+matrix.TileRows*boundRows, last))
		}
	})
	least = -math.Float64frombits(largest.Load())
	group.Ring(e.m.Among(), group.Bytes(&least), func() { least = min(least, -math.Float64frombits(largest.Load())) })
	return least, !over()
}

// mayExceed returns how many entries of V W may exceed a number, by the largest entries of each
// column of V and row of W: those of some rows and some columns. V are rows of this process.
func (e *measurement[T]) mayExceed(v, w kernel.Matrix[T], limit float64) float64 {
	ofW := peaks(w)
	ofV := make([]float64, w.Rows+1) // and how many rows may exceed it
	count := &ofV[w.Rows]
	group.Ring(e.m.Among(), group.Memory(ofV), func() {
		for i := range v.Rows {
			var bound float64
			for k, x := range v.Row(i) {
				ofV[k] = max(ofV[k], float64(x))
				bound += float64(float64(x) * ofW[k])
			}
			if bound > limit {
				*count++
			}
		}
	})
	bounds, columns := make([]float64, w.Cols), 0.0
	for k := range w.Rows {
		for j, x := range w.Row(k) {
			bounds[j] += float64(ofV[k] * float64(x))
		}
	}
	for _, bound := range bounds {
		if bound > limit {
			columns++
		}
	}
	return *count * columns
}

// zeroSearch is the search of a member of the team in some rows of M.
type zeroSearch[T kernel.Float] struct {
	v, vt, w kernel.Matrix[T]
	m        tiles.CSR[T] // has the rows, from row top of V on
	top      int
	largest  *atomic.Uint64 // the bits of the largest violation so far, of all members

	tops    kernel.Matrix[T] // the vectors t of TileRows times boundRows rows, as columns
	bounds  kernel.Matrix[T] // t·w_j for the columns of a tile
	columns []int32          // of the tile, whose bound exceeds largest
	place   []int32          // of each column of the tile among these, or -1
	part    kernel.Matrix[T] // these columns of W
	product kernel.Matrix[T] // V W there
	at      []int            // the next stored entry of each row
}

func newZeroSearch[T kernel.Float](v, vt, w kernel.Matrix[T], largest *atomic.Uint64) *zeroSearch[T] {
	width := min(matrix.TileCols, w.Cols)
	return &zeroSearch[T]{
		v: v, vt: vt, w: w, largest: largest,
		tops:    kernel.NewMatrix[T](w.Rows, matrix.TileRows),
		bounds:  kernel.NewMatrix[T](matrix.TileRows, width),
		columns: make([]int32, 0, width),
		place:   make([]int32, width),
		part:    kernel.NewMatrix[T](w.Rows, width),
		product: kernel.NewMatrix[T](matrix.TileRows, width),
		at:      make([]int, matrix.TileRows*boundRows),
	}
}

// rows searches rows i0 to i1-1, at most TileRows times boundRows.
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
	for j := 0; j < x.w.Cols; j += matrix.TileCols {
		to := min(j+matrix.TileCols, x.w.Cols)
		kernel.Product(x.bounds.Slice(0, parts, 0, to-j), matrix.View(x.tops, 0, parts), matrix.View(x.w, j, to))
		for part := range parts {
			if x.choose(part, j, to); len(x.columns) > 0 {
				first := i0 + part*boundRows
				x.form(first, min(first+boundRows, i1), first-i0, j, to)
			}
		}
	}
}

// choose finds those of columns j0 to j1-1 whose bound exceeds the largest violation so far.
func (x *zeroSearch[T]) choose(part, j0, j1 int) {
	x.columns = x.columns[:0]
	largest := T(math.Float64frombits(x.largest.Load()))
	for k, bound := range x.bounds.Row(part)[:j1-j0] {
		x.place[k] = -1
		if bound > largest {
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

// form forms V W in rows i0 to i1-1 and the chosen ones of columns j0 to j1-1, and keeps its largest
// entry. Row i0 has number at.
func (x *zeroSearch[T]) form(i0, i1, at, j0, j1 int) {
	var largest T
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
			largest = max(largest, kernel.Max(row))
		}
	}
	for found := math.Float64bits(float64(largest)); ; {
		if old := x.largest.Load(); found <= old || x.largest.CompareAndSwap(old, found) {
			return
		}
	}
}
