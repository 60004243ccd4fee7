//go:build !purego && (amd64 || arm64)

package kernel

import "unsafe"

// These files tile: they cut a kernel's work into calls of assembly, into pieces
// that fit the registers and the caches, and that are short, since assembly cannot
// be preempted. The tiling is the same for every instruction set, but for the
// numbers in tiles. A piece is a struct of pointers, strides in bytes and counts,
// which the bodies read by the names in go_asm.h.
//
//	kernel.go        checks            Contract
//	tiled_*.go       pieces            contractTiled
//	kernel_ARCH.go   choice of body    contractBody      a stack check: preemption
//	*_ARCH.s, .h     body              contractAVX512F64

// tiles says what the bodies of a level work on at once.
type tiles struct {
	vector         int  // bytes
	contractRows   int  // rows of X of a contraction
	contractHeight int  // rows of G, at most
	contractRun    int  // bytes of a row beyond which columns are cut
	contractCut    int  // into runs of this many
	laneBytes      int  // lanes of contractRows x contractHeight sums
	outerHeight    int  // rows of the output of outer, at most
	outerVectors   int  // vectors of its columns
	sweepVectors   int  // vectors of columns of a sweep, at most
	rankOnePairs   bool // with an update, a rank-one pass takes two rows at once, not four
}

const (
	cacheBytes = 256 << 10 // data of one call, and of a block that is reused: a part of L2
	fewLanes   = 14 << 10  // for the lanes of a contraction whose columns are cut, if they fit there,
	manyLanes  = 62 << 10  // and else
	outerCols  = 21 * 192  // bytes of the columns of a block of outer
	outerInner = 128       // rows of src of a block of outer
	sweepBytes = 24 << 10  // panel of a sweep, if it can be: a part of L1
	vectorRun  = 64 << 10  // bytes of a vector per call of a reduction
	rankOneRun = 64 << 10  // bytes of a row per call of a rank-one pass: four are a part of L2

	leastGroups = 4 // groups of rows that a panel of a contraction meets in turn, if there are so many
)

// callWork is the most work of one call of assembly, in entries of a matrix or
// vector, or in multiply-adds where each entry meets several others: 0.3 ms or
// less at two cycles for each 16 bytes of them, and a garbage collection waits
// no longer. A rank above 2730 makes UpdateMultiplierProduct exceed it in
// proportion, one above 16384 a sweep.
const callWork = 1 << 20

// watcher, if a test sets it, is told the work of every call of assembly.
var watcher func(work int)

func watch(work int) {
	if watcher != nil {
		watcher(work)
	}
}

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
