// The bodies of reduce.go, for AVX2 and AVX-512, in 128 bytes of lanes, which start from r.lanes and are
// put back there. With last they are folded and the result is lane 0; else n is a multiple of the lanes.
//
//	SI x   DX y   R8 lanes   CX groups left; elements of the last
//
// A load of no elements from a page that is not there takes a thousand cycles: so no last group of none.

#define REDUCE_IN \
	MOVQ r+0(FP), DI; \
	MOVQ reduction_x(DI), SI; \
	MOVQ reduction_y(DI), DX; \
	MOVQ reduction_lanes(DI), R8; \
	GROUP(LANES_IN); \
	MOVQ reduction_n(DI), CX; \
	SHRQ $(LANES_LOG+GROUP_LOG), CX
#define LANES_IN(AT, L, X) VMOVU AT(R8), L
#define LANES_OUT(AT, L, X) VMOVU L, AT(R8)

#define SUM_OF(X, Y, TO) VADD X, Y, TO
#define MAX_OF(X, Y, TO) VMAX Y, X, TO
#define MIN_OF(X, Y, TO) VMIN Y, X, TO

#define DOT_OF(AT, L, X) VMOVU AT(SI), X; VFMA AT(DX), X, L
#define DOT_PART(AT, L, X) PART_LOAD(AT(SI), X); PART_LOAD(AT(DX), W8); VFMA W8, X, L

// func dot(r *reduction)
//
//	for j := range n { lane[j%lanes] = fma(x[j], y[j], lane[j%lanes]) }
TEXT DOT(SB), NOSPLIT|NOFRAME, $0-8
#define STEP_OF DOT_OF
#define STEP_PART DOT_PART
#define FOLD_OF SUM_OF
#include "reduce_groups_amd64.h"

// func max(r *reduction)
//
//	for j := range n { if x[j] > lane[j%lanes] { lane[j%lanes] = x[j] } }
//
// In the last group a lane without an element meets itself.
#define MAX_STEP(AT, L, X) VMOVU AT(SI), X; MAX_OF(X, L, L)
#define MAX_PART(AT, L, X) PART_ELSE(AT(SI), L, X); MAX_OF(X, L, L)
TEXT MAX(SB), NOSPLIT|NOFRAME, $0-8
#define STEP_OF MAX_STEP
#define STEP_PART MAX_PART
#define FOLD_OF MAX_OF
#include "reduce_groups_amd64.h"

// func min(r *reduction)
//
//	for j := range n { if x[j] < lane[j%lanes] { lane[j%lanes] = x[j] } }
#define MIN_STEP(AT, L, X) VMOVU AT(SI), X; MIN_OF(X, L, L)
#define MIN_PART(AT, L, X) PART_ELSE(AT(SI), L, X); MIN_OF(X, L, L)
TEXT MIN(SB), NOSPLIT|NOFRAME, $0-8
#define STEP_OF MIN_STEP
#define STEP_PART MIN_PART
#define FOLD_OF MIN_OF
#include "reduce_groups_amd64.h"

// func countLess(c *counting)
//
//	for j := range n { if x[j] < t { count++ } }
//
// NaN is not below t.
//
//	W0 t   SI x   CX vectors left   AX matches of a vector   BX count   R8 elements of the last
TEXT COUNT(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ  c+0(FP), DI
	MOVQ  counting_x(DI), SI
	VBCST counting_t(DI), W0
	XORL  BX, BX
	MOVQ  counting_n(DI), CX
	SHRQ  $LANES_LOG, CX
	JEQ   part

loop:
	VMOVU   (SI), W1
	BELOW(W0, W1)
	POPCNTL AX, AX
	ADDQ    AX, BX
	ADDQ    $VECTOR, SI
	DECQ    CX
	JNE     loop

part:
	MOVQ    counting_n(DI), CX
	ANDQ    $(VECTOR/SIZE-1), CX
	JEQ     counted
	MOVL    $1, R8
	SHLL    CX, R8
	DECL    R8
	LAST_MASK(CX)
	PART_LOAD((SI), W1)
	BELOW(W0, W1)
	ANDL    R8, AX
	POPCNTL AX, AX
	ADDQ    AX, BX

counted:
	MOVQ BX, counting_count(DI)
	VZEROUPPER
	RET
