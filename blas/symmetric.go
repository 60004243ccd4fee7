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
	pairs       []product[T] // b is already transposed, c is unset
	c           matrix[T]
	lower       bool
	alpha, beta T
}

func syrk[T kernel.Float](ul blas.Uplo, t blas.Transpose, n, k int, alpha T, a []T, lda int, beta T, c []T, ldc int) bool {
	fa, okA := operand(a, t, n, k, lda)
	mc, okC := view(c, n, n, ldc)
	if !okA || !okC || ul != blas.Lower && ul != blas.Upper || alpha == 0 {
		return false
	}
	symmetricC[T]{[]product[T]{{a: fa, b: fa.flip()}}, mc, ul == blas.Lower, alpha, beta}.run()
	return true
}

// scaledByZero reports whether gonum's syrk multiplies C by beta = 0, so that NaN stays NaN,
// instead of setting C to zero.
func scaledByZero(ul blas.Uplo, t blas.Transpose) bool { return ul == blas.Lower && t != blas.NoTrans }

func syr2k[T kernel.Float](ul blas.Uplo, t blas.Transpose, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) bool {
	fa, okA := operand(a, t, n, k, lda)
	fb, okB := operand(b, t, n, k, ldb)
	mc, okC := view(c, n, n, ldc)
	if !okA || !okB || !okC || ul != blas.Lower && ul != blas.Upper || alpha == 0 {
		return false
	}
	symmetricC[T]{[]product[T]{{a: fa, b: fb.flip()}, {a: fb, b: fa.flip()}}, mc, ul == blas.Lower, alpha, beta}.run()
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
		product[T]{p.a.part(i, i+c.Rows, 0, k), p.b.part(0, k, j, j+c.Cols), c, s.alpha, beta}.in(w)
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

// symmetricBlock is the number of rows in a block of a symmetric A.
const symmetricBlock = panelInner

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
	p := product[T]{b: factor[T]{matrix: mb}, c: mc, alpha: alpha, beta: beta}
	s := symmetricA[T]{ma, ul == blas.Lower}
	tasks := 1
	if threads() > 1 {
		tasks = 2 * threads()
	}
	rows, cols := kernel.PanelShape[T]()
	pieces := cutInto(n, cols, tasks)
	if side == blas.Right {
		pieces = cutInto(m, rows, tasks)
	}
	parallel(float64(m)*float64(n)*float64(k), pieces.n, func(i int) {
		w := borrow[T]()
		defer w.giveBack()
		i, iEnd := pieces.piece(i)
		if side == blas.Left {
			s.times(w, factor[T]{matrix: p.b.Slice(0, m, i, iEnd)}, p.c.Slice(0, m, i, iEnd), alpha, beta, true)
		} else {
			s.times(w, factor[T]{matrix: p.b.Slice(i, iEnd, 0, n)}, p.c.Slice(i, iEnd, 0, n), alpha, beta, false)
		}
	})
	return true
}

// symmetricA is a symmetric matrix with one stored triangle.
type symmetricA[T kernel.Float] struct {
	matrix[T]
	lower bool
}

// times computes C <- beta C + (alpha A) B, or C <- beta C + (alpha B) A, one block of inner
// indices after the other. The rows of a block of A have three parts: the stored part, the
// transpose of the part stored elsewhere, and the square on the diagonal, completed by fill.
//
//	stored:  \  |        rows of the block:   transposed | square | stored
//	          \ |                                        (upper triangle)
func (s symmetricA[T]) times(w *workspace[T], b factor[T], c matrix[T], alpha, beta T, left bool) {
	for k := 0; k < s.Rows; k += symmetricBlock {
		kEnd := min(k+symmetricBlock, s.Rows)
		square := takeMatrix(&w.d, kEnd-k, kEnd-k)
		s.fill(square, k)
		for _, part := range []struct {
			i, iEnd int
			a       factor[T] // the rows of the block, columns [i, iEnd)
		}{
			{0, k, s.stored(k, kEnd, 0, k, s.lower)},
			{k, kEnd, factor[T]{matrix: square}},
			{kEnd, s.Rows, s.stored(k, kEnd, kEnd, s.Rows, !s.lower)},
		} {
			if part.i == part.iEnd {
				continue
			}
			if left {
				product[T]{part.a.flip(), b.part(k, kEnd, 0, b.Cols), c.Slice(part.i, part.iEnd, 0, c.Cols), alpha, beta}.in(w)
			} else {
				product[T]{b.part(0, b.Rows, k, kEnd), part.a, c.Slice(0, c.Rows, part.i, part.iEnd), alpha, beta}.in(w)
			}
		}
		beta = 1
	}
}

// stored returns rows [i, iEnd) and columns [j, jEnd) of A. If there is false, it returns the
// transpose of the stored block on the other side of the diagonal.
func (s symmetricA[T]) stored(i, iEnd, j, jEnd int, there bool) factor[T] {
	if there {
		return factor[T]{matrix: s.Slice(i, iEnd, j, jEnd)}
	}
	return factor[T]{s.Slice(j, jEnd, i, iEnd), true}
}

// fill copies the diagonal block that starts at (k, k) into square, both triangles.
func (s symmetricA[T]) fill(square matrix[T], k int) {
	for i := range square.Rows {
		row := s.Row(k + i)[k : k+square.Cols]
		if s.lower {
			row = row[:i+1]
		} else {
			row = row[i:]
		}
		for l, x := range row {
			j := l
			if !s.lower {
				j += i
			}
			square.Data[i*square.Stride+j], square.Data[j*square.Stride+i] = x, x
		}
	}
}
