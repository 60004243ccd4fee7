package kernel

import (
	"cmp"
	"sync"
	"unsafe"

	"nmu/internal/isa"
)

// These files tile: they cut a kernel's work into calls of assembly, into pieces
// that fit the registers and the caches, and that are short, since assembly cannot
// be preempted. The tiling is the same for every instruction set, but for the
// numbers in tiles. A piece is a struct of pointers, strides in bytes and counts,
// which the bodies read by the names in go_asm.h.
//
//	products.go         checks                     Contract
//	products_tiled.go   pieces                     contractTiled
//	kernel_ARCH.go      numbers, table of bodies   avx512, avx512F64
//	bodies.go           call                       body.run            a stack check: preemption
//	*_ARCH.s, .h        body                       contractAVX512
//
// Where a level has no body, also on a processor without assembly, the generic body runs: a function *Tiled calls it, or
// does nothing and says so.

// tiles says what the bodies of a level work on at once.
type tiles struct {
	vector         int // bytes
	contractRows   int // rows of X of a contraction
	contractHeight int // rows of G, at most
	laneBytes      int // lanes of contractRows x contractHeight sums
	outerHeight    int // rows of the output of outer, at most
	outerVectors   int // vectors of its columns
	sweepVectors   int // vectors of columns of a sweep, at most
	panelHeight    int // rows of a tile of a panel, which divide panelRows
	panelWidth     int // bytes of its columns, which divide panelBytes
	gatherUnit     int // bytes of a vector or of a line, for which sparse products have loops
	gatherWhole    int // bytes of a row of a sparse product in one call, of whole units
	gatherPart     int // the same if the last one is not whole
	ratioGroups    int // groups of lanes of a row for which sampled has bodies of whole groups, at most
}

// blocks says what fits the caches of the machine, whatever the level. It changes no bits.
type blocks struct {
	contractRun int // bytes of a row of a contraction beyond which columns are cut
	contractCut int // into runs of this many
	contractX   int // bytes of rows of X that meet all panels of G in turn
	sweepBytes  int // bytes of a panel of a sweep, if possible
	outerBytes  int // bytes of src in a block of outer
}

// blocksOf returns the blocks for an L1 and an L2 of so many bytes. 0 is unknown: 32 KiB and 1 MiB are assumed.
func blocksOf(l1, l2 int) blocks {
	l2 = min(max(cmp.Or(l2, 1<<20), 256<<10), 1<<20)
	b := blocks{
		// The rows of a tile of a contraction stay in L1: five with AVX2, seven with NEON and 64 KiB. AVX-512 needs the six
		// of G there, since its tile takes 54 bytes a cycle. On a Zen 3, runs of 6 KiB took 4 % longer than those of 4 KiB,
		// and runs of 8 KiB a third longer.
		contractRun: 6 << 10, contractCut: 4 << 10,

		// A quarter of L2. With 512 KiB, an X of 3 MiB and 200 to 700 columns took 1 to 7 % less time in parts of 128 KiB
		// than in those of 256 KiB (r = 48, AVX2), and 4 to 9 % less than in those of 64 KiB.
		contractX: l2 / 4,

		// All of L1 but 8 KiB, for 32 to 48 KiB. With 40 of 48 KiB instead of 24, AVX-512 went from 61 to 86
		// GFLOP/s at r = 80 in float64, of a peak of 107. Beyond r = 160 a panel leaves L1 in either case.
		sweepBytes: min(max(l1, 32<<10), 48<<10) - 8<<10,

		// Half of L2. With 512 KiB, Accumulate of 400 rows and 1000 columns ran at 42.1 GFLOP/s (r = 20, AVX2) with blocks
		// of 64 rows and 504 columns, at 36.1 with 128 rows, 37.7 with 96, 42.7 with 48 and 41.8 with 32. In blocks of 64
		// rows, 96 rows of 250 columns took 5 % more time.
		outerBytes: l2 / 2,
	}
	if l1 >= 64<<10 {
		b.contractRun, b.contractCut = 8<<10, 8<<10
	}
	return b
}

// cached returns the blocks of this machine.
var cached = sync.OnceValue(func() blocks {
	cpu := isa.CPU()
	return blocksOf(cpu.L1D, cpu.L2)
})

