package main

// #include "nmu.h"
import "C"

import (
	"errors"
	"fmt"

	"nmu/internal/options"
	"nmu/lnmu"
)

//export nmuGoUpdate
func nmuGoUpdate(v, dense *C.nmu_matrix, sparse *C.nmu_csr, options *C.nmu_options, ww, mw, w *C.nmu_matrix, result *C.nmu_transform_result, e *C.nmu_error) C.int {
	return call(e, func() error {
		m := given{dense, sparse, v}
		return m.inPrecision(
			func() error { return update[float64](m, v, options, ww, mw, w, result) },
			func() error { return update[float32](m, v, options, ww, mw, w, result) })
	})
}

// update continues a factorization by new columns and writes what is found.
func update[T lnmu.Float](g given, givenV *C.nmu_matrix, opt *C.nmu_options, givenWW, givenMW, givenW *C.nmu_matrix, result *C.nmu_transform_result) error {
	p, err := planOf(opt, options.Transform)
	if err != nil {
		return err
	}
	if err := updates(p); err != nil {
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
	ww, err := viewOf[T]("the sums W Wᵀ", givenWW)
	if err != nil {
		return err
	}
	mw, err := viewOf[T]("the sums M Wᵀ", givenMW)
	if err != nil {
		return err
	}
	if err := errors.Join(v.writable(), w.writable(), ww.writable(), mw.writable()); err != nil {
		return err
	}
	m, err := observed(in, p)
	if err != nil {
		return err
	}
	var res *lnmu.Updated[T]
	err = in.guard(func() (err error) {
		res, err = lnmu.Update(p.ctx, m, v.dense(), lnmu.Sums[T]{WW: ww.dense(), MW: mw.dense()},
			&lnmu.UpdateSettings{Iterations: p.Iterations, Tolerance: p.Tolerance, Threads: p.Threads})
		return err
	})
	if res == nil || err != nil && codeOf(err) != C.NMU_CANCELLED {
		return err
	}
	v.set(res.V)
	ww.set(res.Sums.WW)
	mw.set(res.Sums.MW)
	w.set(res.New.W)
	found := *res.New
	found.Iterations, found.Stop = res.Iterations, res.Stop
	transformRecord().write(&out, &found)
	give(result, &out)
	return errors.Join(err, in.notes())
}

// updates returns an error for a method or a setting of nmu_transform that nmu_update does not have.
func updates(p *plan) error {
	by := lnmu.NMF{}
	if given, ok := p.method.(*lnmu.NMF); ok {
		by = *given
	} else if p.named {
		return fmt.Errorf("%w: method %s for nmu_update, whose steps are those of nmf; choose nmf, or leave it out", lnmu.ErrOption, p.method.Describe().Name)
	}
	switch {
	case by.SumToOneV || by.SumToOneW || p.Transform.SumToOne:
		return fmt.Errorf("%w: sums of one for nmu_update, which has no such steps; leave them out", lnmu.ErrOption)
	case p.Transform.Feasible || p.Transform.Divergence:
		return fmt.Errorf("%w: feasible or divergence for nmu_update, which minimises the squared error; leave them out", lnmu.ErrOption)
	case p.Init != "":
		return fmt.Errorf("%w: init=%s for nmu_update, whose start is V; leave it out", lnmu.ErrOption, p.Init)
	}
	return nil
}
