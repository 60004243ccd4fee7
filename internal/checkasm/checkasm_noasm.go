//go:build !amd64 || purego

package checkasm

// UpperChecked says whether CheckUpperClean can see a missing VZEROUPPER. Only
// amd64 has the matter.
func UpperChecked() bool { return false }

// CheckUpperClean calls f and returns true.
func CheckUpperClean(f func()) (clean bool) {
	f()
	return true
}
