//go:build !purego

// NEON bodies. The functions are in the headers included below, once for
// float64 and once for float32; here stand the instructions and the constants of
// the two precisions:
//
//	SIZE, SIZE_LOG       bytes of an element, and their log2
//	SINGLE(CODE)         CODE for float32, nothing for float64 (not #ifdef: the
//	                     assembler expands macros in what it leaves out)
//	MOVE, MOVE2          move one element, or two, between memory and a register
//	MOVI, SHLI           an element as an integer, and its shift to the left
//	SPREAD(P, V)         all elements of V = the one at P
//	FMA(M, N, D) ...     arithmetic on names (V0) or on numbers (0) of registers;
//	                     E at the end: with element 0 of register m
//	SUM_TWO              V26 = sum of the elements of V26, sum of those of V27;
//	                     float32 adds elements 0 + 2 and 1 + 3 first, and
//	                     overwrites V28 and V31
//	DIV(M, N, D)         D = N / M, of one element
//	EQUAL(M, N, D)       D = the elements of M and N that have the same bits
//	BIT_OF_LANE(R)       V29 = the bits of the lanes; changes R
//	TEST_BITS(R)         V30 = the lanes of V29 that have their bit in R
//	SPLIT(A, B)          A, B = elements 0 and 1 of V26
//	FOLD_VECTOR(OP)      folds the elements of V0 by OP, the later with the earlier
//	COUNT_UP(M, D)       adds one to the elements of D where M is true
//	COUNT_ADD(M, D)      adds the counts of M to those of D
//	COUNT_SUM            R2 = sum of the counts in V4
//
// A loop that several functions or sizes have is a file of its own, outer, *_cols, _tile,
// _rows, elements and extremum, that is included at each use: the assembler puts all of a
// macro on the line of its use, but a file has lines, and a profile shows them.
//
// All are ABI0 leaf functions without a frame that take one pointer to their arguments. None
// touches R18, R27, R28. Requires: ASIMD.

#include "go_asm.h"
#include "textflag.h"
#include "neon_arm64.h"

// func call(args unsafe.Pointer, body uintptr)
//
// goes on in the body, which returns to the caller.
TEXT ·call(SB), NOSPLIT|NOFRAME, $0-16
	MOVD body+8(FP), R1
	JMP  (R1)

// The bits of the lanes of a vector, in a byte.
DATA bits64<>+0(SB)/8, $1
DATA bits64<>+8(SB)/8, $2
GLOBL bits64<>(SB), RODATA|NOPTR, $16
DATA bits32<>+0(SB)/8, $0x0000000200000001
DATA bits32<>+8(SB)/8, $0x0000000800000004
GLOBL bits32<>(SB), RODATA|NOPTR, $16

// Sixteen float32 or eight float64.
GLOBL zero<>(SB), RODATA|NOPTR, $64

// COPY moves the last B < 64 bytes of a row from S to D, both of which it
// advances. Overwrites V27 and V28.
#define COPY(S, D, B) \
	TBZ     $5, B, 3(PC); \
	FLDPQ.P 32(S), (F27, F28); \
	FSTPQ.P (F27, F28), 32(D); \
	TBZ     $4, B, 3(PC); \
	FMOVQ.P 16(S), F27; \
	FMOVQ.P F27, 16(D); \
	TBZ     $3, B, 3(PC); \
	FMOVD.P 8(S), F27; \
	FMOVD.P F27, 8(D); \
	COPY4(S, D, B)

// Contraction along rows.

// Two quarters of a group of columns: AT(row), loaded by LDP. X1 and X2 are for
// one row of X and for two.
#define X1_PAIR(LDP, AT) LDP AT(R1), (F24, F25)
#define X2_PAIR(LDP, AT) LDP AT(R1), (F24, F25); LDP AT(R2), (F26, F27)

// Two quarters of row G of G in GA and GB, times those of the rows of X, to
// the lanes A (first row of X) and B (second).
#define X1_FMA(LDP, AT, G, FA, FB, GA, GB, A0, A1, B0, B1) \
	LDP AT(G), (FA, FB); \
	FMA(V24, GA, A0); \
	FMA(V25, GB, A1)
#define X2_FMA(LDP, AT, G, FA, FB, GA, GB, A0, A1, B0, B1) \
	LDP AT(G), (FA, FB); \
	FMA(V24, GA, A0); \
	FMA(V25, GB, A1); \
	FMA(V26, GA, B0); \
	FMA(V27, GB, B1)

// The upper two quarters and the lower two, for one to three rows of G.
#define UPPER1(PAIR, MUL) PAIR(FLDPQ, 32); MUL(FLDPQ, 32, R3, F28, F29, V28, V29, V2, V3, V6, V7)
#define UPPER2(PAIR, MUL) UPPER1(PAIR, MUL); MUL(FLDPQ, 32, R4, F30, F31, V30, V31, V10, V11, V14, V15)
#define UPPER3(PAIR, MUL) UPPER2(PAIR, MUL); MUL(FLDPQ, 32, R5, F28, F29, V28, V29, V18, V19, V22, V23)
#define LOWER1(PAIR, MUL) PAIR(FLDPQ.P, 64); MUL(FLDPQ.P, 64, R3, F28, F29, V28, V29, V0, V1, V4, V5)
#define LOWER2(PAIR, MUL) LOWER1(PAIR, MUL); MUL(FLDPQ.P, 64, R4, F30, F31, V30, V31, V8, V9, V12, V13)
#define LOWER3(PAIR, MUL) LOWER2(PAIR, MUL); MUL(FLDPQ.P, 64, R5, F28, F29, V28, V29, V16, V17, V20, V21)

// OP on the lanes of three rows of G, in memory at P.
#define ALL_LANES(OP, P) \
	OP(0, P, F0, F1); OP(32, P, F2, F3); OP(64, P, F4, F5); OP(96, P, F6, F7); \
	OP(128, P, F8, F9); OP(160, P, F10, F11); OP(192, P, F12, F13); OP(224, P, F14, F15); \
	OP(256, P, F16, F17); OP(288, P, F18, F19); OP(320, P, F20, F21); OP(352, P, F22, F23)
