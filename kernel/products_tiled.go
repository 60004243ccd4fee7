package kernel

import "unsafe"

// contraction is a[k][i] = Σ_j g[k][j] x[i][j] for one panel of rows of G.
type contraction struct {
	//lint:ignore U1000 only assembly uses it
	copies [448 * copied]byte // of the last columns
	//lint:ignore U1000 only assembly uses it
	half                      [384 * copied]byte // lanes of one half of the columns, while the other is walked
	a, x, g                   unsafe.Pointer
	lanes                     unsafe.Pointer // tiles.laneBytes for each group of rows
	aStride, xStride, gStride int
	rows, cols, height        int
	resume, suspend           int // start from lanes; stop at lanes
	fetch                     int // bytes from a row of a group to a line that will be wanted next, or 0
}

func contractTiled[T Float](a, x, g Matrix[T]) {
	t, fit := active(), cached()
	body := &bodiesOf[T](t).contract
	if body[0] == 0 || g.Cols == 0 {
		contractGeneric(a, x, g)
		return
	}
	if g.Cols*sizeOf[T]() > fit.contractRun {
		contractLong(body, &t.tiles, a, x, g)
		return
	}
	panels := parts(g.Rows, t.contractHeight)
	block := min(fit.contractX/(g.Cols*sizeOf[T]()), callWork/(g.Cols*t.contractHeight+rowWork))
	block = max(block/t.contractRows, 1) * t.contractRows
	for i := 0; i < x.Rows; i += block {
		for p := range panels {
			k, kEnd := part(g.Rows, panels, p)
			contractPanel(body, &a, &x, &g, k, kEnd, i, min(i+block, x.Rows))
		}
	}
}

// contractPanel contracts the rows [k, kEnd) of G, no more than fit the
// registers, with the rows [i, iEnd) of X.
func contractPanel[T Float](body *[6]body[contraction], a, x, g *Matrix[T], k, kEnd, i, iEnd int) {
	size := sizeOf[T]()
	var c contraction // not a literal, as in updateBy
	c.a, c.x, c.g = at(a, k, i), at(x, i, 0), at(g, k, 0)
	c.aStride, c.xStride, c.gStride = a.Stride*size, x.Stride*size, g.Stride*size
	c.rows, c.cols, c.height = iEnd-i, g.Cols, kEnd-k
	body[c.height-1].run(&c, c.rows*c.cols*c.height, c.rows)
}

// contractLong is contractTiled for rows so long that the rows of a tile do not
// stay in the nearest cache that can feed it. Columns are cut into runs, and the
// lanes of some rows of X with some panels of G wait in memory, so that a run of
// these rows is fetched from far away but once.
func contractLong[T Float](body *[6]body[contraction], t *tiles, a, x, g Matrix[T]) {
	if parts(x.Rows, t.contractRows)*parts(g.Rows, t.contractHeight)*t.laneBytes <= fewLanes {
		var lanes [fewLanes]byte
		contractRuns(body, t, &a, &x, &g, lanes[:])
		return
	}
	var lanes [manyLanes]byte
	contractRuns(body, t, &a, &x, &g, lanes[:])
}

func contractRuns[T Float](body *[6]body[contraction], t *tiles, a, x, g *Matrix[T], lanes []byte) {
	size := sizeOf[T]()
	panels := parts(g.Rows, t.contractHeight)
	room := len(lanes) / t.laneBytes // groups of rows with panels of G
	some := min(panels, max(room/leastGroups, 1))
	groups := parts(x.Rows, t.contractRows)
	groups = parts(groups, parts(groups, room/some)) // in turns of about the same size
	runs := parts(g.Cols*size, cached().contractCut)
	width := parts(parts(g.Cols*size, runs), contractionBytes) * contractionBytes / size
	for first := 0; first < panels; first += some {
		for i := 0; i < x.Rows; i += groups * t.contractRows {
			c := contraction{
				aStride: a.Stride * size, xStride: x.Stride * size, gStride: g.Stride * size,
				rows: min(groups*t.contractRows, x.Rows-i),
			}
			for j := 0; j < g.Cols; j += width {
				c.x, c.cols = at(x, i, j), min(width, g.Cols-j)
				c.suspend = 0
				next := width * size // run of the same rows
				if j+c.cols < g.Cols {
					c.suspend = 1
				} else {
					next = c.rows*c.xStride - j*size // or the first one of those behind
				}
				for p := first; p < min(first+some, panels); p++ {
					k, kEnd := part(g.Rows, panels, p)
					c.g, c.a, c.height = at(g, k, j), at(a, k, i), kEnd-k
					c.lanes = unsafe.Pointer(&lanes[(p-first)*groups*t.laneBytes])
					c.fetch = 0
					if p < t.contractRows && panels >= t.contractRows { // a row for each, or it costs too much
						c.fetch = next + p*c.xStride
					}
					body[c.height-1].run(&c, c.rows*c.cols*c.height, c.rows)
				}
				c.resume = 1
			}
		}
	}
}

