package blas

import (
	"unsafe"

	"gonum.org/v1/gonum/blas"

	"nmu/kernel"
)

// product is C <- beta C + (alpha A) B. Each entry of C is first multiplied by beta, or set to
// zero if beta is 0. Then the products of a row of alpha A and a column of B are added in the
// order of the inner index, by fused multiply-adds.
type product[T kernel.Float] struct {
	a, b        factor[T]
	c           matrix[T]
	alpha, beta T
	form        form
}

// form is the arithmetic of a product. The whole product of a call decides it, not a part of C: threads and
// blocks decide how large a part is.
type form int

const (
	ordered form = iota // one multiply-add after the other
	byRows              // each row of C as sums in lanes
	byCols              // each column
)

// Block sizes of a product. With panelInner inner indices, a panel of B stays in L1 for all rows
// of a block of A. The blocks of A and of B fit in L2.
const (
	panelInner = 256
	blockBytes = 480 << 10 // bytes of a block of A
	blockCols  = 44        // panels in a block of B
)

// Thresholds of matrix-vector products. If the sums run along the stored rows of a matrix and C
// has fewer than few rows or columns, the product is computed as matrix-vector products in
// lanes: transposing the matrix would cost more. The inner extent is at least manyInner.
const (
	few       = 6
	manyInner = 16
)

func gemm[T kernel.Float](tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) bool {
	fa, okA := operand(a, tA, m, k, lda)
	fb, okB := operand(b, tB, k, n, ldb)
	mc, okC := view(c, m, n, ldc)
	if !okA || !okB || !okC {
		return false
	}
	p := product[T]{fa, fb, mc, alpha, beta, formOf(fa, fb)}
	if alpha == 0 {
		scaleRows(mc, beta) // gonum multiplies A by alpha, so that NaN in A stay
		return true
	}
	p.run()
	return true
}

// formOf returns the form of the product of a and b.
func formOf[T kernel.Float](a, b factor[T]) form {
	m, k := a.dims()
	_, n := b.dims()
	switch {
	case k >= manyInner && m < few && b.transposed:
		return byRows
	case k >= manyInner && n < few && !a.transposed:
		return byCols
	}
	return ordered
}

// work returns the number of multiply-adds.
func (p product[T]) work() float64 {
	_, k := p.a.dims()
	return float64(p.c.Rows) * float64(p.c.Cols) * float64(k)
}

// run computes the product, with all idle threads if it is large.
func (p product[T]) run() {
	if work := p.work(); work < parallelWork {
		p.serial()
	} else {
		p.shared(work)
	}
}

// shared computes the product in pieces. It is separate from run, since the variables of its
// closure would otherwise be on the heap for small products too.
func (p product[T]) shared(work float64) {
	rows, cols := p.pieces()
	parallel(work, rows.n*cols.n, func(task int) {
		i, iEnd := rows.piece(task % rows.n)
		j, jEnd := cols.piece(task / rows.n)
		p.part(i, iEnd, j, jEnd).serial()
	})
}

// part returns the product for a part of C.
func (p product[T]) part(i, iEnd, j, jEnd int) product[T] {
	_, k := p.a.dims()
	p.a, p.b, p.c = p.a.part(i, iEnd, 0, k), p.b.part(0, k, j, jEnd), p.c.Slice(i, iEnd, j, jEnd)
	return p
}

// cut is an extent in n pieces, multiples of unit but the last.
type cut struct{ extent, unit, n int }

// cutInto cuts an extent into at most n pieces.
func cutInto(extent, unit, n int) cut {
	return cut{extent, unit, max(min(n, (extent+unit-1)/unit), 1)}
}

func (c cut) piece(i int) (from, to int) {
	units := (c.extent + c.unit - 1) / c.unit
	return units * i / c.n * c.unit, min(units*(i+1)/c.n*c.unit, c.extent)
}

// pieces cuts C for threads. It prefers pieces of columns, since copying A for each piece is
// faster than packing B. It also cuts rows if there are few columns.
func (p product[T]) pieces() (rows, cols cut) {
	h, w := kernel.PanelShape[T]()
	tasks := threads() // more tasks would copy A more often
	cols = cutInto(p.c.Cols, w, min(tasks, max(p.c.Cols/(4*w), 1)))
	rows = cutInto(p.c.Rows, h, min((tasks+cols.n-1)/cols.n, max(p.c.Rows/64, 1)))
	return rows, cols
}

// serial computes the product in this goroutine.
func (p product[T]) serial() {
	w := borrow[T]()
	p.in(w)
	w.giveBack()
}

// in computes the product with the memory of a workspace.
func (p product[T]) in(w *workspace[T]) {
	switch {
	case p.form == byRows:
		p.byRows(w)
	case p.form == byCols:
		p.byCols(w)
	case p.direct():
		p.unpacked(w)
	default:
		p.packed(w)
	}
}

// direct reports whether packing would cost more time than it saves. Packing also completes a symmetric factor.
func (p product[T]) direct() bool {
	if p.a.stored != 0 || p.b.stored != 0 {
		return false
	}
	h, w := kernel.PanelShape[T]()
	k, n := p.b.dims()
	return p.c.Rows < 2*h && !p.b.transposed || k*n*int(unsafe.Sizeof(p.alpha)) <= 24<<10 || n < w
}

