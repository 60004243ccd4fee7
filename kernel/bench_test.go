package kernel

import (
	"testing"

	"nmu/internal/checkasm"
)

// BenchmarkKernel measures every kernel, precision, level and working set:
//
//	go test -run - -bench Kernel ./kernel
func BenchmarkKernel(b *testing.B) {
	checkasm.Bench(b, runners()...)
}
