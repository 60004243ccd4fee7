package blas

import (
	"gonum.org/v1/gonum/blas"

	"nmu/kernel"
)

// triangle is a triangular operand of a product.
type triangle[T kernel.Float] struct {
	factor[T]
	lower, unit bool
}

// base is the maximum number of rows of a triangle that is not halved.
const base = 24

// triangularPiece is the minimum number of columns of B for a thread.
const triangularPiece = 48

// triangular computes B <- A (alpha B) or B <- (alpha B) A with sign 1, and B <- A⁻¹ (alpha B) or
// B <- (alpha B) A⁻¹ with sign -1.
func triangular[T kernel.Float](sign T, side blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int) bool {
	k := n
	if side == blas.Left {
		k = m
	}
	fa, okA := operand(a, t, k, k, lda)
	mb, okB := view(b, m, n, ldb)
	if !okA || !okB || side != blas.Left && side != blas.Right || ul != blas.Lower && ul != blas.Upper ||
		d != blas.Unit && d != blas.NonUnit || alpha == 0 {
		return false
	}
	tri := triangle[T]{fa, (ul == blas.Lower) != fa.transposed, d == blas.Unit}
	fb := factor[T]{matrix: mb}
	if side == blas.Right { // B A is (Aᵀ Bᵀ)ᵀ
		tri.factor, tri.lower, fb = tri.flip(), !tri.lower, fb.flip()
	}
	_, cols := fb.dims()
	tasks := 1
	if threads() > 1 {
		tasks = min(2*threads(), max(cols/triangularPiece, 1))
	}
	_, width := kernel.PanelShape[T]()
	pieces := cutInto(cols, width, tasks)
	parallel(float64(k)*float64(k)/2*float64(cols), pieces.n, func(i int) {
		w := borrow[T]()
		defer w.giveBack()
		j, jEnd := pieces.piece(i)
		part := fb.part(0, k, j, jEnd)
		scaleRows(part.matrix, alpha)
		tri.apply(w, part, sign)
	})
	return true
}

// halves returns the triangles of rows [0, at) and of the rows from at on, and the block between
// them. ok is false if there are at most base rows.
func (t triangle[T]) halves() (first, last triangle[T], square factor[T], at int, ok bool) {
	n, _ := t.dims()
	if n <= base {
		return first, last, square, 0, false
	}
	at = (n/2 + 7) / 8 * 8
	first, last = t, t
	first.factor, last.factor = t.part(0, at, 0, at), t.part(at, n, at, n)
	if t.lower {
		return first, last, t.part(at, n, 0, at), at, true
	}
	return first, last, t.part(0, at, at, n), at, true
}

// addProduct adds (alpha A) B to C. If C is transposed, it adds (alpha Bᵀ) Aᵀ to Cᵀ. alpha is 1
// or -1, so that both have the same bits.
func addProduct[T kernel.Float](w *workspace[T], c, a, b factor[T], alpha T) {
	if c.transposed {
		a, b = b.flip(), a.flip()
	}
	product[T]{a, b, c.matrix, alpha, 1, formOf(a, b)}.in(w)
}

// apply multiplies B by T, with sign 1, or by T⁻¹, with sign -1. The half of B that takes the product of the block and
// the other half goes first in a multiplication and last in a solution.
func (t triangle[T]) apply(w *workspace[T], b factor[T], sign T) {
	n, cols := b.dims()
	from, to, square, at, ok := t.halves()
	if !ok {
		t.small(w, b, sign)
		return
	}
	source, taker := b.part(0, at, 0, cols), b.part(at, n, 0, cols)
	if !t.lower {
		from, to, source, taker = to, from, taker, source
	}
	if sign > 0 {
		to.apply(w, taker, sign)
		addProduct(w, taker, square, source, sign)
		from.apply(w, source, sign)
	} else {
		from.apply(w, source, sign)
		addProduct(w, taker, square, source, sign)
		to.apply(w, taker, sign)
	}
}

// small replaces the rows of B in turn. It transposes a transposed B first, some columns at
// a time.
func (t triangle[T]) small(w *workspace[T], b factor[T], sign T) {
	const some = 192
	n, cols := b.dims()
	for j := 0; j < cols && b.transposed; j += some {
		stored := b.Slice(j, min(j+some, cols), 0, n)
		turned := takeMatrix(&w.c, n, stored.Rows)
		turned.SetTransposed(stored)
		for i := range n {
			t.row(i, turned, sign)
		}
		stored.SetTransposed(turned)
	}
	for i := 0; i < n && !b.transposed; i++ {
		t.row(i, b.matrix, sign)
	}
}

// row replaces the i-th row: counted from the short end of the triangle in a solution, since later rows need it, and from
// the long end in a multiplication, which needs the later rows.
func (t triangle[T]) row(i int, b matrix[T], sign T) {
	if t.lower == (sign > 0) {
		i = b.Rows - 1 - i
	}
	if sign > 0 && !t.unit {
		kernel.Scale(b.Row(i), t.at(i, i))
	}
	from, to := 0, i
	if !t.lower {
		from, to = i+1, b.Rows
	}
	if from < to { // add sign t B, where t is row i of T without the diagonal
		var space [base]T
		v := space[:to-from]
		for k := range v {
			v[k] = sign * t.at(i, from+k)
		}
		kernel.AddScaledRows(b.Row(i), v, b.Slice(from, to, 0, b.Cols))
	}
	if sign < 0 && !t.unit {
		kernel.Scale(b.Row(i), 1/t.at(i, i))
	}
}
