//go:build purego || !(amd64 || arm64)

package checkasm

// Entry returns 0: there is no assembly.
func Entry() uintptr { return 0 }

// TakeSpoilt returns false.
func TakeSpoilt() bool { return false }

// WithJunk calls f and returns true.
func WithJunk(f func()) bool { f(); return true }

// Control returns 0, and SetControl does nothing: there is no code for this processor.
func Control() uint64 { return 0 }

// SetControl does nothing.
func SetControl(uint64) {}
