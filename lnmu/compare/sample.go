package compare

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"unsafe"

	"nmu/lnmu"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/matrix"
)

// data is a matrix in memory, dense or sparse, with its observed entries and their weights. Without weights, Weight is that
// of each observed entry, if equal ones were given.
type data[T lnmu.Float] struct {
	lnmu.Observed[T]
	dense  lnmu.Dense[T] // the Matrix
	sparse *lnmu.CSR[T]  // the Matrix instead of dense, if all entries are observed and weigh the same
}

// newData returns M, given in its normal form, in memory, and dense if it has to be.
func newData[T lnmu.Float](m lnmu.Observed[T], dense bool) (data[T], error) {
	d := data[T]{Observed: m}
	switch x := m.Matrix.(type) {
	case lnmu.Unread[T]:
		return d, fault.Unread()
	case lnmu.Dense[T]:
		d.dense = x
	case lnmu.CSR[T]:
		if d.Mask == nil && d.Weights == nil && !dense {
			d.sparse = &x
			return d, nil
		}
		d.dense = x.Dense()
	default:
		d.dense = matrix.ByRows(m.Matrix)
	}
	d.Matrix = d.dense
	return d, nil
}

// weighted reports whether weights were given, which then say what the noise is.
func (d data[T]) weighted() bool { return d.Weights != nil || d.Weight > 0 }

// squares returns the weighted sum of the squares of the observed entries.
func (d data[T]) squares() (sum float64) {
	if d.sparse != nil {
		for _, x := range d.sparse.Val {
			sum += float64(float64(x) * float64(x))
		}
		return sum * d.Weight
	}
	for i := range d.dense.Rows {
		for j, x := range d.dense.Row(i) {
			if d.Mask != nil && !d.Mask.Observed(i, j) {
				continue
			}
			weight := d.Weight
			if d.Weights != nil {
				weight = d.Weights.At(i, j)
			}
			sum += float64(weight * float64(float64(x)*float64(x)))
		}
	}
	return sum
}

func (d data[T]) bytes() int64 {
	n := len(d.dense.Data)
	if d.sparse != nil {
		n = len(d.sparse.Val)
	}
	return int64(n) * int64(unsafe.Sizeof(T(0)))
}

// draws returns the generator of a run for one of the streams.
func draws(seed uint64, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }

// The streams of generators. Random starts use other streams.
const (
	columnStream  = 0x636f6c73
	rowStream     = 0x726f7773
	poissonStream = 0x636f756e
)

// below returns a number from 0 to n-1. IntN may draw differently where int has 32 bits.
func below(rng *rand.Rand, n int) int {
	x, _ := bits.Mul64(rng.Uint64(), uint64(n))
	return int(x)
}

// draw returns n numbers below n, drawn with replacement, in increasing order. They are the same
// on every machine.
func draw(rng *rand.Rand, n int) []int {
	times := make([]int, n)
	for range n {
		times[below(rng, n)]++
	}
	at := make([]int, 0, n)
	for i, k := range times {
		for range k {
			at = append(at, i)
		}
	}
	return at
}

// part sets p to the matrix of the given rows or columns, which do not decrease; the others are nil, for all. There are
// as many as in M: p is empty or one that part has set, whose memory is used again.
func (d data[T]) part(rows, cols []int, p *data[T]) {
	p.Weight = d.Weight
	m, n := d.Dims()
	all := make([]int, max(m, n))
	for i := range all {
		all[i] = i
	}
	if rows == nil {
		rows = all[:m]
	} else {
		cols = all[:n]
	}
	if d.sparse != nil {
		p.sparse = picked(*d.sparse, rows, cols, p.sparse)
		p.Matrix = *p.sparse
		return
	}
	if p.dense.Data == nil {
		p.dense = lnmu.NewDense[T](len(rows), len(cols), nil)
		p.Matrix = p.dense
		if d.Mask != nil {
			p.Mask = lnmu.NewMask(len(rows), len(cols))
		}
		if d.Weights != nil {
			p.Weights = lnmu.NewDense[float64](len(rows), len(cols), nil)
		}
	}
	weights, _ := p.Weights.(lnmu.Dense[float64])
	for i, from := range rows {
		to, row := p.dense.Row(i), d.dense.Row(from)
		for j, col := range cols {
			to[j] = row[col]
			if p.Mask != nil {
				p.Mask.Set(i, j, d.Mask.Observed(from, col))
			}
			if p.Weights != nil {
				weights.Row(i)[j] = d.Weights.At(from, col)
			}
		}
	}
}

