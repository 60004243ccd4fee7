package checkasm

import (
	"fmt"
	"os"
	"slices"
	"strconv"

	"nmu/internal/isa"
	"nmu/internal/kernels"
)

// Reporter receives the failures of a kernel. testing.TB implements it. Fatalf must not return.
type Reporter interface {
	Helper()
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Check tests a kernel at the levels over its shapes, at several places and with several
// classes of values, and then with broken shapes. If short is true, it takes two places and
// classes and a tenth of the broken shapes. Fatalf may be called after some of the reports.
// Most of the time is spent on values and on results at level generic, which all levels share.
func Check[T Float](t Reporter, k kernels.Kernel[T], short bool, levels ...isa.Level) {
	h := harness[T]{t, k, levels, short}
	h.run()
	for _, level := range levels {
		h.broken(level)
	}
}

// SeedEnv is the environment variable with the seed of the values. The default seed is 1. Each
// failure prints the seed.
const SeedEnv = "CHECKASM_SEED"

// maxReports is the number of failing cases reported per kernel.
const maxReports = 5

// harness is the test of a kernel at some levels.
type harness[T Float] struct {
	t      Reporter
	k      kernels.Kernel[T]
	levels []isa.Level
	short  bool // two places and classes, as under emulators and the race detector
}

// run tests the valid shapes.
func (h *harness[T]) run() {
	h.t.Helper()
	if slices.Contains(h.levels, isa.AVX2) || slices.Contains(h.levels, isa.AVX512) {
		if !UpperChecked() {
			h.t.Logf("XINUSE cannot be used on this machine: a missing VZEROUPPER would go unnoticed")
		}
	}
	classes := All
	if h.short {
		classes = []Values{Signed, NonFinite}
	}
	proofs, reports := map[isa.Level]int{}, 0
	for _, shape := range h.k.Shapes {
		first := true
		for _, place := range h.places(shape) {
			for _, v := range classes {
				c := h.newCase(shape, place, v)
				c.probe = GuardPages && first && !slices.Contains(shape, 0)
				first = false
				c.test(h.levels...)
				for _, level := range c.proved {
					proofs[level]++
				}
				if c.failed {
					if reports++; reports == maxReports {
						h.t.Fatalf("%s: stopped after %d failing cases", h.k.Name, reports)
					}
				}
			}
		}
	}
	if !GuardPages {
		h.t.Logf("no guard pages on this system: canaries only, and no proof of which body ran")
		return
	}
	for _, level := range h.levels {
		if proofs[level] == 0 && reports == 0 {
			h.t.Errorf("%s: no case proved which body runs at level %v", h.k.Name, level)
		}
	}
}

// places returns the places for a shape: both ends and all misalignments. For kernels with many
// shapes and for shapes of more than 2048 elements it returns some of them.
func (h *harness[T]) places(shape []int) []Place {
	size := 1
	for _, n := range shape {
		size *= max(n, 1)
	}
	switch {
	case h.short:
		return []Place{End, Offset(1)}
	case !h.k.EveryPlace:
		return []Place{End, Start, Offset(1), Offset(6)}
	case size > 2048:
		return []Place{End, Start, Offset(1), Offset(7)}
	}
	p := []Place{End, Start}
	for i := 1; i < Offsets; i++ {
		p = append(p, Offset(i))
	}
	return p
}

func seed() (uint64, error) {
	s := os.Getenv(SeedEnv)
	if s == "" {
		return 1, nil
	}
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%s=%q is not a seed: %w", SeedEnv, s, err)
	}
	return n, nil
}

// Precision returns the name of T, float32 or float64.
func Precision[T Float]() string {
	var t T
	return fmt.Sprintf("%T", t)
}
