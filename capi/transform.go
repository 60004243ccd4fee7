package main

// #include "call.h"
import "C"

import (
	"math"

	"nmu/internal/data"
	"nmu/internal/options"
	"nmu/lnmu"
	"nmu/lnmu/model"
)

// transform finds the weights of the columns of M and writes what is found.
func transform[T lnmu.Float](c *call) error {
	p := planOf(c, options.Transform)
	in := openJob[T](c, p)
	defer in.close()
	out := take("the result", (*C.nmu_transform_result)(c.result))
	v, w := in.factors(c)
	w.writable()
	var start lnmu.Dense[T]
	switch p.Init {
	case "":
	case options.InitGiven:
		start = data.PartCols(in.seen.Lines, denseOf(w))
	default:
		refuse(lnmu.ErrOption, "init=%s for new columns; choose %s", p.Init, options.InitGiven)
	}
	by := model.Settings(p.method, &p.Transform)
	m := in.read()
	by.Iterations, by.Tolerance, by.Threads = p.Iterations, p.Tolerance, p.Threads
	res, err := found(in, func() (*lnmu.Transformed[T], error) {
		return lnmu.Transform(p.ctx, m, denseOf(v), start, &by)
	})
	set(w, data.SpreadCols(in.seen.Lines, res.W, T(math.NaN())))
	transformRecord().write(&out, res)
	give((*C.nmu_transform_result)(c.result), &out)
	return err
}
