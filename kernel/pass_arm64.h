// NEON bodies of UpdateMultiplier, Add and RankOne.
// Included by kernel_arm64.s once for each precision, with the macros of that one.

// func UPDATE(u *update)
//
//	for i := range rows {
//		for j := range cols {
//			n[i][j] = step(n[i][j], m[i][j], p[i][j], mu)
//		}
//	}
//
// Preconditions: rows, cols >= 1. The last columns are taken 8 and 4 bytes at a
// time.
//
//	V24 µ   V25 p   V26 m   V27 n   V28 scratch
//	R1 n[i]   R2 m[i]   R3 p[i]   R4 R5 R6 their strides   R9 R10 R11 column reached
//	R7 rows left   R8 bytes of a row   R12 vectors left
TEXT UPDATE(SB), NOSPLIT|NOFRAME, $0-8
	MOVD u+0(FP), R0
	MOVE update_mu(R0), F24
	MOVD update_n(R0), R1
	MOVD update_m(R0), R2
	MOVD update_p(R0), R3
	MOVD update_nStride(R0), R4
	MOVD update_mStride(R0), R5
	MOVD update_pStride(R0), R6
	MOVD update_rows(R0), R7
	MOVD update_cols(R0), R8
	LSL  $SIZE_LOG, R8

row: // for rows left > 0 {
	MOVD R1, R9
	MOVD R2, R10
	MOVD R3, R11

#define OP UPDATE_STEP
#include "elements_arm64.h"

	SINGLE(LAST_ELEMENT(UPDATE_STEP, whole))
	ADD  R4, R1
	ADD  R5, R2
	ADD  R6, R3
	SUBS $1, R7
	BNE  row                  // }
	RET

// func ADDITION(u *update)
//
//	for i := range rows { for j := range cols { n[i][j] += m[i][j] } }
//
// Preconditions and registers as above; p is not used.
TEXT ADDITION(SB), NOSPLIT|NOFRAME, $0-8
	MOVD u+0(FP), R0
	MOVD update_n(R0), R1
	MOVD update_m(R0), R2
	MOVD update_nStride(R0), R4
	MOVD update_mStride(R0), R5
	MOVD update_rows(R0), R7
	MOVD update_cols(R0), R8
	LSL  $SIZE_LOG, R8

row: // for rows left > 0 {
	MOVD R1, R9
	MOVD R2, R10

#define OP ADD_STEP
#include "elements_arm64.h"

	SINGLE(LAST_ELEMENT(ADD_STEP, whole))
	ADD  R4, R1
	ADD  R5, R2
	SUBS $1, R7
	BNE  row                  // }
	RET

// func RANK_ONE(r *rankOne)
//
// The rank-one pass over a block of rows, four at a time while there are four,
// then one at a time. steps says what is done for each group of rows:
//
//	stepDot      lanes of n[i]·w, after the update if updateDot;
//	             from r.lanes if resume, and put there if suspend, else
//	             v[i] = project(sum of lanes, inv), unless inv = 0,
//	             and vv = fma(v[i], v[i], vv)
//	stepAdd      acc = fma(v[i], n[i], acc), after the update if updateAdd
//
//	for rows left > 0 {
//		for step in stepDot, stepAdd {
//			for whole groups of columns { dot product or sum }
//			the same once more for copies of the last columns, completed with zeros
//		}
//	}
//
// The copies of w and acc are made once. After an update the rest of the copy of
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
TEXT RANK_ONE(SB), NOSPLIT|NOFRAME, $0-8
#define PRODUCTS DOT_COLS
#define BEFORE STEP_DOT_COLS
#define SUMS ADD_COLS
#define AFTER STEP_ADD_COLS
#define WITHOUT_M(copied) CBZ R24, copied
#include "rank_rows_arm64.h"
