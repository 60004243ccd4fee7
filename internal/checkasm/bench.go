package checkasm

import (
	"fmt"
	"testing"

	"nmu/internal/isa"
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

// Bench measures the kernel at every available level and working set. It does
// nothing for a kernel without BenchShape.
func (k Kernel[T]) Bench(b *testing.B) {
	if k.BenchShape == nil {
		return
	}
	for _, level := range isa.Available() {
		for _, set := range WorkingSets() {
			name := fmt.Sprintf("kernel=%s/type=%s/level=%v/in=%s", k.Name, Precision[T](), level, set.Name)
			b.Run(name, func(b *testing.B) {
				defer isa.Set(level)()
				c := &Case[T]{
					Shape: k.BenchShape(set.Bytes / sizeOf[T]()),
					t:     b, b: b, k: &k, level: level, values: Nonnegative, seed: 1,
				}
				c.setRand()
				defer func() {
					for _, b := range c.buffers {
						b.Release()
					}
				}()
				k.Setup(c)
			})
		}
	}
}

// measure is the loop of a benchmark.
func (c *Case[T]) measure(f func()) {
	for c.b.Loop() {
		f()
	}
	seconds := c.b.Elapsed().Seconds()
	calls := float64(c.b.N)
	if c.k.Bytes != nil {
		c.b.ReportMetric(c.k.Bytes(c.Shape)*calls/seconds/1e9, "GB/s")
	}
	if c.k.Flops != nil {
		c.b.ReportMetric(c.k.Flops(c.Shape)*calls/seconds/1e9, "GFLOP/s")
	}
}
