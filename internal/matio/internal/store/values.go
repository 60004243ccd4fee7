package store

import (
	"math"
	"runtime/debug"

	"nmu/internal/matio/internal/element"
	"nmu/internal/matio/internal/input"
)

// Values are the elements of a matrix in memory, in blocks. All blocks but the last are full,
// so Values grow without a copy.
type Values [][]float64

// Sizes of the blocks of values in elements.
const (
	firstBlock = 1 << 8
	mostBlock  = 1 << 17
	smaller    = 9 // blocks that are smaller than mostBlock: each is twice as large as the one before
)

// Add adds an element.
func (v *Values) Add(f *input.File, x float64) error {
	last := len(*v) - 1
	if last < 0 || len((*v)[last]) == cap((*v)[last]) {
		n, twice := firstBlock, 0
		if last >= 0 {
			n = min(2*cap((*v)[last]), mostBlock)
		}
		if k := len(*v) - smaller; 0 < k && k <= 4 {
			twice = mostBlock // in Joined, until the collector has freed it
		}
		b, err := input.Alloc[float64](f, int64(n))
		if err == nil {
			err = f.Reserve(element.SizeOf[float64](int64(twice)), input.Reading)
		}
		if err != nil {
			return err
		}
		*v = append(*v, b[:0])
		last++
	}
	(*v)[last] = append((*v)[last], x)
	return nil
}

// Joined returns v as one block, and leaves nothing in v. Memory holds at most a few percent of the elements
// twice.
func (v Values) Joined(f *input.File) (Values, error) {
	if len(v) <= 1 {
		return v, nil
	}
	n, held := 0, f.Used
	for _, b := range v {
		n += len(b)
		f.Used -= element.SizeOf[float64](int64(cap(b)))
	}
	one, err := input.Alloc[float64](f, int64(n))
	if err != nil {
		f.Used = held
		return nil, err
	}
	one = one[:0]
	const parts = 32
	for i, freed := 0, n; i < len(v); i++ { // what reading has left goes with the first block
		one = append(one, v[i]...)
		freed += len(v[i])
		if v[i] = nil; freed >= max(n/parts, mostBlock) {
			debug.FreeOSMemory()
			freed = 0
		}
	}
	return Values{one}, nil
}

// Verify does nothing: Open has read the elements.
func (v Values) Verify() error { return nil }

// Open starts delivering from the first element.
func (v Values) Open() (input.Source, error) {
	return &input.Pieces{Load: func() (block []float64, err error) {
		block, v = v[0], v[1:]
		return block, nil
	}}, nil
}

// Dense returns v as the elements of a matrix.
func (v *Values) Dense() input.Dense { return *v }

// Each calls do for each element.
func (v *Values) Each(do func(x float64)) error {
	for _, block := range *v {
		for _, x := range block {
			do(x)
		}
	}
	return nil
}

// ReplaceNaN replaces each NaN by the mean of its column.
func (v *Values) ReplaceNaN(means []float64) {
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

// Drop says which rows and columns a matrix loses.
type Drop struct {
	First bool // the first row
	Cols  []bool
}

// left returns how many rows and columns are left.
func (d Drop) left(rows, cols int) (int, int) {
	if d.First {
		rows--
	}
	for _, gone := range d.Cols {
		if gone {
			cols--
		}
	}
	return rows, cols
}

// Without drops rows and columns in place, and returns how many are left.
func (v *Values) Without(rows, cols int, drop Drop) (int, int) {
	kept, left := drop.left(rows, cols)
	if kept == rows && left == cols {
		return rows, cols
	}
	to, k, at := 0, 0, 0 // the next element goes to place k of block to
	for _, block := range *v {
		for _, x := range block {
			i, j := at/cols, at%cols
			at++
			if i == 0 && drop.First || drop.Cols[j] {
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

// Mirror returns the symmetric matrix whose lower triangle is v.
func (v *Values) Mirror(f *input.File) (input.Dense, error) {
	n := f.Rows
	full, err := input.Alloc[float64](f, int64(n)*int64(n))
	if err != nil {
		return nil, err
	}
	s, _ := v.Open() // which cannot fail
	for j := range n {
		column := full[j*n : (j+1)*n]
		if err := s.Next(column[j:]); err != nil {
			return nil, err
		}
		for i := j + 1; i < n; i++ {
			full[i*n+j] = column[i]
		}
	}
	return Values{full}, nil
}
