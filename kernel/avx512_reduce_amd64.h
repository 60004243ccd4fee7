// The AVX-512 bodies of one precision: reductions. See avx512_matrix_amd64.h.

// Reductions, in 128 bytes of lanes: Z0 and Z1, which start from r.lanes and
// are put back there. With last they are folded and the result is lane 0; else
// n is a multiple of the lanes.
//
//	SI x   DX y   R8 lanes   CX pairs of vectors left   AX scratch
//	K1 K2 last columns, of the first and the second vector

// func DOT(r *reduction)
//
//	for j := range n { lane[j%lanes] = fma(x[j], y[j], lane[j%lanes]) }
TEXT DOT(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ r+0(FP), DI
	REDUCE_IN
	JEQ  part

loop:
	VMOVU (SI), Z2
	VMOVU 64(SI), Z3
	VFMA  (DX), Z2, Z0
	VFMA  64(DX), Z3, Z1
	ADDQ  $128, SI
	ADDQ  $128, DX
	DECQ  CX
	JNE   loop

part:
	CMPQ     reduction_last(DI), $0
	JEQ      out
	REDUCE_MASKS
	KORTESTW K1, K1
	JEQ      fold
	VMOVU.Z  (SI), K1, Z2
	VMOVU.Z  64(SI), K2, Z3
	VMOVU.Z  (DX), K1, Z4
	VMOVU.Z  64(DX), K2, Z5
	VFMA     Z4, Z2, Z0
	VFMA     Z5, Z3, Z1

fold:
	REDUCE_FOLD(SUM_OF)

out:
	REDUCE_OUT
	VZEROUPPER
	RET

// func MAX(r *reduction)
//
//	for j := range n { if x[j] > lane[j%lanes] { lane[j%lanes] = x[j] } }
TEXT MAX(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ r+0(FP), DI

#define OP MAX_OF
#include "avx512_extremum_amd64.h"

	VZEROUPPER
	RET

// func MIN(r *reduction)
//
//	for j := range n { if x[j] < lane[j%lanes] { lane[j%lanes] = x[j] } }
TEXT MIN(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ r+0(FP), DI

#define OP MIN_OF
#include "avx512_extremum_amd64.h"

	VZEROUPPER
	RET

// func COUNT(c *counting)
//
//	for j := range n { if x[j] < t { count++ } }
//
//	Z0 t   SI x   CX vectors left   AX matches of a vector   BX count
TEXT COUNT(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ  c+0(FP), DI
	MOVQ  counting_x(DI), SI
	VBCST counting_t(DI), Z0
	XORL  BX, BX
	MOVQ  counting_n(DI), CX
	SHRQ  $LANES_LOG, CX
	JEQ   part

loop:
	VMOVU   (SI), Z1
	VCMP    $0x11, Z0, Z1, K1 // x < t, false for NaN
	KMOVW   K1, AX
	POPCNTL AX, AX
	ADDQ    AX, BX
	ADDQ    $64, SI
	DECQ    CX
	JNE     loop

part:
	MOVQ    counting_n(DI), CX
	ANDQ    $(64/SIZE-1), CX
	JEQ     counted
	MOVL    $1, AX
	SHLL    CX, AX
	DECL    AX
	KMOVW   AX, K1
	VMOVU.Z (SI), K1, Z1
	VCMP    $0x11, Z0, Z1, K1, K1
	KMOVW   K1, AX
	POPCNTL AX, AX
	ADDQ    AX, BX

counted:
	MOVQ BX, counting_count(DI)
	VZEROUPPER
	RET
