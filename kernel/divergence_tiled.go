package kernel

import "unsafe"

// ratios is x = m / max(x, least) of n elements, or lanes += m log x. But for the last call
// n is a multiple of the lanes, which are 64 bytes.
type ratios struct {
	//lint:ignore U1000 only assembly uses it
	copies [128 * copied]byte // of the last elements
	x, m   unsafe.Pointer
	n      int
	least  uint64         // bits
	lanes  unsafe.Pointer // of the sum
	consts unsafe.Pointer // a logVectors
}

// derivatives is x += step last of n elements, and the sums of LogDerivatives over them. But for the
// last call n is a multiple of the lanes, which are 64 bytes of each sum.
type derivatives struct {
	//lint:ignore U1000 only assembly uses it
	copies        [256 * copied]byte // of the last elements
	x, last, m, g unsafe.Pointer
	n             int
	step, least   uint64         // bits
	first, second unsafe.Pointer // lanes of the sums
}

// logVectors are the constants of a logarithm, each in all lanes.
type logVectors struct {
	normal, scale, shift, offset, magic, bias, fraction, root, one, two, half [contractionBytes]byte
	ln2Hi, ln2Lo                                                              [contractionBytes]byte
	poly0, poly1, poly2, poly3, poly4, poly5, poly6                           [contractionBytes]byte
}

var logVectors64, logVectors32 = logarithm64.vectors(), logarithm32.vectors()

// vectors returns the constants for the bodies.
func (c *logarithm[T]) vectors() *logVectors {
	v := &logVectors{}
	for to, x := range map[*[contractionBytes]byte]T{
		&v.normal: c.normal, &v.scale: c.scale, &v.shift: c.shift, &v.magic: c.magic, &v.bias: c.bias,
		&v.offset: fromBits[T](c.offset()), &v.fraction: fromBits[T](1<<c.fraction - 1), &v.root: fromBits[T](c.root),
		&v.one: 1, &v.two: 2, &v.half: 0.5, &v.ln2Hi: c.ln2Hi, &v.ln2Lo: c.ln2Lo,
		&v.poly0: c.poly[0], &v.poly1: c.poly[1], &v.poly2: c.poly[2], &v.poly3: c.poly[3],
		&v.poly4: c.poly[4], &v.poly5: c.poly[5], &v.poly6: c.poly[6],
	} {
		lanes := unsafe.Slice((*T)(unsafe.Pointer(to)), contractionBytes/sizeOf[T]())
		for l := range lanes {
			lanes[l] = x
		}
	}
	return v
}

// eachRatio calls a body on all of x and m. r is a copy: by a pointer to r, x and m would escape.
func eachRatio[T Float](body body[ratios], r ratios, x, m []T) {
	for len(x) > 0 {
		r.n = min(vectorRun/sizeOf[T](), len(x))
		r.x, r.m = unsafe.Pointer(&x[0]), unsafe.Pointer(&m[0])
		x, m = x[r.n:], m[r.n:]
		body.run(&r, r.n, 1)
	}
}

func ratioTiled[T Float](x, m []T, least T) {
	if body := bodiesOf[T](active()).ratio; body != 0 {
		eachRatio(body, ratios{least: bits(least)}, x, m)
	} else {
		ratioGeneric(x, m, least)
	}
}

func dotLogTiled[T Float](m, x []T) T {
	body := bodiesOf[T](active()).dotLog
	if body == 0 {
		return dotLogGeneric(m, x)
	}
	var lanes [contractionBytes / 4]T // of float64 half are unused
	r := ratios{lanes: unsafe.Pointer(&lanes), consts: unsafe.Pointer(logVectors32)}
	if sizeOf[T]() == 8 {
		r.consts = unsafe.Pointer(logVectors64)
	}
	eachRatio(body, r, x, m)
	return fold(lanes[:contractionBytes/sizeOf[T]()])
}

func logDerivativesTiled[T Float](x, last []T, step T, m, g []T, least T) (first, second T) {
	body := bodiesOf[T](active()).logDerivatives
	if body == 0 {
		return logDerivativesGeneric(x, last, step, m, g, least)
	}
	var lanes, squares [contractionBytes / 4]T // of float64 half are unused
	r := derivatives{
		step: bits(step), least: bits(least),
		first: unsafe.Pointer(&lanes), second: unsafe.Pointer(&squares),
	}
	for len(x) > 0 {
		r.n = min(vectorRun/sizeOf[T](), len(x))
		r.x, r.last = unsafe.Pointer(&x[0]), unsafe.Pointer(&last[0])
		r.m, r.g = unsafe.Pointer(&m[0]), unsafe.Pointer(&g[0])
		x, last, m, g = x[r.n:], last[r.n:], m[r.n:], g[r.n:]
		body.run(&r, r.n, 1)
	}
	n := contractionBytes / sizeOf[T]()
	return fold(lanes[:n]), fold(squares[:n])
}
