//go:build !purego

#include "textflag.h"

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
