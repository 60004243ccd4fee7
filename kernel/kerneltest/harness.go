package kerneltest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"nmu/internal/checkasm"
	"nmu/internal/instance"
	"nmu/internal/isa"
	"nmu/kernel"
)

// Effort says how much of a kernel Check tests.
type Effort int

const (
	Full  Effort = iota // all shapes, at every kind of place, with every class of values; level generic for one of these
	Short               // all shapes, at two places, with a class of values for each, in turns; a tenth of the broken shapes, level generic for every fourth shape
	Quick               // some shapes, at one place each, with one class of values; a tenth of the broken shapes
)

// Check tests a kernel over its shapes, at several places and with several classes of values, and then with broken
// shapes. It returns the first failures, one a line, or nil. The levels are names as in kernel.Levels, the active
// one if there are none. Most of the time is spent on values and on the reference, which all levels share. Check
// changes the active level of the process meanwhile, so nothing else may compute.
func (k Kernel[T]) Check(effort Effort, levels ...string) error {
	return instance.Of[T, func(Kernel[T], Effort, []string) error](check32, check64)(k, effort, levels)
}

// Choices makes the random choices of Fuzz. A rand.Rand implements it.
type Choices interface {
	IntN(n int) int // in [0, n)
	Uint64() uint64
}

// Fuzz makes one call of a kernel with the given shape. Values, strides and places are by choice. Every level, or the
// function to test, must give the bits of level generic and change nothing else.
func (k Kernel[T]) Fuzz(shape []int, choices Choices) error {
	return instance.Of[T, func(Kernel[T], []int, Choices) error](fuzz32, fuzz64)(k, shape, choices)
}

// The instances of the harness, which the callers of Check and Fuzz would compile otherwise.
var (
	check32, check64 = check[float32], check[float64]
	fuzz32, fuzz64   = fuzz[float32], fuzz[float64]
)

func check[T kernel.Float](k Kernel[T], effort Effort, levels []string) error {
	h := harness[T]{k: k, effort: effort, ours: ours[T](), seed: 1}
	for _, name := range levels {
		i := slices.Index(kernel.Levels(), name)
		if i < 0 {
			return fmt.Errorf("kerneltest: no level %q on this machine: name one of %q", name, kernel.Levels())
		}
		h.levels = append(h.levels, isa.Available()[i])
	}
	if len(levels) == 0 {
		h.levels = []isa.Level{isa.Active()}
	}
	if s := os.Getenv(SeedEnv); s != "" {
		var err error
		if h.seed, err = strconv.ParseUint(s, 0, 64); err != nil {
			return fmt.Errorf("kerneltest: %s=%q is not a seed: set it to a number: %w", SeedEnv, s, err)
		}
	}
	if h.run() && (k.own == nil || !k.own.Unchecked) {
		for _, level := range h.levels {
			h.broken(level)
		}
	}
	return errors.Join(h.failures...)
}

func fuzz[T kernel.Float](k Kernel[T], shape []int, choices Choices) error {
	h := harness[T]{k: k, levels: isa.Available(), ours: ours[T]()}
	if k.own != nil {
		h.levels = []isa.Level{isa.Active()}
	}
	values := checkasm.Values(choices.IntN(int(checkasm.AnyBits) + 1))
	c := &trial[T]{h: &h, shape: shape, anyPlace: true, values: values, choices: choices}
	c.test(h.levels...)
	return errors.Join(h.failures...)
}

// SeedEnv is the environment variable with the seed of the values. The default seed is 1. Each
// failure prints the seed.
const SeedEnv = "KERNELTEST_SEED"

// Lacks returns the checks that this machine or system does not allow, a sentence each.
func Lacks() []string {
	var lacks []string
	if !guardPages {
		lacks = append(lacks, "this system has no guard pages: canaries only, and no proof of which body ran")
	}
	if i := slices.IndexFunc(isa.Available(), func(l isa.Level) bool { return l == isa.AVX2 }); i > 0 && !checkasm.UpperChecked() {
		lacks = append(lacks, "XINUSE cannot be used on this machine: a missing VZEROUPPER would go unnoticed")
	}
	return lacks
}

// maxReports is the number of failing trials reported per kernel.
const maxReports = 5

