package kernel

import (
	"testing"

	"nmu/internal/checkasm"
)

// BenchmarkKernel measures every kernel, precision, level and working set:
//
//	go test -run - -bench Kernel ./kernel
func BenchmarkKernel(b *testing.B) {
	checkasm.Bench(b,
		contractKernel[float64](), contractKernel[float32](), gramKernel[float64](), gramKernel[float32](),
		addProductKernel[float64](), addProductKernel[float32](), productKernel[float64](), productKernel[float32](),
		updateProductKernel[float64](), updateProductKernel[float32](),
		accumulateKernel[float64](), accumulateKernel[float32](), sweepKernel[float64](), sweepKernel[float32](),
		rankOneKernel[float64](), rankOneKernel[float32](), updateKernel[float64](), updateKernel[float32](),
		addKernel[float64](), addKernel[float32](), dotKernel[float64](), dotKernel[float32](),
		maxKernel[float64](), maxKernel[float32](), minKernel[float64](), minKernel[float32](),
		countLessKernel[float64](), countLessKernel[float32]())
}
