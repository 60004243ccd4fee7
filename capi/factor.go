package main

// #include "call.h"
import "C"

import (
	"errors"
	"math"
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
	p.fixed(in.File)
	p.openStates()
	var r *work.Reply[T]
	var err error
	if kind == options.Improve {
		r = &work.Reply[T]{}
		m := must(in.ReadFactored(work.Plan{Rank: v.cols, Method: *by, Settings: p.Settings}))
		err = in.Do(func() (err error) {
			r.Result, err = (&lnmu.Result[T]{V: denseOf(v), W: denseOf(w)}).Improve(p.ctx, m, *by, &p.Settings)
			return err
		})
		err = in.settled(err, r.Result != nil)
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
	write(&out, res)
	var errs []float64
	for _, b := range res.Blocks {
		errs = append(errs, b.History...)
	}
	out.blocks = list(out.block, out.block_capacity, res.Blocks)
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

// estimate writes what a factorization takes.
func estimate[T lnmu.Float](c *call) error {
	out := take("the result", (*C.nmu_estimate_result)(c.result))
	p := planOf(c, options.Factor)
	if c.sparse == nil && c.m == nil {
		p.MaxMemory = math.MaxInt // to see what it is
	}
	in := openJob[T](c, p)
	defer in.close()
	p.fixed(in.File)
	if p.Save != "" || p.Resume != "" {
		p.Settings.Checkpoint = &lnmu.Checkpoint{}
	}
	given := p.Init == options.InitGiven
	if given {
		p.Settings.Init, p.Restarts = "", 1
	}
	t := in.task(intOf(c.rank), work.Start[T]{})
	if given {
		t.Plan.Settings.Init = ""
	}
	write(&out, must(t.Need()))
	give((*C.nmu_estimate_result)(c.result), &out)
	return nil
}

// unread returns the outline of a matrix of the caller without data.
func unread[T lnmu.Float](d C.nmu_matrix) lnmu.Matrix[T] {
	if d.rows < 1 || d.cols < 1 || 8*float64(d.rows)*float64(d.cols) > addressSpace {
		refuse(lnmu.ErrShape, "M has %d rows and %d columns", int64(d.rows), int64(d.cols))
	}
	return lnmu.Unread[T]{Rows: int(d.rows), Cols: int(d.cols), ByColumns: d.row_stride == 1 && d.col_stride != 1}
}