#define LANES_LOAD(AT, P, A, B) FLDPQ AT(P), (A, B)
#define LANES_SAVE(AT, P, A, B) FSTPQ (A, B), AT(P)
#define LANES_ZERO(A, B, C, D) \
	VEOR A.B16, A.B16, A.B16; \
	VEOR B.B16, B.B16, B.B16; \
	VEOR C.B16, C.B16, C.B16; \
	VEOR D.B16, D.B16, D.B16

// V26 = sum of the lanes a, sum of the lanes b: the quarters 0 + 2 and 1 + 3,
// their sums, and then the elements.
#define FOLD_TWO(a0, a1, a2, a3, b0, b1, b2, b3) \
	FADD(a2, a0, 26); \
	FADD(a3, a1, 28); \
	FADD(28, 26, 26); \
	FADD(b2, b0, 27); \
	FADD(b3, b1, 28); \
	FADD(28, 27, 27); \
	SUM_TWO

// Stores the sums of one row of G for the rows of X, and goes on to the next
// row of A, unless it was the last.
#define FOLD_ROW(a0, a1, a2, a3, b0, b1, b2, b3) \
	FOLD_TWO(a0, a1, a2, a3, b0, b1, b2, b3); \
	CMP   $2, R7; \
	BGE   3(PC); \
	MOVE  F26, (R1); \
	B     2(PC); \
	MOVE2 F26, (R1); \
	ADD   R2, R1; \
	SUBS  $1, R3; \
	BEQ   folded

// Outer products.

// OUT_ROWS1 to OUT_ROWS6 apply OP to the rows of an output tile: the address of
// the coefficient, and four accumulators by name and number.
#define OUT_ROWS1(OP, MOV) OP(MOV, (R5), F0, 0, F1, 1, F2, 2, F3, 3)
#define OUT_ROWS2(OP, MOV) OUT_ROWS1(OP, MOV); OP(MOV, (R5)(R6), F4, 4, F5, 5, F6, 6, F7, 7)
#define OUT_ROWS3(OP, MOV) OUT_ROWS2(OP, MOV); OP(MOV, (R5)(R7), F8, 8, F9, 9, F10, 10, F11, 11)
#define OUT_ROWS4(OP, MOV) OUT_ROWS3(OP, MOV); OP(MOV, (R5)(R8), F12, 12, F13, 13, F14, 14, F15, 15)
#define OUT_ROWS5(OP, MOV) OUT_ROWS4(OP, MOV); OP(MOV, (R5)(R9), F16, 16, F17, 17, F18, 18, F19, 19)
#define OUT_ROWS6(OP, MOV) OUT_ROWS5(OP, MOV); OP(MOV, (R5)(R10), F20, 20, F21, 21, F22, 22, F23, 23)

// Four vectors, two, or one of the size that MOV moves.
#define OUT_LOAD4(MOV, C, A, a, B, b, E, e, D, d) FLDPQ (R14), (A, B); FLDPQ 32(R14), (E, D); ADD R15, R14
#define OUT_LOAD2(MOV, C, A, a, B, b, E, e, D, d) FLDPQ (R14), (A, B); ADD R15, R14
#define OUT_LOAD1(MOV, C, A, a, B, b, E, e, D, d) MOV (R14), A; ADD R15, R14

#define OUT_STORE4(MOV, C, A, a, B, b, E, e, D, d) FSTPQ (A, B), (R14); FSTPQ (E, D), 32(R14); ADD R2, R14
#define OUT_STORE2(MOV, C, A, a, B, b, E, e, D, d) FSTPQ (A, B), (R14); ADD R2, R14
#define OUT_STORE1(MOV, C, A, a, B, b, E, e, D, d) MOV A, (R14); ADD R2, R14

#define SRC4(MOV) FLDPQ (R3), (F24, F25); FLDPQ 32(R3), (F26, F27)
#define SRC2(MOV) FLDPQ (R3), (F24, F25)
#define SRC1(MOV) MOV (R3), F24

#define OUT_FMA4(MOV, C, A, a, B, b, E, e, D, d) \
	MOVE C, F28; \
	FMAE(28, 24, a); \
	FMAE(28, 25, b); \
	FMAE(28, 26, e); \
	FMAE(28, 27, d)
#define OUT_FMA2(MOV, C, A, a, B, b, E, e, D, d) \
	MOVE C, F28; \
	FMAE(28, 24, a); \
	FMAE(28, 25, b)
#define OUT_FMA1(MOV, C, A, a, B, b, E, e, D, d) \
	MOVE C, F28; \
	FMAE(28, 24, a)

// The epilogue of UpdateMultiplierProduct: the tile is P, and N, at R14, is
// updated by it. M is at R3, with stride R13; µ in V24.
#define OUT_STEP(MOV, AT, p) \
	MOV AT(R3), F26; \
	MOV AT(R14), F27; \
	STEP(p); \
	MOV F27, AT(R14)
#define OUT_STEP4(MOV, C, A, a, B, b, E, e, D, d) \
	OUT_STEP(MOV, 0, a); \
	OUT_STEP(MOV, 16, b); \
	OUT_STEP(MOV, 32, e); \
	OUT_STEP(MOV, 48, d); \
	OUT_STEP_ROW
#define OUT_STEP2(MOV, C, A, a, B, b, E, e, D, d) \
	OUT_STEP(MOV, 0, a); \
	OUT_STEP(MOV, 16, b); \
	OUT_STEP_ROW
#define OUT_STEP1(MOV, C, A, a, B, b, E, e, D, d) \
	OUT_STEP(MOV, 0, a); \
	OUT_STEP_ROW
#define OUT_STEP_ROW \
	ADD R2, R14; \
	ADD R13, R3

