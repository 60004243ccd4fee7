package kernel

import "unsafe"

// sweep is the coordinates [from, to) of one panel of columns.
type sweep struct {
	h, a, b, inv, mask                    unsafe.Pointer // mask may be nil
	hStride, aStride, bStride, maskStride int
	rank, from, to, cols                  int
	penalty                               uint64 // bits
}

func sweepTiled[T Float](h, a, b Matrix[T], inv []T, penalty T, mask Matrix[T]) {
	t := active()
	body := &bodiesOf[T](t).sweep
	if body[1] == 0 {
		sweepGeneric(h, a, b, inv, penalty, mask)
		return
	}
	size := sizeOf[T]()
	lanes := t.vector / size
	vectors := min(max(cached().sweepBytes/(h.Rows*t.vector), t.sweepVectors/2), t.sweepVectors)
	all := parts(h.Cols, lanes)
	panels := parts(all, vectors)
	s := sweep{
		b: at(&b, 0, 0), inv: unsafe.Pointer(&inv[0]),
		hStride: h.Stride * size, aStride: a.Stride * size, bStride: b.Stride * size, maskStride: mask.Stride * size,
		rank: h.Rows, penalty: bits(penalty),
	}
	step := max(callWork/(h.Rows*vectors*lanes+rowWork), 1)
	for p := range panels {
		j, jEnd := part(all, panels, p)
		j, jEnd = j*lanes, min(jEnd*lanes, h.Cols)
		s.h, s.a, s.cols = at(&h, 0, j), at(&a, 0, j), jEnd-j
		if mask.Data != nil {
			s.mask = at(&mask, 0, j)
		}
		for k := 0; k < h.Rows; k += step {
			s.from, s.to = k, min(k+step, h.Rows)
			body[(s.cols+(1-copied)*(lanes-1))/lanes].run(&s, (s.to-s.from)*s.rank*s.cols, s.to-s.from)
		}
	}
}
