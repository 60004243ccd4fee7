// The NEON bodies of rankone.go. kernel_neon_arm64.h has what the rooms share.

// The operations on one vector of a row are READ_ROW, which loads n into V27, and UPDATE_ROW, which updates
// it with p = v w, v in element 0 of v; here those of RankOne.
#define RANK_READ(AT, N, M) FMOVQ AT(N), F27
#define RANK_UPDATED(AT, N, M, v) \
	FMULE(v, 16, 25); \
	FMOVQ AT(M), F26; \
	FMOVQ AT(N), F27; \
	STEP(25); \
	FMOVQ F27, AT(N)

// The same up to the target of the augmented Lagrangian, N being G.
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

// One vector of a row: the product, the sum, and both after the update. w in V16, acc in V17.
#define DOT_ROW(AT, N, M, v, LANE) READ_ROW(AT, N, M); FMA(V16, V27, LANE)
#define ADD_ROW(AT, N, M, v, LANE) READ_ROW(AT, N, M); FMAE(v, 27, 17)
#define STEP_DOT_ROW(AT, N, M, v, LANE) UPDATE_ROW(AT, N, M, v); FMA(V16, V27, LANE)
#define STEP_ADD_ROW(AT, N, M, v, LANE) UPDATE_ROW(AT, N, M, v); FMAE(v, 27, 17)

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

// The columns of a group of rows, 64 bytes at a time: COLS is the step on a vector of columns, ROWS
// applies it to one row or to four. Goes on at tail.
#define RANK_COLS(COLS, ROWS, loop) \
loop: /* for groups of columns left > 0 { */ \
	COLS(ROWS, 0, V0, V4, V8, V12); \
	COLS(ROWS, 16, V1, V5, V9, V13); \
	COLS(ROWS, 32, V2, V6, V10, V14); \
	COLS(ROWS, 48, V3, V7, V11, V15); \
	NEXT4(64, R1, R2, R3, R4); \
	NEXT4(64, R5, R6, R7, R8); \
	ADD $64, R9; \
	ADD $64, R10; \
	SUBS $1, R11; \
	BNE  loop; /* } */ \
	B    tail

// The loops for groups of ROWS, of which that for the step at R20 and R24 runs.
#define RANK_LOOPS(ROWS, dot, stepDot, adds, add, stepAdd) \
	CBNZ R20, adds; \
	CBNZ R24, stepDot; \
	RANK_COLS(DOT_COLS, ROWS, dot); \
	RANK_COLS(STEP_DOT_COLS, ROWS, stepDot); \
adds: \
	CBNZ R24, stepAdd; \
	RANK_COLS(ADD_COLS, ROWS, add); \
	RANK_COLS(STEP_ADD_COLS, ROWS, stepAdd)

// COPY_IN copies the last columns of a vector of r, and COPY_OUT copies them back; changes R1 and R2.
#define COPY_IN(FIELD, AT) \
	MOVD FIELD(R0), R1; \
	ADD  R22, R1; \
	ADD  $AT, R26, R2; \
	COPY(R1, R2, R23)
#define COPY_OUT(FIELD, AT) \
	ADD  $AT, R26, R1; \
	MOVD FIELD(R0), R2; \
	ADD  R22, R2; \
	COPY(R1, R2, R23)

// Copies the last columns of R21 rows; changes R1, R2, R5, FROM and TO.
#define COPY_ROWS(FROM, STRIDE, TO, TO_STRIDE, loop) \
	MOVD R21, R5; \
loop: /* for rows left > 0 { */ \
	MOVD FROM, R1; \
	MOVD TO, R2; \
	COPY(R1, R2, R23); \
	ADD  STRIDE, FROM; \
	ADD  TO_STRIDE, TO; \
	SUBS $1, R5; \
	BNE  loop /* } */

// V26 = sum > 0 ? sum * inv : +0, for two rows.
#define PROJECT \
	FCMGTZ(26, 28); \
	FMULE(29, 26, 26); \
	VAND V28.B16, V26.B16, V26.B16

// GROUP_SEEN sets V30 to the mask of a vector of the group of columns, whose bits are at R2; it changes R14.
#define GROUP_SEEN(AT) \
	MOVBU (AT/(8*SIZE))(R2), R14; \
	LSR   $((AT/SIZE)%8), R14; \
	TEST_BITS(R14)

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

