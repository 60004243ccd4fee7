package main

// #include "nmu.h"
// int call_back(int (*callback)(const nmu_progress *, void *), const nmu_progress *progress, void *user);
import "C"

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"nmu/internal/options"
	"nmu/lnmu"
)

// maxThreads is more than any machine has, and few enough for goroutines.
const maxThreads = 4096

// polled is a context that is cancelled when the caller sets a flag, or a callback says
// so. It needs no goroutine that watches, as Err looks.
type polled struct {
	context.Context
	flag  *C.int32_t
	asked *atomic.Bool
}

func newPolled(flag *C.int32_t) polled {
	return polled{Context: context.Background(), flag: flag, asked: new(atomic.Bool)}
}

// Err implements context.Context.
func (p polled) Err() error {
	if p.flag != nil && atomic.LoadInt32((*int32)(unsafe.Pointer(p.flag))) != 0 || p.asked.Load() {
		return context.Canceled
	}
	return nil
}

// plan is what options ask for.
type plan struct {
	ctx      polled
	method   lnmu.Method
	settings lnmu.Settings
	given    bool // V and W hold the start

	mask       *lnmu.Mask // of the observed entries, or nil
	weights    lnmu.Matrix[float64]
	storedOnly bool // what a sparse M does not store is missing
}

// observed returns M with what the options say of its entries.
func observed[T lnmu.Float](m lnmu.Matrix[T], p plan) lnmu.Matrix[T] {
	return lnmu.Observed[T]{Matrix: m, Mask: p.mask, Weights: p.weights, StoredOnly: p.storedOnly}
}

// planOf reads options for an m x n matrix; see observation.
func planOf(m, n int, numbers func() *lnmu.Mask, given *C.nmu_options) (plan, error) {
	o, err := take("the options", given)
	if err != nil {
		return plan{}, err
	}
	p := plan{ctx: newPolled(o.cancel)}
	if p.method, err = methodOf(o); err != nil {
		return p, err
	}
	threads, err := threadsOf(o.threads)
	if err != nil {
		return p, err
	}
	const most = 1e9 // seconds
	seconds := float64(o.time_limit)
	if !(seconds >= 0 && seconds <= most) {
		return p, fmt.Errorf("%w: time limit %v; choose a number of seconds from 0 to %v", lnmu.ErrOption, seconds, most)
	}
	p.settings = lnmu.Settings{
		Iterations: intOf(o.iterations), Restarts: intOf(o.restarts), Seed: uint64(o.seed),
		Threads: threads, Tolerance: float64(o.tolerance), CheckEvery: intOf(o.check_every),
		TargetError: float64(o.target_error), TimeLimit: time.Duration(seconds * float64(time.Second)),
		Overwrite: o.overwrite != 0,
	}
	p.storedOnly = o.sparse_missing != 0
	if p.mask, p.weights, err = observation(m, n, numbers, o.mask, o.weights, o.nan_missing); err != nil {
		return p, err
	}
	if o.missing_solver != nil {
		p.settings.MissingSolver = lnmu.Solver(C.GoString(o.missing_solver))
	}
	if o.init != nil {
		p.settings.Init = lnmu.Init(C.GoString(o.init))
	}
	if p.given = p.settings.Init == "given"; p.given {
		p.settings.Init = ""
	}
	p.settings.Progress, err = p.ctx.progress(o)
	return p, err
}

// threadsOf checks a number of threads, of which each may need memory.
func threadsOf(n C.int64_t) (int, error) {
	if n > maxThreads {
		return 0, fmt.Errorf("%w: number of threads %d; choose 1 to %d", lnmu.ErrOption, int64(n), maxThreads)
	}
	return intOf(n), nil
}

// intOf returns x, or the int nearest to it where an int has 32 bits.
func intOf(x C.int64_t) int { return int(max(math.MinInt, min(math.MaxInt, int64(x)))) }

// methodOf returns the method of the name that is given, with the options in the text.
func methodOf(o C.nmu_options) (lnmu.Method, error) {
	d := lnmu.RNMU{}.Describe()
	if o.method != nil {
		var err error
		if d, err = options.Describe(C.GoString(o.method)); err != nil {
			return nil, err
		}
	}
	method, all := options.Of(d.Method)
	if o.method_options == nil {
		return method, nil
	}
	for part := range strings.SplitSeq(C.GoString(o.method_options), ",") {
		name, value, found := strings.Cut(strings.TrimSpace(part), "=")
		if name == "" && !found {
			continue
		}
		i := slices.IndexFunc(all, func(o options.Option) bool { return o.Name == name })
		switch {
		case i < 0:
			return nil, fmt.Errorf("%w: method %s has no option %q; choose from %q", lnmu.ErrOption, d.Name, name, names(all))
		case !found:
			return nil, fmt.Errorf("%w: the option %s of method %s has no value; write %[2]s=VALUE", lnmu.ErrOption, name, d.Name)
		}
		if err := all[i].Value.Set(value); err != nil {
			return nil, fmt.Errorf("%w: %s=%s: %w", lnmu.ErrOption, name, value, err)
		}
	}
	return method, nil
}

// names lists options.
func names(list []options.Option) []string {
	s := []string{}
	for _, o := range list {
		s = append(s, o.Name)
	}
	return s
}

// progress returns what tells the caller of it, or nil if he does not ask.
func (p polled) progress(o C.nmu_options) (func(lnmu.Progress), error) {
	if o.progress == nil && o.callback == nil {
		return nil, nil
	}
	var size uintptr
	if o.progress != nil {
		var err error
		if size, err = sizeOf("the progress", o.progress); err != nil {
			return nil, err
		}
	}
	// The callback sees a struct of this version, whatever the one that is polled is.
	var state C.nmu_progress
	state.size = C.size_t(unsafe.Sizeof(state))
	return func(now lnmu.Progress) {
		state.updates++
		state.restart, state.restarts = C.int64_t(now.Restart), C.int64_t(now.Restarts)
		state.factor, state.rank = C.int64_t(now.Factor), C.int64_t(now.Rank)
		state.iteration, state.iterations = C.int64_t(now.Iteration), C.int64_t(now.Iterations)
		state.relative_error = C.double(now.RelativeError)
		state.elapsed, state.remaining = C.double(now.Elapsed.Seconds()), C.double(now.Remaining.Seconds())
		publish(o.progress, &state, size)
		if o.callback != nil && C.call_back(o.callback, &state, o.user) != 0 {
			p.asked.Store(true)
		}
	}, nil
}

// publish writes a state word by word, as far as the struct of the caller goes, who may
// read it at the same time. The number of updates, the first word, is the last.
func publish(to, state *C.nmu_progress, size uintptr) {
	if to == nil {
		return
	}
	first := unsafe.Offsetof(state.updates)
	for k := int(min(size, unsafe.Sizeof(*state))-first)/8 - 1; k >= 0; k-- {
		at := first + 8*uintptr(k)
		word := atomic.LoadUint64((*uint64)(unsafe.Add(unsafe.Pointer(state), at)))
		atomic.StoreUint64((*uint64)(unsafe.Add(unsafe.Pointer(to), at)), word)
	}
}
