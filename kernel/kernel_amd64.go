//go:build !purego

package kernel

import (
	"unsafe"

	"nmu/internal/isa"
)

// bytes of accumulators of a contraction
const (
	lanesAVX2   = 12 * 32
	lanesAVX512 = 24 * 64
)

// pairsAVX512 is true: AUG_RANK_ONE has no other groups. If it were not, the map would have a key
// twice, which does not compile.
const pairsAVX512 = true

var _ = map[bool]struct{}{false: {}, pairsAVX512: {}}

// tilesOf returns what the bodies of a level work on at once. ok is false if
// the level has none.
func tilesOf(level isa.Level) (t tiles, ok bool) {
	switch level {
	case isa.AVX512: // a tile of a contraction takes 54 bytes a cycle: G must be in L1
		return tiles{
			vector: 64, outerHeight: 8, outerVectors: 3, sweepVectors: 8, rankOnePairs: pairsAVX512,
			contractRows: 4, contractHeight: 6, contractRun: 6 << 10, contractCut: 4 << 10, laneBytes: lanesAVX512,
		}, true
	case isa.AVX2: // it takes 53 bytes a cycle: G must be in L1
		return tiles{
			vector: 32, outerHeight: 4, outerVectors: 3, sweepVectors: 8, rankOnePairs: true,
			contractRows: 2, contractHeight: 3, contractRun: 6 << 10, contractCut: 4 << 10, laneBytes: lanesAVX2,
		}, true
	}
	return tiles{}, false
}

// The functions below choose the body. They are the places between two calls of
// assembly where a goroutine can be stopped: the check of the stack at their
// entry is why they must not be inlined.

//go:noinline
func contractBody[T Float](level isa.Level, c *contraction) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		contractAVX512F64(c)
	case level == isa.AVX512:
		contractAVX512F32(c)
	case unsafe.Sizeof(zero) == 8:
		contractAVX2F64(c)
	default:
		contractAVX2F32(c)
	}
}

//go:noinline
func outerBody[T Float](level isa.Level, o *outer) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		outerAVX512F64(o)
	case level == isa.AVX512:
		outerAVX512F32(o)
	case unsafe.Sizeof(zero) == 8:
		outerAVX2F64(o)
	default:
		outerAVX2F32(o)
	}
}

//go:noinline
func sweepBody[T Float](level isa.Level, s *sweep) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		sweepAVX512F64(s)
	case level == isa.AVX512:
		sweepAVX512F32(s)
	case unsafe.Sizeof(zero) == 8:
		sweepAVX2F64(s)
	default:
		sweepAVX2F32(s)
	}
}

//go:noinline
func updateBody[T Float](level isa.Level, u *update) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		updateAVX512F64(u)
	case level == isa.AVX512:
		updateAVX512F32(u)
	case unsafe.Sizeof(zero) == 8:
		updateAVX2F64(u)
	default:
		updateAVX2F32(u)
	}
}

//go:noinline
func addBody[T Float](level isa.Level, u *update) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		addAVX512F64(u)
	case level == isa.AVX512:
		addAVX512F32(u)
	case unsafe.Sizeof(zero) == 8:
		addAVX2F64(u)
	default:
		addAVX2F32(u)
	}
}

//go:noinline
func extrapolateBody[T Float](level isa.Level, e *extrapolation) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		extrapolateAVX512F64(e)
	case level == isa.AVX512:
		extrapolateAVX512F32(e)
	case unsafe.Sizeof(zero) == 8:
		extrapolateAVX2F64(e)
	default:
		extrapolateAVX2F32(e)
	}
}

//go:noinline
func rankOneBody[T Float](level isa.Level, r *rankOne) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		rankOneAVX512F64(r)
	case level == isa.AVX512:
		rankOneAVX512F32(r)
	case unsafe.Sizeof(zero) == 8:
		rankOneAVX2F64(r)
	default:
		rankOneAVX2F32(r)
	}
}

