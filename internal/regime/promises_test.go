package regime

import (
	"fmt"
	"math"

	"nmu/internal/literal"
	"nmu/lnmu"
)

// epsilon returns the distance from 1 to the next number of T.
func epsilon[T lnmu.Float]() float64 {
	if _, ok := any(T(0)).(float32); ok {
		return 0x1p-23
	}
	return 0x1p-52
}

// broken returns the first promise of a line that a result breaks, or "". p has the scale of the
// result.
func broken[T lnmu.Float](l line, p problem, m lnmu.Dense[T], res *lnmu.Result[T]) string {
	v, w, rank := res.V, res.W, res.V.Cols
	for name, x := range map[string]lnmu.Dense[T]{"V": v, "W": w} {
		for i := range x.Rows {
			for j, a := range x.Row(i) {
				if !(a >= 0) || math.IsInf(float64(a), 0) {
					return fmt.Sprintf("%s[%d,%d] = %v", name, i, j, a)
				}
			}
		}
	}
	eps := epsilon[T]()
	lengths := map[string]matrix{"V": literal.As[float64](v), "W": literal.As[float64](w).Transposed()}
	if x, ok := lengths[l.sums]; ok {
		for i := range x.Rows {
			var sum float64
			for _, a := range x.Row(i) {
				sum += a
			}
			if !(math.Abs(sum-1) <= 4*float64(rank)*eps) {
				return fmt.Sprintf("vector %d of %s has the sum %v", i, l.sums, sum)
			}
		}
	}
	if l.below {
		if excess := literal.Excess(m, v, w, p.U.Data); excess > 0 || res.MaxViolation != 0 {
			return fmt.Sprintf("V W exceeds M by %v, said to be %v", excess, res.MaxViolation)
		}
	}
	for k, x := range map[int]matrix{0: literal.As[float64](v).Transposed(), 1: literal.As[float64](w)} {
		if l.hoyer[k] == 0 || x.Cols == 1 { // a vector of one entry has no sh
			continue
		}
		for i := range x.Rows {
			if sh := sparseness(x.Row(i)); !(math.Abs(sh-l.hoyer[k]) <= 1e4*eps) {
				return fmt.Sprintf("vector %d of factor %d has sh %v, want %v", i, k, sh, l.hoyer[k])
			}
		}
	}
	return said(p, res)
}

// said compares the relative error that a result claims with the true one, which is computed with
// M and V W divided by the largest entry of M.
func said[T lnmu.Float](p problem, res *lnmu.Result[T]) string {
	var most float64
	for _, a := range p.M.Data {
		most = math.Max(most, a)
	}
	if most == 0 {
		return ""
	}
	v := literal.As[float64](res.V)
	for i := range v.Data {
		v.Data[i] /= most
	}
	q := p.times(1 / most)
	want := math.Sqrt(q.Squares(v, literal.As[float64](res.W))) / q.Norm()
	if !(math.Abs(want-res.RelativeError) <= 1e-9*want+64*math.Sqrt(float64(res.V.Cols))*epsilon[T]()) {
		return fmt.Sprintf("relative error %v, said to be %v", want, res.RelativeError)
	}
	return ""
}

// sparseness returns Hoyer's sh of x.
func sparseness(x []float64) float64 {
	var most, l1, l2 float64
	for _, a := range x {
		most = math.Max(most, a)
	}
	for _, a := range x {
		l1 += a / most
		l2 += a / most * (a / most)
	}
	n := math.Sqrt(float64(len(x)))
	return (n - l1/math.Sqrt(l2)) / (n - 1)
}