// OF_HEIGHT goes on in the body for a height, if it is that of R16.
#define OF_HEIGHT(N, BODY) \
	CMP $N, R16; \
	BNE 2(PC); \
	B   BODY(SB)

// Sweep.

// VECS1 to VECS12 apply ops to the vectors of a panel of columns, in pairs and
// the last of an odd number singly: offset, register by its names and number.
#define VECS1(OP2, OP, MOV) OP(MOV, 0, F0, V0, 0)
#define VECS2(OP2, OP, MOV) OP2(0, F0, V0, 0, F1, V1, 1)
#define VECS3(OP2, OP, MOV) VECS2(OP2, OP, MOV); OP(MOV, 32, F2, V2, 2)
#define VECS4(OP2, OP, MOV) VECS2(OP2, OP, MOV); OP2(32, F2, V2, 2, F3, V3, 3)
#define VECS5(OP2, OP, MOV) VECS4(OP2, OP, MOV); OP(MOV, 64, F4, V4, 4)
#define VECS6(OP2, OP, MOV) VECS4(OP2, OP, MOV); OP2(64, F4, V4, 4, F5, V5, 5)
#define VECS7(OP2, OP, MOV) VECS6(OP2, OP, MOV); OP(MOV, 96, F6, V6, 6)
#define VECS8(OP2, OP, MOV) VECS6(OP2, OP, MOV); OP2(96, F6, V6, 6, F7, V7, 7)
#define VECS9(OP2, OP, MOV) VECS8(OP2, OP, MOV); OP(MOV, 128, F8, V8, 8)
#define VECS10(OP2, OP, MOV) VECS8(OP2, OP, MOV); OP2(128, F8, V8, 8, F9, V9, 9)
#define VECS11(OP2, OP, MOV) VECS10(OP2, OP, MOV); OP(MOV, 160, F10, V10, 10)
#define VECS12(OP2, OP, MOV) VECS10(OP2, OP, MOV); OP2(160, F10, V10, 10, F11, V11, 11)

#define T_LOAD(MOV, AT, F, V, t) MOV AT(R1), F
#define T_LOAD2(AT, F, V, t, FF, VV, tt) FLDPQ AT(R1), (F, FF)

#define T_FMS(MOV, AT, F, V, t) MOV AT(R1), F16; FMSE(18, 16, t)
#define T_FMS2(AT, F, V, t, FF, VV, tt) \
	FLDPQ AT(R1), (F16, F17); \
	FMSE(18, 16, t); \
	FMSE(18, 17, tt)

// t = t - penalty > 0 ? (t - penalty) * inv : +0
#define T_PROJECT(MOV, AT, F, V, t) \
	FSUB(19, t, t); \
	FCMGTZ(t, 16); \
	FMULE(20, t, t); \
	VAND V16.B16, V.B16, V.B16
#define T_PROJECT2(AT, F, V, t, FF, VV, tt) \
	T_PROJECT(FMOVQ, AT, F, V, t); \
	T_PROJECT(FMOVQ, AT, FF, VV, tt)

#define T_MASK(MOV, AT, F, V, t) MOV AT(R12), F16; FMUL(16, t, t)
#define T_MASK2(AT, F, V, t, FF, VV, tt) \
	FLDPQ AT(R12), (F16, F17); \
	FMUL(16, t, t); \
	FMUL(17, tt, tt)

#define T_STORE(MOV, AT, F, V, t) MOV F, AT(R13)
#define T_STORE2(AT, F, V, t, FF, VV, tt) FSTPQ (F, FF), AT(R13)

#define SWEEP_SHORT(row) TBZ $3, R19, row

// Elementwise kernels.

// The projected multiplier update of one vector: p in V(p), m in V26, n in V27,
// µ in element 0 of V24. Leaves the new n in V27.
//	m⁺ = m > 0 ? m : +0;  n = fma(µ, m⁺-p, n);  n = m⁺ > n ? n : m⁺
#define STEP(p) \
	FCMGTZ(26, 28); \
	VAND V28.B16, V26.B16, V26.B16; \
	FSUB(p, 26, 25); \
	FMAE(24, 25, 27); \
	FCMGT(27, 26, 28); \
	VBIF V28.B16, V26.B16, V27.B16

#define UPDATE_STEP(MOV, AT) \
	MOV AT(R11), F25; \
	MOV AT(R10), F26; \
	MOV AT(R9), F27; \
	STEP(25); \
	MOV F27, AT(R9)

#define ADD_STEP(MOV, AT) \
	MOV AT(R10), F26; \
	MOV AT(R9), F27; \
	FADD(26, 27, 27); \
	MOV F27, AT(R9)

#define ONWARD(BYTES) \
	ADD $BYTES, R9; \
	ADD $BYTES, R10; \
	ADD $BYTES, R11

// The last four bytes.
#define LAST_ELEMENT(OP, whole) \
	TBZ $2, R8, whole; \
	OP(FMOVS, 0); \
whole:

// Rank one.

// One vector of a row: the dot product, the sum, and both after the multiplier
// update with p = v w. w in V16, acc in V17, v in element 0.
#define DOT_ROW(AT, N, M, v, LANE) \
	FMOVQ AT(N), F27; \
	FMA(V16, V27, LANE)
#define ADD_ROW(AT, N, M, v, LANE) \
	FMOVQ AT(N), F27; \
	FMAE(v, 27, 17)
#define STEP_ROW(AT, N, M, v) \
	FMULE(v, 16, 25); \
	FMOVQ AT(M), F26; \
	FMOVQ AT(N), F27; \
	STEP(25); \
	FMOVQ F27, AT(N)
#define STEP_DOT_ROW(AT, N, M, v, LANE) STEP_ROW(AT, N, M, v); FMA(V16, V27, LANE)
#define STEP_ADD_ROW(AT, N, M, v, LANE) STEP_ROW(AT, N, M, v); FMAE(v, 27, 17)

