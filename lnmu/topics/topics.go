// Package topics reads the factors of counts as proportions. If M counts words in documents,
// the columns of V become distributions over the words, and the columns of W mixtures of
// topics.
package topics

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"nmu/lnmu"
	"nmu/lnmu/distributed"
	"nmu/lnmu/internal/fault"
	"nmu/lnmu/internal/group"
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
	if err := cmp.Or(matrix.Check("V", v), matrix.Check("W", w), checkRank(v, w)); err != nil {
		return err
	}
	return scale(group.Self{}, part[T]{v, group.Self{}, 0}, part[T]{w, group.Self{}, 0})
}

// ScalePart is Scale for the processes that have factored a matrix together. V has the rows of its
// part if M is tall, and W its columns if M is wide, as in the results of lnmu.Factor. All
// processes call it. The bits are those of Scale of the whole factors. If
// one process gets an error, the others get one that wraps lnmu.ErrProcess.
func ScalePart[T lnmu.Float](m distributed.Whole[T], v, w lnmu.Dense[T]) error {
	all := group.Or(m.Processes)
	if err := group.Agree(all, checkRank(v, w)); err != nil {
		return err
	}
	if _, _, err := m.Factors(v, w); err != nil {
		return err
	}
	ofV, ofW := part[T]{v, group.Self{}, 0}, part[T]{w, group.Self{}, 0}
	along := &ofV
	if m.Cols > m.Rows {
		along = &ofW
	}
	along.among = all
	along.first, _ = group.Share(max(m.Rows, m.Cols), all.Rank(), all.Size())
	return scale(all, ofV, ofW)
}

// checkRank returns an error unless V has as many columns as W has rows.
func checkRank[T lnmu.Float](v, w lnmu.Dense[T]) error {
	if v.Cols != w.Rows {
		return fmt.Errorf("%w: V has %d columns and W has %d rows; they must be the same", lnmu.ErrShape, v.Cols, w.Rows)
	}
	return nil
}

// part is the part of a factor that a process has: rows of V or columns of W, from first on.
type part[T lnmu.Float] struct {
	lnmu.Dense[T]
	among group.Comm // the processes that have the other parts
	first int
}

// scale is Scale for the processes of a group.
func scale[T lnmu.Float](all group.Comm, v, w part[T]) error {
	if err := group.Agree(all, checkEntries(v, w)); err != nil {
		return err
	}
	sums := make([]float64, v.Cols)
	group.Ring(v.among, group.Memory(sums), func() { // in the order of the rows
		for i := range v.Rows {
			for k, x := range v.Row(i) {
				sums[k] += float64(x)
			}
		}
	})
	for k, sum := range sums {
		if sum == 0 {
			sums[k] = 1
		}
	}
	if err := group.Agree(all, checkScaled(w, sums)); err != nil {
		return err
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

// checkEntries returns an error for an entry of V or W that is negative or not finite.
func checkEntries[T lnmu.Float](v, w part[T]) error {
	for i := range v.Rows {
		if err := matrix.CheckRow("V", v.first+i, v.Row(i)); err != nil {
			return err
		}
	}
	for k := range w.Rows {
		err := matrix.CheckRow("W", k, w.Row(k))
		if bad := (*fault.ValueError)(nil); errors.As(err, &bad) {
			bad.Col += w.first
			return err
		}
	}
	return nil
}

// checkScaled returns an error for an entry of W that overflows when it is multiplied by the sum
// of its column of V.
func checkScaled[T lnmu.Float](w part[T], sums []float64) error {
	for k := range w.Rows {
		for j, x := range w.Row(k) {
			if y := T(float64(x) * sums[k]); math.IsInf(float64(y), 0) || math.IsNaN(float64(y)) {
				return fmt.Errorf("%w: entry (%d, %d) of W overflows in %T if column %d of V adds up to 1; scale M down", lnmu.ErrValue, k+1, w.first+j+1, T(0), k+1)
			}
		}
	}
	return nil
}

// Mixtures returns W (r x n) with each column divided by its sum: the proportions of the topics
// in the columns of M, if Scale has scaled W. A zero column stays zero, and one of NaN stays NaN. The cost is O(rn).
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
			if !(sums[j] <= 0) {
				mixtures.Row(k)[j] = T(float64(x) / sums[j])
			}
		}
	}
	return mixtures
}
