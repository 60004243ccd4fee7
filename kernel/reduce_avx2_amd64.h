// The AVX2 bodies of reduce.go. kernel_avx2_amd64.h has what the rooms share.

// Reductions, in 128 bytes of lanes: Y0 to Y3, which start from r.lanes and are
// put back there. With last they are folded and the result is lane 0; else n is
// a multiple of the lanes.
//
//	SI x   DX y   R8 lanes   R9 masks of the last columns   CX groups left

#define REDUCE_IN \
	MOVQ  reduction_x(DI), SI; \
	MOVQ  reduction_y(DI), DX; \
	MOVQ  reduction_lanes(DI), R8; \
	VMOVU (R8), Y0; \
	VMOVU 32(R8), Y1; \
	VMOVU 64(R8), Y2; \
	VMOVU 96(R8), Y3; \
	MOVQ  reduction_n(DI), CX; \
	SHRQ  $(LANES_LOG+2), CX

// Folds by OP(later, earlier, to).
#define REDUCE_FOLD(OP) \
	OP(Y2, Y0, Y0); \
	OP(Y3, Y1, Y1); \
	OP(Y1, Y0, Y0); \
	VEXTRACTF128 $1, Y0, X1; \
	OP(Y1, Y0, Y0); \
	REDUCE_FOLD_PART(OP)

#define REDUCE_OUT \
	VMOVU Y0, (R8); \
	VMOVU Y1, 32(R8); \
	VMOVU Y2, 64(R8); \
	VMOVU Y3, 96(R8)

#define SUM_OF(X, Y, TO) VADD X, Y, TO
#define MAX_OF(X, Y, TO) VMAX Y, X, TO
#define MIN_OF(X, Y, TO) VMIN Y, X, TO

#define DOT_PART(AT, L) \
	VMOVU AT(R9), Y15; \
	PART_LOAD(AT(SI), Y4); \
	PART_LOAD(AT(DX), Y5); \
	VFMA  Y5, Y4, L

// In the last group a lane without an element meets itself.
#define EXTREMUM_PART(OP, AT, L) \
	VMOVU  AT(R9), Y15; \
	PART_LOAD(AT(SI), Y4); \
	VBLENDV Y15, Y4, L, Y4; \
	OP(Y4, L, L)

// func DOT(r *reduction)
//
//	for j := range n { lane[j%lanes] = fma(x[j], y[j], lane[j%lanes]) }
TEXT DOT(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ r+0(FP), DI
	REDUCE_IN
	JEQ  part

loop:
	VMOVU (SI), Y4
	VMOVU 32(SI), Y5
	VMOVU 64(SI), Y6
	VMOVU 96(SI), Y7
	VFMA  (DX), Y4, Y0
	VFMA  32(DX), Y5, Y1
	VFMA  64(DX), Y6, Y2
	VFMA  96(DX), Y7, Y3
	ADDQ  $128, SI
	ADDQ  $128, DX
	DECQ  CX
	JNE   loop

part:
	CMPQ reduction_last(DI), $0
	JEQ  out
	MOVQ reduction_n(DI), CX
	ANDQ $(128/SIZE-1), CX
	JEQ  fold
	MASKS(R9)
	DOT_PART(0, Y0)
	DOT_PART(32, Y1)
	DOT_PART(64, Y2)
	DOT_PART(96, Y3)

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
#include "reduce_extremum_avx2_amd64.h"

	VZEROUPPER
	RET

// func MIN(r *reduction)
//
//	for j := range n { if x[j] < lane[j%lanes] { lane[j%lanes] = x[j] } }
TEXT MIN(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ r+0(FP), DI

#define OP MIN_OF
#include "reduce_extremum_avx2_amd64.h"

	VZEROUPPER
	RET

// func COUNT(c *counting)
//
//	for j := range n { if x[j] < t { count++ } }
//
//	Y0 t   SI x   CX vectors left   AX matches of a vector   BX count
TEXT COUNT(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ  c+0(FP), DI
	MOVQ  counting_x(DI), SI
	VBCST counting_t(DI), Y0
	XORL  BX, BX
	MOVQ  counting_n(DI), CX
	SHRQ  $LANES_LOG, CX
	JEQ   part

loop:
	VMOVU   (SI), Y1
	VCMP    $0x11, Y0, Y1, Y1 // x < t, false for NaN
	VMOVMSK Y1, AX
	POPCNTL AX, AX
	ADDQ    AX, BX
	ADDQ    $32, SI
	DECQ    CX
	JNE     loop

part:
	MOVQ    counting_n(DI), CX
	ANDQ    $(32/SIZE-1), CX
	MASKS(AX)
	VMOVU   (AX), Y15
	PART_LOAD((SI), Y1)
	VCMP    $0x11, Y0, Y1, Y1
	VAND    Y15, Y1, Y1
	VMOVMSK Y1, AX
	POPCNTL AX, AX
	ADDQ    AX, BX
	MOVQ    BX, counting_count(DI)
	VZEROUPPER
	RET