// One vector of the columns of one row or of four.
#define ROWS1(ROW, AT, A, B, C, D) ROW(AT, R1, R5, 20, A)
#define ROWS4(ROW, AT, A, B, C, D) \
	ROW(AT, R1, R5, 20, A); \
	ROW(AT, R2, R6, 21, B); \
	ROW(AT, R3, R7, 22, C); \
	ROW(AT, R4, R8, 23, D)

#define DOT_COLS(ROWS, AT, A, B, C, D) FMOVQ AT(R9), F16; ROWS(DOT_ROW, AT, A, B, C, D)
#define STEP_DOT_COLS(ROWS, AT, A, B, C, D) FMOVQ AT(R9), F16; ROWS(STEP_DOT_ROW, AT, A, B, C, D)
#define ADD_COLS(ROWS, AT, A, B, C, D) \
	FMOVQ AT(R10), F17; \
	ROWS(ADD_ROW, AT, A, B, C, D); \
	FMOVQ F17, AT(R10)
#define STEP_ADD_COLS(ROWS, AT, A, B, C, D) \
	FMOVQ AT(R9), F16; \
	FMOVQ AT(R10), F17; \
	ROWS(STEP_ADD_ROW, AT, A, B, C, D); \
	FMOVQ F17, AT(R10)

// The augmented Lagrangian: the update of one vector, p in V25, m in V26, g in V27,
// 1/(1+ρ) in element 0 of V24. Leaves m⁺ in V26 and the new g in V27.
//	m⁺ = m > 0 ? m : +0;  y = g + (m⁺-p)
//	g = fma(1/(1+ρ), y > 0 ? y : +0, y < 0 ? y : +0)
#define AUG_STEP \
	FCMGTZ(26, 28); \
	VAND V28.B16, V26.B16, V26.B16; \
	FSUB(25, 26, 25); \
	FADD(25, 27, 25); \
	VEOR V31.B16, V31.B16, V31.B16; \
	FCMGT(25, 31, 28); \
	VAND V28.B16, V25.B16, V27.B16; \
	FCMGTZ(25, 28); \
	VAND V28.B16, V25.B16, V25.B16; \
	FMAE(24, 25, 27)

// The target of m⁺ in V26 and g in V27, left in V27; 1-ρ in element 0 of V18.
//	s = m⁺+g;  t = fma(1-ρ, g, m⁺);  n = s > t ? t : s
#define AUG_TARGET \
	FADD(26, 27, 25); \
	AUG_LESS
#define AUG_LESS \
	FMAE(18, 27, 26); \
	FCMGT(26, 25, 28); \
	VMOV V25.B16, V27.B16; \
	VBIT V28.B16, V26.B16, V27.B16

#define AUGMENT_STEP(MOV, AT) \
	MOV AT(R11), F25; \
	MOV AT(R10), F26; \
	MOV AT(R9), F27; \
	AUG_STEP; \
	MOV F27, AT(R9); \
	AUG_TARGET; \
	MOV F27, AT(R11)

// The target of m in V26 and g in V27, of Target: a and b in V24 and V18.
#define TARGET_OF \
	FCMGTZ(26, 28); \
	VAND V28.B16, V26.B16, V26.B16; \
	VMOV V26.B16, V25.B16; \
	FMAE(24, 27, 25); \
	AUG_LESS

#define TARGET_STEP(MOV, AT) \
	MOV AT(R10), F26; \
	MOV AT(R11), F27; \
	TARGET_OF; \
	MOV F27, AT(R9)

// One vector of a row of a rank-one pass up to its target, without and with the update
// with p = v w, and with what is done then, as above.
#define AUG_READ(AT, N, M) \
	FMOVQ AT(M), F26; \
	FCMGTZ(26, 28); \
	VAND V28.B16, V26.B16, V26.B16; \
	FMOVQ AT(N), F27; \
	AUG_TARGET
#define AUG_UPDATED(AT, N, M, v) \
	FMULE(v, 16, 25); \
	FMOVQ AT(M), F26; \
	FMOVQ AT(N), F27; \
	AUG_STEP; \
	FMOVQ F27, AT(N); \
	AUG_TARGET
#define AUG_DOT_ROW(AT, N, M, v, LANE) AUG_READ(AT, N, M); FMA(V16, V27, LANE)
#define AUG_ADD_ROW(AT, N, M, v, LANE) AUG_READ(AT, N, M); FMAE(v, 27, 17)
#define AUG_STEP_DOT_ROW(AT, N, M, v, LANE) AUG_UPDATED(AT, N, M, v); FMA(V16, V27, LANE)
#define AUG_STEP_ADD_ROW(AT, N, M, v, LANE) AUG_UPDATED(AT, N, M, v); FMAE(v, 27, 17)

#define AUG_DOT_COLS(ROWS, AT, A, B, C, D) FMOVQ AT(R9), F16; ROWS(AUG_DOT_ROW, AT, A, B, C, D)
#define AUG_STEP_DOT_COLS(ROWS, AT, A, B, C, D) FMOVQ AT(R9), F16; ROWS(AUG_STEP_DOT_ROW, AT, A, B, C, D)
#define AUG_ADD_COLS(ROWS, AT, A, B, C, D) \
	FMOVQ AT(R10), F17; \
	ROWS(AUG_ADD_ROW, AT, A, B, C, D); \
	FMOVQ F17, AT(R10)
#define AUG_STEP_ADD_COLS(ROWS, AT, A, B, C, D) \
	FMOVQ AT(R9), F16; \
	FMOVQ AT(R10), F17; \
	ROWS(AUG_STEP_ADD_ROW, AT, A, B, C, D); \
	FMOVQ F17, AT(R10)

// OP on the lanes of four rows, in memory at P.
#define ROW_LANES(OP, P) \
	OP(0, P, F0, F1); OP(32, P, F2, F3); OP(64, P, F4, F5); OP(96, P, F6, F7); \
	OP(128, P, F8, F9); OP(160, P, F10, F11); OP(192, P, F12, F13); OP(224, P, F14, F15)

