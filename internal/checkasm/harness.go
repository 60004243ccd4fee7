package checkasm

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"nmu/internal/instance"
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

// Effort says how much of a kernel Check tests.
type Effort int

const (
	Full  Effort = iota // all shapes, at every kind of place, with every class of values; level generic for one of these
	Short               // all shapes, at two places, with a class of values for each, in turns; a tenth of the broken shapes, level generic for every fourth shape
	Quick               // some shapes, at one place each, with one class of values; a tenth of the broken shapes
)

// Check tests a kernel at the levels over its shapes, at several places and with several
// classes of values, and then with broken shapes. Fatalf may be called after some of the
// reports. Most of the time is spent on values and on results at level generic, which all
// levels share.
func Check[T Float](t Reporter, k kernels.Kernel[T], effort Effort, levels ...isa.Level) {
	instance.Of[func(Reporter, kernels.Kernel[T], Effort, []isa.Level)](check32, check64)(t, k, effort, levels)
}

// The instances of the harness, which the callers of Check and Fuzz would compile otherwise.
var (
	check32, check64 = check[float32], check[float64]
	fuzz32, fuzz64   = fuzz[float32], fuzz[float64]
)

func check[T Float](t Reporter, k kernels.Kernel[T], effort Effort, levels []isa.Level) {
	h := harness[T]{t, k, levels, effort}
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
	effort Effort
}

// run tests the valid shapes.
func (h *harness[T]) run() {
	h.t.Helper()
	if slices.Contains(h.levels, isa.AVX2) || slices.Contains(h.levels, isa.AVX512) {
		if !UpperChecked() {
			h.t.Logf("XINUSE cannot be used on this machine: a missing VZEROUPPER would go unnoticed")
		}
	}
	proofs, reports := map[isa.Level]int{}, 0
	for i, shape := range h.shapes() {
		for j, w := range h.ways(i, shape) {
			c := h.newCase(shape, w.place, w.values)
			c.probe = GuardPages && j == 0 && !slices.Contains(shape, 0)
			c.test(h.levelsOf(i, j)...)
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

// levelsOf returns the levels for way number j of shape number i. Level generic is the reference and
// takes most of the time, and bounds are checked in it: one way of a shape has it, for Short of every
// fourth shape.
func (h *harness[T]) levelsOf(i, j int) []isa.Level {
	if h.effort != Quick && len(h.levels) > 1 && h.levels[0] == isa.Generic && (j > 0 || h.effort == Short && i%4 > 0) {
		return h.levels[1:]
	}
	return h.levels
}

// muchWork is more work than that of a shape for the ends of rows, columns and tiles. Shapes of
// much work are cut into several calls, or into several blocks that share a cache.
const muchWork = 1 << 18

// quickShapes is the number of shapes without much work that Quick takes.
const quickShapes = 16

// muchWork says whether a shape has much work.
func (h *harness[T]) muchWork(shape []int) bool { return h.k.Work != nil && h.k.Work(shape) > muchWork }

// shapes returns the shapes to test. Quick takes all with much work, which are few, and some
// of the others by chance: every variant of the kernel among them, and the same each time.
func (h *harness[T]) shapes() [][]int {
	if h.effort != Quick {
		return h.k.Shapes
	}
	var shapes [][]int
	taken, variants := 0, map[int]bool{}
	for _, i := range rand.New(rand.NewPCG(1, 0)).Perm(len(h.k.Shapes)) {
		shape := h.k.Shapes[i]
		if h.muchWork(shape) {
			shapes = append(shapes, shape)
			continue
		}
		variant := 0
		if h.k.Variants > 0 {
			variant = shape[len(shape)-1]
		}
		if taken < quickShapes || !variants[variant] {
			shapes = append(shapes, shape)
			taken, variants[variant] = taken+1, true
		}
	}
	return shapes
}

// way is where the operands of a case are, and what values they have.
type way struct {
	place  Place
	values Values
}

// ways returns the ways to test shape number i. If not all are asked for, those of much work
// have one: it takes most of the time to draw the values and to compute the result.
func (h *harness[T]) ways(i int, shape []int) []way {
	if h.effort != Full && h.muchWork(shape) {
		return []way{{End, Signed}}
	}
	classes := All
	if h.effort != Full {
		classes = []Values{Signed, NonFinite}
	}
	var all []way
	for _, place := range h.places(shape) {
		for _, values := range classes {
			all = append(all, way{place, values})
		}
	}
	switch h.effort {
	case Short: // both places and both classes for every shape, and the other pairs for the next one
		return []way{all[i%2], all[3-i%2]}
	case Quick:
		return all[i%len(all):][:1]
	}
	return all
}

// places returns the places for a shape: both ends and all misalignments. For kernels with many
// shapes and for shapes of more than 2048 elements it returns some of them.
func (h *harness[T]) places(shape []int) []Place {
	size := 1
	for _, n := range shape {
		size *= max(n, 1)
	}
	switch {
	case h.effort != Full:
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
