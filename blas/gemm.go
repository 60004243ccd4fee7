package blas

import (
	"unsafe"

	"gonum.org/v1/gonum/blas"

	"nmu/kernel"
)

// product is C <- beta C + A (alpha B). Each entry of C is multiplied by beta, unless
// beta is 1, and set to zero if beta is 0; then it takes the products of a row of A and
// a column of alpha B in turn, by fused multiply-adds.
type product[T kernel.Float] struct {
	a, b        factor[T]
	c           matrix[T]
	alpha, beta T
}

// How a product is cut: panelInner inner indices, so that a panel of B stays in L1
// while the rows of a block of A pass by, and blocks of A and of B that fit L2.
const (
	panelInner = 192
	blockBytes = 480 << 10 // of A
	blockCols  = 40        // panels of B
)

// fewRows is the number of rows of C below which a product with Bᵀ is done as so many
// products of B and a vector, in the order of gemv, as turning B around would cost
// more than the product.
const fewRows = 6

// gonumWork says whether a call of level 3 is so small that gonum's is faster. It asks
// for the shape alone: the bits are the same at every level.
func gonumWork(m, n, k int) bool { return float64(m)*float64(n)*float64(k) < 400 }

func gemm[T kernel.Float](tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) bool {
	fa, okA := operand(a, tA, m, k, lda)
	fb, okB := operand(b, tB, k, n, ldb)
	mc, okC := view(c, m, n, ldc)
	if !okA || !okB || !okC || alpha == 0 || gonumWork(m, n, k) {
		return false
	}
	product[T]{fa, fb, mc, alpha, beta}.run()
	return true
}

// work returns the number of multiply-adds.
func (p product[T]) work() float64 {
	_, k := p.a.dims()
	return float64(p.c.Rows) * float64(p.c.Cols) * float64(k)
}

// run computes the product with all threads that are idle.
func (p product[T]) run() {
	work := p.work()
	if work < parallelWork {
		p.serial()
		return
	}
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

// pieces cuts C for threads: into columns, as rows of A are copied for each piece faster
// than columns of B are packed, and into rows where there are few columns.
func (p product[T]) pieces() (rows, cols cut) {
	w := kernel.PanelCols[T]()
	tasks := 2 * threads()
	if threads() == 1 {
		tasks = 1
	}
	cols = cutInto(p.c.Cols, w, min(tasks, max(p.c.Cols/(4*w), 1)))
	rows = cutInto(p.c.Rows, kernel.PanelRows, min((tasks+cols.n-1)/cols.n, max(p.c.Rows/64, 1)))
	return rows, cols
}

// serial computes the product in this goroutine.
func (p product[T]) serial() {
	w := borrow[T]()
	defer w.giveBack()
	p.in(w)
}

// in computes the product with the memory of a workspace.
func (p product[T]) in(w *workspace[T]) {
	m, k := p.a.dims()
	switch {
	case m < fewRows && p.b.transposed:
		p.byRows(w)
	case p.direct():
		p.scaleC()
		b := p.b.matrix
		if p.b.transposed || p.alpha != 1 {
			b = takeMatrix(&w.b, k, p.c.Cols)
			copyFactor(b, p.b)
			if p.alpha != 1 {
				for i := range b.Rows {
					kernel.Scale(b.Row(i), p.alpha)
				}
			}
		}
		if p.a.transposed {
			kernel.AddProduct(p.c, p.a.matrix, b)
		} else {
			kernel.Accumulate(p.c, p.a.matrix, b)
		}
	default:
		p.packed(w)
	}
}

// direct says whether B is used where it lies, if it can be: packing would cost more
// than it gains.
func (p product[T]) direct() bool {
	k, n := p.b.dims()
	return p.c.Rows < 2*kernel.PanelRows || k*n*int(unsafe.Sizeof(p.alpha)) <= 24<<10 || n < kernel.PanelCols[T]()
}

// scaleC multiplies C by beta.
func (p product[T]) scaleC() {
	if p.beta == 1 {
		return
	}
	for i := range p.c.Rows {
		scale(p.c.Row(i), p.beta)
	}
}

// scale multiplies x by beta; 0 means that what was there does not count.
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
	width := kernel.PanelCols[T]()
	block := blockBytes / panelInner / int(unsafe.Sizeof(p.alpha)) / kernel.PanelRows * kernel.PanelRows
	blocks := cutInto(m, kernel.PanelRows, (m+block-1)/block)
	columns := cutInto(n, width, (n+blockCols*width-1)/(blockCols*width))
	inner := cutInto(k, 8, (k+panelInner-1)/panelInner)
	for cb := range columns.n {
		j, jEnd := columns.piece(cb)
		for kb := range inner.n {
			k0, k1 := inner.piece(kb)
			b := take(&w.b, (k1-k0)*((jEnd-j+width-1)/width*width))
			packPanels(b, p.b.part(k0, k1, j, jEnd), p.alpha)
			for ib := range blocks.n {
				i, iEnd := blocks.piece(ib)
				a := takeMatrix(&w.a, iEnd-i, k1-k0)
				copyFactor(a, p.a.part(i, iEnd, k0, k1))
				c := p.c.Slice(i, iEnd, j, jEnd)
				if k0 == 0 && p.beta != 0 {
					product[T]{c: c, beta: p.beta}.scaleC()
				}
				multiply(c, a, b, k0 == 0 && p.beta == 0)
			}
		}
	}
}

// multiply adds to C, which is set to zero before if fresh, the product of a block of
// A and panels of B.
func multiply[T kernel.Float](c, a matrix[T], b []T, fresh bool) {
	w := kernel.PanelCols[T]()
	whole := c.Rows / kernel.PanelRows * kernel.PanelRows
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

// byRows computes a few rows of C as gemv does: the sums of a row in lanes.
func (p product[T]) byRows(w *workspace[T]) {
	m, k := p.a.dims()
	a := p.a.matrix
	if p.a.transposed {
		a = takeMatrix(&w.a, m, k)
		transpose(a, p.a.matrix)
	}
	sums := takeMatrix(&w.c, m, p.c.Cols)
	kernel.Contract(sums, p.b.matrix, a)
	for i := range m {
		scale(p.c.Row(i), p.beta)
		kernel.AddScaled(p.c.Row(i), p.alpha, sums.Row(i))
	}
}
