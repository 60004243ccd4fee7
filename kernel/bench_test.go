package kernel_test

import (
	"fmt"
	"testing"
	"unsafe"

	"nmu/internal/checkasm"
	"nmu/internal/isa"
	"nmu/internal/kernels"
	"nmu/kernel"
)

// workingSet is a size of a kernel's data, by the memory that holds it.
type workingSet struct {
	name  string // L1, L2 or memory
	bytes int
}

// workingSets returns half of the L1 data cache, half of L2, and four times L3,
// at least 64 MiB and at most 256 MiB. Caches of unknown size are taken to have
// 32 KiB, 512 KiB and 16 MiB.
func workingSets() []workingSet {
	size := func(known, fallback int) int {
		if known > 0 {
			return known
		}
		return fallback
	}
	cpu := isa.CPU()
	return []workingSet{
		{"L1", size(cpu.L1D, 32<<10) / 2},
		{"L2", size(cpu.L2, 512<<10) / 2},
		{"memory", min(max(4*size(cpu.L3, 16<<20), 64<<20), 256<<20)},
	}
}

// BenchmarkKernel measures every kernel, precision, level and working set:
//
//	go test -run - -bench Kernel ./kernel
func BenchmarkKernel(b *testing.B) {
	benchKernels[float64](b)
	benchKernels[float32](b)
}

func benchKernels[T kernel.Float](b *testing.B) {
	for _, set := range workingSets() {
		memory := kernel.NewMatrix[T](1, set.bytes/int(unsafe.Sizeof(T(0))))
		pool := memory.Row(0)
		for _, k := range kernels.All[T]() {
			for _, cut := range k.Cut(pool, kernels.Rank(set.name)) {
				for _, level := range isa.Available() {
					name := fmt.Sprintf("kernel=%s/type=%s/level=%v/in=%s", cut.Name, checkasm.Precision[T](), level, set.name)
					b.Run(name, func(b *testing.B) {
						defer isa.Set(level)()
						kernels.Fill(pool) // the kernel before may have written there
						measure(b, cut)
					})
				}
			}
		}
	}
}

// measure is the loop of a benchmark.
func measure[T kernel.Float](b *testing.B, cut kernels.Cut[T]) {
	at := 0
	for b.Loop() {
		cut.Blocks[at]()
		if at++; at == len(cut.Blocks) {
			at = 0
		}
	}
	calls, seconds := float64(b.N), b.Elapsed().Seconds()
	b.ReportMetric(cut.Bytes*calls/seconds/1e9, "GB/s")
	b.ReportMetric(cut.Ops*calls/seconds/1e9, "GFLOP/s")
}

func TestWorkingSetsRise(t *testing.T) {
	s := workingSets()
	for i := 1; i < len(s); i++ {
		if s[i].bytes <= s[i-1].bytes {
			t.Errorf("%v is not above %v", s[i], s[i-1])
		}
	}
}
