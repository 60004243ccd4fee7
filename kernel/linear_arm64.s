//go:build !purego

// NEON bodies of linear.go: linear_arm64.h, included once for each precision.
//
//	SIZE, SIZE_LOG         bytes of an element, and their log2
//	MOVE                   moves one element between memory and a register
//	SPREAD(P, V)           all elements of V = the one at P
//	FMA(M, N, D), FMAE, FMUL  arithmetic as in kernel_arm64.s
//
// All are ABI0 leaf functions without a frame that take one pointer to their
// arguments. None touches R18, R27, R28. Requires: ASIMD.

#include "go_asm.h"
#include "textflag.h"
#include "neon_arm64.h"

#define PANEL_LOAD(A, B, C) \
	FLDPQ (R16), (A, B); \
	FMOVQ 32(R16), C; \
	ADD   R2, R16
#define PANEL_STORE(A, B, C) \
	FSTPQ (A, B), (R1); \
	FMOVQ C, 32(R1); \
	ADD   R2, R1
#define PANEL_FMA(e, a, b, c) \
	FMAE(e, 24, a); \
	FMAE(e, 25, b); \
	FMAE(e, 26, c)

// One vector, or AT bytes, of y and of four rows, or of one.
#define SCALED4(MOV, MOVP, AT) \
	MOV  (R8), F4; \
	MOVP AT(R9), F5; \
	MOVP AT(R10), F6; \
	MOVP AT(R11), F7; \
	MOVP AT(R12), F8; \
	FMA(V5, V0, V4); \
	FMA(V6, V1, V4); \
	FMA(V7, V2, V4); \
	FMA(V8, V3, V4); \
	MOVP F4, AT(R8)
#define SCALED1(MOV, MOVP, AT) \
	MOV  (R8), F4; \
	MOVP AT(R9), F5; \
	FMA(V5, V0, V4); \
	MOVP F4, AT(R8)

// float64
#define PANEL ·panelNEONF64
#define ADD_SCALED ·addScaledNEONF64
#define SCALE ·scaleNEONF64
#define SIZE 8
#define SIZE_LOG 3
#define MOVE FMOVD
#define SPREAD(P, V) VLD1R (P), [V.D2]
#define FMA(M, N, D) VFMLA M.D2, N.D2, D.D2
#define FMAE(m, n, d) VFMLAE_D2(m, 0, n, d)
#define FMUL(m, n, d) VFMUL_D2(m, n, d)
#include "linear_arm64.h"
#undef PANEL
#undef ADD_SCALED
#undef SCALE
#undef SIZE
#undef SIZE_LOG
#undef MOVE
#undef SPREAD
#undef FMA
#undef FMAE
#undef FMUL

// float32
#define PANEL ·panelNEONF32
#define ADD_SCALED ·addScaledNEONF32
#define SCALE ·scaleNEONF32
#define SIZE 4
#define SIZE_LOG 2
#define MOVE FMOVS
#define SPREAD(P, V) VLD1R (P), [V.S4]
#define FMA(M, N, D) VFMLA M.S4, N.S4, D.S4
#define FMAE(m, n, d) VFMLAE_S4(m, 0, n, d)
#define FMUL(m, n, d) VFMUL_S4(m, n, d)
#include "linear_arm64.h"
