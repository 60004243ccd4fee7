package lnmu

import (
	"fmt"
	"math"

	"nmu/lnmu/internal/core"
	"nmu/lnmu/internal/dense"
)

// Observed is a matrix M of which entries are missing, or do not count alike. Errors,
// violations and the constraint V W <= M are those of the observed entries. A missing
// entry of Matrix may hold anything, NaN included. A row or column without an observed
// entry is an error.
//
// A Mask of all entries, and equal Weights, change no bit of a result.
type Observed[T Float] struct {
	Matrix[T]

	// Mask says which entries are observed; nil stands for all.
	Mask *Mask

	// Weights are the weights w >= 0 of the squares of M - V W; nil stands for equal ones.
	// Only their ratios matter. An entry of weight 0 is missing. With weights, RelativeError
	// and RelativeViolation are weighted too.
	Weights Matrix[float64]

	// StoredOnly is for a CSR or a StoredCSR: the entries that it does not store are
	// missing, not zero.
	StoredOnly bool
}

// Normalized checks o against the shape of its matrix and takes out what says nothing: a Mask
// of all entries, Weights that are equal. Entries of weight 0 go into the Mask. Of a Part,
// normalise M as a whole.
func (o Observed[T]) Normalized() (Observed[T], error) {
	if o.Matrix == nil {
		return o, fmt.Errorf("%w: M is nil", ErrShape)
	}
	x := observation{o.Mask, o.Weights, o.StoredOnly}
	rows, cols := o.Dims()
	if err := x.check(rows, cols); err != nil {
		return o, err
	}
	o.Mask, o.Weights = x.mask, x.weights
	return o, x.checkLines()
}

// observation says which entries of M count, and how much. The zero value stands for all
// of them alike.
type observation struct {
	mask       *Mask
	weights    Matrix[float64]
	storedOnly bool
}

// incomplete reports whether entries are missing, or have weights.
func (o *observation) incomplete() bool {
	return o.mask != nil || o.weights != nil || o.storedOnly
}

// of returns the observation as the engine takes it.
func (o *observation) of() (w dense.Weights) {
	if o.weights == nil {
		return nil
	}
	return o.weights
}

// check checks the mask and the weights of an m x n matrix, and takes out what says
// nothing: a mask of all entries, weights that are equal. Weights of 0 go into the mask.
func (o *observation) check(m, n int) error {
	if o.mask != nil {
		if rows, cols := o.mask.Dims(); rows != m || cols != n {
			return fmt.Errorf("%w: the mask is %d x %d and M is %d x %d; they must be the same", ErrShape, rows, cols, m, n)
		}
	}
	if o.weights != nil {
		if err := o.checkWeights(m, n); err != nil {
			return err
		}
	}
	if o.mask != nil && o.mask.Missing() == 0 {
		o.mask = nil
	}
	return nil
}

// checkWeights takes out weights that are all equal, and those of 0 into the mask.
func (o *observation) checkWeights(m, n int) error {
	rows, cols := o.weights.Dims()
	if rows != m || cols != n {
		return fmt.Errorf("%w: the weights are %d x %d and M is %d x %d; they must be the same", ErrShape, rows, cols, m, n)
	}
	least, most := math.Inf(1), 0.0
	k := NewMask(m, n)
	for i := range m {
		for j := range n {
			if o.mask != nil && !o.mask.Observed(i, j) {
				k.Set(i, j, false)
				continue
			}
			x := o.weights.At(i, j)
			if !(x >= 0) || math.IsInf(x, 0) {
				return &core.ValueError{Matrix: "the weights", Row: i, Col: j, Value: x}
			}
			if x > 0 {
				least, most = min(least, x), max(most, x)
			} else {
				k.Set(i, j, false)
			}
		}
	}
	o.mask = k
	if least >= most {
		o.weights = nil
	}
	return nil
}

// checkLines returns an error for the first row or column without an observed entry.
func (o *observation) checkLines() error {
	if o.mask == nil {
		return nil
	}
	return o.mask.checkLines()
}

// completed is a method with other defaults for a matrix that is not complete.
type completed interface{ forIncomplete() Method }

var missingSolvers = []Solver{MissingMajorize, MissingExact}
