// Package planted has a kernel with selectable faults, and settings that make arithmetic wrong.
// The tests of the harness and of nmu selftest require that each is detected, in Go and in
// assembly.
package planted

import (
	"math"
	"runtime"
	"unsafe"

	"nmu/internal/isa"
)

// Fault is a typical mistake of a kernel.
type Fault int

const (
	None         Fault = iota
	OverRead           // reads x[n]
	UnderRead          // reads x[-1]
	OverWrite          // writes y[n]
	UnderWrite         // writes y[-1]
	WriteInput         // changes the sign of x[0]
	ShortTail          // leaves out the last element
	Swapped            // computes a*y + x
	Unfused            // rounds the product
	NaNFromInf         // gives NaN where the result is infinite
	Dirty              // leaves out VZEROUPPER (vector levels of amd64)
	DirtyZMM           // the same with only a ZMM register used (avx512)
	WrongBody          // runs the Go body at the vector levels
	Panics             // panics for n = 1
	Unchecked          // does not compare the lengths
	LateCheck          // compares them when the first element is written
	RuntimeCheck       // leaves the comparison to Go
	Overcautious       // refuses vectors of two elements
	Faults             // number of faults
)

// Axpy adds a*x to y with fused multiply-adds, with fault f. It panics if the lengths differ.
func Axpy(f Fault, a float64, x, y []float64) {
	n := len(x)
	px, py := unsafe.SliceData(x), unsafe.SliceData(y)
	if f == LateCheck && len(x) > 0 && len(y) > 0 {
		y[0] = math.FMA(a, x[0], y[0])
	}
	if f == RuntimeCheck {
		_, _ = x[:len(y):len(y)], y[:n:n]
	}
	if len(x) != len(y) && f != Unchecked || f == Overcautious && n == 2 {
		panic("planted: x and y differ in length")
	}
	switch f {
	case OverRead:
		axpy(a, px, unsafe.SliceData(scratch(y, 0)), n+1)
	case UnderRead:
		axpy(a, step(px, -1), unsafe.SliceData(scratch(y, 0)), n+1)
	case OverWrite:
		axpy(a, unsafe.SliceData(scratch(x, 0)), py, n+1)
		return
	case UnderWrite:
		axpy(a, unsafe.SliceData(scratch(x, 1)), step(py, -1), n+1)
		return
	case WriteInput:
		if n > 0 {
			x[0] = math.Copysign(x[0], -math.Copysign(1, x[0]))
		}
	case ShortTail:
		n = max(n-1, 0)
	case Swapped:
		for i := range y {
			y[i] = math.FMA(a, y[i], x[i])
		}
		return
	case Unfused:
		for i := range y {
			y[i] = float64(a*x[i]) + y[i]
		}
		return
	case WrongBody:
		axpyGeneric(a, px, py, n)
		return
	case Panics:
		if n == 1 {
			panic("planted")
		}
	}
	axpy(a, px, py, n)
	switch f {
	case NaNFromInf:
		for i, v := range y {
			if math.IsInf(v, 0) {
				y[i] = math.NaN()
			}
		}
	case Dirty:
		leaveDirty(isa.Active())
	case DirtyZMM:
		if isa.Active() == isa.AVX512 {
			leaveDirty(isa.AVX512)
		}
	}
}

// axpy dispatches by level, as kernels do.
func axpy(a float64, x, y *float64, n int) {
	if !axpyArch(a, x, y, n) {
		axpyGeneric(a, x, y, n)
	}
}

// axpyGeneric adds a*x[0:n] to y[0:n].
func axpyGeneric(a float64, x, y *float64, n int) {
	for i := range n {
		*step(y, i) = math.FMA(a, *step(x, i), *step(y, i))
	}
}

// step returns the address of element i, which may be outside the vector.
func step(p *float64, i int) *float64 {
	return (*float64)(unsafe.Add(unsafe.Pointer(p), 8*i))
}

// scratch returns a copy of x with a zero before or behind it, so that only the other operand
// shows the fault.
func scratch(x []float64, before int) []float64 {
	s := make([]float64, len(x)+1)
	copy(s[before:], x)
	return s
}

// Control is a setting of the floating-point control register that makes results wrong.
type Control int

const (
	Up       Control = iota // rounds towards plus infinity
	Down                    // rounds towards minus infinity
	Truncate                // rounds towards zero
	Flush                   // takes denormals for zeros, and makes none
	Controls                // number of settings
)

// Under calls f with the setting, on a thread that no other goroutine uses meanwhile, and
// restores the register. If there is no code for this processor, it returns false without
// calling f.
func Under(c Control, f func()) bool {
	if settings == nil {
		return false
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := control()
	defer setControl(before)
	setControl(before | settings[c])
	f()
	return true
}

// Bodies are the addresses of two functions of *[2]uint64: one stores what it found in a vector register, the
// other changes the frame pointer. Assembly fills them in, where there is any.
var Bodies [2]uintptr
