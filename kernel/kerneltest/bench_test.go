package kerneltest

import (
	"fmt"
	"testing"

	"nmu/internal/checkasm"
	"nmu/internal/isa"
	"nmu/kernel"
)

// BenchmarkKernel measures every kernel, precision, level and working set:
//
//	go test -run - -bench Kernel ./kernel/kerneltest
func BenchmarkKernel(b *testing.B) {
	benchKernels[float64](b)
	benchKernels[float32](b)
}

func benchKernels[T kernel.Float](b *testing.B) {
	for _, set := range workingSets() {
		pool := kernel.NewMatrix[T](1, set.bytes/sizeOf[T]()).Row(0)
		for _, k := range All[T]() {
			for _, cut := range k.cuts(pool, set.rank) {
				for _, level := range isa.Available() {
					name := fmt.Sprintf("kernel=%s/type=%s/level=%v/in=%s", cut.name, checkasm.Precision[T](), level, set.name)
					b.Run(name, func(b *testing.B) {
						defer isa.Set(level)()
						fill(pool) // the kernel before may have written there
						for at := 0; b.Loop(); at++ {
							cut.blocks[at%len(cut.blocks)]()
						}
						each := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
						b.ReportMetric(cut.bytes/each, "GB/s")
						b.ReportMetric(cut.ops/each, "GFLOP/s")
					})
				}
			}
		}
	}
}
