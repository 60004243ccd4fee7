package main

// #include "nmu.h"
import "C"

import (
	"fmt"
	"unsafe"

	"nmu/lnmu"
)

// numbers returns the mask of what is not NaN, nil if nothing is.
func (v view[T]) numbers() *lnmu.Mask { return lnmu.MaskOf[T](v) }

// observation returns the mask and the weights of an m x n matrix that options ask for, each
// nil if they do not. Numbers is the mask of what is not NaN there; it is nil itself for a
// sparse matrix.
func observation(m, n int, numbers func() *lnmu.Mask, mask, weights *C.nmu_matrix, nan C.int64_t) (k *lnmu.Mask, w lnmu.Matrix[float64], err error) {
	if mask != nil {
		if k, err = maskOf(m, n, mask); err != nil {
			return nil, nil, err
		}
	}
	if weights != nil {
		v, err := weightsOf(m, n, weights)
		if err != nil {
			return nil, nil, err
		}
		w = v.matrix()
	}
	switch {
	case nan == 0:
	case numbers == nil:
		return nil, nil, fmt.Errorf("%w: NaN as missing entries of a sparse matrix; make M dense, or, if all that it does not store is missing, set sparse_missing", lnmu.ErrOption)
	default:
		k = k.And(numbers())
	}
	return k, w, nil
}

// maskOf reads the mask of an m x n matrix.
func maskOf(m, n int, given *C.nmu_matrix) (*lnmu.Mask, error) {
	d, err := takeAs("the mask", m, n, given, C.NMU_UINT8)
	if err != nil {
		return nil, err
	}
	if err := checkLayout("the mask", d, 1); err != nil {
		return nil, err
	}
	k := lnmu.NewMask(m, n)
	for i := range m {
		for j := range n {
			if *(*uint8)(unsafe.Add(d.data, i*int(d.row_stride)+j*int(d.col_stride))) == 0 {
				k.Set(i, j, false)
			}
		}
	}
	return k, nil
}

// weightsOf returns the weights of an m x n matrix.
func weightsOf(m, n int, given *C.nmu_matrix) (v view[float64], err error) {
	if _, err := takeAs("the matrix of weights", m, n, given, C.NMU_FLOAT64); err != nil {
		return v, err
	}
	return viewOf[float64]("the matrix of weights", given)
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
		return d, fmt.Errorf("%w: %s is %d x %d and M is %d x %d; they must be the same", lnmu.ErrShape, name,
			int64(d.rows), int64(d.cols), m, n)
	}
	return d, nil
}
