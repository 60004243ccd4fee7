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

// String describes the fault in one line.
func (f *Fault) String() string {
	if f.Memory {
		return fmt.Sprintf("fault at address %#x in %s (%s)", f.Addr, f.Func, f.Line)
	}
	return fmt.Sprintf("panic: %v in %s (%s)", f.Value, f.Func, f.Line)
}

// Catch calls f and returns nil, or what f panicked with; an access to an
// inaccessible page is such a panic. It must not be used where f may fault in
// the runtime itself.
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

// culprit finds the function that panicked. It is called by the deferred
// function that recovers, when the panicking frames are still on the stack:
// this deferred function, the runtime's, the culprit.
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
