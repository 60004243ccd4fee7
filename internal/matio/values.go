package matio

import "math"

// store is where the numbers of a text file go, as Open has to read them.
type store interface {
	// add adds an element.
	add(f *input, x float64) error
	// each calls do for each element.
	each(do func(x float64)) error
	// replaceNaN replaces each NaN by the mean of its column, as many as there are means.
	replaceNaN(means []float64)
	// without leaves rows and columns out of the matrix, and returns how many are left.
	without(rows, cols int, drop drops) (int, int)
	// mirror returns the symmetric matrix of f of which the lower triangle was stored,
	// column by column.
	mirror(f *input) (dense, error)
	// dense returns what was stored.
	dense() dense
}

// newStore returns a store in memory, or in a file if that is asked for.
func newStore(f *input) (store, error) {
	if f.spill == nil {
		return &values{}, nil
	}
	return newSpilled(f)
}

// values is a matrix that Open has read, as text has to be, in blocks of which
// each is full but the last: it grows without a copy.
type values [][]float64

// Sizes of the blocks of values in elements.
const (
	firstBlock = 1 << 8
	mostBlock  = 1 << 17
)

// add adds an element.
func (v *values) add(f *input, x float64) error {
	last := len(*v) - 1
	if last < 0 || len((*v)[last]) == cap((*v)[last]) {
		n := firstBlock
		if last >= 0 {
			n = min(2*cap((*v)[last]), mostBlock)
		}
		b, err := alloc[float64](f, int64(n))
		if err != nil {
			return err
		}
		*v = append(*v, b[:0])
		last++
	}
	(*v)[last] = append((*v)[last], x)
	return nil
}

// joined makes v one block.
func (v values) joined(f *input) (values, error) {
	if len(v) <= 1 {
		return v, nil
	}
	n := int64(0)
	for _, b := range v {
		n += int64(len(b))
	}
	one, err := alloc[float64](f, n)
	if err != nil {
		return nil, err
	}
	one = one[:0]
	for _, b := range v {
		one = append(one, b...)
	}
	return values{one}, nil
}

func (v values) verify() error { return nil }

func (v values) open() (source, error) { return &valueSource{rest: v}, nil }

// valueSource delivers the elements of values.
type valueSource struct {
	rest values
	k    int // of the first block, delivered already
}

func (s *valueSource) next(dst []float64) error {
	for len(dst) > 0 {
		n := copy(dst, s.rest[0][s.k:])
		dst = dst[n:]
		if s.k += n; s.k == len(s.rest[0]) {
			s.rest, s.k = s.rest[1:], 0
		}
	}
	return nil
}

func (s *valueSource) close() error { return nil }

func (v *values) dense() dense { return *v }

func (v *values) each(do func(x float64)) error {
	for _, block := range *v {
		for _, x := range block {
			do(x)
		}
	}
	return nil
}

func (v *values) replaceNaN(means []float64) {
	j := 0
	for _, block := range *v {
		for i, x := range block {
			if math.IsNaN(x) {
				block[i] = means[j]
			}
			if j++; j == len(means) {
				j = 0
			}
		}
	}
}

// drops are the rows and columns that a matrix loses.
type drops struct {
	first bool // the first row
	cols  []bool
}

// left returns how many of so many rows and columns are left.
func (d drops) left(rows, cols int) (int, int) {
	if d.first {
		rows--
	}
	for _, gone := range d.cols {
		if gone {
			cols--
		}
	}
	return rows, cols
}

// without leaves rows and columns out of a matrix, in place, and returns how many
// rows and columns are left.
func (v *values) without(rows, cols int, drop drops) (int, int) {
	kept, left := drop.left(rows, cols)
	if kept == rows && left == cols {
		return rows, cols
	}
	to, k, at := 0, 0, 0 // the next element goes to place k of block to
	for _, block := range *v {
		for _, x := range block {
			i, j := at/cols, at%cols
			at++
			if i == 0 && drop.first || drop.cols[j] {
				continue
			}
			if k == len((*v)[to]) {
				to, k = to+1, 0
			}
			(*v)[to][k] = x
			k++
		}
	}
	if kept*left == 0 {
		*v = nil
		return kept, left
	}
	(*v)[to] = (*v)[to][:k]
	*v = (*v)[:to+1]
	return kept, left
}

// mirror returns the symmetric matrix of which v is the lower triangle.
func (v *values) mirror(f *input) (dense, error) {
	n := f.rows
	full, err := alloc[float64](f, int64(n)*int64(n))
	if err != nil {
		return nil, err
	}
	s := valueSource{rest: *v}
	for j := range n {
		column := full[j*n : (j+1)*n]
		if err := s.next(column[j:]); err != nil {
			return nil, err
		}
		for i := j + 1; i < n; i++ {
			full[i*n+j] = column[i]
		}
	}
	return values{full}, nil
}