// harness is the test of a kernel at some levels.
type harness[T kernel.Float] struct {
	k        Kernel[T]
	levels   []isa.Level
	effort   Effort
	seed     uint64
	ours     *Functions[T]
	failures []error
}

// failf records a failure.
func (h *harness[T]) failf(format string, args ...any) {
	h.failures = append(h.failures, fmt.Errorf(format, args...))
}

// run tests the valid shapes. It returns false if it stops early.
func (h *harness[T]) run() bool {
	own := h.k.own != nil
	proves := guardPages && (!own || !h.k.own.Foreign)
	proofs, reports, other := map[isa.Level]int{}, 0, ""
	for i, shape := range h.shapes() {
		for j, w := range h.ways(i, shape) {
			c := h.newTrial(shape, w.place, w.values)
			c.probe = proves && j == 0 && !slices.Contains(shape, 0)
			c.junk = own && (i+j)%2 == 1
			c.test(h.levelsOf(i, j)...)
			for _, level := range c.proved {
				proofs[level]++
			}
			if c.other != "" {
				other = ": it ran " + c.other
			}
			if c.failed {
				if reports++; reports == maxReports {
					h.failf("%s: stopped after %d failing cases", h.k.Name, reports)
					return false
				}
			}
		}
	}
	for _, level := range h.levels {
		if proves && proofs[level] == 0 && reports == 0 {
			h.failf("%s: no case proved which body runs at level %v%s", h.k.Name, level, other)
		}
	}
	return true
}

// levelsOf returns the levels for way number j of shape number i. Level generic of package kernel is the reference and
// takes most of the time, and bounds are checked in it: one way of a shape has it, for Short of every
// fourth shape.
func (h *harness[T]) levelsOf(i, j int) []isa.Level {
	again := h.k.own == nil && len(h.levels) > 1 && h.levels[0] == isa.Generic
	if again && h.effort != Quick && (j > 0 || h.effort == Short && i%4 > 0) {
		return h.levels[1:]
	}
	return h.levels
}

// muchWork is more work than that of a shape for the ends of rows, columns and tiles. Shapes of
// much work are cut into several calls, or into several blocks that share a cache.
const muchWork = 1 << 18

// quickShapes is the number of shapes without much work that Quick takes.
const quickShapes = 16

// shapes returns the shapes to test. Quick takes all with much work, which are few, and some
// of the others by chance: every variant of the kernel among them, and the same each time.
func (h *harness[T]) shapes() [][]int {
	if h.effort != Quick {
		return h.k.Shapes
	}
	var shapes [][]int
	taken, variants := 0, map[int]bool{}
	for _, i := range rand.New(rand.NewPCG(1, 0)).Perm(len(h.k.Shapes)) {
		shape, variant := h.k.Shapes[i], 0
		if h.k.Variants > 0 {
			variant = shape[len(shape)-1]
		}
		much := h.k.Work(shape) > muchWork
		if much || taken < quickShapes || !variants[variant] {
			shapes = append(shapes, shape)
		}
		if !much && (taken < quickShapes || !variants[variant]) {
			taken, variants[variant] = taken+1, true
		}
	}
	return shapes
}

// way is where the operands of a trial are, and what values they have.
type way struct {
	place  place
	values checkasm.Values
}

// ways returns the ways to test shape number i. If not all are asked for, those of much work
// have one: it takes most of the time to draw the values and to compute the result.
func (h *harness[T]) ways(i int, shape []int) []way {
	if h.effort != Full && h.k.Work(shape) > muchWork {
		return []way{{end, checkasm.Signed}}
	}
	classes := checkasm.All
	if h.effort != Full {
		classes = []checkasm.Values{checkasm.Signed, checkasm.NonFinite}
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
func (h *harness[T]) places(shape []int) []place {
	size := 1
	for _, n := range shape {
		size *= max(n, 1)
	}
	switch {
	case h.effort != Full:
		return []place{end, 1}
	case !h.k.everyPlace:
		return []place{end, start, 1, 6}
	case size > 2048:
		return []place{end, start, 1, 7}
	}
	all := []place{end}
	for p := range place(offsets) {
		all = append(all, p)
	}
	return all
}
