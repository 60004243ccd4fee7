// Package topics reads the factors of counts as proportions. If M counts words in documents,
// the columns of V become distributions over the words, and the columns of W mixtures of
// topics.
package topics

import (
	"cmp"
	"fmt"
	"math"

	"nmu/lnmu"
	"nmu/lnmu/internal/matrix"
)

// Scale scales the factors of M ≈ V W in place, so that each column of V is a
// distribution over the rows of M: its entries add up to 1. Row k of W takes the former sum of
// column k, so that V W stays the same within rounding. An entry w_kj of W is then the part of
// the sum of column j of V W that topic k contributes. A zero column of V stays zero, and its
// row of W stays as it is.
//
// Mixtures returns the columns of W as proportions. The cost is O((m+n)r). V W <= M need not
// hold exactly afterwards, because products are rounded. Errors wrap lnmu.ErrShape or
// lnmu.ErrValue; then the factors are unchanged.
func Scale[T lnmu.Float](v, w lnmu.Dense[T]) error {
	if err := cmp.Or(matrix.Check("V", v), matrix.Check("W", w)); err != nil {
		return err
	}
	if v.Cols != w.Rows {
		return fmt.Errorf("%w: V has %d columns and W has %d rows; they must be the same", lnmu.ErrShape, v.Cols, w.Rows)
	}
	sums := make([]float64, v.Cols)
	for i := range v.Rows {
		if err := matrix.CheckRow("V", i, v.Row(i)); err != nil {
			return err
		}
		for k, x := range v.Row(i) {
			sums[k] += float64(x)
		}
	}
	for k, sum := range sums {
		if sum == 0 {
			sums[k] = 1
		}
		if err := matrix.CheckRow("W", k, w.Row(k)); err != nil {
			return err
		}
		for j, x := range w.Row(k) {
			if y := T(float64(x) * sums[k]); math.IsInf(float64(y), 0) || math.IsNaN(float64(y)) {
				return fmt.Errorf("%w: entry (%d, %d) of W overflows in %T if column %d of V adds up to 1; scale M down", lnmu.ErrValue, k+1, j+1, T(0), k+1)
			}
		}
	}
	for k, sum := range sums {
		for j, x := range w.Row(k) {
			w.Row(k)[j] = T(float64(x) * sum)
		}
	}
	for i := range v.Rows {
		for k, x := range v.Row(i) {
			v.Row(i)[k] = T(float64(x) / sums[k])
		}
	}
	return nil
}

// Mixtures returns W (r x n) with each column divided by its sum: the proportions of the topics
// in the columns of M, if Scale has scaled W. A zero column stays zero. The cost is O(rn).
func Mixtures[T lnmu.Float](w lnmu.Dense[T]) lnmu.Dense[T] {
	sums := make([]float64, w.Cols)
	for k := range w.Rows {
		for j, x := range w.Row(k) {
			sums[j] += float64(x)
		}
	}
	mixtures := lnmu.NewDense[T](w.Rows, w.Cols, nil)
	for k := range w.Rows {
		for j, x := range w.Row(k) {
			if sums[j] > 0 {
				mixtures.Row(k)[j] = T(float64(x) / sums[j])
			}
		}
	}
	return mixtures
}
