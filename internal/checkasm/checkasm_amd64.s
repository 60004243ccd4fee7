//go:build !purego

#include "textflag.h"

// func xinuse() uint32
//
// Requires: XGETBV1. XCR0 & XINUSE, low half.
TEXT ·xinuse(SB), NOSPLIT, $0-4
	MOVL $1, CX
	XGETBV               // DX:AX = XINUSE
	MOVL AX, ret+0(FP)
	RET

// func vzeroupper()
//
// Requires: AVX.
TEXT ·vzeroupper(SB), NOSPLIT, $0-0
	VZEROUPPER
	RET

// func dirtyYMM()
//
// Requires: AVX2. The VZEROUPPER before RET is left out on purpose.
TEXT ·dirtyYMM(SB), NOSPLIT, $0-0
	VPCMPEQD Y0, Y0, Y0  // all ones
	RET
