package main

// #include "call.h"
import "C"

import (
	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/model"
)

// transform finds the weights of the columns of M and writes what is found.
func transform[T lnmu.Float](c *call) error {
	p := planOf(c, options.Transform)
	p.Transform = model.Settings(p.method, &p.Transform)
	in := openJob[T](c, p)
	defer in.close()
	out := take("the result", (*C.nmu_transform_result)(c.result))
	v, w := in.factors(c)
	w.writable()
	var start lnmu.Dense[T]
	switch p.Init {
	case "":
	case options.InitGiven:
		start = denseOf(w)
	default:
		refuse(lnmu.ErrOption, "init=%s for new columns; choose %s", p.Init, options.InitGiven)
	}
	res, err := in.Transform(p.ctx, denseOf(v), start)
	if res == nil {
		return in.settled(err, false)
	}
	err = in.settled(err, true, res.Notes...)
	set(w, res.W)
	write(&out, res.Transformed)
	give((*C.nmu_transform_result)(c.result), &out)
	return err
}

// update continues a factorization by new columns and writes what is found.
func update[T lnmu.Float](c *call) error {
	p := planOf(c, options.Transform)
	p.checkUpdate()
	in := openJob[T](c, p)
	defer in.close()
	out := take("the result", (*C.nmu_transform_result)(c.result))
	v, w := in.factors(c)
	ww, mw := resultOf[T]("the sums W Wᵀ", c.ww), resultOf[T]("the sums M Wᵀ", c.mw)
	v.writable()
	w.writable()
	by, res := in.Weighing(), (*lnmu.Updated[T])(nil)
	m := must(in.ReadColumns(v.cols))
	err := in.Do(func() (err error) {
		res, err = lnmu.Update(p.ctx, m, lnmu.Updated[T]{V: denseOf(v), WW: denseOf(ww), MW: denseOf(mw)}, &by)
		return err
	})
	err = in.settled(err, res != nil)
	set(v, res.V)
	set(ww, res.WW)
	set(mw, res.MW)
	set(w, res.New.W)
	now := *res.New
	now.IterationsDone, now.Stop = res.IterationsDone, res.Stop
	write(&out, &now)
	give((*C.nmu_transform_result)(c.result), &out)
	return err
}

// checkUpdate refuses a method or a setting of nmu_transform that nmu_update does not have.
func (p *plan) checkUpdate() {
	by, ok := p.method.(*lnmu.NMF)
	if !ok {
		by = &lnmu.NMF{}
	}
	switch {
	case !ok && p.named:
		refuse(lnmu.ErrOption, "method %s for nmu_update, whose steps are those of nmf; choose nmf, or leave it out", p.method.Name())
	case by.SumToOneV || by.SumToOneW || by.L2V > 0 || by.L2W > 0 || p.Transform.SumToOne:
		refuse(lnmu.ErrOption, "penalties or sums of one for nmu_update, which has no such steps; leave them out")
	case p.Transform.Feasible || p.Transform.Divergence:
		refuse(lnmu.ErrOption, "feasible or divergence for nmu_update, which minimises the squared error; leave them out")
	case p.Init != "":
		refuse(lnmu.ErrOption, "init=%s for nmu_update, whose start is V; leave it out", p.Init)
	}
}
