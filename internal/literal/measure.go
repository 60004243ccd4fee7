package literal

import (
	"math"

	"nmu/lnmu"
)

// Residual returns, in units of scale, the sums of squares of M - V W of the first factors and of its negative
// part, the largest violation, and the sum of the squares of M.
func Residual[T lnmu.Float](m lnmu.CSR[T], v, w lnmu.Dense[T], rank int, scale float64) (squares, excess, most, norm float64) {
	row := make([]float64, m.Cols)
	for i := range m.Rows {
		clear(row)
		for k := range rank {
			if a := float64(v.At(i, k)) / scale; a != 0 {
				for j, b := range w.Row(k) {
					row[j] -= a * float64(b)
				}
			}
		}
		for at := m.Ptr[i]; at < m.Ptr[i+1]; at++ {
			x := float64(m.Val[at]) / scale
			row[m.Idx[at]] += x
			norm += x * x
		}
		for _, e := range row {
			squares += e * e
			if e < 0 {
				excess, most = excess+e*e, max(most, -e)
			}
		}
	}
	return squares, excess, most, norm
}

// Excess returns the largest entry of V W - M as Feasible defines it, in the precision of M and factor after
// factor. Entries whose weight in u is 0 do not count; u is nil, or has a weight for each entry, by rows.
func Excess[T lnmu.Float](m, v, w lnmu.Dense[T], u []float64) T {
	most := T(math.Inf(-1))
	for i := range m.Rows {
		for j, e := range m.Row(i) {
			if u != nil && u[i*m.Cols+j] == 0 {
				continue
			}
			for k := range v.Cols {
				e = fused(-v.At(i, k), w.At(k, j), e)
			}
			most = max(most, -e)
		}
	}
	return most
}

// fused returns a*b + c, rounded once.
func fused[T lnmu.Float](a, b, c T) T {
	if _, ok := any(a).(float64); ok {
		return T(math.FMA(float64(a), float64(b), float64(c)))
	}
	// The product of two float32 is exact in float64. Rounding the sum to odd makes the second
	// rounding right.
	x := float64(a) * float64(b)
	s := x + float64(c)
	t := s - x
	e := (x - (s - t)) + (float64(c) - t)
	if e != 0 && math.Float64bits(s)&1 == 0 {
		s = math.Nextafter(s, math.Copysign(math.Inf(1), e))
	}
	return T(s)
}
