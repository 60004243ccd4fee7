package blas

import (
	"gonum.org/v1/gonum/blas"

	"nmu/kernel"
)

type matrix[T kernel.Float] = kernel.Matrix[T]

// view returns the rows x cols matrix with row stride ld in x. ok is false if the arguments
// are bad or the matrix is empty: gonum handles such calls and reports bad arguments.
func view[T kernel.Float](x []T, rows, cols, ld int) (m matrix[T], ok bool) {
	if rows <= 0 || cols <= 0 || ld < cols || len(x) < cols || rows > 1 && (len(x)-cols)/(rows-1) < ld {
		return m, false
	}
	return matrix[T]{Rows: rows, Cols: cols, Data: x[:(rows-1)*ld+cols], Stride: ld}, true
}

// operand returns the factor op(x) of shape rows x cols, where t selects the transpose. ok is
// as in view.
func operand[T kernel.Float](x []T, t blas.Transpose, rows, cols, ld int) (f factor[T], ok bool) {
	switch t {
	case blas.NoTrans:
		f.matrix, ok = view(x, rows, cols, ld)
	case blas.Trans, blas.ConjTrans:
		f.transposed = true
		f.matrix, ok = view(x, cols, rows, ld)
	}
	return f, ok
}

// factor is an operand of a product: a stored matrix, its transpose, or a part of a symmetric matrix.
type factor[T kernel.Float] struct {
	matrix[T]
	transposed bool

	stored           blas.Uplo // the stored triangle of a symmetric matrix, which is whole, or 0
	i, iEnd, j, jEnd int       // the part: rows [i, iEnd) and columns [j, jEnd)
}

// dims returns the rows and columns in the product.
func (f factor[T]) dims() (rows, cols int) {
	if f.stored != 0 {
		return f.iEnd - f.i, f.jEnd - f.j
	}
	if f.transposed {
		return f.Cols, f.Rows
	}
	return f.Rows, f.Cols
}

// part returns rows [i0, i1) and columns [j0, j1) of the factor.
func (f factor[T]) part(i0, i1, j0, j1 int) factor[T] {
	if f.stored != 0 {
		f.i, f.iEnd, f.j, f.jEnd = f.i+i0, f.i+i1, f.j+j0, f.j+j1
		return f
	}
	if f.transposed {
		i0, i1, j0, j1 = j0, j1, i0, i1
	}
	return factor[T]{matrix: f.Slice(i0, i1, j0, j1), transposed: f.transposed}
}

// at returns an entry of the factor.
func (f factor[T]) at(i, j int) T {
	if f.transposed {
		i, j = j, i
	}
	return f.Data[i*f.Stride+j]
}

// flip returns the transposed factor.
func (f factor[T]) flip() factor[T] {
	return factor[T]{matrix: f.matrix, transposed: !f.transposed}
}

// vector is an argument of a call: n elements with increment inc.
type vector[T kernel.Float] struct {
	data   []T
	n, inc int
}

// vectorOf returns the vector of n elements in x. If inc < 0, element 0 is the last in x.
func vectorOf[T kernel.Float](x []T, n, inc int) (v vector[T], ok bool) {
	apart := max(inc, -inc)
	if n <= 0 || apart <= 0 || len(x) == 0 || n > 1 && (len(x)-1)/(n-1) < apart {
		return v, false
	}
	return vector[T]{x[:(n-1)*apart+1], n, inc}, true
}

// at returns the address of element i.
func (v vector[T]) at(i int) *T {
	if v.inc < 0 {
		i -= v.n - 1
	}
	return &v.data[i*v.inc]
}

// load returns the elements as a contiguous slice: in place, or copied to space.
func (v vector[T]) load(space []T) []T {
	if v.inc == 1 {
		return v.data
	}
	space = space[:v.n]
	for i := range space {
		space[i] = *v.at(i)
	}
	return space
}

// store copies x, the slice from load, back to the vector.
func (v vector[T]) store(x []T) {
	if v.inc != 1 {
		for i, a := range x {
			*v.at(i) = a
		}
	}
}
