package page

import (
	"cmp"
	"math"
	"slices"

	"nmu/kernel"
	"nmu/lnmu"
)

// Distance is the difference between M and V W, measured on a sample of rows and columns.
type Distance struct {
	rows, cols int   // of M
	is, js     []int // the sampled rows and columns
	scale      float64
	row, col   []gap // of the sampled rows and columns
	heat       heat  // of M - V W, times scale
	columns    []column

	best, middle, worst int // columns by relative error; -1 if M is zero
}

// gap is the difference of a row or a column of M and V W, in sums of squares.
type gap struct {
	left float64 // where V W < M
	over float64 // where V W > M
	all  float64 // of M
}

// relative returns the relative error of the gap.
func (g gap) relative() float64 {
	if g.all == 0 {
		return 0
	}
	return math.Sqrt((g.left + g.over) / g.all)
}

// heat is a matrix shown as a picture.
type heat struct {
	rows, cols int
	data       []float64 // by rows
}

// column is a column of M whose reconstruction is shown.
type column struct {
	j      int
	m      []float64 // its entries in the sampled rows; nil without M
	errors []float64 // relative error with the first 0, 1, ... parts; nil without M
}

// whole says whether the sample is all of M.
func (d *Distance) whole() bool { return len(d.is) == d.rows && len(d.js) == d.cols }

// RelativeError returns the relative error of the sample, and whether the sample is all of M.
func (d *Distance) RelativeError() (e float64, all bool) {
	var sum gap
	for _, g := range d.row {
		sum.left, sum.over, sum.all = sum.left+g.left, sum.over+g.over, sum.all+g.all
	}
	return sum.relative(), d.whole()
}

// Look measures the difference between a dense matrix M and V W. largest is the largest entry
// of M. Look skips entries of M that are NaN or not observed; without a mask all are observed.
// It takes at most 2·10^9 multiply-adds and the memory of a few rows.
func Look[T lnmu.Float](m lnmu.Dense[T], seen *lnmu.Mask, v, w lnmu.Dense[T], largest float64) *Distance {
	d, _ := LookRows(m.Rows, m.Cols, func(i int) ([]T, error) { return m.Row(i), nil }, seen, v, w, largest)
	return d
}

// LookRows is Look for a matrix of which row returns a row, until the next call. Rows are asked for in
// increasing order, twice for up to 2048 columns. An error of row is that of LookRows.
func LookRows[T lnmu.Float](rows, cols int, row func(i int) ([]T, error), seen *lnmu.Mask, v, w lnmu.Dense[T], largest float64) (*Distance, error) {
	var failed error
	d := look(rows, cols, v, w, largest, func(i int, js []int, to []T) {
		if failed != nil {
			return
		}
		var x []T
		if x, failed = row(i); failed != nil {
			return
		}
		for n, j := range js {
			to[n] = x[j]
			if seen != nil && !seen.Observed(i, j) {
				to[n] = T(math.NaN())
			}
		}
	})
	return d, failed
}

// LookSparse is Look for a sparse matrix. Entries that are not stored are missing if missing,
// else zero.
func LookSparse[T lnmu.Float](m lnmu.CSR[T], missing bool, v, w lnmu.Dense[T], largest float64) *Distance {
	absent := T(0)
	if missing {
		absent = T(math.NaN())
	}
	return look(m.Rows, m.Cols, v, w, largest, func(i int, js []int, to []T) {
		for n := range to {
			to[n] = absent
		}
		idx, val := m.Idx[m.Ptr[i]:m.Ptr[i+1]], m.Val[m.Ptr[i]:m.Ptr[i+1]]
		t, _ := slices.BinarySearch(idx, int32(js[0]))
		for n := 0; t < len(idx) && n < len(js); t++ {
			j := int(idx[t])
			for n < len(js) && js[n] < j {
				n++
			}
			if n < len(js) && js[n] == j {
				to[n] = val[t]
			}
		}
	})
}

// LookBytes returns the most memory that looking at a rows x cols matrix takes, beside its rows.
func LookBytes(rows, cols int) int64 {
	is, js := min(rows, mostSide), min(cols, mostSide)
	kept := min(mostKept, mostColumns*is)
	return int64(8*(kept+mostHeatRows*mostHeatCols+blockRows*blockCols) + 48*(is+js))
}

// The size of the blocks in which V W is computed.
const blockRows, blockCols = 64, 2048

