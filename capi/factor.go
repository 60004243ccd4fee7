package main

// #include "call.h"
import "C"

import (
	"errors"
	"unsafe"

	"nmu/internal/options"
	"nmu/internal/work"
	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// factor factors M, or improves its factors.
func factor[T lnmu.Float](c *call) error {
	kind := options.Factor
	if c.function == C.IMPROVE {
		kind = options.Improve
	}
	p := planOf(c, kind)
	by, hals := p.method.(*lnmu.NMF)
	if !hals {
		by = &lnmu.NMF{}
	}
	if kind == options.Improve && p.named && !hals {
		refuse(lnmu.ErrOption, "method %s for nmu_improve; choose nmf, or leave it out", p.method.Name())
	}
	in := openJob[T](c, p)
	defer in.close()
	v, w := in.factors(c)
	v.writable()
	w.writable()
	out := take("the result", (*C.nmu_result)(c.result))
	start := work.Start[T]{Given: p.Init == options.InitGiven && !p.Continue}
	if p.Continue || start.Given {
		start.V, start.W = denseOf(v), denseOf(w)
	}
	if p.Continue {
		start.Known = &lnmu.Result[T]{V: start.V, W: start.W, Report: outcome.Report{Blocks: blocksOf(&out, v.cols)}}
	}
	p.fixed(in.file)
	p.openStates()
	var r *work.Reply[T]
	var err error
	if kind == options.Improve {
		m := in.read()
		r = &work.Reply[T]{Plan: work.Plan{Selection: *in.seen}}
		r.Result, err = found(in, func() (*lnmu.Result[T], error) {
			return (&lnmu.Result[T]{V: denseOf(v), W: denseOf(w)}).Improve(p.ctx, m, *by, &p.Settings)
		})
	} else {
		if start.Given {
			p.Init = ""
		}
		r, err = in.task(v.cols, start).Run(p.ctx)
		err = in.settled(err, r != nil)
	}
	res := r.Result
	V, W := r.Whole()
	set(v, V)
	set(w, W)
	resultRecord().write(&out, res)
	var errs []float64
	for _, b := range res.Blocks {
		errs = append(errs, b.History...)
	}
	out.blocks = list(blockRecord(), out.block, out.block_capacity, res.Blocks)
	out.history_length = C.int64_t(len(errs))
	copy(unsafe.Slice((*float64)(unsafe.Pointer(out.history)), min(int64(out.history_capacity), int64(len(errs)))), errs)
	give((*C.nmu_result)(c.result), &out)
	return errors.Join(err, p.saved(res.Stop))
}

// blocksOf returns the blocks in a result, at most one for each factor.
func blocksOf(out *C.nmu_result, rank int) (known []outcome.Block) {
	if out.blocks < 1 || int64(out.blocks) > min(int64(out.block_capacity), int64(rank)) {
		refuse(errArgument, "the result has %d blocks to continue, and room for %d, and V has %d columns; pass that of the run that found V and W", int64(out.blocks), int64(out.block_capacity), rank)
	}
	for _, b := range unsafe.Slice(out.block, int64(out.blocks)) {
		known = append(known, outcome.Block{
			Rank: intOf(b.rank), IterationsDone: intOf(b.iterations_done), Error: float64(b.relative_error), L1: float64(b.relative_l1),
			Divergence: float64(b.relative_divergence), Lowered: b.lowered != 0, Stop: outcome.Stop(textOf(b.stop[:])),
		})
	}
	return known
}
