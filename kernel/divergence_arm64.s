//go:build !purego

// NEON bodies of divergence.go: divergence_arm64.h, included once for each precision.
//
//	SIZE, LANES_LOG         bytes of an element; log2 of the elements of 64 bytes
//	MOVE                    moves one element between memory and a register
//	SPREAD(P, V)            all elements of V = the one at P
//	FMA(M, N, D), FADD ...  arithmetic as in kernel_arm64.s
//	ADD_TO(N, D), SHIFTED   arithmetic of bits
//	POLY                    V11 and V6 = the sums of odd and even powers
//
// All are ABI0 leaf functions without a frame that take one pointer to their arguments. None
// touches R18, R27, R28. Requires: ASIMD.

#include "go_asm.h"
#include "textflag.h"
#include "neon_arm64.h"

// float64
#define RATIO ·ratioNEONF64
#define DOTLOG ·dotLogNEONF64
#define DERIVE ·logDerivativesNEONF64
#define SIZE 8
#define LANES_LOG 3
#define MOVE FMOVD
#define SPREAD(P, V) VLD1R (P), [V.D2]
#define FMA(M, N, D) VFMLA M.D2, N.D2, D.D2
#define FADD(m, n, d) VFADD_D2(m, n, d)
#define FSUB(m, n, d) VFSUB_D2(m, n, d)
#define FMUL(m, n, d) VFMUL_D2(m, n, d)
#define FDIV(m, n, d) VFDIV_D2(m, n, d)
#define FCMGT(m, n, d) VFCMGT_D2(m, n, d)
#define FCMGTZ(n, d) VFCMGTZ_D2(n, d)
#define ADD_TO(N, D) VADD N.D2, D.D2, D.D2
#define SHIFTED(N, D) VUSHR $52, N.D2, D.D2
#define POLY_STEP(C, P) \
	VMOV C.B16, V9.B16; \
	FMA(P, V10, V9); \
	VMOV V9.B16, P.B16
#define POLY \
	VMOV V31.B16, V11.B16; \
	VMOV V30.B16, V6.B16; \
	POLY_STEP(V29, V11); \
	POLY_STEP(V28, V6); \
	POLY_STEP(V27, V11); \
	POLY_STEP(V26, V6); \
	POLY_STEP(V25, V11); \
	FMUL(8, 8, 9)
#include "divergence_arm64.h"
#undef RATIO
#undef DOTLOG
#undef DERIVE
#undef SIZE
#undef LANES_LOG
#undef MOVE
#undef SPREAD
#undef FMA
#undef FADD
#undef FSUB
#undef FMUL
#undef FDIV
#undef FCMGT
#undef FCMGTZ
#undef ADD_TO
#undef SHIFTED
#undef POLY

// float32
#define RATIO ·ratioNEONF32
#define DOTLOG ·dotLogNEONF32
#define DERIVE ·logDerivativesNEONF32
#define SIZE 4
#define LANES_LOG 4
#define MOVE FMOVS
#define SPREAD(P, V) VLD1R (P), [V.S4]
#define FMA(M, N, D) VFMLA M.S4, N.S4, D.S4
#define FADD(m, n, d) VFADD_S4(m, n, d)
#define FSUB(m, n, d) VFSUB_S4(m, n, d)
#define FMUL(m, n, d) VFMUL_S4(m, n, d)
#define FDIV(m, n, d) VFDIV_S4(m, n, d)
#define FCMGT(m, n, d) VFCMGT_S4(m, n, d)
#define FCMGTZ(n, d) VFCMGTZ_S4(n, d)
#define ADD_TO(N, D) VADD N.S4, D.S4, D.S4
#define SHIFTED(N, D) VUSHR $23, N.S4, D.S4
#define POLY \
	VMOV V27.B16, V11.B16; \
	VMOV V28.B16, V6.B16; \
	POLY_STEP(V25, V11); \
	POLY_STEP(V26, V6); \
	FMUL(8, 8, 9)
#include "divergence_arm64.h"