// V26 = sum > 0 ? sum * inv : +0, for two rows.
#define PROJECT \
	FCMGTZ(26, 28); \
	FMULE(29, 26, 26); \
	VAND V28.B16, V26.B16, V26.B16

// Masks. SEEN sets V30 to the mask of a vector of columns, or of 8 or 4 bytes, at R9 in row
// R1 of N, whose bits are at R15; GROUP_SEEN that of a vector of the group of columns at R2.
// Both change R14, the first R13.
#define SEEN(AT) \
	SUB   R1, R9, R13; \
	ADD   $AT, R13; \
	LSR   $(SIZE_LOG+3), R13, R14; \
	MOVBU (R15)(R14), R14; \
	UBFX  $SIZE_LOG, R13, $3, R13; \
	LSR   R13, R14; \
	TEST_BITS(R14)
#define GROUP_SEEN(AT) \
	MOVBU (AT/(8*SIZE))(R2), R14; \
	LSR   $((AT/SIZE)%8), R14; \
	TEST_BITS(R14)

#define KEEP_STEP(MOV, AT) \
	MOV  AT(R9), F27; \
	SEEN(AT); \
	VAND V30.B16, V27.B16, V27.B16; \
	MOV  F27, AT(R9)

#define IMPUTE_STEP(MOV, AT) \
	MOV  AT(R10), F26; \
	MOV  AT(R9), F27; \
	SEEN(AT); \
	VBIT V30.B16, V26.B16, V27.B16; \
	MOV  F27, AT(R9)

#define WEIGH_STEP(MOV, AT) \
	MOV  AT(R11), F25; \
	MOV  AT(R10), F26; \
	MOV  AT(R9), F27; \
	FSUB(25, 17, 28); \
	FMUL(27, 28, 28); \
	FMA(V26, V25, V28); \
	FCMGTZ(25, 30); \
	VBIT V30.B16, V28.B16, V27.B16; \
	MOV  F27, AT(R9)

#define MASKED_UPDATE_STEP(MOV, AT) \
	MOV  AT(R11), F19; \
	MOV  AT(R10), F26; \
	MOV  AT(R9), F27; \
	STEP(19); \
	SEEN(AT); \
	VBIF V30.B16, V19.B16, V27.B16; \
	MOV  F27, AT(R9)

#define MASKED_AUGMENT_STEP(MOV, AT) \
	MOV  AT(R11), F25; \
	MOV  AT(R10), F26; \
	MOV  AT(R9), F27; \
	VMOV V25.B16, V19.B16; \
	VMOV V27.B16, V17.B16; \
	AUG_STEP; \
	SEEN(AT); \
	VBIF V30.B16, V17.B16, V27.B16; \
	MOV  F27, AT(R9); \
	AUG_TARGET; \
	VBIF V30.B16, V19.B16, V27.B16; \
	MOV  F27, AT(R11)

#define MASKED_TARGET_STEP(MOV, AT) \
	MOV  AT(R10), F26; \
	MOV  AT(R11), F27; \
	MOV  AT(R9), F19; \
	TARGET_OF; \
	SEEN(AT); \
	VBIF V30.B16, V19.B16, V27.B16; \
	MOV  F27, AT(R9)

// One vector of the columns of a masked rank-one pass.
#define MASKED_STEP(AT, PRODUCTS, SQUARES) \
	FMOVQ AT(R9), F16; \
	FMULE(20, 16, 25); \
	FMOVQ AT(R5), F26; \
	FMOVQ AT(R1), F27; \
	VMOV  V27.B16, V21.B16; \
	STEP_OF; \
	GROUP_SEEN(AT); \
	VBIF  V30.B16, V21.B16, V27.B16; \
	FMOVQ F27, AT(R1)
#define MASKED_DOT(AT, PRODUCTS, SQUARES) \
	FMOVQ AT(R9), F16; \
	READ(AT); \
	GROUP_SEEN(AT); \
	VAND  V30.B16, V27.B16, V27.B16; \
	VAND  V30.B16, V16.B16, V21.B16; \
	FMA(V16, V27, PRODUCTS); \
	FMA(V21, V21, SQUARES)
#define MASKED_ADD(AT, PRODUCTS, SQUARES) \
	FMOVQ AT(R10), F17; \
	FMOVQ AT(R3), F19; \
	READ(AT); \
	GROUP_SEEN(AT); \
	VAND  V30.B16, V27.B16, V27.B16; \
	VAND  V30.B16, V22.B16, V23.B16; \
	FMAE(20, 27, 17); \
	FMA(V23, V23, V19); \
	FMOVQ F17, AT(R10); \
	FMOVQ F19, AT(R3)

// The lanes of a row at R4.
#define MASKED_LANES(OP) \
	OP(0, R4, F0, F1); \
	OP(32, R4, F2, F3); \
	OP(64, R4, F4, F5); \
	OP(96, R4, F6, F7)

// Reductions.

// REDUCE_IN loads the lanes, and counts the groups and the bytes of the last.
#define REDUCE_IN \
	MOVD  reduction_x(R0), R1; \
	MOVD  reduction_lanes(R0), R3; \
	REDUCE_LANES(LANES_LOAD, R3); \
	MOVD  reduction_n(R0), R5; \
	LSL   $SIZE_LOG, R5; \
	AND   $127, R5, R6; \
	LSR   $7, R5

#define REDUCE_LANES(OP, P) OP(0, P, F0, F1); OP(32, P, F2, F3); OP(64, P, F4, F5); OP(96, P, F6, F7)

// COPY_LAST moves B < 128 bytes.
#define COPY_LAST(S, D, B) \
	TBZ     $6, B, 5(PC); \
	FLDPQ.P 32(S), (F27, F28); \
	FSTPQ.P (F27, F28), 32(D); \
	FLDPQ.P 32(S), (F27, F28); \
	FSTPQ.P (F27, F28), 32(D); \
	COPY(S, D, B)

