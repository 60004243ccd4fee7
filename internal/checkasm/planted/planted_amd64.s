//go:build !purego

#include "textflag.h"

DATA ·Bodies+0(SB)/8, $·Trusting(SB)
DATA ·Bodies+8(SB)/8, $spoiling<>(SB)
GLOBL ·Bodies(SB), RODATA|NOPTR, $16

// func Trusting(left *[2]uint64)
//
// Requires: AVX2. Stores what it found in Y13.
TEXT ·Trusting(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ         left+0(FP), DI
	VEXTRACTI128 $1, Y13, X13
	VMOVDQU      X13, (DI)
	VZEROUPPER
	RET

// func spoiling(left *[2]uint64)
//
// Changes the frame pointer, behind a jump, where go vet does not look.
TEXT spoiling<>(SB), NOSPLIT|NOFRAME, $0-8
	JMP  spoil

spoil:
	MOVQ left+0(FP), BP
	RET
