//go:build !purego

#include "textflag.h"

DATA ·Bodies+0(SB)/8, $·Trusting(SB)
DATA ·Bodies+8(SB)/8, $spoiling<>(SB)
GLOBL ·Bodies(SB), RODATA|NOPTR, $16

// func Trusting(left *[2]uint64)
//
// Stores what it found in V13.
TEXT ·Trusting(SB), NOSPLIT|NOFRAME, $0-8
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
