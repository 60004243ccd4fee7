package main

// #include "nmu.h"
import "C"

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"nmu/internal/options"
	"nmu/internal/release"
	"nmu/kernel"
	"nmu/lnmu"
	"nmu/lnmu/biclique"
)

//export nmuGoFactor
func nmuGoFactor(dense *C.nmu_matrix, sparse *C.nmu_csr, options *C.nmu_options, v, w *C.nmu_matrix, result *C.nmu_result, e *C.nmu_error) C.int {
	return call(e, func() error {
		m := given{dense, sparse, v}
		return m.inPrecision(
			func() error { return factor[float64](m, options, v, w, result) },
			func() error { return factor[float32](m, options, v, w, result) })
	})
}

//export nmuGoImprove
func nmuGoImprove(dense *C.nmu_matrix, sparse *C.nmu_csr, options *C.nmu_options, v, w *C.nmu_matrix, result *C.nmu_result, e *C.nmu_error) C.int {
	return call(e, func() error {
		m := given{dense, sparse, v}
		return m.inPrecision(
			func() error { return improve[float64](m, options, v, w, result) },
			func() error { return improve[float32](m, options, v, w, result) })
	})
}

func factor[T lnmu.Float](m given, opt *C.nmu_options, v, w *C.nmu_matrix, result *C.nmu_result) error {
	p, err := planOf(opt, options.Factor)
	if err != nil {
		return err
	}
	return fill(m, p, v, w, result, func(m lnmu.Matrix[T], v, w view[T], known []lnmu.Block) (*lnmu.Result[T], error) {
		switch {
		case p.Continue:
			return lnmu.Continue(p.ctx, m, &lnmu.Result[T]{V: v.dense(), W: w.dense(), Blocks: known}, v.cols, p.method, &p.Settings)
		case p.Init == options.InitGiven:
			p.Init = ""
			return lnmu.FactorFrom(p.ctx, m, v.dense(), w.dense(), p.method, &p.Settings)
		}
		return lnmu.Factor(p.ctx, m, v.cols, p.method, &p.Settings)
	})
}

func improve[T lnmu.Float](m given, opt *C.nmu_options, v, w *C.nmu_matrix, result *C.nmu_result) error {
	p, err := planOf(opt, options.Improve)
	if err != nil {
		return err
	}
	by := lnmu.NMF{}
	if given, ok := p.method.(*lnmu.NMF); ok {
		by = *given
	} else if p.named {
		return fmt.Errorf("%w: method %s for nmu_improve; choose nmf, or leave it out", lnmu.ErrOption, p.method.Describe().Name)
	}
	return fill(m, p, v, w, result, func(m lnmu.Matrix[T], v, w view[T], _ []lnmu.Block) (*lnmu.Result[T], error) {
		return lnmu.Improve(p.ctx, m, v.dense(), w.dense(), by, &p.Settings)
	})
}

// fill runs a factorization of M, by its plan, and writes what is found. The factorization gets V
// and W as they were given, and the blocks of the factors in them, if it is to go on with these.
func fill[T lnmu.Float](g given, p *plan, givenV, givenW *C.nmu_matrix, result *C.nmu_result,
	do func(m lnmu.Matrix[T], v, w view[T], known []lnmu.Block) (*lnmu.Result[T], error)) (err error) {

	in, err := inputOf[T](g, p)
	if err != nil {
		return err
	}
	defer in.close()
	rows, cols := in.Dims()
	v, w, err := factors[T](rows, cols, givenV, givenW)
	if err != nil {
		return err
	}
	if err := errors.Join(v.writable(), w.writable()); err != nil {
		return err
	}
	out, err := take("the result", result)
	if err != nil {
		return err
	}
	known, err := blocksOf(&out, p.Continue)
	if err != nil {
		return err
	}
	m, err := observed(in, p)
	if err == nil {
		err = p.fixed(in.file)
	}
	if err == nil {
		err = p.openStates()
	}
	if err != nil {
		return err
	}
	defer p.closeStates()
	if err := fits(in, m, w.rows, p); err != nil {
		return err
	}
	var res *lnmu.Result[T]
	err = in.guard(func() (err error) {
		res, err = do(m, v, w, known)
		return err
	})
	if res == nil || err != nil && codeOf(err) != C.NMU_CANCELLED {
		return err
	}
	v.set(res.V)
	w.set(res.W)
	describe(&out, res)
	give(result, &out)
	return errors.Join(err, p.saved(res.Stop), in.notes())
}

// blocksOf checks the arrays of a result, and returns the blocks in it, if they are to be read.
func blocksOf(out *C.nmu_result, read bool) (known []lnmu.Block, err error) {
	err = errors.Join(room{"blocks", out.block_capacity, unsafe.Pointer(out.block)}.check(), room{"errors", out.history_capacity, unsafe.Pointer(out.history)}.check())
	if err != nil || !read {
		return nil, err
	}
	if out.blocks < 1 || out.blocks > out.block_capacity {
		return nil, badArgument("the result has %d blocks to continue, and room for %d; pass that of the run that found V and W", int64(out.blocks), int64(out.block_capacity))
	}
	for _, b := range unsafe.Slice(out.block, int64(out.blocks)) {
		known = append(known, lnmu.Block{
			Rank: intOf(b.rank), Iterations: intOf(b.iterations), Error: float64(b.relative_error), L1: float64(b.relative_l1),
			Divergence: float64(b.relative_divergence), Lowered: b.lowered != 0, Stop: lnmu.Stop(textOf(b.stop[:])),
		})
	}
	return known, nil
}

