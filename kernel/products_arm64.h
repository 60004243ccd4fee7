// The NEON bodies of products.go. kernel_arm64.h has what the rooms share.

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

// func contract(c *contraction)
//
//	for k := range height {
//		for i := range rows {
//			a[k][i] = lane sum of x[i][j] g[k][j] over j, 64 bytes of lanes
//		}
//	}
//
// Rows of X are taken two at a time. With resume, lanes start from c.lanes, else
// from zero; with suspend they are put there instead of being added up, and cols
// must be a multiple of the lanes.
//
//	for rows left > 0 {
//		for whole groups of columns { lanes = fma(x, g, lanes) }
//		the same once more for copies of the last columns, completed with zeros
//		a = folded lanes, or c.lanes = lanes
//	}
//
// Preconditions: rows, cols >= 1; 1 <= height <= 3.
//
//	V0-V23   lanes: V(8k+4i) to V(8k+4i+3) belong to g[k], x[i]
//	V24-V27  two quarters of a group of x[0], x[1]
//	V28-V31  two quarters of g[k]
//	R1 R2  x[i], x[i+1], column reached     R3 R4 R5  g[0], g[1], g[2]
//	R6 groups left     R7 rows left     R8 &a[0][i]     R9 &x[i][0]
//	R10 R11  strides of X, G            R13 bytes of the last group   R14 lanes
//	R15 whole groups   R16 height       R20 copies: G, X   R22 R13 until it is done
TEXT contractNEON<>(SB), NOSPLIT|NOFRAME, $0-8
	MOVD c+0(FP), R0
	MOVD contraction_xStride(R0), R10
	MOVD contraction_gStride(R0), R11
	MOVD contraction_rows(R0), R7
	MOVD contraction_a(R0), R8
	MOVD contraction_x(R0), R9
	MOVD contraction_lanes(R0), R14
	MOVD contraction_height(R0), R16
	MOVD contraction_cols(R0), R15
	LSL  $SIZE_LOG, R15
	AND  $63, R15, R13
	LSR  $6, R15
	ADD  $contraction_copies, R0, R20
	CBZ  R13, group
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R20, R1
	MOVD $10, R2

clear:
	FSTPQ.P (F0, F1), 32(R1)
	SUBS    $1, R2
	BNE     clear
	MOVD    contraction_g(R0), R3
	ADD     R15<<6, R3
	MOVD    R20, R4
	MOVD    R16, R5

copy: // for k < height { last columns of g[k] }
	MOVD R3, R1
	MOVD R4, R2
	COPY(R1, R2, R13)
	ADD  R11, R3
	ADD  $64, R4
	SUBS $1, R5
	BNE  copy

group: // for rows left > 0 {
	MOVD contraction_resume(R0), R1
	CBNZ R1, resume
	LANES_ZERO(V0, V1, V2, V3)
	LANES_ZERO(V4, V5, V6, V7)
	LANES_ZERO(V8, V9, V10, V11)
	LANES_ZERO(V12, V13, V14, V15)
	LANES_ZERO(V16, V17, V18, V19)
	LANES_ZERO(V20, V21, V22, V23)
	B    columns

resume:
	ALL_LANES(LANES_LOAD, R14)

columns:
	MOVD R9, R1
	ADD  R10, R1, R2
	MOVD contraction_g(R0), R3
	ADD  R11, R3, R4
	ADD  R11, R4, R5
	MOVD R15, R6
	MOVD R13, R22
	CBNZ R6, choose

tail: // if columns are left { the same with copies }
	CBZ  R22, lanes
	ADD  $192, R20, R3
	COPY(R1, R3, R22)
	CMP  $2, R7
	BLT  copied
	ADD  $256, R20, R3
	COPY(R2, R3, R22)

copied:
	MOVD R20, R3
	ADD  $64, R20, R4
	ADD  $128, R20, R5
	ADD  $192, R20, R1
	ADD  $256, R20, R2
	MOVD $1, R6
	MOVD $0, R22

choose:
	CMP $2, R7
	BLT one
	CMP $2, R16
	BGT loop32
	BEQ loop22
	B   loop12

one:
	CMP $2, R16
	BGT loop31
	BEQ loop21
	B   loop11

#define UPPER UPPER1
#define LOWER LOWER1
#define PAIR X1_PAIR
#define MUL X1_FMA
#define LOOP loop11
#include "products_contract_arm64.h"