// The columns of a masked pass of one row, as RANK_COLS.
#define MASKED_COLS(COLS, loop) \
loop: /* for groups of columns left > 0 { */ \
	COLS(0, V0, V4); \
	COLS(16, V1, V5); \
	COLS(32, V2, V6); \
	COLS(48, V3, V7); \
	NEXT4(64, R1, R3, R5, R9); \
	ADD $64, R10; \
	ADD  $(8/SIZE), R2; \
	SUBS $1, R11; \
	BNE  loop; /* } */ \
	B    tail

// func rankOne(r *rankOne): rankOneGeneric, in steps
//
// Rows go four at a time while there are four, then one at a time; the last columns in copies that are completed with
// zeros. The copies of w and acc are made once. After an update the rest of the copy of
// n is zero again, since m⁺ is.
// Preconditions: rows, cols >= 1; where resume or suspend, rows is 4 or 1; with
// suspend, cols is a multiple of the lanes.
//
//	V0-V15 lanes: V(4i) to V(4i+3) of row i   V16 w   V17 acc   V20-V23 v of the rows
//	V24 µ   V25-V28 p, m, n, scratch          V29 inv   V30 vv   V31 scratch
//	R1-R4 n[i]   R5-R8 m[i]   R9 w   R10 acc, column reached; scratch elsewhere
//	R11 groups left   R12 bytes of the last group, until it is done
//	R13 R14 strides of N, M   R15 &v[i]   R16 rows left   R17 n[i]   R19 m[i]
//	R20 0 for stepDot, 1 for stepAdd    R21 rows of the group: 4 or 1
//	R22 whole groups of columns, in bytes     R23 bytes of the last group
//	R24 nonzero if this step updates    R25 steps
//	R26 copies: four rows of n, of m, w, acc
BODY(bodies_rankOne, rankOneNEON<>)
#define READ_ROW RANK_READ
#define UPDATE_ROW RANK_UPDATED
#define WITHOUT_M(copied) CBZ R24, copied
#include "rankone_rows_neon_arm64.h"

// func augRankOne(r *rankOne): rankOneAugmentedGeneric, in steps
//
// rankOne on the target of the augmented Lagrangian: n is G, of which the target is
// formed wherever a row is read, and m is always there.
//
// Preconditions and registers as there, but for
//
//	V18 1-ρ   V24 1/(1+ρ)
BODY(bodies_augRankOne, augRankOneNEON<>)
	MOVD r+0(FP), R0
	MOVE rankOne_part(R0), F18

#define READ_ROW AUG_READ
#define UPDATE_ROW AUG_UPDATED
#define WITHOUT_M(copied)
#include "rankone_rows_neon_arm64.h"

// func maskedRankOne(r *rankOne): rankOneMaskedGeneric, in steps
//
// Rows go one at a time.
//
// The last columns are taken in copies that are completed with zeros; those of w, acc and
// den are made once. After an update the rest of the copy of n is zero again, since m⁺ and
// p are.
// Preconditions: rows, cols >= 1; where resume or suspend, rows is 4 at most; with suspend,
// cols is a multiple of the lanes.
//
//	V0-V3 lanes of products   V4-V7 of squares   V16 w   V17 acc   V19 den
//	V18 1-ρ, if augmented   V20 v[i]   V22 v[i] in all lanes   V21 V23 scratch
//	V24 µ   V25-V28 V31 update and n   V29 bits of lanes   V30 seen
//	R1 n[i]   R2 seen[i]   R3 den   R5 m[i]   R9 w   R10 acc: column reached
//	R4 R6 R7 R14 scratch   R11 groups left   R12 bytes of the last group, until it is done
//	R13 R8 R24 strides of N, M, the mask   R15 &v[i]   R16 rows left   R17 n[i]   R19 m[i]
//	R20 0 or 2 in the update, 1 in the products, 3 in the sums   R21 seen[i]
//	R22 whole groups of columns, in bytes   R23 bytes of the last group
//	R25 steps   R26 copies of n, m, w, acc, den, seen
BODY(bodies_maskedRankOne, maskedRankOneNEON<>)
#define READ(AT) FMOVQ AT(R1), F27
#define STEP_OF STEP(25)
#include "rankone_masked_neon_arm64.h"

// func maskedAugRank(r *rankOne): rankOneAugmentedMaskedGeneric, in steps
//
// maskedRankOne on the target of the augmented Lagrangian, as augRankOne is rankOne.
BODY(bodies_maskedAugRank, maskedAugRankNEON<>)
#define READ(AT) AUG_READ(AT, R1, R5)
#define STEP_OF AUG_STEP
#include "rankone_masked_neon_arm64.h"