// The operations of a fold, a = op(x, a), by number and name.
#define SUM_OF(x, X, a, A) FADD(x, a, a)
#define MAX_OF(x, X, a, A) FCMGT(a, x, 24); VBIT V24.B16, X.B16, A.B16
#define MIN_OF(x, X, a, A) FCMGT(x, a, 24); VBIT V24.B16, X.B16, A.B16

// Leaves the result in the lanes: all of them, or the first if it is the last call.
#define REDUCE_OUT(OP, suspend) \
	MOVD reduction_last(R0), R2; \
	CBZ  R2, suspend; \
	OP(4, V4, 0, V0); \
	OP(5, V5, 1, V1); \
	OP(6, V6, 2, V2); \
	OP(7, V7, 3, V3); \
	OP(2, V2, 0, V0); \
	OP(3, V3, 1, V1); \
	OP(1, V1, 0, V0); \
	FOLD_VECTOR(OP); \
	MOVE F0, (R3); \
	RET; \
suspend: \
	REDUCE_LANES(LANES_SAVE, R3); \
	RET

#define DOT_PAIR(A, B) \
	FLDPQ.P 32(R1), (F16, F17); \
	FLDPQ.P 32(R2), (F18, F19); \
	FMA(V16, V18, A); \
	FMA(V17, V19, B)

#define EXTREMUM_PAIR(OP, a, A, b, B) \
	FLDPQ.P 32(R1), (F16, F17); \
	OP(16, V16, a, A); \
	OP(17, V17, b, B)

// Sparse.

#define GATHER_IN \
	MOVD gather_rowData(R0), R1; \
	MOVD gather_rowStride(R0), R2; \
	MOVD gather_x(R0), R3; \
	MOVD gather_xStride(R0), R4; \
	MOVD gather_values(R0), R5; \
	MOVD gather_idx(R0), R6; \
	MOVD gather_ptr(R0), R7; \
	MOVD gather_rows(R0), R8
#define GATHER_BYTES \
	MOVD gather_cols(R0), R9; \
	LSL  $4, R9; \
	MOVD gather_left(R0), R10; \
	ADD  R10<<SIZE_LOG, R9

// R11 = entries of the next row, if there are any.
#define ENTRIES(next) \
	LDP (R7), (R12, R13); \
	ADD $8, R7; \
	SUB R12, R13, R11; \
	CBZ R11, next

// R12 = row of X of the next entry, V25 = its n + g.
#define COLUMN \
	MOVWU.P 4(R6), R12; \
	MADD    R12, R3, R4, R12
#define COEFFICIENT \
	MOVE (R5), F25; \
	ADD  $SIZE, R5; \
	FADD(24, 25, 25)

// The pieces of a row, from R12 on.
#define PIECES_LOAD \
	TBZ     $6, R9, 3(PC); \
	FLDPQ.P 32(R12), (F0, F1); \
	FLDPQ.P 32(R12), (F2, F3); \
	TBZ     $5, R9, 2(PC); \
	FLDPQ.P 32(R12), (F4, F5); \
	TBZ     $4, R9, 2(PC); \
	FMOVQ.P 16(R12), F6; \
	TBZ     $3, R9, 2(PC); \
	FMOVD.P 8(R12), F7; \
	TBZ     $2, R9, 2(PC); \
	FMOVS   (R12), F20
#define PIECES_STORE \
	TBZ     $6, R9, 3(PC); \
	FSTPQ.P (F0, F1), 32(R12); \
	FSTPQ.P (F2, F3), 32(R12); \
	TBZ     $5, R9, 2(PC); \
	FSTPQ.P (F4, F5), 32(R12); \
	TBZ     $4, R9, 2(PC); \
	FMOVQ.P F6, 16(R12); \
	TBZ     $3, R9, 2(PC); \
	FMOVD.P F7, 8(R12); \
	TBZ     $2, R9, 2(PC); \
	FMOVS   F20, (R12)
#define PIECES_FMA \
	TBZ     $6, R9, 7(PC); \
	FLDPQ.P 32(R12), (F16, F17); \
	FLDPQ.P 32(R12), (F18, F19); \
	FMAE(25, 16, 0); \
	FMAE(25, 17, 1); \
	FMAE(25, 18, 2); \
	FMAE(25, 19, 3); \
	TBZ     $5, R9, 4(PC); \
	FLDPQ.P 32(R12), (F16, F17); \
	FMAE(25, 16, 4); \
	FMAE(25, 17, 5); \
	TBZ     $4, R9, 3(PC); \
	FMOVQ.P 16(R12), F16; \
	FMAE(25, 16, 6); \
	TBZ     $3, R9, 3(PC); \
	FMOVD.P 8(R12), F16; \
	FMAE(25, 16, 7); \
	TBZ     $2, R9, 3(PC); \
	FMOVS   (R12), F16; \
	FMAE(25, 16, 20)
#define PIECES_SCATTER \
	TBZ     $6, R9, 9(PC); \
	FLDPQ   (R12), (F16, F17); \
	FLDPQ   32(R12), (F18, F19); \
	FMAE(25, 0, 16); \
	FMAE(25, 1, 17); \
	FMAE(25, 2, 18); \
	FMAE(25, 3, 19); \
	FSTPQ.P (F16, F17), 32(R12); \
	FSTPQ.P (F18, F19), 32(R12); \
	TBZ     $5, R9, 5(PC); \
	FLDPQ   (R12), (F16, F17); \
	FMAE(25, 4, 16); \
	FMAE(25, 5, 17); \
	FSTPQ.P (F16, F17), 32(R12); \
	TBZ     $4, R9, 4(PC); \
	FMOVQ   (R12), F16; \
	FMAE(25, 6, 16); \
	FMOVQ.P F16, 16(R12); \
	TBZ     $3, R9, 4(PC); \
	FMOVD   (R12), F16; \
	FMAE(25, 7, 16); \
	FMOVD.P F16, 8(R12); \
	TBZ     $2, R9, 4(PC); \
	FMOVS   (R12), F16; \
	FMAE(25, 20, 16); \
	FMOVS   F16, (R12)