#define UPPER UPPER2
#define LOWER LOWER2
#define PAIR X1_PAIR
#define MUL X1_FMA
#define LOOP loop21
#include "products_contract_arm64.h"

#define UPPER UPPER3
#define LOWER LOWER3
#define PAIR X1_PAIR
#define MUL X1_FMA
#define LOOP loop31
#include "products_contract_arm64.h"

#define UPPER UPPER1
#define LOWER LOWER1
#define PAIR X2_PAIR
#define MUL X2_FMA
#define LOOP loop12
#include "products_contract_arm64.h"

#define UPPER UPPER2
#define LOWER LOWER2
#define PAIR X2_PAIR
#define MUL X2_FMA
#define LOOP loop22
#include "products_contract_arm64.h"

#define UPPER UPPER3
#define LOWER LOWER3
#define PAIR X2_PAIR
#define MUL X2_FMA
#define LOOP loop32
#include "products_contract_arm64.h"

lanes:
	MOVD contraction_suspend(R0), R1
	CBZ  R1, fold
	ALL_LANES(LANES_SAVE, R14)
	B    folded

fold: // for k < height { a[k][i:i+2] = sums of the lanes of k }
	MOVD R8, R1
	MOVD contraction_aStride(R0), R2
	MOVD R16, R3
	FOLD_ROW(0, 1, 2, 3, 4, 5, 6, 7)
	FOLD_ROW(8, 9, 10, 11, 12, 13, 14, 15)
	FOLD_ROW(16, 17, 18, 19, 20, 21, 22, 23)

folded:
	ADD  $(2*SIZE), R8
	ADD  R10<<1, R9
	ADD  $const_lanesNEON, R14
	SUBS $2, R7
	BGT  group                // }
	RET

// func outer(o *outer)
//
//	for a := range height {
//		for j := range cols {
//			for b := range inner {
//				out[a][j] = fma(coef[a*coefOut + b*coefInner], src[b][j], out[a][j])
//			}
//		}
//	}
//
// Columns are taken four vectors at a time; what is left as two vectors, one, and
// single elements. The upper elements of a register loaded with one are never stored.
// With keep = 0 out starts from zero and is not read. If m is not nil the sums are P,
// formed from zero, and instead of their being stored
//
//	out[a][j] = step(out[a][j], m[a][j], p[a][j], mu)
//
// behind, ahead and also are not used.
// Preconditions: cols, inner >= 1; 1 <= height <= 6; keep = 0 if m is not nil.
//
// Each height is a function of its own, so that its labels are.
//
//	V0-V23   out[a]: V(4a) to V(4a+3)
//	V24-V27  src[b]; then µ, scratch, m, n
//	V28      coefficient; then scratch
//	R1 &out[0][j]   R2 stride of out     R12 bytes of columns left   R16 height
//	R3 src[b]       R4 its stride        R13 rows of src left
//	R5 coefficient of a = 0              R6-R10 1 to 5 times coefOut   R11 coefInner
//	R14 R15 walk over the rows of out, or stay at zero   R17 keep
TEXT outerNEON<>(SB), NOSPLIT|NOFRAME, $0-8
	MOVD o+0(FP), R0
	MOVD outer_height(R0), R16
	OF_SIZE(R16, 6, outerNEONof6<>)
	OF_SIZE(R16, 5, outerNEONof5<>)
	OF_SIZE(R16, 4, outerNEONof4<>)
	OF_SIZE(R16, 3, outerNEONof3<>)
	OF_SIZE(R16, 2, outerNEONof2<>)
	B    outerNEONof1<>(SB)

#define BODY outerNEONof1<>
#define ROWS_OF OUT_ROWS1
#include "products_outer_arm64.h"

#define BODY outerNEONof2<>
#define ROWS_OF OUT_ROWS2
#include "products_outer_arm64.h"

#define BODY outerNEONof3<>
#define ROWS_OF OUT_ROWS3
#include "products_outer_arm64.h"

#define BODY outerNEONof4<>
#define ROWS_OF OUT_ROWS4
#include "products_outer_arm64.h"

#define BODY outerNEONof5<>
#define ROWS_OF OUT_ROWS5
#include "products_outer_arm64.h"

#define BODY outerNEONof6<>
#define ROWS_OF OUT_ROWS6
#include "products_outer_arm64.h"
