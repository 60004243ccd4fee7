package planted

import "runtime"

// Control is a setting of the floating-point control register under which the
// results of this program are wrong.
type Control int

const (
	Up       Control = iota // rounds towards plus infinity
	Down                    // rounds towards minus infinity
	Truncate                // rounds towards zero
	Flush                   // takes denormals for zeros, and makes none
	Controls                // number of settings
)

// Under calls f with the setting, on a thread that no other goroutine gets
// meanwhile, and puts back what was set before. It returns false, and does not call
// f, where there is no code for this processor.
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
