package main

// #include "nmu.h"
import "C"

import (
	"cmp"
	"fmt"
	"math"
	"unsafe"

	"nmu/internal/matio"
	"nmu/internal/options"
	"nmu/lnmu"
)

//export nmuGoEstimate
func nmuGoEstimate(dense *C.nmu_matrix, sparse *C.nmu_csr, opt *C.nmu_options, rank C.int64_t, result *C.nmu_estimate_result, e *C.nmu_error) C.int {
	return call(e, func() error {
		out, err := take("the result", result)
		if err != nil {
			return err
		}
		like := C.nmu_matrix{_type: cmp.Or(out._type, C.NMU_FLOAT64)} // of M in a file
		like.size = C.size_t(unsafe.Sizeof(like))
		g := given{dense, sparse, &like}
		return g.inPrecision(
			func() error { return estimate[float64](g, opt, intOf(rank), result, out) },
			func() error { return estimate[float32](g, opt, intOf(rank), result, out) })
	})
}

// estimate writes what a factorization takes.
func estimate[T lnmu.Float](g given, opt *C.nmu_options, rank int, result *C.nmu_estimate_result, out C.nmu_estimate_result) error {
	p, err := planOf(opt, options.Factor)
	if err != nil {
		return err
	}
	var m lnmu.Matrix[T]
	var size int64
	switch {
	case g.sparse == nil && g.dense == nil && p.Scratch == "":
		m, size, err = unread[T](p)
	case g.sparse != nil:
		m, err = sparseShape[T](g.sparse, p)
	case g.dense != nil && g.dense.data == nil:
		m, err = denseShape[T](g.dense, p)
	default:
		var in input[T]
		if in, err = inputOf[T](g, p); err == nil {
			defer in.close()
			m, err = observed(in, p)
		}
	}
	if err == nil {
		err = p.fixed(nil)
	}
	if err != nil {
		return err
	}
	if p.Save != "" || p.Resume != "" {
		p.Settings.Checkpoint = &lnmu.Checkpoint{}
	}
	need, err := needsOf(m, rank, p)
	if err != nil {
		return optionError(err)
	}
	need.Memory += min(size, math.MaxInt64-need.Memory)
	estimateRecord().write(&out, need)
	give(result, &out)
	return nil
}

// needsOf returns the estimate for the factorization of a plan.
func needsOf[T lnmu.Float](m lnmu.Matrix[T], rank int, p *plan) (lnmu.Estimate, error) {
	s := p.Settings
	own := p.Init == options.InitGiven
	if own {
		s.Init, s.Restarts = "", 1
	}
	method, s, err := lnmu.WithDefaults(m, rank, p.method, &s)
	if err != nil {
		return lnmu.Estimate{}, err
	}
	if own {
		s.Init = ""
	}
	return lnmu.EstimateOf(m, rank, method, s)
}

// fits returns an error if a factorization needs more memory than the settings allow.
func fits[T lnmu.Float](in input[T], m lnmu.Matrix[T], rank int, p *plan) error {
	if in.file == nil || p.MaxMemory == 0 || p.call != options.Factor {
		return nil
	}
	need, err := needsOf(m, rank, p)
	if err == nil {
		err = in.file.Fits(need.Memory, fmt.Sprintf("factoring it at rank %d", rank))
	}
	return optionError(err)
}

// shape returns a matrix that is still to be read, with what the settings say of its entries.
func shape[T lnmu.Float](x lnmu.Unread[T], p *plan) lnmu.Matrix[T] {
	given := func(name, path string) bool { return path != "" || p.inputs[name] != nil }
	x.Missing = given(nameMask, p.Mask) || p.Missing == options.MissingAllow
	x.Weighted = given(nameWeights, p.Weights)
	if p.StoredOnly {
		return lnmu.Observed[T]{Matrix: x, StoredOnly: true}
	}
	return x
}

// denseShape returns a dense M without entries.
func denseShape[T lnmu.Float](given *C.nmu_matrix, p *plan) (lnmu.Matrix[T], error) {
	m, err := take("M", given)
	if err != nil {
		return nil, err
	}
	if err := p.inMemory(); err != nil {
		return nil, err
	}
	if n, ok := product(uint64(m.rows), uint64(m.cols), 8); m.rows < 1 || m.cols < 1 || !ok || n > addressSpace {
		return nil, fmt.Errorf("%w: M has %d rows and %d columns", lnmu.ErrShape, int64(m.rows), int64(m.cols))
	}
	return shape(lnmu.Unread[T]{Rows: int(m.rows), Cols: int(m.cols), ByColumns: m.row_stride == 1 && m.col_stride != 1}, p), nil
}

// sparseShape returns a sparse M without entries.
func sparseShape[T lnmu.Float](given *C.nmu_csr, p *plan) (lnmu.Matrix[T], error) {
	m, err := take("M", given)
	if err != nil {
		return nil, err
	}
	if err := p.inMemory(); err != nil {
		return nil, err
	}
	if m.rows < 1 || m.cols < 1 || m.rows > mostLines || m.cols > mostLines || m.entries < 0 || m.entries > addressSpace/16 {
		return nil, fmt.Errorf("%w: M has %d rows, %d columns and %d entries", lnmu.ErrShape, int64(m.rows), int64(m.cols), int64(m.entries))
	}
	return shape(lnmu.Unread[T]{Rows: int(m.rows), Cols: int(m.cols), Sparse: true, Entries: int(m.entries)}, p), nil
}

// unread returns the matrix in the file of the settings without entries, and the memory that it takes
// when it is read.
func unread[T lnmu.Float](p *plan) (lnmu.Matrix[T], int64, error) {
	if p.Input == "" {
		return nil, 0, badArgument("M is NULL, and there is no setting input")
	}
	p.MaxMemory = math.MaxInt // to see what it is
	file, err := openFile(&p.Run, p.Input)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	x, size := lnmu.Unread[T]{Sparse: file.Sparse() && !p.Dense}, int64(0)
	x.Rows, x.Cols = file.Dims()
	if x.Sparse {
		size, x.Entries = matio.SparseSize[T](file)
	} else {
		size = matio.DenseSize[T](file)
	}
	return shape(x, p), size + min(math.MaxInt-file.Left(), math.MaxInt64-size), nil
}
