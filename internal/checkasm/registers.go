//go:build !purego && (amd64 || arm64)

package checkasm

import (
	"runtime"
	"unsafe"
)

// Passage is a call of a body.
type Passage struct {
	Args unsafe.Pointer
	Body uintptr
}

// Through calls the body of p with junk in the registers, and notes in spoilt if it does not keep those that it must:
// BP on amd64, R29 and g on arm64. Go's ABI0 keeps no others. Check compares the control register.
//
//go:noescape
func Through(p *Passage)

// junk fills the registers that belong to bodies.
func junk()

// Control returns the floating-point control register: how results are rounded, and whether denormals are flushed.
func Control() uint64

// SetControl sets it.
func SetControl(x uint64)

var (
	entry  uintptr // of Through in assembly, which fills it in
	spoilt bool    // a body has not kept the registers that are not its own
)

// Entry returns the address of Through, for an assembly function that jumps to it.
func Entry() uintptr { return entry }

// TakeSpoilt returns whether a body has not kept a register since the last call of TakeSpoilt.
func TakeSpoilt() bool {
	was := spoilt
	spoilt = false
	return was
}

// WithJunk calls f with junk in the vector registers, and returns true. What f calls must not read a register that it has
// not set.
func WithJunk(f func()) bool {
	locked(func() {
		defer vzeroupper()
		junk()
		f()
	})
	return true
}

// locked calls f with the goroutine locked to its thread, which keeps its
// registers.
func locked(f func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f()
}
