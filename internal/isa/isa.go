// Package isa knows the instruction levels that this CPU and operating system support, and the
// level that the kernels use.
//
//	CPUID, XGETBV, GODEBUG     HWCAP (arm64)      anything else, or -tags purego
//	       |                        |                        |
//	  generic avx2 avx512     generic neon                generic       Available
//	       |                        |                        |
//	       +-----------+------------+------------------------+
//	                   |
//	       NMU_KERNEL=name, or else the last of them                    Active
//
// The choice is made once, before main starts. A kernel reads it with Active,
// one plain load, and branches on it.
package isa

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
)

// Env is the environment variable that overrides the level.
const Env = "NMU_KERNEL"

// Level is a set of instructions for which the kernels have bodies. On a machine the greatest
// available level is preferred.
type Level uint32

const (
	Generic Level = iota // Go code, the specification; exists everywhere
	AVX2                 // amd64 with AVX2, FMA and POPCNT
	AVX512               // amd64 with AVX2, FMA, POPCNT and AVX-512 F, DQ, BW, VL
	NEON                 // arm64 with ASIMD
	levels               // number of levels
)

var names = [levels]string{"generic", "avx2", "avx512", "neon"}

// String returns the name of l as NMU_KERNEL spells it.
func (l Level) String() string {
	if l < levels {
		return names[l]
	}
	return fmt.Sprintf("Level(%d)", uint32(l))
}

// ErrLevel reports a level that cannot be used. All errors about levels wrap it.
var ErrLevel = errors.New("kernel level not available")

var (
	available = detect()
	active    atomic.Uint32
	envErr    error
)

func init() {
	l, err := choose(os.Getenv(Env), available)
	active.Store(uint32(l))
	envErr = err
}

// choose returns the level with this name, or the last of avail if name is empty. If avail
// lacks the name, it returns Generic and an error.
func choose(name string, avail []Level) (Level, error) {
	if name == "" {
		return avail[len(avail)-1], nil
	}
	list := make([]string, len(avail))
	for i, l := range avail {
		if l.String() == name {
			return l, nil
		}
		list[i] = l.String()
	}
	why := "no kernel level has this name"
	if slices.Contains(names[:], name) {
		why = "this CPU, this build or GODEBUG excludes it"
	}
	return Generic, fmt.Errorf("%w: %s=%q: %s; available here: %s",
		ErrLevel, Env, name, why, strings.Join(list, ", "))
}

// Available returns the levels that can run here, the least preferred (Generic) first. The
// caller owns the slice.
func Available() []Level {
	return append([]Level(nil), available...)
}

// Active returns the level that the kernels use. It costs one load.
func Active() Level { return Level(active.Load()) }

// Err returns nil, or the reason why the value of NMU_KERNEL could not be used. Active is then
// Generic. Errors wrap ErrLevel.
func Err() error { return envErr }

// Set makes l the active level of the whole process and returns a function that restores the
// previous one. It is for tests and benchmarks. A concurrent computation changes its level in
// the middle. Its result stays the same, because all levels give the same bits, but its timing
// does not. Set panics if l is not available.
func Set(l Level) (restore func()) {
	if slices.Contains(available, l) {
		old := active.Swap(uint32(l))
		return func() { active.Store(old) }
	}
	panic("isa: level " + l.String() + " is not available here")
}
