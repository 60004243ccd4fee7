package kernel

import (
	"testing"

	"nmu/internal/isa"
)

// CallWork is the most work of one call of assembly, where a row counts as RowWork more.
const (
	CallWork = callWork
	RowWork  = rowWork
)

// Watch tells f the work of every call of assembly until stop is called, and its rows.
func Watch(f func(work, rows int)) (stop func()) {
	watcher = f
	return func() { watcher = nil }
}

// Through lets an assembly function of package checkasm call the bodies until stop is called.
func Through(entry uintptr) (stop func()) {
	through = entry
	return func() { through = 0 }
}

// Caches makes the tiling that of a machine with an L1 and an L2 of so many bytes until stop is called.
func Caches(l1, l2 int) (stop func()) {
	own := cached
	cached = func() blocks { return blocksOf(l1, l2) }
	return func() { cached = own }
}

// Both runs a test in both precisions.
func Both(t *testing.T, double, single func(t *testing.T)) {
	t.Run("float64", double)
	t.Run("float32", single)
}

// EveryLevel runs a test at each level, in both precisions.
func EveryLevel(t *testing.T, double, single func(t *testing.T)) {
	for _, level := range isa.Available() {
		t.Run(level.String(), func(t *testing.T) {
			defer isa.Set(level)()
			Both(t, double, single)
		})
	}
}
