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
