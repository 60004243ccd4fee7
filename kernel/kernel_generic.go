package kernel

import (
	"math"
	"runtime"
	"unsafe"
)

// The generic body of a kernel is its specification: what every assembly body must equal bit for
// bit. It stands beside the kernel, is called *Generic, and is there to compare with everywhere.
// This file has the arithmetic that they share.

const (
	reductionBytes   = 128 // lanes of a reduction (Dot, Max, Min)
	contractionBytes = 64  // lanes of a contraction along rows (Contract, Gram, RankOne)
)

// bits returns the bits of x, those of a float32 in the lower half, which comes
// first in memory.
func bits[T Float](x T) uint64 {
	if unsafe.Sizeof(x) == 8 {
		return math.Float64bits(float64(x))
	}
	return uint64(math.Float32bits(float32(x)))
}

func fromBits[T Float](b uint64) T {
	var zero T
	if unsafe.Sizeof(zero) == 8 {
		return T(math.Float64frombits(b))
	}
	return T(math.Float32frombits(uint32(b)))
}

// fused says that the compiler has an instruction for math.FMA; elsewhere it computes with integers.
const fused = runtime.GOARCH != "wasm" && runtime.GOARCH != "386"

// fma returns a*b + c with one rounding.
func fma[T Float](a, b, c T) T {
	if fused && unsafe.Sizeof(a) == 8 {
		return T(math.FMA(float64(a), float64(b), float64(c)))
	}
	return fmaOfSums(a, b, c)
}

// fmaOfSums is fma by additions and multiplications of float64.
//
// The product of float32 is exact. To narrow the float64 sum is a second rounding, which differs
// from one rounding of the exact sum only if the first has led to the middle of two numbers of
// float32, or below the normal ones.
//
// The product of float64 is p + q (T. J. Dekker, 1971), and its sum with c is v + w + q. All but v is
// small and rounded once, to r. Where v + r is the same number for all r within that rounding, it is
// the result (A. Ziv, 1991). Elsewhere, and where the product is near the ends of the range, math.FMA
// is called. Any other step that overflows gives a NaN, which equals nothing.
func fmaOfSums[T Float](a, b, c T) T {
	x, y, z := float64(a), float64(b), float64(c)
	p := float64(x * y)
	if unsafe.Sizeof(a) == 4 {
		s := p + z
		const middle, below, exponent = 1 << 28, 1<<29 - 1, 0x7ff << 52
		if bits := math.Float64bits(s); bits&below != middle && bits&exponent >= (1023-126)<<52 {
			return T(s)
		}
		return T(narrow(p, z))
	}
	const limit, least, split = 0x1p990, 0x1p-960, 1<<27 + 1
	if m := math.Abs(p); m >= least && m < limit {
		xs, ys := float64(split*x), float64(split*y)
		x1, y1 := xs-(xs-x), ys-(ys-y)
		x2, y2 := x-x1, y-y1
		q := float64(x2*y2) - (((p - float64(x1*y1)) - float64(x2*y1)) - float64(x1*y2))
		v := p + z
		t := v - p
		r := (p - (v - t)) + (z - t) + q
		if s := v + float64((1+0x1p-50)*r); s == v+float64((1-0x1p-50)*r) {
			return T(s)
		}
	}
	return T(math.FMA(x, y, z))
}

// narrow returns p + z with one rounding. The float64 sum is rounded to odd before it is narrowed,
// which makes the narrowing the only rounding that counts (S. Boldo and G. Melquiond, Emulation of a
// FMA and correctly rounded sums, 2008).
func narrow(p, z float64) float32 {
	s := p + z
	if math.IsInf(s, 0) || s != s {
		return float32(s)
	}
	t := s - p
	e := (p - (s - t)) + (z - t) // s + e is the exact sum
	if bits := math.Float64bits(s); e != 0 && bits&1 == 0 {
		if (e > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
		s = math.Float64frombits(bits)
	}
	return float32(s)
}

// fold adds the lanes pairwise: l with l + len/2, then len/4, and so on.
// It overwrites lanes, whose length is a power of two.
func fold[T Float](lanes []T) T {
	for h := len(lanes) / 2; h > 0; h /= 2 {
		for l := range h {
			lanes[l] += lanes[l+h]
		}
	}
	return lanes[0]
}

// laneDot returns x·y in the given number of bytes of lanes. Lane l takes the
// products j ≡ l in increasing j; the last group is completed with zeros.
func laneDot[T Float](x, y []T, bytes int) T {
	var lane [reductionBytes / 4]T
	n := bytes / int(unsafe.Sizeof(lane[0]))
	for len(x) >= n {
		for l := range n {
			lane[l] = fma(x[l], y[l], lane[l])
		}
		x, y = x[n:], y[n:]
	}
	if len(x) > 0 {
		for l := range n {
			var a, b T
			if l < len(x) {
				a, b = x[l], y[l]
			}
			lane[l] = fma(a, b, lane[l])
		}
	}
	return fold(lane[:n])
}

// step is the projected multiplier update of one entry, given p = (VW)_ij.
func step[T Float](n, m, p, mu T) T {
	if !(m > 0) {
		m = 0
	}
	n = fma(mu, m-p, n)
	if n < m {
		return n
	}
	return m
}

// project returns max(0, t)/b given inv = 1/b.
func project[T Float](t, inv T) T {
	if t > 0 {
		return t * inv
	}
	return 0
}

// augment is the update of one multiplier, given m⁺ and p = (VW)_ij.
func augment[T Float](g, m, p, take T) T {
	y := g + (m - p)
	var above, below T
	if y > 0 {
		above = y
	}
	if y < 0 {
		below = y
	}
	return fma(take, above, below)
}

// target returns m⁺ + min(ag, bg).
func target[T Float](g, m, a, b T) T {
	s, t := fma(a, g, m), fma(b, g, m)
	if t < s {
		return t
	}
	return s
}

// positive returns max(0, m).
func positive[T Float](m T) T {
	if m > 0 {
		return m
	}
	return 0
}
