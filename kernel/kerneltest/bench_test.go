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
						measured(b, cut)
					})
				}
			}
		}
	}
}

// measured is the loop of a benchmark.
func measured[T kernel.Float](b *testing.B, cut cut[T]) {
	at := 0
	for b.Loop() {
		cut.blocks[at]()
		if at++; at == len(cut.blocks) {
			at = 0
		}
	}
	calls, seconds := float64(b.N), b.Elapsed().Seconds()
	b.ReportMetric(cut.bytes*calls/seconds/1e9, "GB/s")
	b.ReportMetric(cut.ops*calls/seconds/1e9, "GFLOP/s")
}
