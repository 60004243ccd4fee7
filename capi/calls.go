package main

// #include "nmu.h"
import "C"

import (
	"encoding/json"
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
func nmuGoFactor(m *C.nmu_matrix, options *C.nmu_options, v, w *C.nmu_matrix, result *C.nmu_result, e *C.nmu_error) C.int {
	return call(e, func() error {
		return inPrecision(m,
			func() error { return factorDense[float64](m, options, v, w, result) },
			func() error { return factorDense[float32](m, options, v, w, result) })
	})
}

func factorDense[T lnmu.Float](given *C.nmu_matrix, options *C.nmu_options, v, w *C.nmu_matrix, result *C.nmu_result) error {
	m, err := viewOf[T]("M", given)
	if err != nil {
		return err
	}
	return factor(m.rows, m.cols, m.numbers, options, v, w, result,
		func(rank int, p plan) (*lnmu.Result[T], error) {
			return lnmu.Factor(p.ctx, observed(m.matrix(), p), rank, p.method, &p.settings)
		},
		func(v, w lnmu.Dense[T], p plan) (*lnmu.Result[T], error) {
			return lnmu.FactorFrom(p.ctx, observed(m.matrix(), p), v, w, p.method, &p.settings)
		})
}

//export nmuGoFactorCSR
func nmuGoFactorCSR(m *C.nmu_csr, options *C.nmu_options, v, w *C.nmu_matrix, result *C.nmu_result, e *C.nmu_error) C.int {
	return call(e, func() error {
		return inPrecisionCSR(m,
			func() error { return factorSparse[float64](m, options, v, w, result) },
			func() error { return factorSparse[float32](m, options, v, w, result) })
	})
}

func factorSparse[T lnmu.Float](given *C.nmu_csr, options *C.nmu_options, v, w *C.nmu_matrix, result *C.nmu_result) error {
	m, err := sparseOf[T](given)
	if err != nil {
		return err
	}
	return factor(m.Rows, m.Cols, nil, options, v, w, result,
		func(rank int, p plan) (*lnmu.Result[T], error) {
			return lnmu.Factor(p.ctx, observed[T](m, p), rank, p.method, &p.settings)
		},
		func(v, w lnmu.Dense[T], p plan) (*lnmu.Result[T], error) {
			return lnmu.FactorFrom(p.ctx, observed[T](m, p), v, w, p.method, &p.settings)
		})
}

// factor runs a method on an m x n matrix from a start of its own, or from a given one,
// and writes what is found. Numbers is the mask of a dense M.
func factor[T lnmu.Float](m, n int, numbers func() *lnmu.Mask, options *C.nmu_options, givenV, givenW *C.nmu_matrix, result *C.nmu_result,
	fresh func(rank int, p plan) (*lnmu.Result[T], error),
	from func(v, w lnmu.Dense[T], p plan) (*lnmu.Result[T], error)) error {

	p, err := planOf(m, n, numbers, options)
	if err != nil {
		return err
	}
	v, w, err := factors[T](m, n, givenV, givenW)
	if err != nil {
		return err
	}
	if err := v.writable(); err != nil {
		return err
	}
	if err := w.writable(); err != nil {
		return err
	}
	out, err := take("the result", result)
	if err != nil {
		return err
	}
	if out.block_capacity < 0 || out.block_capacity > 0 && out.block == nil {
		return badArgument("the result has room for %d blocks, and their array is %v", int64(out.block_capacity), out.block)
	}
	var res *lnmu.Result[T]
	if p.given {
		res, err = from(v.dense(), w.dense(), p)
	} else {
		res, err = fresh(v.cols, p)
	}
	if res == nil {
		return err
	}
	v.set(res.V)
	w.set(res.W)
	describe(&out, res)
	give(result, &out)
	return err
}

// describe fills in how a factorization came about.
func describe[T lnmu.Float](out *C.nmu_result, res *lnmu.Result[T]) {
	out.rank, out.iterations = C.int64_t(res.V.Cols), 0
	room := unsafe.Slice(out.block, min(int64(out.block_capacity), int64(len(res.Blocks))))
	for i, b := range res.Blocks {
		out.iterations += C.int64_t(b.Iterations)
		if i < len(room) {
			room[i] = C.nmu_block{
				rank: C.int64_t(b.Rank), iterations: C.int64_t(b.Iterations),
				relative_error: C.double(b.Error), relative_l1: C.double(b.L1),
			}
		}
	}
	out.blocks = C.int64_t(len(res.Blocks))
	out.relative_error, out.relative_l1 = C.double(res.RelativeError), C.double(res.RelativeL1)
	out.max_violation, out.largest_entry = C.double(res.MaxViolation), C.double(res.LargestEntry)
	out.violation_bound = boolean(res.ViolationBound)
	put(out.stop[:], string(res.Stop))
	out.seed, out.best_restart = C.uint64_t(res.Seed), C.int64_t(res.BestRestart)
	out.restarts_begun, out.restarts_finished = C.int64_t(res.RestartsBegun), C.int64_t(res.RestartsFinished)
	out.revived = C.int64_t(res.Revived)
	out.relative_divergence = C.double(res.RelativeDivergence)
}

func boolean(x bool) C.int64_t {
	if x {
		return 1
	}
	return 0
}

//export nmuGoImprove
func nmuGoImprove(m *C.nmu_matrix, options *C.nmu_options, v, w *C.nmu_matrix, result *C.nmu_result, e *C.nmu_error) C.int {
	return call(e, func() error {
		return inPrecision(m,
			func() error { return improve[float64](m, options, v, w, result) },
			func() error { return improve[float32](m, options, v, w, result) })
	})
}

func improve[T lnmu.Float](given *C.nmu_matrix, options *C.nmu_options, v, w *C.nmu_matrix, result *C.nmu_result) error {
	m, err := viewOf[T]("M", given)
	if err != nil {
		return err
	}
	o, err := take("the options", options)
	if err != nil {
		return err
	}
	if o.method != nil || o.method_options != nil || o.init != nil {
		return fmt.Errorf("%w: a method, its options or an init for nmu_improve, which has its own", lnmu.ErrOption)
	}
	run := func(v, w lnmu.Dense[T], p plan) (*lnmu.Result[T], error) {
		return lnmu.Improve(p.ctx, observed(m.matrix(), p), v, w, lnmu.NMF{}, &p.settings)
	}
	o.size, o.init = C.size_t(unsafe.Sizeof(o)), startGiven()
	return factor(m.rows, m.cols, m.numbers, &o, v, w, result, nil, run)
}

// startGiven is the init that says that V and W hold the start.
var startGiven = sync.OnceValue(func() *C.char { return C.CString("given") })

//export nmuGoMetrics
func nmuGoMetrics(m, v, w *C.nmu_matrix, measures *C.nmu_measures, e *C.nmu_error) C.int {
	return call(e, func() error {
		return inPrecision(m,
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
func nmuGoBiclique(m *C.nmu_matrix, options *C.nmu_biclique_options, rows, cols *C.int64_t, result *C.nmu_biclique_result, e *C.nmu_error) C.int {
	return call(e, func() error {
		return inPrecision(m,
			func() error { return bicliqueDense[float64](m, options, rows, cols, result) },
			func() error { return bicliqueDense[float32](m, options, rows, cols, result) })
	})
}

func bicliqueDense[T lnmu.Float](given *C.nmu_matrix, options *C.nmu_biclique_options, rows, cols *C.int64_t, result *C.nmu_biclique_result) error {
	m, err := viewOf[T]("M", given)
	if err != nil {
		return err
	}
	g, err := biclique.FromDense(m.dense())
	if err != nil {
		return err
	}
	return findBiclique(g, options, rows, cols, result)
}

//export nmuGoBicliqueCSR
func nmuGoBicliqueCSR(m *C.nmu_csr, options *C.nmu_biclique_options, rows, cols *C.int64_t, result *C.nmu_biclique_result, e *C.nmu_error) C.int {
	return call(e, func() error {
		return inPrecisionCSR(m,
			func() error { return bicliqueSparse[float64](m, options, rows, cols, result) },
			func() error { return bicliqueSparse[float32](m, options, rows, cols, result) })
	})
}

func bicliqueSparse[T lnmu.Float](given *C.nmu_csr, options *C.nmu_biclique_options, rows, cols *C.int64_t, result *C.nmu_biclique_result) error {
	m, err := sparseOf[T](given)
	if err != nil {
		return err
	}
	g, err := biclique.FromSparse(m)
	if err != nil {
		return err
	}
	return findBiclique(g, options, rows, cols, result)
}

func findBiclique(g *biclique.Graph, options *C.nmu_biclique_options, rows, cols *C.int64_t, result *C.nmu_biclique_result) error {
	o, err := take("the options", options)
	if err != nil {
		return err
	}
	out, err := take("the result", result)
	if err != nil {
		return err
	}
	if rows == nil || cols == nil || result == nil {
		return badArgument("the rows, the columns or the result are NULL")
	}
	threads, err := threadsOf(o.threads)
	if err != nil {
		return err
	}
	res, err := biclique.Find(newPolled(o.cancel), g, biclique.Options{
		Starts: intOf(o.starts), Iterations: intOf(o.iterations), Seed: uint64(o.seed), Threads: threads,
	})
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
	return err
}

//export nmuGoSHA256
func nmuGoSHA256(m *C.nmu_matrix, hex *C.char, e *C.nmu_error) C.int {
	return call(e, func() error {
		return inPrecision(m,
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
		out.threads, out.methods = C.int64_t(runtime.GOMAXPROCS(0)), methods()
		give(info, &out)
		return kernel.LevelError()
	})
}

// methods is the list of all methods, in JSON.
var methods = sync.OnceValue(func() *C.char {
	type option struct {
		Name    string   `json:"name"`
		Usage   string   `json:"usage"`
		Choices []string `json:"choices,omitempty"` // the words that it can be
	}
	type method struct {
		Name              string   `json:"name"`
		Title             string   `json:"title"`
		Iterations        int      `json:"iterations"`
		Underapproximates bool     `json:"underapproximates"`
		Recursive         bool     `json:"recursive"`
		Sparse            bool     `json:"sparse"`
		Options           []option `json:"options"`
	}
	var list []method
	for _, d := range lnmu.Methods() {
		m := method{d.Name, d.Title, d.Iterations, d.Underapproximates, d.Recursive, d.Sparse, []option{}}
		_, all := options.Of(d.Method)
		for _, o := range all {
			m.Options = append(m.Options, option{o.Name, o.Usage, o.Choices()})
		}
		list = append(list, m)
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // there is nothing that JSON does not have
	}
	return C.CString(string(text))
})
