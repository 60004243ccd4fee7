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

func updateTiled[T Float](n, m, p Matrix[T], mu T) bool {
	return updateBy(bodiesOf[T](active()).update, n, m, p, Bits{}, mu, 0)
}

// updateAugmentedTiled has G in the place of n, and N, which is P before, in that of p.
func updateAugmentedTiled[T Float](g, n, m Matrix[T], rho T) bool {
	take, part := Augmented[T]{Rho: rho}.weights()
	return updateBy(bodiesOf[T](active()).augment, g, m, n, Bits{}, take, part)
}

// targetTiled has N in the place of n, and G in that of p.
func targetTiled[T Float](n, g, m Matrix[T], a, b T) bool {
	return updateBy(bodiesOf[T](active()).target, n, m, g, Bits{}, a, b)
}

func keepTiled[T Float](x Matrix[T], seen Bits) bool {
	return updateBy(bodiesOf[T](active()).keep, x, x, x, seen, 0, 0)
}

func imputeTiled[T Float](n, m Matrix[T], seen Bits) bool {
	return updateBy(bodiesOf[T](active()).impute, n, m, m, seen, 0, 0)
}

func imputeWeightedTiled[T Float](n, m, weight Matrix[T]) bool {
	return updateBy(bodiesOf[T](active()).weigh, n, m, weight, Bits{}, 1, 0)
}

func updateMaskedTiled[T Float](n, m, p Matrix[T], seen Bits, mu T) bool {
	return updateBy(bodiesOf[T](active()).maskedUpdate, n, m, p, seen, mu, 0)
}

func updateAugmentedMaskedTiled[T Float](g, n, m Matrix[T], seen Bits, rho T) bool {
	take, part := Augmented[T]{Rho: rho}.weights()
	return updateBy(bodiesOf[T](active()).maskedAugment, g, m, n, seen, take, part)
}

func targetMaskedTiled[T Float](n, g, m Matrix[T], seen Bits, a, b T) bool {
	return updateBy(bodiesOf[T](active()).maskedTarget, n, m, g, seen, a, b)
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

// extrapolation is a rectangle of Extrapolate. The lanes are 64 bytes.
type extrapolation struct {
	//lint:ignore U1000 only assembly uses it
	copies                [128 * copied]byte // of the last columns
	x, before, lanes      unsafe.Pointer
	xStride, beforeStride int
	rows, cols            int
	beta                  uint64 // bits
}

func extrapolateTiled[T Float](x, before Matrix[T], beta T) (squares T, ok bool) {
	body := bodiesOf[T](active()).extrapolate
	if body == 0 {
		return 0, false
	}
	var lanes [contractionBytes / 4]T // of float64 half are unused
	size := sizeOf[T]()
	e := extrapolation{lanes: unsafe.Pointer(&lanes), xStride: x.Stride * size, beforeStride: before.Stride * size, beta: bits(beta)}
	rows, cols := rectangle[T](x.Cols) // of whole rows, or of one: the order of the lanes
	for i := 0; i < x.Rows; i += rows {
		for j := 0; j < x.Cols; j += cols {
			e.x, e.before = at(&x, i, j), at(&before, i, j)
			e.rows, e.cols = min(rows, x.Rows-i), min(cols, x.Cols-j)
			watch(e.rows * e.cols)
			body.run(&e)
		}
	}
	return fold(lanes[:contractionBytes/size]), true
}
