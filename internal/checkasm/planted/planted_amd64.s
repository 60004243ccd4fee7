//go:build !purego

#include "textflag.h"

// func axpyAVX2(a float64, x, y *float64, n int)
//
//	for i := range n { y[i] = fma(a, x[i], y[i]) }
//
// Requires: AVX2, FMA. Four lanes, then one element at a time.
TEXT ·axpyAVX2(SB), NOSPLIT, $0-32
	VBROADCASTSD a+0(FP), Y0
	MOVQ         x+8(FP), SI
	MOVQ         y+16(FP), DI
	MOVQ         n+24(FP), CX

four:                                  // for n >= 4 {
	SUBQ         $4, CX
	JLT          rest
	VMOVUPD      (SI), Y1
	VMOVUPD      (DI), Y2
	VFMADD231PD  Y0, Y1, Y2            // y = a*x + y
	VMOVUPD      Y2, (DI)
	ADDQ         $32, SI
	ADDQ         $32, DI
	JMP          four

rest:                                  // } for n > 0 {
	ADDQ         $4, CX
	JZ           done

one:
	VMOVSD       (SI), X1
	VMOVSD       (DI), X2
	VFMADD231SD  X0, X1, X2
	VMOVSD       X2, (DI)
	ADDQ         $8, SI
	ADDQ         $8, DI
	DECQ         CX
	JNZ          one

done:                                  // }
	VZEROUPPER
	RET

// func axpyAVX512(a float64, x, y *float64, n int)
//
//	for i := range n { y[i] = fma(a, x[i], y[i]) }
//
// Requires: AVX512F. Eight lanes under a mask of the elements that are left.
TEXT ·axpyAVX512(SB), NOSPLIT, $0-32
	VBROADCASTSD a+0(FP), Z0
	MOVQ         x+8(FP), SI
	MOVQ         y+16(FP), DI
	MOVQ         n+24(FP), BX
	MOVL         $0xFF, AX
	KMOVW        AX, K1

eight:                                 // for n > 0 {
	CMPQ         BX, $8
	JGE          full
	MOVL         $1, AX
	MOVQ         BX, CX
	SHLL         CX, AX
	DECL         AX
	KMOVW        AX, K1                // the low n lanes

full:
	VMOVUPD.Z    (SI), K1, Z1
	VMOVUPD.Z    (DI), K1, Z2
	VFMADD231PD  Z0, Z1, Z2
	VMOVUPD      Z2, K1, (DI)
	ADDQ         $64, SI
	ADDQ         $64, DI
	SUBQ         $8, BX
	JGT          eight                 // }
	VZEROUPPER
	RET

// func dirtyYMM()
//
// Requires: AVX2. The VZEROUPPER before RET is left out on purpose.
TEXT ·dirtyYMM(SB), NOSPLIT, $0-0
	VPCMPEQD Y0, Y0, Y0
	RET

// func dirtyZMM()
//
// Requires: AVX512F. The VZEROUPPER before RET is left out on purpose.
TEXT ·dirtyZMM(SB), NOSPLIT, $0-0
	VPTERNLOGD $0xFF, Z0, Z0, Z0
	RET

DATA ·Bodies+0(SB)/8, $trusting<>(SB)
DATA ·Bodies+8(SB)/8, $spoiling<>(SB)
GLOBL ·Bodies(SB), RODATA|NOPTR, $16

// func trusting(left *[2]uint64)
//
// Requires: AVX2. Stores what it found in Y13.
TEXT trusting<>(SB), NOSPLIT|NOFRAME, $0-8
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
