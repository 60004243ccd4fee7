package kernel

import "unsafe"

// update is a multiplier update, or n += m, of a rectangle.
type update struct {
	n, m, p                   unsafe.Pointer
	nStride, mStride, pStride int
	rows, cols                int
	mu, nu                    uint64         // bits
	seen                      unsafe.Pointer // the mask, if the body has one
	seenStride                int
}

// rectangle returns the rows and columns of an update that one call takes of a
// matrix of that many columns.
func rectangle[T Float](all int) (rows, cols int) {
	most := cacheBytes / 4 / sizeOf[T]()
	return max(most/all, 1), min(most, all)
}

// setUpdate sets u to rows and columns from (i, j) on, but for p.
func setUpdate[T Float](u *update, n, m *Matrix[T], i, j, rows, cols int) {
	size := sizeOf[T]()
	u.n, u.nStride = at(n, i, j), n.Stride*size
	u.m, u.mStride = at(m, i, j), m.Stride*size
	u.rows, u.cols = min(rows, n.Rows-i), min(cols, n.Cols-j)
}

func updateTiled[T Float](n, m, p Matrix[T], mu T) bool {
	return updateBy(bodiesOf[T](active()).update, n, m, p, Bits{}, mu, 0)
}

func updateBy[T Float](body body[update], n, m, p Matrix[T], seen Bits, mu, nu T) bool {
	if body == 0 {
		return false
	}
	u := update{pStride: p.Stride * sizeOf[T](), mu: bits(mu), nu: bits(nu), seenStride: seen.Stride}
	rows, cols := rectangle[T](n.Cols)
	for i := 0; i < n.Rows; i += rows {
		for j := 0; j < n.Cols; j += cols {
			setUpdate(&u, &n, &m, i, j, rows, cols)
			u.p = at(&p, i, j)
			if seen.Data != nil {
				u.seen = unsafe.Pointer(&seen.Data[i*seen.Stride+j/8]) // cols is a multiple of 8
			}
			watch(u.rows * u.cols)
			body.run(&u)
		}
	}
	return true
}

func addTiled[T Float](c, x Matrix[T]) bool {
	body := bodiesOf[T](active()).add
	if body == 0 {
		return false
	}
	var u update
	rows, cols := rectangle[T](c.Cols)
	for i := 0; i < c.Rows; i += rows {
		for j := 0; j < c.Cols; j += cols {
			setUpdate(&u, &c, &x, i, j, rows, cols)
			watch(u.rows * u.cols)
			body.run(&u)
		}
	}
	return true
}
