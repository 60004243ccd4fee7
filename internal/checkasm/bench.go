package checkasm

import (
	"fmt"
	"testing"

	"nmu/internal/isa"
	"nmu/internal/kernels"
	"nmu/kernel"
)

// WorkingSet is a size of a kernel's data, by the memory that holds it.
type WorkingSet struct {
	Name  string // L1, L2 or memory
	Bytes int
}

// WorkingSets returns half of the L1 data cache, half of L2, and four times L3,
// at least 64 MiB and at most 256 MiB. Caches of unknown size are taken to have
// 32 KiB, 512 KiB and 16 MiB.
func WorkingSets() []WorkingSet {
	size := func(known, fallback int) int {
		if known > 0 {
			return known
		}
		return fallback
	}
	cpu := isa.CPU()
	return []WorkingSet{
		{"L1", size(cpu.L1D, 32<<10) / 2},
		{"L2", size(cpu.L2, 512<<10) / 2},
		{"memory", min(max(4*size(cpu.L3, 16<<20), 64<<20), 256<<20)},
	}
}

// Bench measures every kernel of the table at every available level and working
// set, as nmu bench cuts it into blocks.
func Bench[T Float](b *testing.B, table []kernels.Kernel[T]) {
	for _, set := range WorkingSets() {
		memory := kernel.NewMatrix[T](1, set.Bytes/sizeOf[T]())
		pool := memory.Row(0)
		for _, k := range table {
			for _, cut := range k.Cut(pool, kernels.Rank(set.Name)) {
				for _, level := range isa.Available() {
					name := fmt.Sprintf("kernel=%s/type=%s/level=%v/in=%s", cut.Name, Precision[T](), level, set.Name)
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
func measure[T Float](b *testing.B, cut kernels.Cut[T]) {
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
