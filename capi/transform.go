package main

// #include "nmu.h"
import "C"

import "nmu/lnmu"

//export nmuGoTransform
func nmuGoTransform(v, m *C.nmu_matrix, options *C.nmu_transform_options, w *C.nmu_matrix, result *C.nmu_transform_result, e *C.nmu_error) C.int {
	return call(e, func() error {
		return inPrecision(m,
			func() error { return transform[float64](v, m, options, w, result) },
			func() error { return transform[float32](v, m, options, w, result) })
	})
}

func transform[T lnmu.Float](givenV, givenM *C.nmu_matrix, options *C.nmu_transform_options, givenW *C.nmu_matrix, result *C.nmu_transform_result) error {
	o, err := take("the options", options)
	if err != nil {
		return err
	}
	out, err := take("the result", result)
	if err != nil {
		return err
	}
	m, err := viewOf[T]("M", givenM)
	if err != nil {
		return err
	}
	v, w, err := factors[T](m.rows, m.cols, givenV, givenW)
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
	ctx := newPolled(o.cancel)
	settings := lnmu.TransformSettings{
		Feasible: o.feasible != 0, Iterations: intOf(o.iterations), Tolerance: float64(o.tolerance), Threads: threads,
	}
	seen := lnmu.Observed[T]{Matrix: m.matrix()}
	if seen.Mask, seen.Weights, err = observation(m.rows, m.cols, m.numbers, o.mask, o.weights, o.nan_missing); err != nil {
		return err
	}
	var res *lnmu.Transformed[T]
	if o.given != 0 {
		res, err = lnmu.Transform(ctx, seen, v.dense(), w.dense(), &settings)
	} else {
		res, err = lnmu.Transform(ctx, seen, v.dense(), lnmu.Dense[T]{}, &settings)
	}
	if res == nil {
		return err
	}
	w.set(res.W)
	out.relative_error, out.max_violation = C.double(res.RelativeError), C.double(res.MaxViolation)
	out.iterations, out.kkt, out.finished = C.int64_t(res.Iterations), C.double(res.KKT), C.int64_t(res.Finished)
	put(out.stop[:], string(res.Stop))
	give(result, &out)
	return err
}