// The numbers by which the tiling of this package was tuned, with their units. Within the
// constraints below they change no bits, only the time. The numbers of one instruction set are
// in the tables of kernel_ARCH.go, those of the caches in blocksOf. Rates are those of one core with AVX-512
// in float64, of a peak of 101 to 108 GFLOP/s: a Xeon with two multiply-adds of 512 bits a cycle.
const (
	// Not measured.
	cacheBytes = 256 << 10 // bytes: data of one call; a part of L2
	vectorRun  = 64 << 10  // bytes of a vector in one call of a reduction
	rankOneRun = 64 << 10  // bytes of a row in one call of a rank-one pass; four rows are a part of L2
	scaledRun  = 16 << 10  // bytes of y in one call of AddScaledRows; a part of L1

	// Contractions whose columns are cut. Contract of 48 rows and 8,000 columns went
	// from 39 to 55 GFLOP/s (r = 20) when each run of columns met all panels before the
	// next run.
	fewLanes    = 14 << 10 // bytes of the lanes, if they fit there
	manyLanes   = 62 << 10 // bytes of the lanes, if they do not
	leastGroups = 4        // groups of rows that a panel meets in turn, if there are as many

	// Blocks of outer products and panels of products. Not measured.
	outerCols  = 21 * 192 // bytes of the columns of a block of outer
	outerInner = 128      // rows of src in a block of outer, at most
	panelInner = 512      // inner indices in one call of a panel: at each the tiles of all groups pass through memory

	// Prefetches of outer products.
	//
	// AccumulateAhead spreads them over the panels of C: each panel takes one line of
	// every row and tile, of N first and then of M, or two lines if the panels are few.
	// More of them at once wait for each other. On the faces an iteration of G-NMU took 6
	// to 10 % less time since M is prefetched, and one of NMF 4 % less since all lines of
	// N are. On 20,000 x 2,000 (r = 20) NMF took 5 to 8 % less time.
	fetchLine = 64 // bytes: a cache line
	// UpdateMultiplierProduct leaves rows that are close to each other to the processor, unless they
	// are too many for L2. At r = 20 and 368 columns it went from 53 to 64 GFLOP/s without these
	// prefetches and some loads; with AVX2, rows in L2 take 2 to 7 % less time. 20,000 rows from
	// memory take 14 % less time with the prefetches (AVX2), or 19 %.
	farApart  = 8 << 10 // bytes from row to row
	nearBytes = 1 << 20 // bytes of N and M

	// Multiply-adds in one call on a sparse pattern. Not measured.
	sparseWork = 1 << 16

	// Entries in one call of SparseRankOne: of each, a row of one element is fetched, and it may be all of its row.
	rankOneEntries = callWork / (1 + 2*rowWork) / 4 * 4
)

// The constraints: other numbers give other bits, wrong results, or no end. A number that breaks
// one makes a negative uint, which does not compile.
const (
	_ = uint(-(vectorRun % reductionBytes))        // an element keeps its lane in the next call
	_ = uint(-(rankOneRun % contractionBytes))     // so here, and eight columns share a byte of a mask
	_ = uint(-(cacheBytes / 4 % contractionBytes)) // so in the columns of rectangle
	_ = uint(-(rankOneEntries % 4))                // so an entry in SparseRankOne
	_ = uint(callWork/(rankOneRun/4+rowWork) - 4)  // a rank-one pass takes four rows in a call, or more
	_ = uint(cacheBytes - scaledRun)               // AddScaledRows takes a row in a call, or more
)

// callWork is the most work of one call of assembly, in entries of a matrix or
// vector, or in multiply-adds where each entry meets several others: 0.3 ms or
// less at two cycles for each 16 bytes of them, and a garbage collection waits
// no longer. A row counts as rowWork more: its sums are folded, and it may be a
// cache miss. One column of 520, with an update, took 35 ns a row. A rank above
// 2730 makes UpdateMultiplierProduct exceed callWork in proportion, one above 16384
// a sweep, one above 2^20 SampledProduct.
const (
	callWork = 1 << 20
	rowWork  = 60
)

// watcher, if a test sets it, is told the work of every call of assembly, without rowWork, and its rows.
var watcher func(work, rows int)

// sizeOf returns the size of an element in bytes.
func sizeOf[T Float]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// at returns the address of entry (i, j).
func at[T Float](m *Matrix[T], i, j int) unsafe.Pointer {
	return unsafe.Pointer(&m.Data[i*m.Stride+j])
}

// parts returns into how many parts of at most most a count is cut, and part
// i of them: parts differ by at most one.
func parts(n, most int) int { return (n + most - 1) / most }

func part(n, count, i int) (from, to int) { return n * i / count, n * (i + 1) / count }