// V = the R14 bytes, 4 to 16, at R12, completed with zeros.
#define REST(F, V) \
	TBZ     $4, R14, 3(PC); \
	FMOVQ   (R12), F; \
	B       7(PC); \
	TBZ     $3, R14, 5(PC); \
	FMOVD.P 8(R12), F; \
	TBZ     $2, R14, 4(PC); \
	VLD1    (R12), V.S[2]; \
	B       2(PC); \
	FMOVS   (R12), F

// One entry of a rank-one row, to the lane L, after the update of n or without.
#define UPDATE_ENTRY(L) \
	MOVWU.P 4(R6), R12; \
	ADD     R12<<SIZE_LOG, R3, R12; \
	MOVE    (R12), F16; \
	FMULE(20, 16, 25); \
	MOVE    (R2), F26; \
	ADD     $SIZE, R2; \
	MOVE    (R5), F27; \
	STEP(25); \
	MOVE    F27, (R5); \
	ADD     $SIZE, R5; \
	FADD(21, 27, 27); \
	FMA(V16, V27, L)
#define SUM_ENTRY(L) \
	MOVWU.P 4(R6), R12; \
	ADD     R12<<SIZE_LOG, R3, R12; \
	MOVE    (R12), F16; \
	MOVE    (R5), F27; \
	ADD     $SIZE, R5; \
	FADD(21, 27, 27); \
	FMA(V16, V27, L)
// A group of Extrapolate: 64 bytes at R9 and R10.
#define EXTRAPOLATE_GROUP \
	EXTRAPOLATE_STEP(0, V0); \
	EXTRAPOLATE_STEP(16, V1); \
	EXTRAPOLATE_STEP(32, V2); \
	EXTRAPOLATE_STEP(48, V3)
#define EXTRAPOLATE_STEP(AT, L) \
	FMOVQ AT(R9), F25; \
	FMOVQ AT(R10), F26; \
	FMOVQ F25, AT(R10); \
	FSUB(26, 25, 26); \
	FMA(V26, V26, L); \
	FMAE(24, 26, 25); \
	FCMGTZ(25, 28); \
	VAND  V28.B16, V25.B16, V25.B16; \
	FMOVQ F25, AT(R9)

// float64
#define TABLE ·neonF64
#define CONTRACT ·contractNEONF64
#define OUTER ·outerNEONF64
#define OUTER1 outerNEONF64of1<>
#define OUTER2 outerNEONF64of2<>
#define OUTER3 outerNEONF64of3<>
#define OUTER4 outerNEONF64of4<>
#define OUTER5 outerNEONF64of5<>
#define OUTER6 outerNEONF64of6<>
#define SWEEP ·sweepNEONF64
#define UPDATE ·updateNEONF64
#define ADDITION ·addNEONF64
#define EXTRAPOLATE ·extrapolateNEONF64
#define RANK_ONE ·rankOneNEONF64
#define AUGMENT ·augmentNEONF64
#define TARGET ·targetNEONF64
#define AUG_RANK_ONE ·augRankOneNEONF64
#define KEEP ·keepNEONF64
#define IMPUTE ·imputeNEONF64
#define WEIGH ·weighNEONF64
#define MASKED_UPDATE ·maskedUpdateNEONF64
#define MASKED_AUGMENT ·maskedAugmentNEONF64
#define MASKED_TARGET ·maskedTargetNEONF64
#define MASKED_RANK_ONE ·maskedRankOneNEONF64
#define MASKED_AUG_RANK ·maskedAugRankNEONF64
#define DOT ·dotNEONF64
#define MAX ·maxNEONF64
#define MIN ·minNEONF64
#define COUNT ·countLessNEONF64
#define ADD_SPARSE ·addSparseNEONF64
#define ADD_TRANSPOSED ·addTransposedNEONF64
#define SAMPLED ·sampledNEONF64
#define SPARSE_RANK_ONE ·sparseRankOneNEONF64
#define RATIO ·ratioNEONF64
#define DOTLOG ·dotLogNEONF64
#define DERIVE ·logDerivativesNEONF64
#define PANEL ·panelNEONF64
#define ADD_SCALED ·addScaledNEONF64
#define SCALE ·scaleNEONF64
#define SINGLE(CODE)
#define SIZE 8
#define SIZE_LOG 3
#define MOVE FMOVD
#define MOVE2 FMOVQ
#define MOVI MOVD
#define SHLI LSL
#define SPREAD(P, V) VLD1R (P), [V.D2]
#define FMA(M, N, D) VFMLA M.D2, N.D2, D.D2
#define FMAE(m, n, d) VFMLAE_D2(m, 0, n, d)
#define FMSE(m, n, d) VFMLSE_D2(m, 0, n, d)
#define FMULE(m, n, d) VFMULE_D2(m, 0, n, d)
#define FADD(m, n, d) VFADD_D2(m, n, d)
#define FSUB(m, n, d) VFSUB_D2(m, n, d)
#define FMUL(m, n, d) VFMUL_D2(m, n, d)
#define FCMGT(m, n, d) VFCMGT_D2(m, n, d)
#define FCMGTZ(n, d) VFCMGTZ_D2(n, d)
#define COPY4(S, D, B)
#define SUM_TWO VFADDP_D2(27, 26, 26)
#define DIV(M, N, D) FDIVD M, N, D
#define EQUAL(M, N, D) VCMEQ M.D2, N.D2, D.D2
#define BIT_OF_LANE(R) MOVD $bits64<>(SB), R; FMOVQ (R), F29
#define TEST_BITS(R) VDUP R, V30.D2; VCMTST V29.D2, V30.D2, V30.D2
#define SPLIT(A, B) VDUP V26.D[0], A.D2; VDUP V26.D[1], B.D2
#define FOLD_VECTOR(OP) VEXT $8, V0.B16, V0.B16, V1.B16; OP(1, V1, 0, V0)
#define COUNT_UP(M, D) VSUB M.D2, D.D2, D.D2
#define COUNT_ADD(M, D) VADD M.D2, D.D2, D.D2
#define COUNT_SUM VMOV V4.D[0], R2; VMOV V4.D[1], R3; ADD R3, R2
#include "matrix_arm64.h"
#include "sweep_arm64.h"
#include "pass_arm64.h"
#include "augmented_arm64.h"
#include "masked_arm64.h"
#include "reduce_arm64.h"
#include "sparse_arm64.h"
#include "extrapolate_arm64.h"
#include "bodies.h"
#undef TABLE
#undef RATIO
#undef DOTLOG
#undef DERIVE
#undef PANEL
#undef ADD_SCALED
#undef SCALE
#undef CONTRACT
#undef OUTER
#undef OUTER1
#undef OUTER2
#undef OUTER3
#undef OUTER4
#undef OUTER5
#undef OUTER6
#undef SWEEP
#undef UPDATE
#undef ADDITION
#undef EXTRAPOLATE
#undef RANK_ONE
#undef AUGMENT
#undef TARGET
#undef AUG_RANK_ONE
#undef KEEP
#undef IMPUTE
#undef WEIGH
#undef MASKED_UPDATE
#undef MASKED_AUGMENT
#undef MASKED_TARGET
#undef MASKED_RANK_ONE
#undef MASKED_AUG_RANK
#undef DOT
#undef MAX
#undef MIN
#undef COUNT
#undef ADD_SPARSE
#undef ADD_TRANSPOSED
#undef SAMPLED
#undef SPARSE_RANK_ONE
#undef SINGLE
#undef SIZE
#undef SIZE_LOG
#undef MOVE
#undef MOVE2
#undef MOVI
#undef SHLI
#undef SPREAD
#undef FMA
#undef FMAE
#undef FMSE
#undef FMULE
#undef FADD
#undef FSUB
#undef FMUL
#undef FCMGT
#undef FCMGTZ
#undef COPY4
#undef SUM_TWO
#undef DIV
#undef EQUAL
#undef BIT_OF_LANE
#undef TEST_BITS
#undef SPLIT
#undef FOLD_VECTOR
#undef COUNT_UP
#undef COUNT_ADD
#undef COUNT_SUM

