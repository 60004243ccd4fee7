//go:build !purego

#include "funcdata.h"
#include "go_asm.h"
#include "textflag.h"

DATA ·entry(SB)/8, $·Through(SB)
GLOBL ·entry(SB), RODATA|NOPTR, $8

#define FOUR(MOVE, FROM, A, B, C, D) MOVE FROM, A; MOVE FROM, B; MOVE FROM, C; MOVE FROM, D

// func Through(p *Passage)
//
// Calls the body with its arguments. All registers hold junk then, but for those of the stack, the platform,
// the linker and the goroutine, and that of the body; vectors are NaN in both precisions.
TEXT ·Through(SB), NOSPLIT, $32-8
	NO_LOCAL_POINTERS
	CALL ·junk(SB)
	MOVD p+0(FP), R0
	MOVD Passage_Args(R0), R1
	MOVD Passage_Body(R0), R2
	MOVD R1, 8(RSP)
	MOVD R29, 16(RSP)
	MOVD g, 24(RSP)
	MOVD R3, R0
	MOVD R3, R1
	CALL (R2)
	MOVD 16(RSP), R0
	MOVD 24(RSP), R1
	CMP  R0, R29
	BNE  other
	CMP  R1, g
	BEQ  kept

other:
	MOVD R0, R29
	MOVD R1, g
	MOVD $1, R0
	MOVB R0, ·spoilt(SB)

kept:
	RET

// func junk()
TEXT ·junk(SB), NOSPLIT|NOFRAME, $0-0
	MOVD $0x7FF4DEAD7FF4BEEF, R3
	VDUP R3, V0.D2
	FOUR(MOVD, R3, R0, R1, R4, R5)
	MOVD R3, R2
	FOUR(MOVD, R3, R6, R7, R8, R9)
	FOUR(MOVD, R3, R10, R11, R12, R13)
	FOUR(MOVD, R3, R14, R15, R16, R17)
	FOUR(MOVD, R3, R19, R20, R21, R22)
	FOUR(MOVD, R3, R23, R24, R25, R26)
	FOUR(VMOV, V0.B16, V1.B16, V2.B16, V3.B16, V4.B16)
	FOUR(VMOV, V0.B16, V5.B16, V6.B16, V7.B16, V8.B16)
	FOUR(VMOV, V0.B16, V9.B16, V10.B16, V11.B16, V12.B16)
	FOUR(VMOV, V0.B16, V13.B16, V14.B16, V15.B16, V16.B16)
	FOUR(VMOV, V0.B16, V17.B16, V18.B16, V19.B16, V20.B16)
	FOUR(VMOV, V0.B16, V21.B16, V22.B16, V23.B16, V24.B16)
	FOUR(VMOV, V0.B16, V25.B16, V26.B16, V27.B16, V28.B16)
	VMOV V0.B16, V29.B16
	VMOV V0.B16, V30.B16
	VMOV V0.B16, V31.B16
	RET

// func Control() uint64
//
// FPCR.
TEXT ·Control(SB), NOSPLIT, $0-8
	MOVD FPCR, R0
	MOVD R0, ret+0(FP)
	RET

// func SetControl(x uint64)
TEXT ·SetControl(SB), NOSPLIT, $0-8
	MOVD x+0(FP), R0
	MOVD R0, FPCR
	RET
