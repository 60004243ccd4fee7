package kernel

import "unsafe"

// update is a rectangle of a kernel that changes n, and perhaps p, entry by entry.
type update struct {
	n, m, p                   unsafe.Pointer
	nStride, mStride, pStride int
	rows, cols                int
	mu, nu                    uint64         // bits
	seen                      unsafe.Pointer // the mask, if the body has one
	seenStride                int
}

// rectangle returns the rows and columns of an update that one call takes of a
// matrix. A small one is taken whole, without a division, which takes as long as its update.
func rectangle[T Float](m *Matrix[T]) (rows, cols int) {
	most := cacheBytes / 4 / sizeOf[T]()
	if m.Rows <= 64 && m.Cols <= most/64 {
		return m.Rows, m.Cols
	}
	return max(most/m.Cols, 1), min(most, m.Cols)
}

// updateBy calls a body on all of n, m and p, or returns false if the level has none. The augmented Lagrangian has G in
// the place of n, and N, which is P before, in that of p. updateBy takes pointers, because copies of four headers
// would take as long as a small update.
func updateBy[T Float](body body[update], n, m, p *Matrix[T], seen *Bits, mu, nu T) bool {
	if n.Rows == 0 || n.Cols == 0 {
		return true
	}
	if body == 0 {
		return false
	}
	size := sizeOf[T]()
	var u update // not a literal, of which Go makes a copy that waits for its stores
	u.nStride, u.mStride, u.pStride, u.seenStride = n.Stride*size, m.Stride*size, p.Stride*size, seen.Stride
	u.mu, u.nu = bits(mu), bits(nu)
	rows, cols := rectangle(n)
	for i := 0; i < n.Rows; i += rows {
		for j := 0; j < n.Cols; j += cols {
			u.rows, u.cols = min(rows, n.Rows-i), min(cols, n.Cols-j)
			u.n, u.m, u.p = at(n, i, j), at(m, i, j), at(p, i, j)
			if seen.Data != nil {
				u.seen = unsafe.Pointer(&seen.Data[i*seen.Stride+j/8]) // cols is a multiple of 8
			}
			body.run(&u, u.rows*u.cols, u.rows)
		}
	}
	return true
}

// extrapolation is a rectangle of Extrapolate. The lanes are 64 bytes.
type extrapolation struct {
	//lint:ignore U1000 only assembly uses it
	copies                [128 * copied]byte // of the last columns
	x, before, lanes      unsafe.Pointer
	xStride, beforeStride int
	rows, cols            int
	beta                  uint64 // bits
}

func extrapolateTiled[T Float](x, before Matrix[T], beta T) T {
	body := bodiesOf[T](active()).extrapolate
	if body == 0 {
		return extrapolateGeneric(x, before, beta)
	}
	var lanes [contractionBytes / 4]T // of float64 half are unused
	size := sizeOf[T]()
	e := extrapolation{lanes: unsafe.Pointer(&lanes), xStride: x.Stride * size, beforeStride: before.Stride * size, beta: bits(beta)}
	rows, cols := rectangle(&x) // of whole rows, or of one: the order of the lanes
	for i := 0; i < x.Rows; i += rows {
		for j := 0; j < x.Cols; j += cols {
			e.x, e.before = at(&x, i, j), at(&before, i, j)
			e.rows, e.cols = min(rows, x.Rows-i), min(cols, x.Cols-j)
			body.run(&e, e.rows*e.cols, e.rows)
		}
	}
	return fold(lanes[:contractionBytes/size])
}
