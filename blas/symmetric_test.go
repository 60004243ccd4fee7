package blas

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"

	"nmu/kernel"
)

// TestSymmetricIsProduct: symm, syrk and syr2k have the bits of the products that define them, with every
// number of threads. The extents leave blocks, strips and panels of one to five rows or columns.
func TestSymmetricIsProduct(t *testing.T) {
	both(t, testSymmetricIsProduct[float64], testSymmetricIsProduct[float32])
}

func testSymmetricIsProduct[T kernel.Float](t *testing.T, r routines[T]) {
	const alpha, beta = 0.7, -1
	each := func(what string, want []T, call func(c []T), c []T) {
		for _, threads := range []int{1, 2, 8} {
			old := runtime.GOMAXPROCS(threads)
			got := slices.Clone(c)
			call(got)
			runtime.GOMAXPROCS(old)
			if i := differs(got, want); i >= 0 {
				t.Errorf("%s, %d threads: element %d is %v, of the product %v", what, threads, i, got[i], want[i])
			}
		}
	}
	triangles := []blas.Uplo{blas.Upper, blas.Lower}
	for _, s := range [][2]int{{300, 75}, {300, 27}, {11, 300}, {40, 257}, {40, 260}, {257, 5}, {90, 5}, {600, 195}, {75, 300}, {3, 520}} {
		m, n := s[0], s[1]
		d := draws[T]{rand.New(rand.NewPCG(5, 6)), 9}
		b, ldb := d.matrix(m, n)
		c, ldc := d.matrix(m, n)
		for _, side := range []blas.Side{blas.Left, blas.Right} {
			order := n
			if side == blas.Left {
				order = m
			}
			a, lda := d.matrix(order, order)
			for _, ul := range triangles {
				whole := make([]T, order*order)
				for i := range order {
					for j := range order {
						whole[i*order+j] = a[min(i, j)*lda+max(i, j)]
						if ul == blas.Lower {
							whole[i*order+j] = a[max(i, j)*lda+min(i, j)]
						}
					}
				}
				want := slices.Clone(c)
				if side == blas.Left {
					r.gemm('N', 'N', m, n, m, alpha, whole, m, b, ldb, beta, want, ldc)
				} else {
					r.gemm('N', 'N', m, n, n, alpha, b, ldb, whole, n, beta, want, ldc)
				}
				each(fmt.Sprintf("symm %c%c %d x %d", side, ul, m, n), want, func(c []T) { r.symm(side, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc) }, c)
			}
		}
	}
	for _, s := range [][2]int{{25, 400}, {97, 300}, {100, 30}, {194, 80}, {21, 900}, {53, 17}} {
		n, k := s[0], s[1]
		for _, tr := range []blas.Transpose{blas.NoTrans, blas.Trans} {
			d := draws[T]{rand.New(rand.NewPCG(7, 8)), 9}
			a, lda := d.stored(tr, n, k)
			b, ldb := d.stored(tr, n, k)
			c, ldc := d.matrix(n, n)
			other := blas.Trans
			if tr == blas.Trans {
				other = blas.NoTrans
			}
			one, two := slices.Clone(c), slices.Clone(c)
			r.gemm(tr, other, n, n, k, alpha, a, lda, a, lda, beta, one, ldc)
			r.gemm(tr, other, n, n, k, alpha, a, lda, b, ldb, beta, two, ldc)
			r.gemm(tr, other, n, n, k, alpha, b, ldb, a, lda, 1, two, ldc)
			for _, ul := range triangles {
				triangle := func(whole []T) []T {
					want := slices.Clone(c)
					for i := range n {
						from, to := 0, i+1
						if ul == blas.Upper {
							from, to = i, n
						}
						copy(want[i*ldc+from:i*ldc+to], whole[i*ldc+from:i*ldc+to])
					}
					return want
				}
				what := fmt.Sprintf("%c%c n %d k %d", ul, tr, n, k)
				each("syrk "+what, triangle(one), func(c []T) { r.syrk(ul, tr, n, k, alpha, a, lda, beta, c, ldc) }, c)
				each("syr2k "+what, triangle(two), func(c []T) { r.syr2k(ul, tr, n, k, alpha, a, lda, b, ldb, beta, c, ldc) }, c)
			}
		}
	}
}
