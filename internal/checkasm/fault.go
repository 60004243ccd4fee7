package checkasm

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Fault is a panic of the code under test. A memory fault has an address.
type Fault struct {
	Value  any
	Addr   uintptr // if Memory
	Memory bool
	Func   string // function in which it happened, with its package
	Line   string // file:line of it
}

// String describes the fault in a line.
func (f *Fault) String() string {
	if f.Memory {
		return fmt.Sprintf("fault at address %#x in %s (%s)", f.Addr, f.Func, f.Line)
	}
	return fmt.Sprintf("panic: %v in %s (%s)", f.Value, f.Func, f.Line)
}

// Catch calls f and returns its panic, or nil. An access to an inaccessible page is such a
// panic. f must not fault in the runtime itself.
func Catch(f func()) (fault *Fault) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		fault = &Fault{Value: v}
		if a, ok := v.(interface{ Addr() uintptr }); ok {
			fault.Addr, fault.Memory = a.Addr(), true
		}
		fault.Func, fault.Line = culprit()
	}()
	f()
	return nil
}

// culprit returns the function that panicked. It must be called by the deferred function that
// recovers. The stack then holds this function, frames of the runtime, and the culprit.
func culprit() (name, line string) {
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	inRuntime := false
	for {
		f, more := frames.Next()
		switch {
		case len(f.Function) > 8 && f.Function[:8] == "runtime.":
			inRuntime = true
		case inRuntime:
			return f.Function, fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		if !more {
			return "unknown function", "?"
		}
	}
}
