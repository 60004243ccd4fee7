package kernel

import "unsafe"

// panel is c[i] += Σ_k a[i][k] b[k] for groups of rows of c, so many as a tile has,
// and the columns of a tile.
type panel struct {
	c, a, b          unsafe.Pointer
	cStride, bStride int
	aRow, aInner     int // strides of a along rows of c, along k
	groups, inner    int
	fetch            int // bytes from a to what is fetched meanwhile, fetchStep for each k
	fetchStep        int
}

// scaled is y += Σ_i v[i] x[i], or x *= v[0].
type scaled struct {
	y, v, x             unsafe.Pointer
	xStride, rows, cols int
}

func panelTiled[T Float](c, v, x Matrix[T]) {
	t := active()
	body := bodiesOf[T](t).panel
	if body == 0 {
		accumulateGeneric(c, v, x)
		return
	}
	size, height, width := sizeOf[T](), t.panelHeight, t.panelWidth
	p := panel{
		cStride: c.Stride * size, bStride: x.Stride * size,
		aRow: v.Stride * size, aInner: size, fetchStep: height * size,
		fetch: height * v.Stride * size,
	}
	all := c.Rows / height
	for k := 0; k < x.Rows; k += panelInner {
		p.inner = min(panelInner, x.Rows-k)
		most := max(callWork/(height*(p.inner*width/size+rowWork)), 1)
		for j := 0; j < panelBytes; j += width {
			p.b = at(&x, k, j/size)
			for g := 0; g < all; g += most {
				p.groups = min(most, all-g)
				p.c, p.a = at(&c, g*height, j/size), at(&v, g*height, k)
				body.run(&p, p.groups*height*p.inner*width/size, p.groups*height)
			}
		}
	}
}

// scaledTiled calls a body on all of x and, if it takes that too, of y, with one number.
func scaledTiled[T Float](body body[scaled], y []T, a T, x []T) bool {
	if body == 0 {
		return false
	}
	s := scaled{v: unsafe.Pointer(&a), rows: 1}
	for len(y) > 0 {
		s.cols = min(vectorRun/sizeOf[T](), len(y))
		s.y, s.x = unsafe.Pointer(&y[0]), unsafe.Pointer(&x[0])
		body.run(&s, s.cols, 1)
		y, x = y[s.cols:], x[s.cols:]
	}
	return true
}

// addScaledRowsTiled cuts columns into runs, so that y stays in the nearest cache
// while the rows pass.
func addScaledRowsTiled[T Float](y, v []T, x Matrix[T]) {
	body := bodiesOf[T](active()).addScaled
	if body == 0 {
		for i, a := range v {
			addScaledGeneric(y, a, x.Row(i))
		}
		return
	}
	size := sizeOf[T]()
	s := scaled{xStride: x.Stride * size}
	for j := 0; j < len(y); j += scaledRun / size {
		s.cols = min(scaledRun/size, len(y)-j)
		s.y = unsafe.Pointer(&y[j])
		rows := min(cacheBytes/size/s.cols, callWork/(s.cols+rowWork))
		for i := 0; i < len(v); i += rows {
			s.rows = min(rows, len(v)-i)
			s.v, s.x = unsafe.Pointer(&v[i]), at(&x, i, j)
			body.run(&s, s.rows*s.cols, s.rows)
		}
	}
}
