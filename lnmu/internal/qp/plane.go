package qp

import "math"

// givens returns the rotation that takes (a, b) to (length, 0), unless b is 0.
func givens(a, b float64) (cos, sin float64, ok bool) {
	if b == 0 {
		return 1, 0, false
	}
	big := max(math.Abs(a), math.Abs(b))
	a, b = a/big, b/big
	length := math.Sqrt(math.FMA(a, a, float64(b*b)))
	return a / length, b / length, true
}

// rotate sets x, y to cos x + sin y, cos y - sin x.
func rotate(cos, sin float64, x, y []float64) {
	for i, a := range x {
		b := y[i]
		x[i] = math.FMA(cos, a, float64(sin*b))
		y[i] = math.FMA(cos, b, -float64(sin*a))
	}
}

// axpy adds a x to the front of y.
func axpy(a float64, x, y []float64) {
	y = y[:len(x)]
	for i, b := range x {
		y[i] = math.FMA(a, b, y[i])
	}
}

// dotFMA returns x·(front of y) in four lanes.
func dotFMA(x, y []float64) float64 {
	var s0, s1, s2, s3 float64
	y = y[:len(x)]
	for len(x) >= 4 {
		s0 = math.FMA(x[0], y[0], s0)
		s1 = math.FMA(x[1], y[1], s1)
		s2 = math.FMA(x[2], y[2], s2)
		s3 = math.FMA(x[3], y[3], s3)
		x, y = x[4:], y[4:]
	}
	for i, a := range x {
		s0 = math.FMA(a, y[i], s0)
	}
	return (s0 + s2) + (s1 + s3)
}
