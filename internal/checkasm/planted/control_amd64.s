//go:build !purego

#include "textflag.h"

// func control() uint64
//
// Returns MXCSR.
TEXT ·control(SB), NOSPLIT, $8-8
	STMXCSR word-8(SP)
	MOVL    word-8(SP), AX
	MOVQ    AX, ret+0(FP)
	RET

// func setControl(x uint64)
//
// Sets MXCSR.
TEXT ·setControl(SB), NOSPLIT, $0-8
	LDMXCSR x+0(FP)
	RET