// float32
#define TABLE ·neonF32
#define CONTRACT ·contractNEONF32
#define OUTER ·outerNEONF32
#define OUTER1 outerNEONF32of1<>
#define OUTER2 outerNEONF32of2<>
#define OUTER3 outerNEONF32of3<>
#define OUTER4 outerNEONF32of4<>
#define OUTER5 outerNEONF32of5<>
#define OUTER6 outerNEONF32of6<>
#define SWEEP ·sweepNEONF32
#define UPDATE ·updateNEONF32
#define ADDITION ·addNEONF32
#define EXTRAPOLATE ·extrapolateNEONF32
#define RANK_ONE ·rankOneNEONF32
#define AUGMENT ·augmentNEONF32
#define TARGET ·targetNEONF32
#define AUG_RANK_ONE ·augRankOneNEONF32
#define KEEP ·keepNEONF32
#define IMPUTE ·imputeNEONF32
#define WEIGH ·weighNEONF32
#define MASKED_UPDATE ·maskedUpdateNEONF32
#define MASKED_AUGMENT ·maskedAugmentNEONF32
#define MASKED_TARGET ·maskedTargetNEONF32
#define MASKED_RANK_ONE ·maskedRankOneNEONF32
#define MASKED_AUG_RANK ·maskedAugRankNEONF32
#define DOT ·dotNEONF32
#define MAX ·maxNEONF32
#define MIN ·minNEONF32
#define COUNT ·countLessNEONF32
#define ADD_SPARSE ·addSparseNEONF32
#define ADD_TRANSPOSED ·addTransposedNEONF32
#define SAMPLED ·sampledNEONF32
#define SPARSE_RANK_ONE ·sparseRankOneNEONF32
#define RATIO ·ratioNEONF32
#define DOTLOG ·dotLogNEONF32
#define DERIVE ·logDerivativesNEONF32
#define PANEL ·panelNEONF32
#define ADD_SCALED ·addScaledNEONF32
#define SCALE ·scaleNEONF32
#define SINGLE(CODE) CODE
#define SIZE 4
#define SIZE_LOG 2
#define MOVE FMOVS
#define MOVE2 FMOVD
#define MOVI MOVWU
#define SHLI LSLW
#define SPREAD(P, V) VLD1R (P), [V.S4]
#define FMA(M, N, D) VFMLA M.S4, N.S4, D.S4
#define FMAE(m, n, d) VFMLAE_S4(m, 0, n, d)
#define FMSE(m, n, d) VFMLSE_S4(m, 0, n, d)
#define FMULE(m, n, d) VFMULE_S4(m, 0, n, d)
#define FADD(m, n, d) VFADD_S4(m, n, d)
#define FSUB(m, n, d) VFSUB_S4(m, n, d)
#define FMUL(m, n, d) VFMUL_S4(m, n, d)
#define FCMGT(m, n, d) VFCMGT_S4(m, n, d)
#define FCMGTZ(n, d) VFCMGTZ_S4(n, d)
#define COPY4(S, D, B) \
	TBZ     $2, B, 3(PC); \
	FMOVS.P 4(S), F27; \
	FMOVS.P F27, 4(D)
#define SUM_TWO \
	VZIP1 V27.D2, V26.D2, V28.D2; \
	VZIP2 V27.D2, V26.D2, V31.D2; \
	FADD(31, 28, 26); \
	VFADDP_S4(26, 26, 26)
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
#include "matrix_arm64.h"
#include "sweep_arm64.h"
#include "sweep4_arm64.h"
#include "pass_arm64.h"
#include "augmented_arm64.h"
#include "masked_arm64.h"
#include "reduce_arm64.h"
#include "sparse_arm64.h"
#include "extrapolate_arm64.h"
#include "bodies.h"
