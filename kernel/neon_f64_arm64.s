//go:build !purego

// The NEON bodies in float64.

#include "go_asm.h"
#include "textflag.h"

#define TABLE ·neonF64

#define SINGLE(CODE)
#define SIZE 8
#define DOUBLE 1<<22
#define SIZE_LOG 3
#define MOVE FMOVD
#define MOVE2 FMOVQ
#define MOVI MOVD
#define SHLI LSL
#define SPREAD(P, V) VLD1R (P), [V.D2]
#define FMA(M, N, D) VFMLA M.D2, N.D2, D.D2
#define COPY4(S, D, B)
#define SUM_TWO FADDP(27, 26, 26)
#define DIV(M, N, D) FDIVD M, N, D
#define EQUAL(M, N, D) VCMEQ M.D2, N.D2, D.D2
#define BIT_OF_LANE(R) MOVD $bits64<>(SB), R; FMOVQ (R), F29
#define TEST_BITS(R) VDUP R, V30.D2; VCMTST V29.D2, V30.D2, V30.D2
#define SPLIT(A, B) VDUP V26.D[0], A.D2; VDUP V26.D[1], B.D2
#define FOLD_VECTOR(OP) VEXT $8, V0.B16, V0.B16, V1.B16; OP(1, V1, 0, V0)
#define COUNT_UP(M, D) VSUB M.D2, D.D2, D.D2
#define COUNT_ADD(M, D) VADD M.D2, D.D2, D.D2
#define COUNT_SUM VMOV V4.D[0], R2; VMOV V4.D[1], R3; ADD R3, R2
#define ADD_TO(N, D) VADD N.D2, D.D2, D.D2
#define SHIFTED(N, D) VUSHR $52, N.D2, D.D2
#define POLY \
	VMOV V31.B16, V11.B16; \
	VMOV V30.B16, V6.B16; \
	POLY_STEP(V29, V11); \
	POLY_STEP(V28, V6); \
	POLY_STEP(V27, V11); \
	POLY_STEP(V26, V6); \
	POLY_STEP(V25, V11); \
	FMUL(8, 8, 9)

#include "rooms_neon_arm64.h"
