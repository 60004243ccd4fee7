package lnmu_test

import (
	"math"
	"runtime"
	"testing"
	"time"

	"nmu/internal/dataset"
	"nmu/internal/must"
	"nmu/kernel"
	"nmu/lnmu"
	"nmu/lnmu/internal/lnmutest"
	"nmu/lnmu/internal/matrix"
)

// BenchmarkSparseIteration measures an iteration of G-NMU, rank 10, T = 2, on a
// 200,000 x 50,000 matrix with 10 million entries, one thread, against one plain
// pass of r multiply-adds over the entries: the same gather of rows of a 50,000
// x r matrix and one kernel, nothing else. It fails if an iteration takes more
// than 8 passes or the process more than 2 GB.
func BenchmarkSparseIteration(b *testing.B) {
	b.Run("float64", benchmarkSparseIteration[float64])
	b.Run("float32", benchmarkSparseIteration[float32])
}

func benchmarkSparseIteration[T lnmu.Float](b *testing.B) {
	const rows, cols, nnz, rank, iterations = 200000, 50000, 10000000, 10, 8
	ptr, idx, val := dataset.Sparse[T](rows, cols, nnz, 1)
	m := lnmu.CSR[T]{Rows: rows, Cols: cols, Ptr: ptr, Idx: idx, Val: val}
	v, w := lnmutest.RandomStart[T](rows, cols, rank, 1)
	a, x := kernel.NewMatrix[T](rows, rank), kernel.NewMatrix[T](cols, rank)
	p := must.Get(kernel.NewPattern(cols, ptr, idx))(b)
	matrix.Transpose(x, w)
	iteration, pass := math.Inf(1), math.Inf(1)
	for b.Loop() {
		for range iterations {
			begun := time.Now()
			kernel.AddSparseProduct(a, p, val, 0, x)
			pass = min(pass, time.Since(begun).Seconds())
		}
		last := time.Time{}
		s := lnmu.Settings{Iterations: iterations, Threads: 1, Iterated: func(k int) { // an iteration from one call to the next
			now := time.Now()
			if k > 1 {
				iteration = min(iteration, now.Sub(last).Seconds())
			}
			last = now
		}}
		must.Get(lnmu.FactorFrom(b.Context(), m, v, w, lnmu.GNMU{}, &s))(b)
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	b.Logf("iteration %.0f ms, pass %.0f ms, %.0f MB", iteration*1e3, pass*1e3, float64(stats.Sys)/1e6)
	b.ReportMetric(iteration*1e3, "ms/iteration")
	b.ReportMetric(pass*1e3, "ms/pass")
	b.ReportMetric(iteration/pass, "passes")
	b.ReportMetric(float64(stats.Sys)/1e6, "MB")
	if stats.Sys > 2e9 {
		b.Errorf("%d bytes are in use, want at most 2 GB", stats.Sys)
	}
}
