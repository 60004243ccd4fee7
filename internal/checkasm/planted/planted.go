// Package planted has bodies with faults, and settings that make arithmetic wrong.
// Tests require that each is found.
package planted

import (
	"runtime"

	"nmu/internal/checkasm"
)

// Control is a setting of the floating-point control register that makes results wrong.
type Control int

const (
	Up       Control = iota // rounds towards plus infinity
	Down                    // rounds towards minus infinity
	Truncate                // rounds towards zero
	Flush                   // takes denormals for zeros, and makes none
	Controls                // number of settings
)

// settings are the bits of MXCSR and FPCR.
var settings = map[string][Controls]uint64{
	"amd64": {Up: 2 << 13, Down: 1 << 13, Truncate: 3 << 13, Flush: 1<<15 | 1<<6},
	"arm64": {Up: 1 << 22, Down: 2 << 22, Truncate: 3 << 22, Flush: 1 << 24},
}

// Under calls f with the setting, on a thread that no other goroutine uses meanwhile, and
// restores the register. If there is no code for this processor, it returns false without
// calling f.
func Under(c Control, f func()) bool {
	if checkasm.Entry() == 0 {
		return false
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer checkasm.SetControl(checkasm.Control())
	Set(c)
	f()
	return true
}

// Set makes the setting, if there is code for this processor.
func Set(c Control) { checkasm.SetControl(checkasm.Control() | settings[runtime.GOARCH][c]) }

// Bodies are the addresses of two functions of *[2]uint64: Trusting, and one that
// changes the frame pointer. Assembly fills them in, where there is any.
var Bodies [2]uintptr
