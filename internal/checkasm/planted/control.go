package planted

import "runtime"

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
