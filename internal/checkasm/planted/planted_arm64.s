//go:build !purego

#include "textflag.h"

// func axpyNEON(a float64, x, y *float64, n int)
//
//	for i := range n { y[i] = fma(a, x[i], y[i]) }
//
// Two lanes, then the last element.
TEXT ·axpyNEON(SB), NOSPLIT, $0-32
	FMOVD  a+0(FP), F0
	MOVD   x+8(FP), R0
	MOVD   y+16(FP), R1
	MOVD   n+24(FP), R2
	VDUP   V0.D[0], V0.D2

two:                                   // for n >= 2 {
	SUBS   $2, R2, R2
	BLT    rest
	VLD1.P 16(R0), [V1.D2]
	VLD1   (R1), [V2.D2]
	VFMLA  V0.D2, V1.D2, V2.D2         // y = a*x + y
	VST1.P [V2.D2], 16(R1)
	B      two

rest:                                  // } if n > 0 {
	ADDS   $2, R2, R2
	BEQ    done
	FMOVD  (R0), F1
	FMOVD  (R1), F2
	FMADDD F0, F2, F1, F2              // y = a*x + y
	FMOVD  F2, (R1)

done:                                  // }
	RET

DATA ·Bodies+0(SB)/8, $trusting<>(SB)
DATA ·Bodies+8(SB)/8, $spoiling<>(SB)
GLOBL ·Bodies(SB), RODATA|NOPTR, $16

// func trusting(left *[2]uint64)
//
// Stores what it found in V13.
TEXT trusting<>(SB), NOSPLIT|NOFRAME, $0-8
	MOVD  left+0(FP), R0
	FMOVQ F13, (R0)
	RET

// func spoiling(left *[2]uint64)
//
// Changes the frame pointer, behind a jump, where go vet does not look.
TEXT spoiling<>(SB), NOSPLIT|NOFRAME, $0-8
	B    spoil

spoil:
	MOVD left+0(FP), R29
	RET

// func control() uint64
//
// Returns FPCR.
TEXT ·control(SB), NOSPLIT, $0-8
	MOVD FPCR, R0
	MOVD R0, ret+0(FP)
	RET

// func setControl(x uint64)
//
// Sets FPCR.
TEXT ·setControl(SB), NOSPLIT, $0-8
	MOVD x+0(FP), R0
	MOVD R0, FPCR
	RET
