package main

// #include "nmu.h"
import "C"

import (
	"errors"
	"fmt"

	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/model"
)

//export nmuGoTransform
func nmuGoTransform(v, dense *C.nmu_matrix, sparse *C.nmu_csr, options *C.nmu_options, w *C.nmu_matrix, result *C.nmu_transform_result, e *C.nmu_error) C.int {
	return call(e, func() error {
		m := given{dense, sparse, v}
		return m.inPrecision(
			func() error { return transform[float64](m, v, options, w, result) },
			func() error { return transform[float32](m, v, options, w, result) })
	})
}

// transform finds the weights of the columns of M and writes what is found.
func transform[T lnmu.Float](g given, givenV *C.nmu_matrix, opt *C.nmu_options, givenW *C.nmu_matrix, result *C.nmu_transform_result) error {
	p, err := planOf(opt, options.Transform)
	if err != nil {
		return err
	}
	in, err := inputOf[T](g, p)
	if err != nil {
		return err
	}
	defer in.close()
	out, err := take("the result", result)
	if err != nil {
		return err
	}
	rows, cols := in.Dims()
	v, w, err := factors[T](rows, cols, givenV, givenW)
	if err != nil {
		return err
	}
	if err := w.writable(); err != nil {
		return err
	}
	if _, sparse := in.Matrix.(lnmu.CSR[T]); sparse && (p.inputs[nameMask] != nil || p.inputs[nameWeights] != nil || p.Mask != "" || p.Weights != "") {
		return fmt.Errorf("%w: a mask or weights for the columns of a sparse matrix, which would make it dense; make M dense", lnmu.ErrOption)
	}
	m, err := observed(in, p)
	if err != nil {
		return err
	}
	var start lnmu.Dense[T]
	switch p.Init {
	case "":
	case options.InitGiven:
		start = w.dense()
	default:
		return fmt.Errorf("%w: init=%s for new columns; choose %s", lnmu.ErrOption, p.Init, options.InitGiven)
	}
	by := model.Settings(p.method, &p.Transform)
	by.Iterations, by.Tolerance, by.Threads = p.Iterations, p.Tolerance, p.Threads
	var res *lnmu.Transformed[T]
	err = in.guard(func() (err error) {
		res, err = lnmu.Transform(p.ctx, m, v.dense(), start, &by)
		return err
	})
	if res == nil || err != nil && codeOf(err) != C.NMU_CANCELLED {
		return err
	}
	w.set(res.W)
	transformRecord().write(&out, res)
	give(result, &out)
	return errors.Join(err, in.notes())
}
