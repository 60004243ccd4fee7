//go:build !purego

package checkasm

import (
	"sync"

	"github.com/klauspost/cpuid/v2"
)

// Bits of XINUSE (XGETBV with ECX = 1) that VZEROUPPER clears. It does not clear bit 5
// (opmasks) and bit 7 (Z16 to Z31), which do not slow later SSE code.
const (
	xinuseAVX      = 1 << 2 // upper halves of Y0 to Y15
	xinuseZMMHi256 = 1 << 6 // upper halves of Z0 to Z15
)

// vectors is 1 if this processor has AVX2, 2 if it has the registers of AVX-512, else 0. junk fills them.
//
//lint:ignore U1000 registers_amd64.s reads it
var vectors = func() int8 {
	switch {
	case cpuid.CPU.Supports(cpuid.AVX512F):
		return 2
	case cpuid.CPU.Supports(cpuid.AVX2):
		return 1
	}
	return 0
}()

// xinuse returns the processor's XINUSE bits. Requires: XGETBV1.
func xinuse() uint32

// Ticks returns the time stamp counter.
func Ticks() int64

// vzeroupper clears the upper halves, if there is AVX2.
func vzeroupper()

// DirtyYMM leaves the upper half of Y0 in use, as a body without VZEROUPPER. Requires: AVX2.
func DirtyYMM()

// DirtyZMM leaves that of Z0 in use. Requires: AVX512F.
func DirtyZMM()

// UpperChecked says whether CheckUpperClean can detect a missing VZEROUPPER on this machine.
// The first call tries it. Some processors always report all state as in use.
var UpperChecked = sync.OnceValue(func() bool {
	if !cpuid.CPU.Supports(cpuid.XGETBV1, cpuid.AVX2) {
		return false
	}
	ok := true
	locked(func() {
		for range 8 {
			DirtyYMM()
			ok = ok && xinuse()&xinuseAVX != 0
			vzeroupper()
			ok = ok && xinuse()&(xinuseAVX|xinuseZMMHi256) == 0
		}
	})
	return ok
})

// CheckUpperClean calls f and says whether the upper halves of the vector registers are clean
// afterwards. It returns true if they cannot be examined (UpperChecked). It clears them if f
// did not. f should return soon after the last vector instruction, because the runtime's memory
// moves clear them too.
func CheckUpperClean(f func()) (clean bool) {
	if !UpperChecked() {
		f()
		return true
	}
	locked(func() {
		vzeroupper()
		f()
		clean = xinuse()&(xinuseAVX|xinuseZMMHi256) == 0
		vzeroupper()
	})
	return clean
}
