//go:build !purego

package kernel

import "nmu/internal/isa"

// lanesNEON is the bytes of accumulators of a contraction.
const lanesNEON = 24 * 16

// tilesOf returns what the bodies of a level work on at once. ok is false if
// the level has none.
func tilesOf(level isa.Level) (t tiles, ok bool) {
	if level == isa.NEON {
		return tiles{
			vector: 16, outerHeight: 6, outerVectors: 4, sweepVectors: 12,
			contractRows: 2, contractHeight: 3, contractRun: 12 << 10, contractCut: 8 << 10, laneBytes: lanesNEON,
		}, true
	}
	return tiles{}, false
}

// The functions below choose the body. They are the places between two calls of
// assembly where a goroutine can be stopped: the check of the stack at their
// entry is why they must not be inlined.

//go:noinline
func contractBody[T Float](_ isa.Level, c *contraction) {
	if sizeOf[T]() == 8 {
		contractNEONF64(c)
	} else {
		contractNEONF32(c)
	}
}

//go:noinline
func outerBody[T Float](_ isa.Level, o *outer) {
	if sizeOf[T]() == 8 {
		outerNEONF64(o)
	} else {
		outerNEONF32(o)
	}
}

//go:noinline
func sweepBody[T Float](_ isa.Level, s *sweep) {
	if sizeOf[T]() == 8 {
		sweepNEONF64(s)
	} else {
		sweepNEONF32(s)
	}
}

//go:noinline
func updateBody[T Float](_ isa.Level, u *update) {
	if sizeOf[T]() == 8 {
		updateNEONF64(u)
	} else {
		updateNEONF32(u)
	}
}

//go:noinline
func addBody[T Float](_ isa.Level, u *update) {
	if sizeOf[T]() == 8 {
		addNEONF64(u)
	} else {
		addNEONF32(u)
	}
}

//go:noinline
func extrapolateBody[T Float](_ isa.Level, e *extrapolation) {
	if sizeOf[T]() == 8 {
		extrapolateNEONF64(e)
	} else {
		extrapolateNEONF32(e)
	}
}

//go:noinline
func rankOneBody[T Float](_ isa.Level, r *rankOne) {
	if sizeOf[T]() == 8 {
		rankOneNEONF64(r)
	} else {
		rankOneNEONF32(r)
	}
}

//go:noinline
func dotBody[T Float](_ isa.Level, r *reduction) {
	if sizeOf[T]() == 8 {
		dotNEONF64(r)
	} else {
		dotNEONF32(r)
	}
}

//go:noinline
func maxBody[T Float](_ isa.Level, r *reduction) {
	if sizeOf[T]() == 8 {
		maxNEONF64(r)
	} else {
		maxNEONF32(r)
	}
}

//go:noinline
func minBody[T Float](_ isa.Level, r *reduction) {
	if sizeOf[T]() == 8 {
		minNEONF64(r)
	} else {
		minNEONF32(r)
	}
}

//go:noinline
func countLessBody[T Float](_ isa.Level, c *counting) {
	if sizeOf[T]() == 8 {
		countLessNEONF64(c)
	} else {
		countLessNEONF32(c)
	}
}

//go:noescape
func contractNEONF64(c *contraction)

//go:noescape
func contractNEONF32(c *contraction)

//go:noescape
func outerNEONF64(o *outer)

//go:noescape
func outerNEONF32(o *outer)

//go:noescape
func sweepNEONF64(s *sweep)

//go:noescape
func sweepNEONF32(s *sweep)

//go:noescape
func updateNEONF64(u *update)

//go:noescape
func updateNEONF32(u *update)

//go:noescape
func addNEONF64(u *update)

//go:noescape
func addNEONF32(u *update)

//go:noescape
func extrapolateNEONF64(e *extrapolation)

//go:noescape
func extrapolateNEONF32(e *extrapolation)

//go:noescape
func rankOneNEONF64(r *rankOne)

//go:noescape
func rankOneNEONF32(r *rankOne)

//go:noescape
func dotNEONF64(r *reduction)

//go:noescape
func dotNEONF32(r *reduction)

//go:noescape
func maxNEONF64(r *reduction)

//go:noescape
func maxNEONF32(r *reduction)

//go:noescape
func minNEONF64(r *reduction)

//go:noescape
func minNEONF32(r *reduction)

//go:noescape
func countLessNEONF64(c *counting)

//go:noescape
func countLessNEONF32(c *counting)
