package main

// #include "call.h"
import "C"

import (
	"fmt"
	"math"

	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/internal/work"
	"nmu/lnmu"
)

// estimate writes what a factorization takes.
func estimate[T lnmu.Float](c *call) error {
	out := take("the result", (*C.nmu_estimate_result)(c.result))
	p := planOf(c, options.Factor)
	var in job[T]
	var size int64
	if c.sparse != nil || c.m != nil && c.m.data == nil || c.m == nil && p.Input != "" && p.Scratch == "" {
		in, size = unread[T](c, p)
	} else {
		in = jobOf[T](c, p)
	}
	defer in.close()
	p.fixed(in.file)
	if p.Save != "" || p.Resume != "" {
		p.Settings.Checkpoint = &lnmu.Checkpoint{}
	}
	need := needsOf(in, intOf(c.rank))
	need.Memory += min(size, math.MaxInt64-need.Memory)
	estimateRecord().write(&out, need)
	give((*C.nmu_estimate_result)(c.result), &out)
	return nil
}

// needsOf returns the estimate for a factorization.
func needsOf[T lnmu.Float](in job[T], rank int) lnmu.Estimate {
	return must(work.NeedOf(in.Observed, rank, in.method, in.Settings, in.Init == options.InitGiven))
}

// fits refuses a factorization that needs more memory than the settings allow.
func fits[T lnmu.Float](in job[T], rank int) {
	if in.MaxMemory > 0 && in.call == options.Factor {
		fail(in.file.Fits(needsOf(in, rank).Memory, fmt.Sprintf("factoring it at rank %d", rank)))
	}
}

// unread returns M without its entries, with what the settings say of these, and the memory that M takes
// when it is read from a file.
func unread[T lnmu.Float](c *call, p *plan) (w job[T], size int64) {
	r := p.request()
	x := lnmu.Unread[T]{Missing: r.Has("mask") || p.Missing == options.MissingAllow, Weighted: r.Weighs()}
	switch {
	case c.sparse != nil:
		s := sparseSize(c.sparse)
		x.Rows, x.Cols, x.Entries, x.Sparse = int(s.rows), int(s.cols), int(s.entries), true
	case c.m != nil:
		d := take("M", c.m)
		if n, ok := product(uint64(d.rows), uint64(d.cols), 8); d.rows < 1 || d.cols < 1 || !ok || n > addressSpace {
			refuse(lnmu.ErrShape, "M has %d rows and %d columns", int64(d.rows), int64(d.cols))
		}
		x.Rows, x.Cols, x.ByColumns = int(d.rows), int(d.cols), d.row_stride == 1 && d.col_stride != 1
	default:
		p.MaxMemory = math.MaxInt // to see what it is
	}
	w = openJob[T](p, x.Rows > 0, x.Rows, x.Cols)
	if !w.inMemory {
		x.Rows, x.Cols = w.file.Dims()
		if x.Sparse = w.file.Sparse() && !p.Dense; x.Sparse {
			size, x.Entries = matio.SparseSize[T](w.file)
		} else {
			size = matio.DenseSize[T](w.file)
		}
		size += min(math.MaxInt-w.file.Left(), math.MaxInt64-size)
	}
	left, err := r.Unskipped(w.file)
	fail(err)
	x.Rows, x.Cols = left.Dims(x.Rows, x.Cols)
	w.Observed = lnmu.Observed[T]{Matrix: x, StoredOnly: p.StoredOnly}
	return w, size
}
