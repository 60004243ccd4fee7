package matrix

import (
	"fmt"
	"math"

	"nmu/kernel"
	"nmu/lnmu/internal/fault"
)

// CheckSquares returns an error if the mean square of a matrix, given by name, is below the normal
// numbers of T. Its squares add up to squares. A square is rounded by at most half the smallest
// positive number: up to this limit by a part of about the precision of the mean square. Below it
// the norm, and with it all relative errors, would be untrue.
func CheckSquares[T kernel.Float](name string, squares, largest, entries float64) error {
	if !(largest > 0) || squares >= float64(entries*SmallestNormal[T]()) {
		return nil
	}
	return fmt.Errorf("%w: the squares of %s underflow; scale %s up, for example by 1e%.0f", fault.ErrValue, name, name, math.Ceil(-math.Log10(largest)))
}

// CheckProduct returns an error if the squares of V, of W or of a row of V W, given by
// name, leave the range of T, or the products of V or W with V W.
func CheckProduct[T kernel.Float](name string, v, w kernel.Matrix[T]) error {
	ofV, ofW := make([]float64, v.Cols), make([]float64, v.Cols) // norms of the factors
	for i := range v.Rows {
		for k, x := range v.Row(i) {
			ofV[k] += float64(float64(x) * float64(x))
		}
	}
	most := Largest[T]() / 16 // room for M - V W
	var norm, longest float64 // norm is an upper bound on ||V W||_F
	for k, vv := range ofV {
		var ww float64
		for _, x := range w.Row(k) {
			ww += float64(float64(x) * float64(x))
		}
		if vv > most || ww > most {
			return overflowing(name, k, v.Cols)
		}
		ofV[k], ofW[k] = math.Sqrt(vv), math.Sqrt(ww)
		norm += float64(ofV[k] * ofW[k])
		longest = max(longest, ofV[k], ofW[k])
	}
	if norm <= math.Sqrt(most) {
		return nil
	}
	return checkRowsOfProduct(name, v, w, ofW, longest)
}

// checkRowsOfProduct is CheckProduct for the rows of V W. It costs O((m + n) r²) operations.
// lengths are the norms of the rows of W, and longest is the largest norm of a factor. The
// squares are in units of the largest number, so that they stay in range.
func checkRowsOfProduct[T kernel.Float](name string, v, w kernel.Matrix[T], lengths []float64, longest float64) error {
	rank, unit := v.Cols, math.Sqrt(Largest[T]())
	cosines := make([]float64, rank*rank) // of the angles between the rows of W
	for k := range rank {
		for l := range k {
			if lengths[k] == 0 || lengths[l] == 0 {
				continue
			}
			for j, x := range w.Row(k) {
				cosines[k*rank+l] += float64(float64(x) / lengths[k] * (float64(w.Row(l)[j]) / lengths[l]))
			}
		}
	}
	part := make([]float64, rank) // norm of a row of each V_:k W_k:
	var all float64               // ||V W||²
	for i := range v.Rows {
		var row float64
		for k, x := range v.Row(i) {
			part[k] = float64(x) * (lengths[k] / unit)
			sum := part[k]
			for l := range k {
				sum += float64(2 * cosines[k*rank+l] * part[l])
			}
			row += float64(part[k] * sum)
			if row > 1 || float64(longest/unit*math.Sqrt(all+row)) > 1.0/16 {
				return overflowing(name, k, rank)
			}
		}
		all += row
	}
	return nil
}

// overflowing is the error for the first factor that leads out of range.
func overflowing(name string, factor, of int) error {
	return fmt.Errorf("%w: %s overflows at factor %d of %d; scale it down", fault.ErrValue, name, factor+1, of)
}
