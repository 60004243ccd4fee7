package blas

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"nmu/kernel"
)

// Minimum sizes for which the kernels are faster than gonum's loops. They depend on the shape
// alone, so that the bits are the same at every level.
const (
	fromDot   = 384 // elements of a vector
	fromAxpy  = 256
	fromScal  = 256
	toScal    = 8192 // upper bound: beyond it, the memory bandwidth bounds both
	fromNorm  = 64
	fromGemv  = 8192 // entries of a matrix, and columns
	gemvCols  = 32
	fromGemm  = 9 * 9 * 9 // multiply-adds
	fromSyrk  = 20 * 20 * 20
	fromSyr2k = 14 * 14 * 14
	fromSymm  = 12 * 12 * 12
	fromLeft  = 30 * 30 * 30 // of trmm and trsm
	fromRight = 17 * 17 * 17
	syrkInner = 4 // inner indices of syrk and syr2k
)

// below reports whether a matrix or a product has fewer than from entries or multiply-adds, so
// that gonum's routine is faster.
func below(from, m, n, k int) bool { return m|n|k < 1<<10 && m*n*k < from }

// fromTriangle returns fromLeft or fromRight.
func fromTriangle(side blas.Side) int {
	if side == blas.Left {
		return fromLeft
	}
	return fromRight
}

// dot returns x·y, in 128 bytes of lanes.
func dot[T kernel.Float](n int, x []T, incX int, y []T, incY int) (s T, ok bool) {
	if incX != 1 || incY != 1 || len(x) < n || len(y) < n {
		return 0, false
	}
	return kernel.Dot(x[:n], y[:n]), true
}

// nrm2 returns the Euclidean norm. ok is false if the sum of the squares may have
// overflowed or underflowed.
func nrm2[T kernel.Float](n int, x []T, incX int) (s T, ok bool) {
	if incX != 1 || len(x) < n {
		return 0, false
	}
	s = kernel.SumSquares(x[:n])
	least, most := T(1e-25), T(1e38) // float32: squares below 1e-45 vanish
	return T(math.Sqrt(float64(s))), s > least && s < most
}

// axpy adds alpha x to y, by fused multiply-adds.
func axpy[T kernel.Float](n int, alpha T, x []T, incX int, y []T, incY int) bool {
	if incX != 1 || incY != 1 || len(x) < n || len(y) < n || alpha == 0 {
		return false
	}
	kernel.AddScaled(y[:n], alpha, x[:n])
	return true
}

// scal multiplies x by alpha.
func scal[T kernel.Float](n int, alpha T, x []T, incX int) bool {
	if incX != 1 || len(x) < n || alpha == 0 {
		return false
	}
	kernel.Scale(x[:n], alpha)
	return true
}

// longRow is the minimum number of columns with which gemv processes one row of A at a time.
const longRow = 768

// gemv computes y <- beta y + alpha (A x). The sums of the rows of A are in 64 bytes of lanes;
// rows of at least longRow elements are summed like dot. If A is transposed, gemv adds the
// products of alpha x and the rows of A in turn, by fused multiply-adds.
func gemv[T kernel.Float](t blas.Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) bool {
	ma, okA := view(a, m, n, lda)
	lenX, lenY := n, m
	trans := t == blas.Trans || t == blas.ConjTrans
	if trans {
		lenX, lenY = m, n
	}
	vx, okX := vectorOf(x, lenX, incX)
	vy, okY := vectorOf(y, lenY, incY)
	if !okA || !okX || !okY || !trans && t != blas.NoTrans || alpha == 0 {
		return false
	}
	w := borrow[T]()
	defer w.giveBack()
	from := vx.load(take(&w.a, lenX))
	to := vy.load(take(&w.b, lenY))
	if beta != 1 {
		scale(to, beta)
	}
	tasks := threads()
	if trans {
		v := from
		if alpha != 1 {
			v = take(&w.a, lenX)
			copy(v, from)
			kernel.Scale(v, alpha)
		}
		pieces := cutInto(n, 512, tasks)
		parallel(float64(m)*float64(n), pieces.n, func(i int) {
			j, jEnd := pieces.piece(i)
			kernel.AddScaledRows(to[j:jEnd], v, ma.Slice(0, m, j, jEnd))
		})
	} else {
		sums := take(&w.c, m)
		row := matrix[T]{Rows: 1, Cols: n, Data: from, Stride: n}
		pieces := cutInto(m, 8, tasks)
		parallel(float64(m)*float64(n), pieces.n, func(k int) {
			i, iEnd := pieces.piece(k)
			if n < longRow {
				kernel.Contract(matrix[T]{Rows: 1, Cols: iEnd - i, Data: sums[i:iEnd], Stride: iEnd - i}, ma.Slice(i, iEnd, 0, n), row)
				return
			}
			for ; i < iEnd; i++ {
				sums[i] = kernel.Dot(ma.Row(i), from)
			}
		})
		kernel.AddScaled(to, alpha, sums)
	}
	vy.store(to)
	return true
}

// ger adds (alpha x) yᵀ to A, by fused multiply-adds. It replaces gonum's routine because gonum
// v0.17.0 on amd64 gives a wrong sum for a negative increment. Otherwise gonum is as fast.
func ger[T kernel.Float](m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int) bool {
	ma, okA := view(a, m, n, lda)
	vx, okX := vectorOf(x, m, incX)
	vy, okY := vectorOf(y, n, incY)
	if !okA || !okX || !okY || alpha == 0 {
		return false
	}
	w := borrow[T]()
	defer w.giveBack()
	v := take(&w.a, m)
	for i := range v {
		v[i] = alpha * *vx.at(i)
	}
	row := vy.load(take(&w.b, n))
	for i, a := range v {
		kernel.AddScaled(ma.Row(i), a, row)
	}
	return true
}