// gramTiled contracts each panel of rows of G with the rows up to its own, and
// mirrors the result.
func gramTiled[T Float](b, g Matrix[T]) {
	t := active()
	if bodiesOf[T](t).contract[0] == 0 || g.Cols == 0 {
		gramGeneric(b, g)
		return
	}
	panels := parts(g.Rows, t.contractHeight)
	for p := range panels {
		k, kEnd := part(g.Rows, panels, p)
		contractTiled(b.Slice(k, kEnd, 0, kEnd), g.Slice(0, kEnd, 0, g.Cols), g.Slice(k, kEnd, 0, g.Cols))
		for i := k; i < kEnd; i++ {
			for l, s := range b.Row(i)[:k] {
				b.Data[l*b.Stride+i] = s
			}
		}
	}
}

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
	body := &bodiesOf[T](t).outer
	if body[0] == 0 {
		return false
	}
	size := sizeOf[T]()
	tile := t.vector * t.outerVectors / size
	blocks := parts(out.Cols, outerCols/size)
	width := parts(parts(out.Cols, blocks), tile) * tile
	panels := parts(out.Rows, t.outerHeight)
	lines := parts(t.vector*t.outerVectors, fetchLine)
	inner := parts(src.Rows, min(cached().outerBytes/(width*size), outerInner))
	inner = parts(src.Rows, max(inner, 1)) // blocks of about the same size
	o := outer{
		outStride: out.Stride * size, srcStride: src.Stride * size,
		coefOut: coefOut * size, coefInner: coefInner * size,
	}
	for j := 0; j < out.Cols; j += width {
		o.cols = min(width, out.Cols-j)
		for b := 0; b < src.Rows; b += inner {
			o.inner = min(inner, src.Rows-b)
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
				body[o.height-1].run(&o, o.height*o.cols*o.inner, o.inner)
			}
		}
	}
	return true
}

// updateProductTiled updates N by P = V W, of which a tile at a time exists, in
// registers.
func updateProductTiled[T Float](n, m, vt, w Matrix[T], mu T) {
	t := active()
	body := &bodiesOf[T](t).outer
	if body[0] == 0 || w.Rows == 0 {
		updateProductGeneric(n, m, vt, w, mu)
		return
	}
	size := sizeOf[T]()
	tile := t.vector * t.outerVectors / size
	width := max(min(outerCols/size, (callWork/w.Rows-rowWork)/t.outerHeight)/tile, 1) * tile
	panels := parts(n.Rows, t.outerHeight)
	o := outer{
		outStride: n.Stride * size, srcStride: w.Stride * size, mStride: m.Stride * size,
		coefOut: size, coefInner: vt.Stride * size,
		inner: w.Rows, mu: bits(mu),
	}
	fetches := o.outStride >= farApart || n.Rows*(o.outStride+o.mStride) > nearBytes
	for j := 0; j < n.Cols; j += width {
		o.cols, o.src = min(width, n.Cols-j), at(&w, 0, j)
		for p := range panels {
			i, iEnd := part(n.Rows, panels, p)
			o.out, o.m, o.coef, o.height = at(&n, i, j), at(&m, i, j), at(&vt, 0, i), iEnd-i
			if fetches {
				o.behind = o.height * o.outStride
			}
			body[o.height-1].run(&o, o.height*o.cols*o.inner, o.inner)
		}
	}
}
