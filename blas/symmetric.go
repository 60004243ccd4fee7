package blas

import (
	"gonum.org/v1/gonum/blas"

	"nmu/kernel"
)

// strip is the number of columns of a symmetric C in one task. A task computes the rectangle
// below or above the diagonal block, and one triangle of that block.
const strip = 96

// kept is the maximum size of the diagonal squares that are computed whole. One triangle of
// each square is discarded.
const kept = 24

// symmetricC is a triangle of C <- beta C + Σ (alpha A) Bᵀ, for one pair A, B or two.
type symmetricC[T kernel.Float] struct {
	pairs       []product[T] // b is already transposed; c, alpha and beta are unset; ordered, since gonum does the small ones
	c           matrix[T]
	lower       bool
	alpha, beta T
}

// scaledByZero reports whether gonum's syrk multiplies C by beta = 0, so that NaN stays NaN,
// instead of setting C to zero.
func scaledByZero(ul blas.Uplo, t blas.Transpose) bool { return ul == blas.Lower && t != blas.NoTrans }

// symmetric is syrk for one pair, where B is A, and syr2k for two.
func symmetric[T kernel.Float](pairs int, ul blas.Uplo, t blas.Transpose, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) bool {
	fa, okA := operand(a, t, n, k, lda)
	fb, okB := operand(b, t, n, k, ldb)
	mc, okC := view(c, n, n, ldc)
	if !okA || !okB || !okC || ul != blas.Lower && ul != blas.Upper || alpha == 0 {
		return false
	}
	both := []product[T]{{a: fa, b: fb.flip()}, {a: fb, b: fa.flip()}}
	symmetricC[T]{both[:pairs], mc, ul == blas.Lower, alpha, beta}.run()
	return true
}

// run computes the triangle, with the strips in parallel.
func (s symmetricC[T]) run() {
	n := s.c.Rows
	strips := (n + strip - 1) / strip
	_, k := s.pairs[0].a.dims()
	work := float64(len(s.pairs)) * float64(n) * float64(n) / 2 * float64(k)
	parallel(work, strips, func(i int) {
		if !s.lower {
			i = strips - 1 - i // the longest strip first
		}
		w := borrow[T]()
		defer w.giveBack()
		j, jEnd := i*strip, min((i+1)*strip, n)
		if s.lower {
			s.rectangle(w, jEnd, n, j, jEnd)
		} else {
			s.rectangle(w, 0, j, j, jEnd)
		}
		s.diagonal(w, j, jEnd)
	})
}

// rectangle computes rows [i, iEnd) and columns [j, jEnd) of C.
func (s symmetricC[T]) rectangle(w *workspace[T], i, iEnd, j, jEnd int) {
	if i < iEnd && j < jEnd {
		s.product(w, s.c.Slice(i, iEnd, j, jEnd), i, j)
	}
}

// product computes the block of C that starts at (i, j) into c.
func (s symmetricC[T]) product(w *workspace[T], c matrix[T], i, j int) {
	beta := s.beta
	for _, p := range s.pairs {
		_, k := p.a.dims()
		product[T]{p.a.part(i, i+c.Rows, 0, k), p.b.part(0, k, j, j+c.Cols), c, s.alpha, beta, p.form}.in(w)
		beta = 1
	}
}

// diagonal computes the triangle of the rows and columns [j, jEnd). It recurses into two halves
// and a rectangle, down to small squares, which are computed in a separate buffer.
func (s symmetricC[T]) diagonal(w *workspace[T], j, jEnd int) {
	n := jEnd - j
	if n > kept {
		half := j + (n/2+kept-1)/kept*kept
		s.diagonal(w, j, half)
		if s.lower {
			s.rectangle(w, half, jEnd, j, half)
		} else {
			s.rectangle(w, j, half, half, jEnd)
		}
		s.diagonal(w, half, jEnd)
		return
	}
	square := takeMatrix(&w.d, n, n)
	for i := range n {
		from, to := s.row(i, n)
		clear(square.Row(i))
		if s.beta != 0 {
			copy(square.Row(i)[from:to], s.c.Row(j + i)[j+from:j+to])
		}
	}
	s.product(w, square, j, j)
	for i := range n {
		from, to := s.row(i, n)
		copy(s.c.Row(j + i)[j+from:j+to], square.Row(i)[from:to])
	}
}

// row returns the columns of row i of a triangle of n rows.
func (s symmetricC[T]) row(i, n int) (from, to int) {
	if s.lower {
		return 0, i + 1
	}
	return i, n
}

func symm[T kernel.Float](side blas.Side, ul blas.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) bool {
	k := n
	if side == blas.Left {
		k = m
	}
	ma, okA := view(a, k, k, lda)
	mb, okB := view(b, m, n, ldb)
	mc, okC := view(c, m, n, ldc)
	if !okA || !okB || !okC || side != blas.Left && side != blas.Right || ul != blas.Lower && ul != blas.Upper ||
		alpha == 0 {
		return false
	}
	fa, fb := factor[T]{matrix: ma, stored: ul, iEnd: k, jEnd: k}, factor[T]{matrix: mb}
	if side == blas.Right {
		fa, fb = fb, fa
	}
	product[T]{fa, fb, mc, alpha, beta, formOf(fa, fb)}.run()
	return true
}
