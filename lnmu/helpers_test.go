package lnmu_test

import (
	"context"
	"runtime"
	"testing"

	"nmu/internal/dataset"
	"nmu/lnmu"
	"nmu/lnmu/internal/matrix"
)

// long leaves out a test with -short: one that takes minutes where there is no
// assembly, or in an emulator.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long without assembly: not with -short")
	}
}

// precisions runs a test in both precisions.
func precisions(t *testing.T, double, single func(t *testing.T)) {
	t.Run("float64", double)
	t.Run("float32", single)
}

// cancelAt returns the paper's step lengths, and cancels when it is asked for the last
// one.
func cancelAt(last int, cancel func()) func(k int) float64 {
	asked := 0
	return func(k int) float64 {
		if asked++; asked == last {
			cancel()
		}
		return 1 / float64(k)
	}
}

// allocated returns what do allocates.
func allocated(do func()) (bytes, mallocs uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs
}

// checkValues returns an error if an entry is negative or not finite.
func checkValues[T lnmu.Float](name string, d lnmu.Dense[T]) error {
	for i := range d.Rows {
		if err := matrix.CheckRow(name, i, d.Row(i)); err != nil {
			return err
		}
	}
	return nil
}

// swimmer returns the swimmer set: 220 x 256.
func swimmer[T lnmu.Float]() lnmu.Dense[T] {
	set := dataset.Swimmer()
	m := lnmu.NewDense[T](set.Rows, set.Cols, nil)
	for i, x := range set.Data {
		m.Data[i] = T(x)
	}
	return m
}

// scaledOf returns the α that minimises ||M - α V W||, and the relative error with it.
func scaledOf[T lnmu.Float](m lnmu.Matrix[T], v, w lnmu.Dense[T]) (alpha, e float64, err error) {
	res, err := lnmu.Measure(m, v, w, nil)
	return res.Scale, res.ScaledError, err
}

// transformOf is Transform without a start.
func transformOf[T lnmu.Float](ctx context.Context, v lnmu.Dense[T], m lnmu.Matrix[T], s *lnmu.TransformSettings) (*lnmu.Transformed[T], error) {
	return lnmu.Transform(ctx, m, v, lnmu.Dense[T]{}, s)
}

// byColumns returns the matrix whose columns lie one behind the other in data.
func byColumns[T lnmu.Float](rows, cols int, data []T) lnmu.Strided[T] {
	return lnmu.Strided[T]{Rows: rows, Cols: cols, Data: data, RowStride: 1, ColStride: rows}
}
