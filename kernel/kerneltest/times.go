package kerneltest

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"nmu/internal/checkasm"
	"nmu/internal/isa"
	"nmu/kernel"
)

// workingSet is a size of a kernel's data, by the memory that holds it.
type workingSet struct {
	name  string // L1, L2 or memory
	bytes int
	rank  int // the number of factors, smaller in L1, so that a block of the data fits too
}

// workingSets returns half of the L1 data cache, half of L2, and four times L3,
// at least 64 MiB and at most 256 MiB. Caches of unknown size are taken to have
// 32 KiB, 512 KiB and 16 MiB.
func workingSets() []workingSet {
	cpu := isa.CPU()
	return []workingSet{
		{"L1", cmp.Or(cpu.L1D, 32<<10) / 2, 8},
		{"L2", cmp.Or(cpu.L2, 512<<10) / 2, 49},
		{"memory", min(max(4*cmp.Or(cpu.L3, 16<<20), 64<<20), 256<<20), 49},
	}
}

// WriteTimes writes a table of times: of the functions in own that are not nil, beside those of package kernel at
// each level, on data in L1, L2 and memory. A time is the least of several, for one call. Beside it are the cycles of the
// time stamp counter, if the processor has one. It has a constant frequency, near that of the processor.
func WriteTimes[T kernel.Float](w io.Writer, own Functions[T]) error {
	return writeTimes(w, own, workingSets(), 2*time.Millisecond)
}

// writeTimes measures samples of at least this length.
func writeTimes[T kernel.Float](w io.Writer, own Functions[T], sets []workingSet, least time.Duration) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "kernel\tdata in\tyours, ns\tcycles\t")
	for _, level := range kernel.Levels() {
		fmt.Fprintf(table, "%s, ns\tcycles\t", level)
	}
	for _, set := range sets {
		pool := kernel.NewMatrix[T](1, set.bytes/sizeOf[T]()).Row(0)
		for _, k := range own.Kernels() {
			theirs := k
			theirs.own = nil
			ours := theirs.cuts(pool, set.rank)
			for i, c := range k.cuts(pool, set.rank) {
				fmt.Fprintf(table, "\n%s\t%s\t", c.name, set.name)
				c.write(table, pool, least)
				for _, level := range isa.Available() {
					restore := isa.Set(level)
					ours[i].write(table, pool, least)
					restore()
				}
			}
		}
	}
	fmt.Fprintln(table)
	return table.Flush()
}

// write writes the least time of a call of five samples, and its cycles.
func (c cut[T]) write(w io.Writer, pool []T, least time.Duration) {
	fill(pool) // the kernel before may have written there
	ns, cycles := math.Inf(1), math.Inf(1)
	for calls, samples := 1, 0; samples < 5; {
		begun, ticks := time.Now(), checkasm.Ticks()
		for i := range calls {
			c.blocks[i%len(c.blocks)]()
		}
		ticks = checkasm.Ticks() - ticks
		if took := time.Since(begun); took >= least {
			samples++
			ns, cycles = min(ns, float64(took)/float64(calls)), min(cycles, float64(ticks)/float64(calls))
		} else {
			calls *= 2
		}
	}
	fmt.Fprintf(w, "%.1f\t%.1f\t", ns, cycles)
}
