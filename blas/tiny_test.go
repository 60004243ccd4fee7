package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"

	"nmu/internal/checkasm"
	"nmu/internal/must"
	"nmu/kernel"
)

// TestTiny compares products of small extents with the definition, entry by entry and bit by bit.
func TestTiny(t *testing.T) { both(t, testTiny[float64], testTiny[float32]) }

func testTiny[T kernel.Float](t *testing.T, r routines[T]) {
	random := rand.New(rand.NewPCG(1, 2))
	numbers := func(n int) []T {
		x := make([]T, n)
		for i := range x {
			x[i] = T(random.NormFloat64())
		}
		return x
	}
	// at returns entry (i, j) of op(x).
	at := func(tr blas.Transpose, x []T, ld, i, j int) T {
		if tr != blas.NoTrans {
			i, j = j, i
		}
		return x[i*ld+j]
	}
	const ld = tinyExtent + 1
	for size := range tinyExtent * tinyExtent * tinyExtent {
		m, n, k := size%tinyExtent+1, size/tinyExtent%tinyExtent+1, size/tinyExtent/tinyExtent+1
		for _, tA := range transposes {
			for _, tB := range transposes {
				for _, beta := range []T{0, 1, -0.3} {
					const alpha = 0.7
					a, b, c := numbers(ld*ld), numbers(ld*ld), numbers(ld*ld)
					if beta == 0 {
						c[0] = T(math.NaN())
					}
					want := append([]T(nil), c...)
					for i := range m {
						for j := range n {
							sum := want[i*ld+j] * beta
							if beta == 0 {
								sum = 0
							}
							for l := range k {
								x := T(at(tA, a, ld, i, l) * alpha)
								x = T(x * at(tB, b, ld, l, j))
								sum += x
							}
							want[i*ld+j] = sum
						}
					}
					r.gemm(tA, tB, m, n, k, alpha, a, ld, b, ld, beta, c, ld)
					if d := differs(c, want); d >= 0 {
						t.Fatalf("%c%c, %d x %d x %d, beta %v: element %d is %v, want %v", tA, tB, m, n, k, beta, d, c[d], want[d])
					}
				}
			}
		}
	}
}

// TestTinyBadArguments: a small product with bad arguments panics with gonum's words, before anything
// is written. One without work does what gonum does.
func TestTinyBadArguments(t *testing.T) {
	const huge = math.MaxInt / 2
	numbers := func(n int) []float64 { return make([]float64, n) }
	type arguments struct {
		tA, tB        blas.Transpose
		m, n, k       int
		a, b          []float64
		lda, ldb, ldc int
		size          int // of C
	}
	good := arguments{'T', 'N', 3, 4, 2, numbers(6), numbers(8), 3, 4, 4, 12}
	for what, spoil := range map[string]func(x *arguments){
		"nothing":      func(*arguments) {},
		"transpose a":  func(x *arguments) { x.tA = 'X' },
		"transpose b":  func(x *arguments) { x.tB = 0 },
		"rows":         func(x *arguments) { x.m = -1 },
		"columns":      func(x *arguments) { x.n = -1 },
		"inner":        func(x *arguments) { x.k = -1 },
		"no rows":      func(x *arguments) { x.m = 0 },
		"no inner":     func(x *arguments) { x.k = 0 },
		"stride a":     func(x *arguments) { x.lda = 2 },
		"stride b":     func(x *arguments) { x.ldb = 3 },
		"stride c":     func(x *arguments) { x.ldc = 3 },
		"negative a":   func(x *arguments) { x.lda = -3 },
		"huge a":       func(x *arguments) { x.lda = huge },
		"huge b":       func(x *arguments) { x.ldb = huge },
		"huge c":       func(x *arguments) { x.ldc = huge },
		"short a":      func(x *arguments) { x.a = x.a[1:] },
		"short b":      func(x *arguments) { x.b = x.b[1:] },
		"short c":      func(x *arguments) { x.size-- },
		"no elements":  func(x *arguments) { x.a = nil },
		"short, other": func(x *arguments) { x.tA, x.lda, x.a = 'N', 2, x.a[:5] },
	} {
		x := good
		spoil(&x)
		var results []string
		for _, r := range []routines[float64]{mine64, their64} {
			c := numbers(x.size)
			for i := range c {
				c[i] = 1
			}
			results = append(results, fmt.Sprint(checkasm.Catch(func() { r.gemm(x.tA, x.tB, x.m, x.n, x.k, 1, x.a, x.lda, x.b, x.ldb, 0, c, x.ldc) }), c))
		}
		must.Equal(t, results[0], results[1], what)
	}
}
