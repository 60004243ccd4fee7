package main

// #include "call.h"
import "C"

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"nmu/internal/data"
	"nmu/lnmu"
	"nmu/lnmu/model"
)

// nmuGo makes a call of a function of nmu.h and returns its code. A refusal ends it. Any other panic
// is an error of the library, and no reason to end the process.
//
//export nmuGo
func nmuGo(given *C.call) (code C.int) {
	c := &call{arguments: given}
	c.Context, c.cancel = context.WithCancel(context.Background())
	defer c.end()
	if c.error != nil {
		if _, err := sizeOf("the error", c.error); err != nil {
			return C.NMU_EARGUMENT
		}
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case refusal:
			code = report(c.error, codeOf(p.error), p.error)
		default:
			code = report(c.error, C.NMU_EINTERNAL, fmt.Errorf("internal error: %v\n%s", p, debug.Stack()))
		}
	}()
	err := do(c)
	return report(c.error, codeOf(err), err)
}

// call is a call in Go, and its context, which is cancelled when the caller sets a flag, or a callback says
// so.
type call struct {
	*arguments
	context.Context
	cancel  context.CancelFunc
	watcher sync.WaitGroup
}

// arguments are those of a call, as C gives them: cgo does not embed a type of C by its name.
type arguments = C.call

// watch cancels the context when the caller sets a flag, which may be NULL.
func (c *call) watch(flag *C.int32_t) {
	isSet := func() bool { return atomic.LoadInt32((*int32)(unsafe.Pointer(flag))) != 0 }
	switch {
	case flag == nil:
		return
	case isSet():
		c.cancel()
		return
	}
	c.watcher.Go(func() {
		const often = 5 * time.Millisecond
		clock := time.NewTicker(often)
		defer clock.Stop()
		for !isSet() {
			select {
			case <-c.Done():
				return
			case <-clock.C:
			}
		}
		c.cancel()
	})
}

// end waits until nothing looks at the flag of the caller any more.
func (c *call) end() {
	c.cancel()
	c.watcher.Wait()
}

// refusal is an error that ends a call.
type refusal struct{ error }

// fail ends the call with an error, unless it is nil.
func fail(err error) {
	if err != nil {
		panic(refusal{err})
	}
}

// must returns x. It ends the call with an error, unless that is nil.
func must[X any](x X, err error) X {
	fail(err)
	return x
}

// refuse ends the call with an error of a kind: errArgument, lnmu.ErrShape or lnmu.ErrOption.
func refuse(kind error, format string, args ...any) {
	fail(fmt.Errorf("%w: %w", kind, fmt.Errorf(format, args...)))
}

// errArgument is wrapped by what is wrong with the arguments as C has them.
var errArgument = errors.New("bad argument")

// warning is an error that does not make a call fail.
type warning struct{ error }

// do makes a call in the precision of its matrices. The error is one of a call that was cancelled, or a
// warning.
func do(c *call) error {
	switch of := precision(c); of {
	case C.NMU_FLOAT32:
		return doIn[float32](c)
	case C.NMU_FLOAT64:
		return doIn[float64](c)
	default:
		refuse(errArgument, "M has the type %d; choose NMU_FLOAT32 or NMU_FLOAT64", int64(of))
		return nil
	}
}

// precision returns the type of the numbers of M or, if it is in a file, of the matrix that says it,
// and NMU_FLOAT64 without one.
func precision(c *call) C.int64_t {
	name, like := "V", c.v
	switch {
	case c.sparse != nil:
		return take("M", c.sparse)._type
	case c.m != nil:
		name, like = "M", c.m
	case c.function == C.ESTIMATE:
		return cmp.Or(take("the result", (*C.nmu_estimate_result)(c.result))._type, C.NMU_FLOAT64)
	case c.function == C.CONSENSUS:
		like = take("the result", (*C.nmu_consensus_result)(c.result)).v
	case c.function == C.MODEL_LOAD && c.v == nil:
		return precisionOf(pathOf(c), take("the model", (*C.nmu_model)(c.result)))
	}
	if like == nil {
		return C.NMU_FLOAT64
	}
	return take(name, like)._type
}

// pathOf returns the path of the file of a model.
func pathOf(c *call) string {
	if c.path == nil {
		refuse(errArgument, "the path is NULL")
	}
	return C.GoString(c.path)
}

// precisionOf returns the type of the numbers in the file of a model, in the memory that the caller allows.
func precisionOf(path string, allowed C.nmu_model) C.int64_t {
	if allowed.max_memory < 0 {
		refuse(lnmu.ErrOption, "max_memory of the model is %d; choose 0 for the free memory, or a number of bytes", int64(allowed.max_memory))
	}
	if must(model.Precision(path, int64(allowed.max_memory))) == "float32" {
		return C.NMU_FLOAT32
	}
	return C.NMU_FLOAT64
}

// doIn makes a call in a precision.
func doIn[T lnmu.Float](c *call) error {
	return [...]func(*call) error{
		C.FACTOR: factor[T], C.IMPROVE: factor[T], C.TRANSFORM: transform[T], C.UPDATE: update[T], C.INSPECT: inspect, C.LOOK: look,
		C.ESTIMATE: estimate[T], C.RANK: compareRanks[T], C.CONSENSUS: agree[T], C.TOPICS: scale[T], C.METRICS: metrics[T],
		C.BICLIQUE: findBiclique[T], C.MODEL_SAVE: save[T], C.MODEL_LOAD: load[T], C.SHA256: hash[T], C.ABOUT: about,
	}[c.function](c)
}

// codeOf returns the code for an error.
func codeOf(err error) C.int {
	switch {
	case err == nil:
		return C.NMU_OK
	case errors.Is(err, context.Canceled):
		return C.NMU_CANCELLED
	case errors.As(err, new(warning)):
		return C.NMU_OK
	case errors.Is(err, lnmu.ErrShape):
		return C.NMU_ESHAPE
	case errors.Is(err, lnmu.ErrValue):
		return C.NMU_EVALUE
	case errors.Is(err, errArgument):
		return C.NMU_EARGUMENT
	}
	return C.NMU_EOPTION // lnmu.ErrOption, a file, or the environment variable NMU_KERNEL
}

// report tells the caller of an error.
func report(to *C.nmu_error, code C.int, err error) C.int {
	e := C.nmu_error{code: C.int64_t(code), row: -1, col: -1}
	if err != nil {
		put(e.message[:], err.Error())
	}
	var bad *lnmu.ValueError
	if errors.As(err, &bad) {
		e.row, e.col, e.value = C.int64_t(bad.Row), C.int64_t(bad.Col), C.double(bad.Value)
		put(e.matrix[:], bad.Matrix)
	}
	give(to, &e)
	return code
}

// settled ends a call with its error unless something was found and the error says no more than that the call was
// cancelled. Else it returns that, or a warning with what was recognised in the file, and notes.
func (w job[T]) settled(err error, found bool, notes ...string) error {
	var bad *lnmu.ValueError
	if _, sparse := w.M.(lnmu.CSR[T]); errors.As(err, &bad) && sparse && math.IsNaN(bad.Value) {
		err = fmt.Errorf("%w; make M dense, or set sparse-missing if all that it does not store is missing", err)
	} else if bad != nil {
		err = fmt.Errorf("%w%s", err, data.ValueHint(bad, w.File))
	}
	if !found || codeOf(err) < C.NMU_OK {
		fail(err)
	}
	return errors.Join(err, w.recognised(notes))
}
