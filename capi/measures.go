package main

// #include "call.h"
import "C"

import (
	"encoding/json"
	"runtime"
	"sync"
	"unsafe"

	"nmu/internal/options"
	"nmu/internal/release"
	"nmu/kernel"
	"nmu/lnmu"
	"nmu/lnmu/factors"
	"nmu/lnmu/topics"
)

// metrics measures a factorization.
func metrics[T lnmu.Float](c *call) error {
	m := viewOf[T]("M", c.m)
	v, w := factorsOf[T](c, m.rows, m.cols)
	out := take("the measures", (*C.nmu_measures)(c.result))
	write(&out, must(lnmu.Measure(matrixOf(m), denseOf(v), denseOf(w), nil)))
	give((*C.nmu_measures)(c.result), &out)
	return nil
}

// findBiclique looks for a biclique.
func findBiclique[T lnmu.Float](c *call) error {
	p := planOf(c, options.Biclique)
	if p.named {
		refuse(lnmu.ErrOption, "a method or its options for nmu_biclique, which has its own")
	}
	in := openJob[T](c, p)
	defer in.close()
	out := take("the result", (*C.nmu_biclique_result)(c.result))
	if c.rows == nil || c.cols == nil || c.result == nil {
		refuse(errArgument, "the rows, the columns or the result are NULL")
	}
	if _, sparse := in.M.(lnmu.CSR[T]); in.M != nil && !sparse {
		in.M = denseOf(in.M)
	}
	g, res, err := in.Biclique(p.ctx)
	err = in.settled(err, g != nil)
	for i, x := range res.Rows {
		unsafe.Slice(c.rows, g.Rows())[i] = C.int64_t(x)
	}
	for i, x := range res.Cols {
		unsafe.Slice(c.cols, g.Cols())[i] = C.int64_t(x)
	}
	write(&out, &res)
	give((*C.nmu_biclique_result)(c.result), &out)
	return err
}

// hash writes the hash of a matrix.
func hash[T lnmu.Float](c *call) error {
	m, hex := viewOf[T]("M", c.m), (*C.char)(c.result)
	if hex == nil {
		refuse(errArgument, "the place for the hash is NULL")
	}
	text := factors.SHA256(denseOf(m))
	put(unsafe.Slice(hex, len(text)+1), text)
	return nil
}

// about describes the library.
func about(c *call) error {
	out := take("the info", (*C.nmu_info)(c.result))
	put(out.version[:], release.Version())
	put(out.level[:], kernel.Level())
	out.threads = C.int64_t(runtime.GOMAXPROCS(0))
	out.methods, out.settings, out.results = methods(), settings(), results()
	give((*C.nmu_info)(c.result), &out)
	fail(kernel.LevelError())
	return nil
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

// scale scales factors to topics in their places, and writes the mixtures, unless they are NULL.
func scale[T lnmu.Float](c *call) error {
	v, w := resultOf[T]("V", c.v), resultOf[T]("W", c.w)
	to := w
	if c.mixtures != nil {
		to = resultOf[T]("the matrix of mixtures", c.mixtures)
	}
	if to.rows != w.rows || to.cols != w.cols {
		refuse(lnmu.ErrShape, "W is %d x %d and the matrix of mixtures %d x %d; they must be the same", w.rows, w.cols, to.rows, to.cols)
	}
	basis, weights := denseOf(v), denseOf(w)
	fail(topics.Scale(basis, weights))
	if c.mixtures != nil {
		set(to, topics.Mixtures(weights))
	}
	set(v, basis)
	set(w, weights)
	return nil
}
