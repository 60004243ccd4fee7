//go:build !amd64 || purego

package checkasm

// UpperChecked says whether CheckUpperClean can detect a missing VZEROUPPER, which exists only
// on amd64.
func UpperChecked() bool { return false }

// CheckUpperClean calls f and returns true.
func CheckUpperClean(f func()) (clean bool) {
	f()
	return true
}

// Ticks returns 0: the counter of cycles cannot be read.
func Ticks() int64 { return 0 }

// vzeroupper does nothing: only amd64 has upper halves.
//
//lint:ignore U1000 WithJunk calls it on arm64
func vzeroupper() {}

// DirtyYMM and DirtyZMM do nothing.
func DirtyYMM() {}
func DirtyZMM() {}
