package kernel

import "unsafe"

// The kernels of the Kullback-Leibler divergence of M from X = V W,
//
//	Σ m log(m/x) - m + x
//
// Its gradient and value need the ratio of M to X. A Newton step for one entry of a factor needs
// the derivatives of Σ m log x.

// Ratio sets X to the ratio of M to it: x[j] <- m[j] / max(x[j], least). max is least if x[j]
// is NaN. x and m are of one length and must not overlap.
func Ratio[T Float](x, m []T, least T) {
	writesLen("x", x, len(x))
	readsLen("m", m, len(x))
	ratioTiled(x, m, least)
}

func ratioGeneric[T Float](x, m []T, least T) {
	for j, a := range x {
		if !(a > least) {
			a = least
		}
		x[j] = m[j] / a
	}
}

// DotLog returns Σ m[j] log r[j] over the j with r[j] > 0, in 64 bytes of lanes. The logarithm
// is wrong by at most one unit in the last place; the logarithm of infinity is that of the
// power of two above the largest number. If r[j] > 0 is false, m[j] is ignored: the term is +0. m and r
// are of one length.
func DotLog[T Float](m, r []T) T {
	readsLen("m", m, len(r))
	readsLen("r", r, len(r))
	return dotLogTiled(m, r)
}

func dotLogGeneric[T Float](m, r []T) T {
	var lane [contractionBytes / 4]T
	n := contractionBytes / int(unsafe.Sizeof(lane[0]))
	c := logarithmOf[T]()
	for j := range parts(len(r), n) * n {
		var a, b T // an ignored or missing entry adds +0, which makes a lane of -0 a lane of +0
		if j < len(r) && r[j] > 0 {
			a, b = m[j], c.log(r[j])
		}
		lane[j%n] = fma(a, b, lane[j%n])
	}
	return fold(lane[:n])
}

// LogDerivatives moves X by a step along last, x[j] <- x[j] + step last[j], and returns the first
// derivative Σ m[j] t[j] and the second derivative Σ m[j] t[j]², with its sign changed, of
// Σ m[j] log x[j] along g. Here t[j] = g[j]/max(x[j], least), where max is least if x[j] is NaN.
// The sums are over the j with m[j] > 0. Each has 64 bytes of lanes. The product m[j] t[j] is
// rounded before both. All vectors are of one length. x must not overlap the others.
func LogDerivatives[T Float](x, last []T, step T, m, g []T, least T) (first, second T) {
	writesLen("x", x, len(x))
	readsLen("last", last, len(x))
	readsLen("m", m, len(x))
	readsLen("g", g, len(x))
	return logDerivativesTiled(x, last, step, m, g, least)
}

func logDerivativesGeneric[T Float](x, last []T, step T, m, g []T, least T) (first, second T) {
	var lane, square [contractionBytes / 4]T
	n := contractionBytes / int(unsafe.Sizeof(lane[0]))
	for j := range x {
		a := fma(step, last[j], x[j])
		x[j] = a
		if !(m[j] > 0) {
			continue
		}
		if !(a > least) {
			a = least
		}
		t := g[j] / a
		p := T(m[j] * t)
		lane[j%n] += p
		square[j%n] = fma(p, t, square[j%n])
	}
	return fold(lane[:n]), fold(square[:n])
}

// logarithm holds the constants of the natural logarithm in one precision. With
// x = 2^k (1 + f), 1 + f between sqrt(1/2) and sqrt(2), and s = f/(2 + f),
//
//	log x = k log 2 + f - f²/2 + s (f²/2 + R),   R = Σ poly[i] s^(2i+2)
//
// as in FreeBSD's msun (e_log.c and e_logf.c, of Sun Microsystems, 1993), whose polynomials
// these are.
type logarithm[T Float] struct {
	normal       T      // the smallest normal number
	scale, shift T      // a denormal is multiplied by 2^shift
	fraction     int    // bits of the fraction
	root         uint64 // the bits of sqrt(1/2)
	magic        T      // 2^fraction: its last bits are those of the whole number added to it
	bias         T      // magic + the bias of exponents
	ln2Hi, ln2Lo T      // log 2; k ln2Hi is exact
	poly         [7]T   // the last ones may be 0
}

var (
	logarithm64 = logarithm[float64]{
		normal: 0x1p-1022, scale: 0x1p54, shift: 54, fraction: 52, root: 0x3fe6a09e667f3bcd,
		magic: 0x1p52, bias: 0x1p52 + 1023,
		ln2Hi: 6.93147180369123816490e-01, ln2Lo: 1.90821492927058770002e-10,
		poly: [7]float64{
			6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
			1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01,
		},
	}
	logarithm32 = logarithm[float32]{
		normal: 0x1p-126, scale: 0x1p25, shift: 25, fraction: 23, root: 0x3f3504f3,
		magic: 0x1p23, bias: 0x1p23 + 127,
		ln2Hi: 6.9313812256e-01, ln2Lo: 9.0580006145e-06,
		poly: [7]float32{0xaaaaaa.0p-24, 0xccce13.0p-25, 0x91e9ee.0p-25, 0xf89e26.0p-26},
	}
)

// logarithmOf returns the constants of a precision.
func logarithmOf[T Float]() *logarithm[T] {
	var zero T
	if unsafe.Sizeof(zero) == 8 {
		return any(&logarithm64).(*logarithm[T])
	}
	return any(&logarithm32).(*logarithm[T])
}

// offset returns the distance from the bits of sqrt(1/2) to those of 1: added to the bits of
// x it makes k the exponent.
func (c *logarithm[T]) offset() uint64 { return bits(T(1)) - c.root }

// log returns log x for x > 0.
func (c *logarithm[T]) log(x T) T {
	var shift T
	if x < c.normal {
		x, shift = x*c.scale, c.shift
	}
	b := bits(x) + c.offset()
	k := fromBits[T](b>>c.fraction|bits(c.magic)) - c.bias - shift
	f := fromBits[T](b&(1<<c.fraction-1)+c.root) - 1
	s := f / (2 + f)
	z := T(s * s)
	w := T(z * z)
	var r [2]T // of even and of odd powers of z
	for i := len(c.poly) - 1; i >= 0; i-- {
		r[i%2] = fma(w, r[i%2], c.poly[i])
	}
	half := T(T(f*f) * 0.5)
	t := fma(s, half+fma(z, r[0], T(w*r[1])), T(k*c.ln2Lo))
	return fma(k, c.ln2Hi, T(t-half)+f)
}