func look[T lnmu.Float](rows, cols int, v, w lnmu.Dense[T], largest float64, entries func(i int, js []int, to []T)) *Distance {
	d := &Distance{rows: rows, cols: cols, scale: toOne(largest), best: -1, middle: -1, worst: -1}
	most := mostWork / max(1, v.Cols)
	few := int(math.Sqrt(float64(most)))
	d.is = spread(rows, min(mostSide, max(few, most/cols)))
	d.js = spread(cols, min(mostSide, max(few, most/rows)))
	d.row, d.col = make([]gap, len(d.is)), make([]gap, len(d.js))
	heatRows, heatCols := spread(len(d.is), mostHeatRows), spread(len(d.js), mostHeatCols)
	d.heat = heat{len(heatRows), len(heatCols), make([]float64, len(heatRows)*len(heatCols))}

	b := newBlock[T](v.Cols)
	nextCol := 0 // of the heat map
	for left := 0; left < len(d.js); left += blockCols {
		js := d.js[left:min(left+blockCols, len(d.js))]
		b.setCols(w, js)
		endCol := nextCol
		for endCol < len(heatCols) && heatCols[endCol] < left+len(js) {
			endCol++
		}
		nextRow := 0
		for begin := 0; begin < len(d.is); begin += blockRows {
			is := d.is[begin:min(begin+blockRows, len(d.is))]
			b.setRows(v, is)
			for n, i := range is {
				entries(i, js, b.m)
				product, row := b.product.Row(n), &d.row[begin+n]
				for t := range js {
					d.add(row, &d.col[left+t], float64(b.m[t]), float64(product[t]))
				}
				if nextRow < len(heatRows) && heatRows[nextRow] == begin+n {
					for c := nextCol; c < endCol; c++ {
						t := heatCols[c] - left
						d.heat.data[nextRow*len(heatCols)+c] = d.scale*float64(b.m[t]) - d.scale*float64(product[t])
					}
					nextRow++
				}
			}
		}
		nextCol = endCol
	}
	choose(d, v, w, entries)
	return d
}

// block is a block of V W and a row of M in its columns.
type block[T lnmu.Float] struct {
	vt, w, product lnmu.Dense[T]
	m              []T
}

func newBlock[T lnmu.Float](rank int) *block[T] {
	return &block[T]{
		vt: lnmu.NewDense[T](rank, blockRows, nil), w: lnmu.NewDense[T](rank, blockCols, nil),
		product: lnmu.NewDense[T](blockRows, blockCols, nil), m: make([]T, blockCols),
	}
}

// setCols sets the columns of the block.
func (b *block[T]) setCols(w lnmu.Dense[T], js []int) {
	b.w.Cols, b.product.Cols, b.m = len(js), len(js), b.m[:len(js)]
	for k := range w.Rows {
		from, to := w.Row(k), b.w.Row(k)
		for n, j := range js {
			to[n] = from[j]
		}
	}
}

// setRows sets the rows of the block and computes V W there.
func (b *block[T]) setRows(v lnmu.Dense[T], is []int) {
	b.vt.Cols, b.product.Rows = len(is), len(is)
	for n, i := range is {
		for k, x := range v.Row(i) {
			b.vt.Row(k)[n] = x
		}
	}
	kernel.Product(b.product, b.vt, b.w)
}

// toOne returns a power of two that scales the largest entry of M to near 1, so that squares
// are in the range of float64.
func toOne(largest float64) float64 {
	if !(largest > 0) {
		return 1
	}
	_, e := math.Frexp(largest)
	return math.Ldexp(1, min(-e, 1000))
}

// add adds entry x of M and entry p of V W to the gaps of its row and column.
func (d *Distance) add(row, col *gap, x, p float64) {
	if math.IsNaN(x) {
		return
	}
	x *= d.scale
	r := x - p*d.scale
	square := r * r
	if r > 0 {
		row.left += square
		col.left += square
	} else {
		row.over += square
		col.over += square
	}
	row.all += x * x
	col.all += x * x
}

// choose adds the columns that a reader can choose: the best, the median and the worst by
// relative error, and others evenly spaced. It computes their errors part by part.
func choose[T lnmu.Float](d *Distance, v, w lnmu.Dense[T], entries func(i int, js []int, to []T)) {
	order := make([]int, 0, len(d.js))
	for t, g := range d.col {
		if g.all > 0 {
			order = append(order, t)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.col[a].relative(), d.col[b].relative()) })
	list := spread(len(d.js), max(1, min(mostColumns, mostKept/len(d.is))-3))
	if n := len(order); n > 0 {
		d.best, d.middle, d.worst = d.js[order[0]], d.js[order[n/2]], d.js[order[n-1]]
		list = append(list, order[0], order[n/2], order[n-1])
	}
	slices.Sort(list)
	list = slices.Compact(list)
	js := make([]int, len(list))
	for n, t := range list {
		js[n] = d.js[t]
		d.columns = append(d.columns, column{j: js[n], m: make([]float64, len(d.is))})
	}
	m := make([]T, len(js))
	for n, i := range d.is {
		entries(i, js, m)
		for t, x := range m {
			d.columns[t].m[n] = float64(x)
		}
	}
	left := make([]float64, len(d.is))
	for t := range d.columns {
		c := &d.columns[t]
		for n, x := range c.m {
			left[n] = x * d.scale
		}
		all := squares(left)
		for k := range v.Cols + 1 {
			if k > 0 {
				x := float64(w.At(k-1, c.j)) * d.scale
				for n, i := range d.is {
					left[n] -= float64(v.At(i, k-1)) * x
				}
			}
			e := 0.0
			if all > 0 {
				e = math.Sqrt(squares(left) / all)
			}
			c.errors = append(c.errors, e)
		}
	}
}

// squares returns the sum of squares without NaN.
func squares(x []float64) (sum float64) {
	for _, e := range x {
		if !math.IsNaN(e) {
			sum += e * e
		}
	}
	return sum
}
