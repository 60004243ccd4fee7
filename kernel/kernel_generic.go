package kernel

import (
	"math"
	"unsafe"
)

// This file is the specification: what every assembly body must equal bit for
// bit. It has no build tag, so that it is there to compare with everywhere.

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

// fma returns a*b + c with one rounding.
func fma[T Float](a, b, c T) T {
	if unsafe.Sizeof(a) == 8 {
		return T(math.FMA(float64(a), float64(b), float64(c)))
	}
	return T(fma32(float32(a), float32(b), float32(c)))
}

// fma32 returns a*b + c with one rounding. The product is exact in float64;
// the float64 sum is rounded to odd before it is narrowed, which makes the
// narrowing the only rounding that counts (S. Boldo and G. Melquiond,
// Emulation of a FMA and correctly rounded sums, 2008).
func fma32(a, b, c float32) float32 {
	p := float64(float64(a) * float64(b))
	z := float64(c)
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

func dotGeneric[T Float](x, y []T) T { return laneDot(x, y, reductionBytes) }

// maxGeneric keeps one maximum per lane, replaced only by a larger value, and
// folds the lanes by the same rule with the later lane as the candidate.
func maxGeneric[T Float](x []T) T {
	return extreme(x, T(math.Inf(-1)), func(a, b T) bool { return a > b })
}

func minGeneric[T Float](x []T) T {
	return extreme(x, T(math.Inf(1)), func(a, b T) bool { return a < b })
}

func extreme[T Float](x []T, start T, better func(a, b T) bool) T {
	var lane [reductionBytes / 4]T
	n := reductionBytes / int(unsafe.Sizeof(start))
	for l := range n {
		lane[l] = start
	}
	for j, a := range x {
		if better(a, lane[j%n]) {
			lane[j%n] = a
		}
	}
	for h := n / 2; h > 0; h /= 2 {
		for l := range h {
			if better(lane[l+h], lane[l]) {
				lane[l] = lane[l+h]
			}
		}
	}
	return lane[0]
}

func countLessGeneric[T Float](x []T, t T) int {
	n := 0
	for _, a := range x {
		if a < t {
			n++
		}
	}
	return n
}

func contractGeneric[T Float](a, x, g Matrix[T]) {
	for k := range a.Rows {
		row := a.Row(k)
		for i := range row {
			row[i] = laneDot(x.Row(i), g.Row(k), contractionBytes)
		}
	}
}

func gramGeneric[T Float](b, g Matrix[T]) {
	for k := range b.Rows {
		for l := range k + 1 {
			s := laneDot(g.Row(l), g.Row(k), contractionBytes)
			b.Data[k*b.Stride+l], b.Data[l*b.Stride+k] = s, s
		}
	}
}

func addProductGeneric[T Float](p, vt, w Matrix[T]) {
	for i := range p.Rows {
		row := p.Row(i)
		for k := range vt.Rows {
			v := vt.Data[k*vt.Stride+i]
			for j, b := range w.Row(k) {
				row[j] = fma(v, b, row[j])
			}
		}
	}
}

func accumulateGeneric[T Float](c, vt, x Matrix[T]) {
	for k := range c.Rows {
		row := c.Row(k)
		for i := range x.Rows {
			v := vt.Data[k*vt.Stride+i]
			for j, b := range x.Row(i) {
				row[j] = fma(v, b, row[j])
			}
		}
	}
}

func addGeneric[T Float](c, x Matrix[T]) {
	for i := range c.Rows {
		row := c.Row(i)
		for j, a := range x.Row(i) {
			row[j] += a
		}
	}
}

func extrapolateGeneric[T Float](x, before Matrix[T], beta T) T {
	var lane [contractionBytes / 4]T
	n := contractionBytes / int(unsafe.Sizeof(beta))
	for i := range x.Rows {
		from := before.Row(i)
		row := x.Row(i)
		for j, a := range row {
			d := a - from[j]
			from[j] = a
			lane[j%n] = fma(d, d, lane[j%n])
			row[j] = 0
			if t := fma(beta, d, a); t > 0 {
				row[j] = t
			}
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

func updateGeneric[T Float](n, m, p Matrix[T], mu T) {
	for i := range n.Rows {
		nr, mr, pr := n.Row(i), m.Row(i), p.Row(i)
		for j := range nr {
			nr[j] = step(nr[j], mr[j], pr[j], mu)
		}
	}
}

func updateProductGeneric[T Float](n, m, vt, w Matrix[T], mu T) {
	var tile [64]T // of P, in a row
	for i := range n.Rows {
		for j := 0; j < n.Cols; j += len(tile) {
			nr, mr := n.Row(i)[j:min(j+len(tile), n.Cols)], m.Row(i)[j:]
			p := tile[:len(nr)]
			clear(p)
			for k := range vt.Rows {
				v := vt.Data[k*vt.Stride+i]
				for l, b := range w.Row(k)[j : j+len(p)] {
					p[l] = fma(v, b, p[l])
				}
			}
			for l := range nr {
				nr[l] = step(nr[l], mr[l], p[l], mu)
			}
		}
	}
}

func sweepGeneric[T Float](h, a, b Matrix[T], inv []T, penalty T, mask Matrix[T]) {
	for k := range h.Rows {
		if inv[k] == 0 {
			continue
		}
		hk, ak, bk := h.Row(k), a.Row(k), b.Row(k)
		for j := range hk {
			t := ak[j]
			for l := range bk {
				if l != k {
					t = fma(-bk[l], h.Data[l*h.Stride+j], t)
				}
			}
			t = project(t-penalty, inv[k])
			if mask.Data != nil {
				t *= mask.Data[k*mask.Stride+j]
			}
			hk[j] = t
		}
	}
}

func rankOneGeneric[T Float](acc, v []T, n Matrix[T], w []T, inv, vv T, up Multiplier[T]) T {
	for i := range v {
		row := n.Row(i)
		if up.When == Before {
			stepRow(row, up.M.Row(i), v[i], w, up.Mu)
		}
		if inv != 0 {
			v[i] = project(laneDot(row, w, contractionBytes), inv)
		}
		if up.When == After {
			stepRow(row, up.M.Row(i), v[i], w, up.Mu)
		}
		for j, x := range row {
			acc[j] = fma(v[i], x, acc[j])
		}
		vv = fma(v[i], v[i], vv)
	}
	return vv
}

func stepRow[T Float](n, m []T, v T, w []T, mu T) {
	for j := range n {
		n[j] = step(n[j], m[j], T(v*w[j]), mu)
	}
}

// project returns max(0, t)/b given inv = 1/b.
func project[T Float](t, inv T) T {
	if t > 0 {
		return t * inv
	}
	return 0
}
