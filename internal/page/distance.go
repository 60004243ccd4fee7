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
	gaps       bool  // entries of the sample are missing
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
// It takes at most 2·10^9 multiply-adds.
func Look[T lnmu.Float](m lnmu.Dense[T], seen *lnmu.Mask, v, w lnmu.Dense[T], largest float64) *Distance {
	d, _ := Measure(DenseSource(m, seen), v, w, largest) // memory has no errors
	return d
}

// The size of the blocks in which V W is computed.
const blockRows, blockCols = 64, 2048

// Measure is Look for a matrix M that is read by blocks. Its error is that of the source.
func Measure[T lnmu.Float](m Source[T], v, w lnmu.Dense[T], largest float64) (*Distance, error) {
	d := &Distance{rows: m.Rows, cols: m.Cols, scale: toOne(largest), best: -1, middle: -1, worst: -1}
	rows, cols := sampled(m.Rows, m.Cols, v.Cols)
	d.is, d.js = spread(m.Rows, rows), spread(m.Cols, cols)
	d.row, d.col = make([]gap, len(d.is)), make([]gap, len(d.js))
	heatRows, heatCols := spread(len(d.is), mostHeatRows), spread(len(d.js), mostHeatCols)
	d.heat = heat{len(heatRows), len(heatCols), make([]float64, len(heatRows)*len(heatCols))}

	ofW, ranks := DenseSource(w, nil), spread(v.Cols, v.Cols)
	vt, wt, product := lnmu.NewDense[T](v.Cols, blockRows, nil), lnmu.NewDense[T](v.Cols, blockCols, nil), lnmu.NewDense[T](blockRows, blockCols, nil)
	err := m.walk(d.is, d.js, func(begin, left int, x lnmu.Dense[T]) {
		for c := 0; c < x.Cols; c += blockCols {
			cols := d.col[left+c:][:min(blockCols, x.Cols-c)]
			wt.Cols, product.Cols = len(cols), len(cols)
			ofW.Read(ranks, d.js[left+c:][:len(cols)], wt) // memory has no errors
			for r := 0; r < x.Rows; r += blockRows {
				rows := d.row[begin+r:][:min(blockRows, x.Rows-r)]
				vt.Cols, product.Rows = len(rows), len(rows)
				for n, i := range d.is[begin+r:][:len(rows)] {
					for k, e := range v.Row(i) {
						vt.Row(k)[n] = e
					}
				}
				kernel.Product(product, vt, wt)
				for n := range rows {
					entries := x.Row(r + n)[c:]
					for t, e := range product.Row(n) {
						d.add(&rows[n], &cols[t], float64(entries[t]), float64(e))
					}
					i, shown := slices.BinarySearch(heatRows, begin+r+n)
					if !shown {
						continue
					}
					for j, t := range heatCols {
						if t -= left + c; t >= 0 && t < len(cols) {
							d.heat.data[i*len(heatCols)+j] = d.scale*float64(entries[t]) - d.scale*float64(product.At(n, t))
						}
					}
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if err := choose(d, m, v, w); err != nil {
		return nil, err
	}
	return d, nil
}

// sampled returns how many rows and columns of M Measure looks at.
func sampled(rows, cols, rank int) (ofRows, ofCols int) {
	most := mostWork / max(1, rank)
	few := int(math.Sqrt(float64(most)))
	return min(rows, mostSide, max(few, most/cols)), min(cols, mostSide, max(few, most/rows))
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
		d.gaps = true
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
func choose[T lnmu.Float](d *Distance, m Source[T], v, w lnmu.Dense[T]) error {
	order := make([]int, 0, len(d.js))
	for t, g := range d.col {
		if g.all > 0 {
			order = append(order, t)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.col[a].relative(), d.col[b].relative()) })
	list := spread(len(d.js), columnsKept(len(d.is))-3)
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
	err := m.walk(d.is, js, func(begin, first int, x lnmu.Dense[T]) {
		for t := range x.Cols {
			for n := range x.Rows {
				d.columns[first+t].m[begin+n] = float64(x.At(n, t))
			}
		}
	})
	if err != nil {
		return err
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
	return nil
}

// columnsKept returns the largest number of columns that choose keeps for so many sampled rows.
func columnsKept(rows int) int { return max(1, min(mostColumns, mostKept/rows)-3) + 3 }

// squares returns the sum of squares without NaN.
func squares(x []float64) (sum float64) {
	for _, e := range x {
		if !math.IsNaN(e) {
			sum += e * e
		}
	}
	return sum
}
