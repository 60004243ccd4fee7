package main

// #include "nmu.h"
import "C"

import (
	"fmt"

	"nmu/lnmu"
)

//export nmuGoTransform
func nmuGoTransform(v, m *C.nmu_matrix, options *C.nmu_transform_options, w *C.nmu_matrix, result *C.nmu_transform_result, e *C.nmu_error) C.int {
	return call(e, func() error {
		return inPrecision(m,
			func() error { return transformDense[float64](v, m, options, w, result) },
			func() error { return transformDense[float32](v, m, options, w, result) })
	})
}

func transformDense[T lnmu.Float](v, given *C.nmu_matrix, options *C.nmu_transform_options, w *C.nmu_matrix, result *C.nmu_transform_result) error {
	m, err := viewOf[T]("M", given)
	if err != nil {
		return err
	}
	return transform(m.matrix(), m.numbers, v, options, w, result)
}

//export nmuGoTransformCSR
func nmuGoTransformCSR(v *C.nmu_matrix, m *C.nmu_csr, options *C.nmu_transform_options, w *C.nmu_matrix, result *C.nmu_transform_result, e *C.nmu_error) C.int {
	return call(e, func() error {
		return inPrecisionCSR(m,
			func() error { return transformSparse[float64](v, m, options, w, result) },
			func() error { return transformSparse[float32](v, m, options, w, result) })
	})
}

func transformSparse[T lnmu.Float](v *C.nmu_matrix, given *C.nmu_csr, options *C.nmu_transform_options, w *C.nmu_matrix, result *C.nmu_transform_result) error {
	m, err := sparseOf[T](given)
	if err != nil {
		return err
	}
	return transform[T](m, nil, v, options, w, result)
}

// transform finds the weights of the columns of m and writes what is found. Numbers is the
// mask of a dense m.
func transform[T lnmu.Float](m lnmu.Matrix[T], numbers func() *lnmu.Mask, givenV *C.nmu_matrix, options *C.nmu_transform_options, givenW *C.nmu_matrix, result *C.nmu_transform_result) error {
	o, err := take("the options", options)
	if err != nil {
		return err
	}
	out, err := take("the result", result)
	if err != nil {
		return err
	}
	rows, cols := m.Dims()
	v, w, err := factors[T](rows, cols, givenV, givenW)
	if err != nil {
		return err
	}
	if err := w.writable(); err != nil {
		return err
	}
	threads, err := threadsOf(o.threads)
	if err != nil {
		return err
	}
	if numbers == nil && (o.mask != nil || o.weights != nil) {
		return fmt.Errorf("%w: a mask or weights for the columns of a sparse matrix, which would make it dense; make M dense", lnmu.ErrOption)
	}
	ctx := newPolled(o.cancel)
	settings := lnmu.TransformSettings{
		Feasible: o.feasible != 0, SumToOne: o.sum_to_one != 0, Divergence: o.divergence != 0,
		Iterations: intOf(o.iterations), Tolerance: float64(o.tolerance), Threads: threads,
	}
	seen := lnmu.Observed[T]{Matrix: m}
	if seen.Mask, seen.Weights, err = observation(rows, cols, numbers, o.mask, o.weights, o.nan_missing); err != nil {
		return err
	}
	var start lnmu.Dense[T]
	if o.given != 0 {
		start = w.dense()
	}
	res, err := lnmu.Transform(ctx, seen, v.dense(), start, &settings)
	if res == nil {
		return err
	}
	w.set(res.W)
	out.relative_error, out.max_violation = C.double(res.RelativeError), C.double(res.MaxViolation)
	out.violation_bound, out.relative_divergence = boolean(res.ViolationBound), C.double(res.RelativeDivergence)
	out.iterations, out.kkt, out.finished = C.int64_t(res.Iterations), C.double(res.KKT), C.int64_t(res.Finished)
	put(out.stop[:], string(res.Stop))
	give(result, &out)
	return err
}
