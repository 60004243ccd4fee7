package kernel

import "math"

// Reciprocals sets inv[k] = 1/b[k][k], or 0 where b[k][k] is not positive or too small for its
// reciprocal to be finite: Sweep leaves such a coordinate unchanged.
func Reciprocals[T Float](inv []T, b Matrix[T]) {
	check("B", b, len(inv), len(inv))
	for k := range inv {
		inv[k] = Reciprocal(b.Data[k*b.Stride+k])
	}
}

// Reciprocal returns 1/b, or 0 where b is not positive or 1/b is not finite.
func Reciprocal[T Float](b T) T {
	if r := 1 / b; b > 0 && !math.IsInf(float64(r), 0) {
		return r
	}
	return 0
}

// Sweep is one HALS sweep (equations (halsV) and (halsW)) over the coordinates
// k = 0, 1, ... of each column of H, in place:
//
//	h[k] <- mask[k] · max(0, a[k] - Σ_{l≠k} b[k][l] h[l] - penalty) · inv[k]
//
// The sum is taken off a[k] by fused multiply-adds in increasing l, then the
// penalty is subtracted. H and A are r x q, B is r x r, inv comes from
// Reciprocals(B); where inv[k] = 0 row k of H stays as it is. mask is r x q of
// zeros and ones, or the zero Matrix for none. H must overlap nothing else.
// 2qr² operations.
func Sweep[T Float](h, a, b Matrix[T], inv []T, penalty T, mask Matrix[T]) {
	writes("H", h, h.Rows, h.Cols)
	reads("A", a, h.Rows, h.Cols)
	reads("B", b, h.Rows, h.Rows)
	readsLen("inv", inv, h.Rows)
	if mask.Data != nil || mask.Rows != 0 || mask.Cols != 0 {
		reads("mask", mask, h.Rows, h.Cols)
	}
	if h.Rows > 0 && h.Cols > 0 {
		sweepTiled(h, a, b, inv, penalty, mask)
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
