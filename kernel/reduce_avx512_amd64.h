// The AVX-512 bodies of reduce.go. kernel_avx512_amd64.h has what the rooms share.

// Reductions, in 128 bytes of lanes: Z0 and Z1, which start from r.lanes and
// are put back there. With last they are folded and the result is lane 0; else
// n is a multiple of the lanes.
//
//	SI x   DX y   R8 lanes   CX pairs of vectors left   AX scratch
//	K1 K2 last columns, of the first and the second vector

#define REDUCE_IN \
	MOVQ  reduction_x(DI), SI; \
	MOVQ  reduction_y(DI), DX; \
	MOVQ  reduction_lanes(DI), R8; \
	VMOVU (R8), Z0; \
	VMOVU 64(R8), Z1; \
	MOVQ  reduction_n(DI), CX; \
	SHRQ  $(LANES_LOG+1), CX

#define REDUCE_MASKS \
	MOVQ  reduction_n(DI), CX; \
	ANDQ  $(128/SIZE-1), CX; \
	MOVL  $1, AX; \
	SHLQ  CX, AX; \
	DECQ  AX; \
	KMOVW AX, K1; \
	SHRQ  $(64/SIZE), AX; \
	KMOVW AX, K2

// Folds by OP(later, earlier, to).
#define REDUCE_FOLD(OP) \
	OP(Z1, Z0, Z0); \
	VSHUFF64X2 $0xEE, Z0, Z0, Z1; \
	OP(Z1, Z0, Z0); \
	VSHUFF64X2 $0x55, Z0, Z0, Z1; \
	OP(Z1, Z0, Z0); \
	REDUCE_FOLD_PART(OP)

#define REDUCE_OUT \
	VMOVU Z0, (R8); \
	VMOVU Z1, 64(R8)

#define SUM_OF(X, Y, TO) VADD X, Y, TO
#define MAX_OF(X, Y, TO) VMAX Y, X, TO
#define MIN_OF(X, Y, TO) VMIN Y, X, TO

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
#include "reduce_extremum_avx512_amd64.h"

	VZEROUPPER
	RET

// func MIN(r *reduction)
//
//	for j := range n { if x[j] < lane[j%lanes] { lane[j%lanes] = x[j] } }
TEXT MIN(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ r+0(FP), DI

#define OP MIN_OF
#include "reduce_extremum_avx512_amd64.h"

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
