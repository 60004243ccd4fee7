//go:build !purego

#include "funcdata.h"
#include "go_asm.h"
#include "textflag.h"

DATA ·entry(SB)/8, $·Through(SB)
GLOBL ·entry(SB), RODATA|NOPTR, $8

#define FOUR(MOVE, FROM, A, B, C, D) MOVE FROM, A; MOVE FROM, B; MOVE FROM, C; MOVE FROM, D

// func Through(p *Passage)
//
// Calls the body with its arguments. All registers hold junk then, but for the stack, the frame pointer and
// that of the body; vectors are NaN in both precisions.
TEXT ·Through(SB), NOSPLIT, $24-8
	NO_LOCAL_POINTERS
	CALL ·junk(SB)
	MOVQ p+0(FP), DI
	MOVQ Passage_Args(DI), AX
	MOVQ AX, 0(SP)
	MOVQ BP, 8(SP)
	MOVQ Passage_Body(DI), AX
	MOVQ $0x7FF4DEAD7FF4BEEF, DI
	CALL AX
	MOVQ 8(SP), AX
	CMPQ AX, BP
	JEQ  kept
	MOVQ AX, BP
	MOVB $1, ·spoilt(SB)

kept:
	RET

// func junk()
//
// AX holds junk, too.
TEXT ·junk(SB), NOSPLIT, $0-0
	MOVQ $0x7FF4DEAD7FF4BEEF, AX
	FOUR(MOVQ, AX, BX, CX, DX, SI)
	FOUR(MOVQ, AX, R8, R9, R10, R11)
	FOUR(MOVQ, AX, R12, R13, R14, R15)
	MOVQ AX, X0
	CMPB ·vectors(SB), $1
	JLT  done
	VPBROADCASTQ X0, Y0
	FOUR(VMOVDQA, Y0, Y1, Y2, Y3, Y4)
	FOUR(VMOVDQA, Y0, Y5, Y6, Y7, Y8)
	FOUR(VMOVDQA, Y0, Y9, Y10, Y11, Y12)
	VMOVDQA Y0, Y13
	VMOVDQA Y0, Y14
	VMOVDQA Y0, Y15
	CMPB ·vectors(SB), $2
	JLT  done
	VPBROADCASTQ X0, Z0
	FOUR(VMOVDQA64, Z0, Z1, Z2, Z3, Z4)
	FOUR(VMOVDQA64, Z0, Z5, Z6, Z7, Z8)
	FOUR(VMOVDQA64, Z0, Z9, Z10, Z11, Z12)
	FOUR(VMOVDQA64, Z0, Z13, Z14, Z15, Z16)
	FOUR(VMOVDQA64, Z0, Z17, Z18, Z19, Z20)
	FOUR(VMOVDQA64, Z0, Z21, Z22, Z23, Z24)
	FOUR(VMOVDQA64, Z0, Z25, Z26, Z27, Z28)
	VMOVDQA64 Z0, Z29
	VMOVDQA64 Z0, Z30
	VMOVDQA64 Z0, Z31
	FOUR(KMOVW, AX, K1, K2, K3, K4)
	KMOVW AX, K5
	KMOVW AX, K6
	KMOVW AX, K7

done:
	RET

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
// Needs no AVX: it does nothing without.
TEXT ·vzeroupper(SB), NOSPLIT, $0-0
	CMPB ·vectors(SB), $1
	JLT  none
	VZEROUPPER

none:
	RET

// func DirtyYMM()
//
// Requires: AVX2. The VZEROUPPER before RET is left out on purpose.
TEXT ·DirtyYMM(SB), NOSPLIT, $0-0
	VPCMPEQD Y0, Y0, Y0  // all ones
	RET

// func DirtyZMM()
//
// Requires: AVX512F. The VZEROUPPER before RET is left out on purpose.
TEXT ·DirtyZMM(SB), NOSPLIT, $0-0
	VPTERNLOGD $0xFF, Z0, Z0, Z0
	RET

// func Ticks() int64
TEXT ·Ticks(SB), NOSPLIT, $0-8
	RDTSC                // DX:AX
	SHLQ $32, DX
	ORQ  DX, AX
	MOVQ AX, ret+0(FP)
	RET

// func Control() uint64
//
// MXCSR without the flags that an operation sets.
TEXT ·Control(SB), NOSPLIT, $8-8
	STMXCSR word-8(SP)
	MOVL    word-8(SP), AX
	ANDL    $~0x3F, AX
	MOVQ    AX, ret+0(FP)
	RET

// func SetControl(x uint64)
TEXT ·SetControl(SB), NOSPLIT, $0-8
	LDMXCSR x+0(FP)
	RET
