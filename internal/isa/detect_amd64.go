//go:build !purego

package isa

import (
	"os"
	"slices"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// feature is a feature of the CPU with its name in GODEBUG.
type feature struct {
	id   cpuid.FeatureID
	name string
}

// The features whose instructions the bodies of a level have; those of AVX512 come on top.
var (
	ofAVX2   = []feature{{cpuid.AVX, "avx"}, {cpuid.AVX2, "avx2"}, {cpuid.FMA3, "fma"}, {cpuid.POPCNT, "popcnt"}}
	ofAVX512 = []feature{{cpuid.AVX512F, "avx512f"}, {cpuid.AVX512DQ, "avx512dq"}, {cpuid.AVX512BW, "avx512bw"}, {cpuid.AVX512VL, "avx512vl"}}
)

// detect lists the levels that both the CPU and the operating system support:
// cpuid reports AVX2 only if XCR0 enables the YMM state, and AVX-512 only if it
// enables the opmask and ZMM state too. FMA3 and POPCNT need no state of their own.
// GODEBUG can switch features off, as it does for Go's own packages.
func detect() []Level {
	lacks := func(f feature) bool { return !cpuid.CPU.Supports(f.id) || off(os.Getenv("GODEBUG"), f.name) }
	l := []Level{Generic}
	if slices.ContainsFunc(ofAVX2, lacks) {
		return l
	}
	l = append(l, AVX2)
	if !slices.ContainsFunc(ofAVX512, lacks) {
		l = append(l, AVX512)
	}
	return l
}

// off reports whether a value of GODEBUG switches a feature off. The last setting counts.
func off(godebug, name string) (off bool) {
	for setting := range strings.SplitSeq(godebug, ",") {
		switch setting {
		case "cpu.all=off", "cpu." + name + "=off":
			off = true
		case "cpu.all=on", "cpu." + name + "=on":
			off = false
		}
	}
	return off
}