// describe fills in how a factorization came about.
func describe[T lnmu.Float](out *C.nmu_result, res *lnmu.Result[T]) {
	resultRecord().write(out, res)
	var errs []float64
	for _, b := range res.Blocks {
		errs = append(errs, b.History...)
	}
	out.blocks, out.history_length = list(blockRecord(), out.block, out.block_capacity, res.Blocks), C.int64_t(len(errs))
	history := unsafe.Slice((*float64)(unsafe.Pointer(out.history)), min(int64(out.history_capacity), int64(len(errs))))
	copy(history, errs)
}

//export nmuGoMetrics
func nmuGoMetrics(m, v, w *C.nmu_matrix, measures *C.nmu_measures, e *C.nmu_error) C.int {
	return call(e, func() error {
		return given{dense: m}.inPrecision(
			func() error { return metrics[float64](m, v, w, measures) },
			func() error { return metrics[float32](m, v, w, measures) })
	})
}

func metrics[T lnmu.Float](givenM, givenV, givenW *C.nmu_matrix, measures *C.nmu_measures) error {
	m, err := viewOf[T]("M", givenM)
	if err != nil {
		return err
	}
	v, w, err := factors[T](m.rows, m.cols, givenV, givenW)
	if err != nil {
		return err
	}
	out, err := take("the measures", measures)
	if err != nil {
		return err
	}
	res, err := lnmu.Measure(m.matrix(), v.dense(), w.dense(), nil)
	if err != nil {
		return err
	}
	out.relative_error, out.max_violation = C.double(res.RelativeError), C.double(res.MaxViolation)
	out.scale, out.scaled_error = C.double(res.Scale), C.double(res.ScaledError)
	out.basis_zeros, out.basis_hoyer = C.double(res.Basis.Zeros), C.double(res.Basis.Hoyer)
	out.weight_zeros, out.weight_hoyer = C.double(res.Weights.Zeros), C.double(res.Weights.Hoyer)
	give(measures, &out)
	return nil
}

//export nmuGoBiclique
func nmuGoBiclique(dense *C.nmu_matrix, sparse *C.nmu_csr, options *C.nmu_options, rows, cols *C.int64_t, result *C.nmu_biclique_result, e *C.nmu_error) C.int {
	return call(e, func() error {
		m := given{dense, sparse, nil}
		return m.inPrecision(
			func() error { return findBiclique[float64](m, options, rows, cols, result) },
			func() error { return findBiclique[float32](m, options, rows, cols, result) })
	})
}

func findBiclique[T lnmu.Float](m given, opt *C.nmu_options, rows, cols *C.int64_t, result *C.nmu_biclique_result) error {
	p, err := planOf(opt, options.Biclique)
	if err != nil {
		return err
	}
	if p.named {
		return fmt.Errorf("%w: a method or its options for nmu_biclique, which has its own", lnmu.ErrOption)
	}
	in, err := inputOf[T](m, p)
	if err != nil {
		return err
	}
	defer in.close()
	out, err := take("the result", result)
	if err != nil {
		return err
	}
	if rows == nil || cols == nil || result == nil {
		return badArgument("the rows, the columns or the result are NULL")
	}
	var g *biclique.Graph
	if c, ok := in.Matrix.(lnmu.CSR[T]); ok {
		g, err = biclique.FromSparse(c)
	} else {
		g, err = biclique.FromDense(in.dense())
	}
	if err != nil {
		return err
	}
	res, err := biclique.Find(p.ctx, g, biclique.Options{Starts: p.Starts, Iterations: p.Iterations, Seed: p.Seed, Threads: p.Threads})
	if err != nil && codeOf(err) != C.NMU_CANCELLED {
		return err
	}
	for i, x := range res.Rows {
		unsafe.Slice(rows, g.Rows())[i] = C.int64_t(x)
	}
	for i, x := range res.Cols {
		unsafe.Slice(cols, g.Cols())[i] = C.int64_t(x)
	}
	out.rows, out.cols = C.int64_t(len(res.Rows)), C.int64_t(len(res.Cols))
	out.edges, out.bound, out.start = C.int64_t(res.Edges), C.int64_t(res.Bound), C.int64_t(res.Start)
	give(result, &out)
	return errors.Join(err, in.notes())
}

//export nmuGoSHA256
func nmuGoSHA256(m *C.nmu_matrix, hex *C.char, e *C.nmu_error) C.int {
	return call(e, func() error {
		return given{dense: m}.inPrecision(
			func() error { return hash[float64](m, hex) },
			func() error { return hash[float32](m, hex) })
	})
}

func hash[T lnmu.Float](given *C.nmu_matrix, hex *C.char) error {
	m, err := viewOf[T]("M", given)
	if err != nil {
		return err
	}
	if hex == nil {
		return badArgument("the place for the hash is NULL")
	}
	text := lnmu.SHA256(m.dense())
	put(unsafe.Slice(hex, len(text)+1), text)
	return nil
}

//export nmuGoAbout
func nmuGoAbout(info *C.nmu_info, e *C.nmu_error) C.int {
	return call(e, func() error {
		out, err := take("the info", info)
		if err != nil {
			return err
		}
		put(out.version[:], release.Version())
		put(out.level[:], kernel.Level())
		out.threads = C.int64_t(runtime.GOMAXPROCS(0))
		out.methods, out.settings, out.results = methods(), settings(), results()
		give(info, &out)
		return kernel.LevelError()
	})
}

// What the library can do, in JSON.
var methods, settings, results = inJSON(options.MethodTexts), inJSON(options.SettingTexts), inJSON(options.Fields)

// inJSON returns a function that makes a text of C of what describe returns, once.
func inJSON[D any](describe func() D) func() *C.char {
	return sync.OnceValue(func() *C.char {
		text, err := json.Marshal(describe())
		if err != nil {
			panic(err) // there is nothing that JSON does not have
		}
		return C.CString(string(text))
	})
}
