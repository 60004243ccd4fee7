package main

// #include "call.h"
import "C"

import (
	"math"

	"nmu/internal/options"
	"nmu/internal/work"
	"nmu/lnmu"
)

// estimate writes what a factorization takes.
func estimate[T lnmu.Float](c *call) error {
	out := take("the result", (*C.nmu_estimate_result)(c.result))
	p := planOf(c, options.Factor)
	if c.sparse == nil && c.m == nil {
		p.MaxMemory = math.MaxInt // to see what it is
	}
	in := openJob[T](c, p)
	defer in.close()
	p.fixed(in.file)
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
	estimateRecord().write(&out, must(t.Need()))
	give((*C.nmu_estimate_result)(c.result), &out)
	return nil
}

// unread returns the outline of a matrix of the caller without data.
func unread[T lnmu.Float](d C.nmu_matrix) lnmu.Matrix[T] {
	if n, ok := product(uint64(d.rows), uint64(d.cols), 8); d.rows < 1 || d.cols < 1 || !ok || n > addressSpace {
		refuse(lnmu.ErrShape, "M has %d rows and %d columns", int64(d.rows), int64(d.cols))
	}
	return lnmu.Unread[T]{Rows: int(d.rows), Cols: int(d.cols), ByColumns: d.row_stride == 1 && d.col_stride != 1}
}
