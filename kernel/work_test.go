//go:build !purego && (amd64 || arm64)

package kernel

import (
	"fmt"
	"runtime"
	"testing"

	"nmu/internal/isa"
)

// TestWorkOfACall checks that no call of assembly, at any level, is so long that
// a garbage collection would wait for it, and that the calls of a kernel together
// do all of its work: that none goes unnoticed here.
func TestWorkOfACall(t *testing.T) {
	if len(isa.Available()) == 1 {
		t.Skip("AVX2 cannot be used on this machine")
	}
	t.Run("float64", testWorkOfACall[float64])
	t.Run("float32", testWorkOfACall[float32])
}

func testWorkOfACall[T Float](t *testing.T) {
	defer func() { watcher = nil }()
	for _, level := range isa.Available()[1:] {
		restore := isa.Set(level)
		defer restore()
		// check calls a kernel of so much work, or more with the edges of tiles
		// (within twice).
		check := func(name string, least int, f func()) {
			calls, most, all := 0, 0, 0
			watcher = func(work int) { calls, most, all = calls+1, max(most, work), all+work }
			f()
			if most > callWork {
				t.Errorf("%v %s: a call of %d entries, at most %d are allowed", level, name, most, callWork)
			}
			if all < least || all > 2*least {
				t.Errorf("%v %s: %d calls do %d, the kernel %d", level, name, calls, all, least)
			}
		}
		for _, s := range [][3]int{
			{1, 1, 2_500_000}, {300_000, 1, 1}, {70_000, 9, 3}, {5, 7, 70_000}, {1500, 9, 1100},
			{1200, 30, 33}, {9, 1200, 20},
		} {
			p, r, q := s[0], s[1], s[2]
			name := func(kernel string) string { return fmt.Sprintf("%s %d x %d x %d", kernel, p, r, q) }
			n, m := NewMatrix[T](p, q), NewMatrix[T](p, q)
			vt, w, a := NewMatrix[T](r, p), NewMatrix[T](r, q), NewMatrix[T](r, p)
			check(name("Contract"), p*r*q, func() { Contract(a, n, w) })
			check(name("AddProduct"), p*r*q, func() { AddProduct(n, vt, w) })
			check(name("Product"), p*r*q, func() { Product(n, vt, w) })
			check(name("Accumulate"), p*r*q, func() { Accumulate(w, vt, n) })
			check(name("Add"), p*q, func() { Add(n, m) })
			check(name("UpdateMultiplier"), p*q, func() { UpdateMultiplier(n, m, m, 1) })
			check(name("UpdateMultiplierProduct"), p*r*q, func() { UpdateMultiplierProduct(n, m, vt, w, 1) })
			for _, when := range []When{Never, Before, After} {
				acc, v := make([]T, q), make([]T, p)
				// one pass over short rows, two over long ones
				check(name("RankOne"), p*q, func() {
					RankOne(acc, v, n, w.Row(0), 1, 0, Multiplier[T]{When: when, M: m, Mu: 1})
				})
			}
			b, inv := NewMatrix[T](r, r), make([]T, r)
			check(name("Gram"), r*(r+1)/2*q, func() { Gram(b, w) })
			check(name("Sweep"), r*r*q, func() { Sweep(w, w, b, inv, 0, Matrix[T]{}) })
			x := w.Row(0)
			check(name("Dot"), q, func() { Dot(x, x) })
			check(name("Max"), q, func() { Max(x) })
			check(name("Min"), q, func() { Min(x) })
			check(name("CountLess"), q, func() { CountLess(x, 1) })
		}
		if runtime.GOARCH != "amd64" {
			continue // the sparse kernels have no other assembly
		}
		for _, s := range [][4]int{ // rows, entries in each, columns, rank
			{1, 300_000, 9, 5}, {100_000, 3, 9, 1}, {5, 3000, 30, 200}, {20, 70, 40, 16384},
		} {
			rows, each, cols, r := s[0], s[1], s[2], s[3]
			name := func(kernel string) string {
				return fmt.Sprintf("%s %d rows of %d entries, rank %d", kernel, rows, each, r)
			}
			ptr, idx := make([]int, rows+1), make([]int32, rows*each)
			for i := range ptr {
				ptr[i] = i * each
			}
			for k := range idx {
				idx[k] = int32(k % cols)
			}
			pattern, err := NewPattern(cols, ptr, idx)
			if err != nil {
				t.Fatal(err)
			}
			v, x, val := NewMatrix[T](rows, r), NewMatrix[T](cols, r), make([]T, len(idx))
			check(name("AddSparseProduct"), len(idx)*r, func() { AddSparseProduct(v, pattern, val, 0, x) })
			check(name("AddTransposedSparseProduct"), len(idx)*r, func() { AddTransposedSparseProduct(x, pattern, val, 0, v) })
			check(name("SampledProduct"), len(idx)*r, func() { SampledProduct(val, pattern, v, x) })
		}
	}
}
