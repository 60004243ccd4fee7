package main

// #include "nmu.h"
// int call_back(int (*callback)(const nmu_progress *, void *), const nmu_progress *progress, void *user);
import "C"

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"unsafe"

	"nmu/internal/checkpoint"
	"nmu/internal/options"
	"nmu/internal/regular"
	"nmu/lnmu"
	"nmu/lnmu/outcome"
)

// plan is what options ask for.
type plan struct {
	options.Run
	ctx    context.Context
	call   options.Call
	method lnmu.Method
	named  bool                     // the method or an option of it is given
	inputs map[string]*C.nmu_matrix // further matrices, by the name of their setting
	states checkpoint.Saver
}

// planOf reads the options of a call.
func planOf(c *call, call options.Call) *plan {
	const name = "the options"
	if at := c.options; at != nil && (must(sizeOf(name, at)) <= unsafe.Offsetof(at.version) || at.version != C.NMU_OPTIONS) { // the rest has another meaning
		refuse(errArgument, "the version of the options is not that of nmu.h; set it to NMU_OPTIONS, and build a program again that was built with an earlier nmu.h")
	}
	o := take(name, c.options)
	c.watch(o.cancel)
	p := &plan{ctx: c, call: call, named: o.method != nil || o.method_options != nil}
	p.method = methodOf(C.GoString(o.method), C.GoString(o.method_options))
	fail(p.Run.Set(C.GoString(o.settings), call))
	p.inputs = inputsOf(o, call)
	for _, s := range options.Settings(&p.Run) {
		if p.inputs[s.Name] != nil && s.Value.String() != "" {
			refuse(lnmu.ErrOption, "%s as a matrix and as the file %s; choose one", s.Name, s.Value)
		}
	}
	p.Settings.Progress = c.progress(o)
	return p
}

// inputsOf returns the further matrices of a call by the names of their settings.
func inputsOf(o C.nmu_options, call options.Call) map[string]*C.nmu_matrix {
	const most = 100
	switch {
	case o.input_count < 0 || o.input_count > most:
		refuse(errArgument, "input_count is %d; choose 0 to %d", int64(o.input_count), most)
	case o.input_count > 0 && o.inputs == nil:
		refuse(errArgument, "input_count is %d and inputs is NULL; set inputs", int64(o.input_count))
	}
	inputs := map[string]*C.nmu_matrix{}
	for _, x := range unsafe.Slice(o.inputs, int(o.input_count)) {
		if x.name == nil || x.matrix == nil {
			refuse(errArgument, "an input has no name, or no matrix")
		}
		name := C.GoString(x.name)
		if all := options.Matrices(call); !slices.Contains(all, name) || inputs[name] != nil {
			refuse(lnmu.ErrOption, "%q is no input here, or is given twice; choose from %s", name, strings.Join(all, ", "))
		}
		inputs[name] = x.matrix
	}
	return inputs
}

// methodOf returns the method of a name, by default nmf, with the options in a text.
func methodOf(name, text string) lnmu.Method {
	d := must(options.Describe(cmp.Or(name, lnmu.NMF{}.Name())))
	method, all := options.Of(d.Method)
	fail(options.Parse(text, "method "+d.Name, "option", all))
	return method
}

// openStates prepares what the settings say of checkpoints. A caller who names a file for them asks for the first one
// after one interval.
func (p *plan) openStates() {
	if p.Save == "" && p.Every > 0 {
		refuse(lnmu.ErrOption, "checkpoint-every says how often to write; checkpoint says where")
	}
	if p.Save != "" {
		if _, err := os.Stat(filepath.Dir(p.Save)); err != nil {
			refuse(lnmu.ErrOption, "checkpoint: %w", err)
		}
		p.states.Place, p.states.Every = checkpoint.File(p.Save), cmp.Or(p.Every, checkpoint.Every)
		p.states.After = p.states.Every
	}
	if p.Resume != "" {
		file, err := regular.Open(p.Resume)
		if err != nil {
			refuse(lnmu.ErrOption, "resume: %w", err)
		}
		p.states.From = &checkpoint.State{File: file}
	}
	p.Settings.Checkpoint = p.states.Point()
}

// saved removes the state of a run that ended by itself. It returns a warning if that fails, or if the last state of
// another one could not be written.
func (p *plan) saved(stop outcome.Stop) error {
	if err := p.states.End(stop != outcome.StopTime && stop != outcome.StopCancelled); err != nil {
		return warning{err}
	}
	return nil
}

// progress returns what tells the caller of it, or nil if he does not ask.
func (c *call) progress(o C.nmu_options) func(lnmu.Progress) {
	if o.progress == nil && o.callback == nil {
		return nil
	}
	var size uintptr
	if o.progress != nil {
		size = must(sizeOf("the progress", o.progress))
	}
	// The callback sees a struct of this version, whatever the one that is polled is.
	var state C.nmu_progress
	state.size = C.size_t(unsafe.Sizeof(state))
	return func(now lnmu.Progress) {
		state.updates++
		write(&state, now)
		publish(o.progress, &state, size)
		if o.callback != nil && C.call_back(o.callback, &state, o.user) != 0 {
			c.cancel()
		}
	}
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
