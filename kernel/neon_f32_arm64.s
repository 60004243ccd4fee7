//go:build !purego

// The NEON bodies in float32.

#include "go_asm.h"
#include "textflag.h"

#define TABLE ·neonF32

#define SINGLE(CODE) CODE
#define SIZE 4
#define DOUBLE 0
#define SIZE_LOG 2
#define MOVE FMOVS
#define MOVE2 FMOVD
#define MOVI MOVWU
#define SHLI LSLW
#define SPREAD(P, V) VLD1R (P), [V.S4]
#define FMA(M, N, D) VFMLA M.S4, N.S4, D.S4
#define COPY4(S, D, B) \
	TBZ     $2, B, 3(PC); \
	FMOVS.P 4(S), F27; \
	FMOVS.P F27, 4(D)
#define SUM_TWO \
	VZIP1 V27.D2, V26.D2, V28.D2; \
	VZIP2 V27.D2, V26.D2, V31.D2; \
	FADD(31, 28, 26); \
	FADDP(26, 26, 26)
#define DIV(M, N, D) FDIVS M, N, D
#define EQUAL(M, N, D) VCMEQ M.S4, N.S4, D.S4
#define BIT_OF_LANE(R) MOVD $bits32<>(SB), R; FMOVQ (R), F29
#define TEST_BITS(R) VDUP R, V30.S4; VCMTST V29.S4, V30.S4, V30.S4
#define SPLIT(A, B) VDUP V26.S[0], A.S4; VDUP V26.S[1], B.S4
#define FOLD_VECTOR(OP) \
	VEXT $8, V0.B16, V0.B16, V1.B16; \
	OP(1, V1, 0, V0); \
	VEXT $4, V0.B16, V0.B16, V1.B16; \
	OP(1, V1, 0, V0)
#define COUNT_UP(M, D) VSUB M.S4, D.S4, D.S4
#define COUNT_ADD(M, D) VADD M.S4, D.S4, D.S4
#define COUNT_SUM VUADDLV V4.S4, V4; FMOVD F4, R2
#define ADD_TO(N, D) VADD N.S4, D.S4, D.S4
#define SHIFTED(N, D) VUSHR $23, N.S4, D.S4
#define POLY \
	VMOV V27.B16, V11.B16; \
	VMOV V28.B16, V6.B16; \
	POLY_STEP(V25, V11); \
	POLY_STEP(V26, V6); \
	FMUL(8, 8, 9)

#include "rooms_neon_arm64.h"
