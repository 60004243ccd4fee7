package kernel

import "unsafe"

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
