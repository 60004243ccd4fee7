package main

// #include "nmu.h"
import "C"

import (
	"fmt"
	"unsafe"

	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/lnmu"
)

// The names of further matrices.
const (
	nameMask    = "mask"
	nameWeights = "weights"
	nameFixV    = "fix-v"
	nameFixW    = "fix-w"
)

// numbers returns the mask of what is not NaN, nil if nothing is.
func (v view[T]) numbers() *lnmu.Mask { return lnmu.MaskOf[T](v) }

// observed returns M with what the settings say of its entries.
func observed[T lnmu.Float](in input[T], p *plan) (lnmu.Matrix[T], error) {
	m, n := in.Dims()
	o := lnmu.Observed[T]{Matrix: in.Matrix, StoredOnly: p.StoredOnly}
	var err error
	if o.Mask, err = p.mask(m, n, in.file); err != nil {
		return nil, err
	}
	if o.Weights, err = p.weights(m, n, in.file); err != nil {
		return nil, err
	}
	if p.Missing == options.MissingAllow {
		if in.numbers == nil {
			return nil, fmt.Errorf("%w: NaN as missing entries of a sparse matrix, or of one that stays in its file; make M dense, in memory, or, if all that it does not store is missing, set sparse-missing", lnmu.ErrOption)
		}
		o.Mask = o.Mask.And(in.numbers())
	}
	return o, nil
}

// mask returns the mask of an m x n matrix, or nil if there is none.
func (p *plan) mask(m, n int, file *matio.File) (*lnmu.Mask, error) {
	given := p.inputs[nameMask]
	if given == nil {
		d, err := p.further(nameMask, p.Mask, file)
		if err != nil || d.Data == nil {
			return nil, err
		}
		if d.Rows != m || d.Cols != n {
			return nil, otherShape("the mask", int64(d.Rows), int64(d.Cols), m, n)
		}
		return maskOf(m, n, func(i, j int) bool { return d.At(i, j) != 0 }), nil
	}
	if p.Mask != "" {
		return nil, fmt.Errorf("%w: a mask as a matrix and as the file %s; choose one", lnmu.ErrOption, p.Mask)
	}
	d, err := takeAs("the mask", m, n, given, C.NMU_UINT8)
	if err == nil {
		err = checkLayout("the mask", d, 1)
	}
	if err != nil {
		return nil, err
	}
	return maskOf(m, n, func(i, j int) bool {
		return *(*uint8)(unsafe.Add(d.data, i*int(d.row_stride)+j*int(d.col_stride))) != 0
	}), nil
}

// maskOf returns the mask of the entries that are observed.
func maskOf(m, n int, observed func(i, j int) bool) *lnmu.Mask {
	k := lnmu.NewMask(m, n)
	for i := range m {
		for j := range n {
			if !observed(i, j) {
				k.Set(i, j, false)
			}
		}
	}
	return k
}

// weights returns the weights of an m x n matrix, or nil if there are none. Those in memory stay
// where they are.
func (p *plan) weights(m, n int, file *matio.File) (lnmu.Matrix[float64], error) {
	given := p.inputs[nameWeights]
	if given == nil || p.Weights != "" {
		d, err := p.further(nameWeights, p.Weights, file)
		if err != nil || d.Data == nil {
			return nil, err
		}
		if d.Rows != m || d.Cols != n {
			return nil, otherShape("the matrix of weights", int64(d.Rows), int64(d.Cols), m, n)
		}
		return d, nil
	}
	if _, err := takeAs("the matrix of weights", m, n, given, C.NMU_FLOAT64); err != nil {
		return nil, err
	}
	v, err := viewOf[float64]("the matrix of weights", given)
	if err != nil {
		return nil, err
	}
	return v.matrix(), nil
}

// fixed reads the parts of the factors that are known.
func (p *plan) fixed(file *matio.File) (err error) {
	if p.Settings.Fixed.V, err = p.further(nameFixV, p.FixV, file); err == nil {
		p.Settings.Fixed.W, err = p.further(nameFixW, p.FixW, file)
	}
	return err
}

// takeAs copies the description of a matrix whose shape and type are known.
func takeAs(name string, m, n int, given *C.nmu_matrix, kind C.int64_t) (C.nmu_matrix, error) {
	d, err := take(name, given)
	switch {
	case err != nil:
		return d, err
	case d._type != kind:
		return d, badArgument("%s has the type %d; it must be %d, %s", name, int64(d._type), int64(kind),
			map[C.int64_t]string{C.NMU_UINT8: "NMU_UINT8", C.NMU_FLOAT64: "NMU_FLOAT64"}[kind])
	case d.rows != C.int64_t(m) || d.cols != C.int64_t(n):
		return d, otherShape(name, int64(d.rows), int64(d.cols), m, n)
	}
	return d, nil
}

// otherShape is the error about a matrix that has not the shape of M.
func otherShape(name string, rows, cols int64, m, n int) error {
	return fmt.Errorf("%w: %s is %d x %d and M is %d x %d; they must be the same", lnmu.ErrShape, name, rows, cols, m, n)
}