//go:noinline
func dotBody[T Float](level isa.Level, r *reduction) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		dotAVX512F64(r)
	case level == isa.AVX512:
		dotAVX512F32(r)
	case unsafe.Sizeof(zero) == 8:
		dotAVX2F64(r)
	default:
		dotAVX2F32(r)
	}
}

//go:noinline
func maxBody[T Float](level isa.Level, r *reduction) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		maxAVX512F64(r)
	case level == isa.AVX512:
		maxAVX512F32(r)
	case unsafe.Sizeof(zero) == 8:
		maxAVX2F64(r)
	default:
		maxAVX2F32(r)
	}
}

//go:noinline
func minBody[T Float](level isa.Level, r *reduction) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		minAVX512F64(r)
	case level == isa.AVX512:
		minAVX512F32(r)
	case unsafe.Sizeof(zero) == 8:
		minAVX2F64(r)
	default:
		minAVX2F32(r)
	}
}

//go:noinline
func countLessBody[T Float](level isa.Level, c *counting) {
	var zero T
	switch {
	case level == isa.AVX512 && unsafe.Sizeof(zero) == 8:
		countLessAVX512F64(c)
	case level == isa.AVX512:
		countLessAVX512F32(c)
	case unsafe.Sizeof(zero) == 8:
		countLessAVX2F64(c)
	default:
		countLessAVX2F32(c)
	}
}

//go:noescape
func contractAVX512F64(c *contraction)

//go:noescape
func contractAVX2F64(c *contraction)

//go:noescape
func contractAVX512F32(c *contraction)

//go:noescape
func contractAVX2F32(c *contraction)

//go:noescape
func outerAVX512F64(o *outer)

//go:noescape
func outerAVX2F64(o *outer)

//go:noescape
func outerAVX512F32(o *outer)

//go:noescape
func outerAVX2F32(o *outer)

//go:noescape
func sweepAVX512F64(s *sweep)

//go:noescape
func sweepAVX2F64(s *sweep)

//go:noescape
func sweepAVX512F32(s *sweep)

//go:noescape
func sweepAVX2F32(s *sweep)

//go:noescape
func updateAVX512F64(u *update)

//go:noescape
func updateAVX2F64(u *update)

//go:noescape
func updateAVX512F32(u *update)

//go:noescape
func updateAVX2F32(u *update)

//go:noescape
func addAVX512F64(u *update)

//go:noescape
func addAVX2F64(u *update)

//go:noescape
func addAVX512F32(u *update)

//go:noescape
func addAVX2F32(u *update)

//go:noescape
func extrapolateAVX512F64(e *extrapolation)

//go:noescape
func extrapolateAVX2F64(e *extrapolation)

//go:noescape
func extrapolateAVX512F32(e *extrapolation)

//go:noescape
func extrapolateAVX2F32(e *extrapolation)

//go:noescape
func rankOneAVX512F64(r *rankOne)

//go:noescape
func rankOneAVX2F64(r *rankOne)

//go:noescape
func rankOneAVX512F32(r *rankOne)

//go:noescape
func rankOneAVX2F32(r *rankOne)

//go:noescape
func dotAVX512F64(r *reduction)

//go:noescape
func dotAVX2F64(r *reduction)

//go:noescape
func dotAVX512F32(r *reduction)

//go:noescape
func dotAVX2F32(r *reduction)

//go:noescape
func maxAVX512F64(r *reduction)

//go:noescape
func maxAVX2F64(r *reduction)

//go:noescape
func maxAVX512F32(r *reduction)

//go:noescape
func maxAVX2F32(r *reduction)

//go:noescape
func minAVX512F64(r *reduction)

//go:noescape
func minAVX2F64(r *reduction)

//go:noescape
func minAVX512F32(r *reduction)

//go:noescape
func minAVX2F32(r *reduction)

//go:noescape
func countLessAVX512F64(c *counting)

//go:noescape
func countLessAVX2F64(c *counting)

//go:noescape
func countLessAVX512F32(c *counting)

//go:noescape
func countLessAVX2F32(c *counting)