// picked returns the given rows and columns of a sparse matrix, which do not decrease, in the memory of p unless p is nil.
func picked[T lnmu.Float](m lnmu.CSR[T], rows, cols []int, p *lnmu.CSR[T]) *lnmu.CSR[T] {
	first := make([]int, m.Cols+1) // the place of column j in the result; first[j+1] ends its copies
	for _, j := range cols {
		first[j+1]++
	}
	for j := range m.Cols {
		first[j+1] += first[j]
	}
	entries := 0
	for _, i := range rows {
		for _, j := range m.Idx[m.Ptr[i]:m.Ptr[i+1]] {
			entries += first[j+1] - first[j]
		}
	}
	if p == nil {
		p = new(lnmu.CSR[T])
	}
	p.Rows, p.Cols, p.Ptr = len(rows), len(cols), append(slices.Grow(p.Ptr[:0], len(rows)+1), 0)
	p.Idx, p.Val = slices.Grow(p.Idx[:0], entries), slices.Grow(p.Val[:0], entries)
	for _, i := range rows {
		for x := m.Ptr[i]; x < m.Ptr[i+1]; x++ {
			for to := first[m.Idx[x]]; to < first[m.Idx[x]+1]; to++ {
				p.Idx, p.Val = append(p.Idx, int32(to)), append(p.Val, m.Val[x])
			}
		}
		p.Ptr = append(p.Ptr, len(p.Idx))
	}
	return p
}

// counts sets p to a matrix of counts, each from the Poisson distribution with the mean of the entry
// of M. p is empty or one that counts has set, whose memory is used again.
func (d data[T]) counts(rng *rand.Rand, p *data[T]) {
	p.Weight = d.Weight
	if d.sparse != nil {
		if p.sparse == nil {
			m := *d.sparse
			m.Val = make([]T, len(m.Val))
			p.sparse, p.Matrix = &m, m
		}
		for x, mean := range d.sparse.Val {
			p.sparse.Val[x] = T(poisson(rng, float64(mean)))
		}
		return
	}
	if p.dense.Data == nil {
		p.dense, p.Mask, p.Weights = lnmu.NewDense[T](d.dense.Rows, d.dense.Cols, nil), d.Mask, d.Weights
		p.Matrix = p.dense
	}
	for i := range d.dense.Rows {
		row, from := p.dense.Row(i), d.dense.Row(i)
		for j := range row {
			if d.Mask == nil || d.Mask.Observed(i, j) {
				row[j] = T(poisson(rng, float64(from[j])))
			}
		}
	}
}

// sample sets p to the matrix of a run. p is empty or one of an earlier run, whose memory is used again:
// two of them would be in memory until the collector has run.
func (d data[T]) sample(how Resample, seed uint64, p *data[T]) (err error) {
	switch how {
	case Columns:
		_, err = d.drawn(draws(seed, columnStream), false, p)
	case Poisson:
		d.counts(draws(seed, poissonStream), p)
	default:
		*p = d
	}
	return err
}

// drawn sets p to the matrix of rows, or of columns, drawn with replacement, and returns their numbers. It draws until each
// line across them has an observed entry.
func (d data[T]) drawn(rng *rand.Rand, rows bool, p *data[T]) (at []int, err error) {
	const tries = 1000
	m, n := d.Dims()
	drawn, across := "columns", "row"
	if rows {
		drawn, across = "rows", "column"
	}
	for range tries {
		if rows {
			at = draw(rng, m)
			d.part(at, nil, p)
		} else {
			at = draw(rng, n)
			d.part(nil, at, p)
		}
		if p.Mask == nil || p.covers(rows) {
			return at, nil
		}
	}
	return nil, fault.Bad("%s drawn with replacement leave a %s without observed entries in each of %d samples; leave out %[2]ss with few observed entries", drawn, across, tries)
}

// covers reports whether each column, or each row, has an observed entry. There is a mask.
func (d data[T]) covers(columns bool) bool {
	ofRows, ofCols := make([]bool, d.dense.Rows), make([]bool, d.dense.Cols)
	for i := range d.dense.Rows {
		for j := range d.dense.Cols {
			some := d.Mask.Observed(i, j)
			ofRows[i], ofCols[j] = ofRows[i] || some, ofCols[j] || some
		}
	}
	if columns {
		return !slices.Contains(ofCols, false)
	}
	return !slices.Contains(ofRows, false)
}

func (d data[T]) observed() int {
	m, n := d.Dims()
	if d.Mask == nil {
		return m * n
	}
	return m*n - d.Mask.Missing()
}

// check returns an error if M cannot be resampled, and a note if its entries are no counts.
func (d data[T]) check(how Resample) (note string, err error) {
	if how != Poisson {
		return "", nil
	}
	rows := d.dense.Row
	if d.sparse != nil {
		rows = func(i int) []T { return d.sparse.Val[d.sparse.Ptr[i]:d.sparse.Ptr[i+1]] }
	}
	m, _ := d.Dims()
	for i := range m {
		for j, mean := range rows(i) {
			if d.Mask != nil && !d.Mask.Observed(i, j) {
				continue
			}
			if !(mean >= 0 && float64(mean) <= mostMean) {
				if d.sparse != nil {
					j = int(d.sparse.Idx[d.sparse.Ptr[i]+j])
				}
				return "", fmt.Errorf("%w: M is %v at row %d, column %d; a mean of counts is from 0 to %g", lnmu.ErrValue, mean, i, j, float64(mostMean))
			}
			if x := float64(mean); x != math.Floor(x) {
				note = "not all entries of M are whole numbers, so that they are no counts; Poisson resampling takes them as means of counts"
			}
		}
	}
	return note, nil
}
