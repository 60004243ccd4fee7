package kernel

import "unsafe"

// outer is out[a] += Σ_b coef[a][b] src[b] for one panel of rows of out.
type outer struct {
	out, src, coef       unsafe.Pointer
	outStride, srcStride int
	coefOut, coefInner   int // strides of coef along out and src
	height, cols, inner  int
	keep                 int // -1, or 0 to start from zero
	ahead, also          int // bytes from src to lines to prefetch, or both 0

	// If m is not nil, out is N, which is updated by the sums, P.
	m       unsafe.Pointer
	mStride int
	behind  int    // bytes from a row of out to that of the next panel, if it is to be fetched, or 0
	mu      uint64 // bits
}

func addProductTiled[T Float](p, vt, w Matrix[T]) bool {
	return outerTiled(p, w, vt, 1, vt.Stride, true, prefetch[T]{})
}

// productTiled sets P = V W.
func productTiled[T Float](p, vt, w Matrix[T]) bool {
	return outerTiled(p, w, vt, 1, vt.Stride, false, prefetch[T]{})
}

// accumulateTiled adds Vᵀ X to C, and prefetches n and m.
func accumulateTiled[T Float](c, vt, x, n, m Matrix[T]) bool {
	next := prefetch[T]{n, m}
	if n.Data == nil {
		next = prefetch[T]{m, n}
	}
	return outerTiled(c, x, vt, vt.Stride, 1, true, next)
}

// prefetch holds what an outer product prefetches: nothing, the first matrix, or both.
type prefetch[T Float] [2]Matrix[T]

// from returns the bytes from src to a line of a tile, or 0 if there are fewer lines. The
// lines of a tile of the first matrix are numbered from 0, then those of the second.
func (f *prefetch[T]) from(src *Matrix[T], line, lines int) int {
	if line >= 2*lines || len(f[line/lines].Data) == 0 {
		return 0
	}
	// The line may be behind the end of the matrix: its address is no pointer.
	at := uintptr(unsafe.Pointer(&f[line/lines].Data[0])) + uintptr(line%lines*fetchLine)
	return int(at - uintptr(unsafe.Pointer(&src.Data[0])))
}

// outerTiled adds Σ_b coef[a][b] src[b] to out[a], or sets it. Element (a, b) of
// the coefficients is coef.Data[a*coefOut + b*coefInner].
func outerTiled[T Float](out, src, coef Matrix[T], coefOut, coefInner int, add bool, next prefetch[T]) bool {
	t := active()
	body := bodiesOf[T](t).outer
	if body == 0 {
		return false
	}
	size := sizeOf[T]()
	tile := t.vector * t.outerVectors / size
	blocks := parts(out.Cols, outerCols/size)
	width := parts(parts(out.Cols, blocks), tile) * tile
	panels := parts(out.Rows, t.outerHeight)
	lines := parts(t.vector*t.outerVectors, fetchLine)
	o := outer{
		outStride: out.Stride * size, srcStride: src.Stride * size,
		coefOut: coefOut * size, coefInner: coefInner * size,
	}
	for j := 0; j < out.Cols; j += width {
		o.cols = min(width, out.Cols-j)
		for b := 0; b < src.Rows; b += outerInner {
			o.inner = min(outerInner, src.Rows-b)
			o.src = at(&src, b, j)
			o.keep = -1
			if b == 0 && !add {
				o.keep = 0
			}
			for p := range panels {
				a, aEnd := part(out.Rows, panels, p)
				o.out, o.height = at(&out, a, j), aEnd-a
				o.coef = unsafe.Pointer(&coef.Data[a*coefOut+b*coefInner])
				o.ahead, o.also = next.from(&src, p, lines), next.from(&src, p+panels, lines)
				if o.also == 0 {
					o.also = o.ahead
				}
				watch(o.height * o.cols * o.inner)
				body.run(&o)
			}
		}
	}
	return true
}

// updateProductTiled updates N by P = V W, of which a tile at a time exists, in
// registers.
func updateProductTiled[T Float](n, m, vt, w Matrix[T], mu T) bool {
	t := active()
	body := bodiesOf[T](t).outer
	if body == 0 {
		return false
	}
	size := sizeOf[T]()
	tile := t.vector * t.outerVectors / size
	width := max(min(outerCols/size, callWork/(t.outerHeight*w.Rows))/tile, 1) * tile
	panels := parts(n.Rows, t.outerHeight)
	o := outer{
		outStride: n.Stride * size, srcStride: w.Stride * size, mStride: m.Stride * size,
		coefOut: size, coefInner: vt.Stride * size,
		inner: w.Rows, mu: bits(mu),
	}
	for j := 0; j < n.Cols; j += width {
		o.cols, o.src = min(width, n.Cols-j), at(&w, 0, j)
		for p := range panels {
			i, iEnd := part(n.Rows, panels, p)
			o.out, o.m, o.coef, o.height = at(&n, i, j), at(&m, i, j), at(&vt, 0, i), iEnd-i
			if o.outStride >= farApart {
				o.behind = o.height * o.outStride
			}
			watch(o.height * o.cols * o.inner)
			body.run(&o)
		}
	}
	return true
}