// unpacked computes the product without packing. It copies B only if B is transposed, and A
// only if alpha is not 1.
func (p product[T]) unpacked(w *workspace[T]) {
	scaleRows(p.c, p.beta)
	a, b := p.a.matrix, p.b.matrix
	if p.b.transposed {
		b = takeMatrix(&w.b, b.Cols, b.Rows)
		b.SetTransposed(p.b.matrix)
	}
	if p.alpha != 1 {
		a = takeMatrix(&w.a, a.Rows, a.Cols)
		factor[T]{matrix: p.a.matrix}.copyTo(a)
		scaleRows(a, p.alpha)
	}
	_, cols := kernel.PanelShape[T]()
	switch {
	case p.c.Rows < 4 && p.c.Cols >= 4*cols:
		v := take(&w.c, b.Rows)
		for i := range p.c.Rows {
			for k := range v {
				v[k] = factor[T]{matrix: a, transposed: p.a.transposed}.at(i, k)
			}
			kernel.AddScaledRows(p.c.Row(i), v, b)
		}
	case p.a.transposed:
		kernel.AddProduct(p.c, a, b)
	default:
		kernel.Accumulate(p.c, a, b)
	}
}

// scaleRows is scale for the rows of a matrix.
func scaleRows[T kernel.Float](m matrix[T], beta T) {
	for i := 0; i < m.Rows && beta != 1; i++ {
		scale(m.Row(i), beta)
	}
}

// scale multiplies x by beta. If beta is 0, it sets x to zero, even where x is NaN.
func scale[T kernel.Float](x []T, beta T) {
	switch beta {
	case 0:
		clear(x)
	case 1:
	default:
		kernel.Scale(x, beta)
	}
}

// packed computes the product from panels of B and blocks of A.
//
//	for blocks of columns of B that fit L2 {
//		for panelInner inner indices {
//			pack B
//			for blocks of rows of A {
//				copy A
//				for panels of B: one kernel for all whole tiles, one for the rest
//			}
//		}
//	}
func (p product[T]) packed(w *workspace[T]) {
	m, k := p.a.dims()
	n := p.c.Cols
	height, width := kernel.PanelShape[T]()
	block := blockBytes / panelInner / int(unsafe.Sizeof(p.alpha)) / height * height
	blocks := cutInto(m, height, (m+block-1)/block)
	columns := cutInto(n, width, (n+blockCols*width-1)/(blockCols*width))
	inner := cutInto(k, 8, (k+panelInner-1)/panelInner)
	for cb := range columns.n {
		j, jEnd := columns.piece(cb)
		for kb := range inner.n {
			k0, k1 := inner.piece(kb)
			b := take(&w.b, (k1-k0)*((jEnd-j+width-1)/width*width))
			packPanels(b, p.b.part(k0, k1, j, jEnd))
			for ib := range blocks.n {
				i, iEnd := blocks.piece(ib)
				a := takeMatrix(&w.a, iEnd-i, k1-k0)
				p.a.part(i, iEnd, k0, k1).copyTo(a)
				scaleRows(a, p.alpha)
				c := p.c.Slice(i, iEnd, j, jEnd)
				if k0 == 0 && p.beta != 0 {
					scaleRows(c, p.beta)
				}
				multiply(c, a, b, k0 == 0 && p.beta == 0)
			}
		}
	}
}

// multiply adds the product of a block of A and panels of B to C. If fresh, C starts as zero.
func multiply[T kernel.Float](c, a matrix[T], b []T, fresh bool) {
	h, w := kernel.PanelShape[T]()
	whole := c.Rows / h * h
	for j := 0; j < c.Cols; j += w {
		width := min(w, c.Cols-j)
		panel := matrix[T]{Rows: a.Cols, Cols: width, Data: b[j*a.Cols : (j+w)*a.Cols], Stride: w}
		out := c.Slice(0, c.Rows, j, j+width)
		if fresh {
			for i := range out.Rows {
				clear(out.Row(i))
			}
		}
		done := 0
		if width == w && whole > 0 {
			done = whole
			kernel.AccumulatePanel(out.Slice(0, done, 0, w), a.Slice(0, done, 0, a.Cols), panel)
		}
		if done < c.Rows {
			kernel.Accumulate(out.Slice(done, c.Rows, 0, width), a.Slice(done, c.Rows, 0, a.Cols), panel)
		}
	}
}

// byRows computes a few rows of C like gemv: each row as sums in lanes.
func (p product[T]) byRows(w *workspace[T]) {
	m, k := p.a.dims()
	a := p.a.matrix
	if p.a.transposed {
		a = takeMatrix(&w.a, m, k)
		a.SetTransposed(p.a.matrix)
	}
	sums := takeMatrix(&w.c, m, p.c.Cols)
	kernel.Contract(sums, p.b.matrix, a)
	for i := range m {
		scale(p.c.Row(i), p.beta)
		kernel.AddScaled(p.c.Row(i), p.alpha, sums.Row(i))
	}
}

// byCols is byRows for a few columns of C.
func (p product[T]) byCols(w *workspace[T]) {
	k, n := p.b.dims()
	b := p.b.matrix
	if !p.b.transposed {
		b = takeMatrix(&w.b, n, k)
		b.SetTransposed(p.b.matrix)
	}
	sums := takeMatrix(&w.c, n, p.c.Rows)
	if p.a.stored == 0 {
		kernel.Contract(sums, p.a.matrix, b)
	} else {
		for i := 0; i < p.c.Rows; i += panelInner {
			iEnd := min(i+panelInner, p.c.Rows)
			a := takeMatrix(&w.a, iEnd-i, k)
			p.a.part(i, iEnd, 0, k).copyTo(a)
			kernel.Contract(sums.Slice(0, n, i, iEnd), a, b)
		}
	}
	scaleRows(p.c, p.beta)
	turned := takeMatrix(&w.d, p.c.Rows, n)
	turned.SetTransposed(sums)
	for i := range turned.Rows {
		kernel.AddScaled(p.c.Row(i), p.alpha, turned.Row(i))
	}
}
