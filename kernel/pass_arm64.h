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
TEXT UPDATE(SB), NOSPLIT, $0-8
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
TEXT ADDITION(SB), NOSPLIT, $0-8
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
TEXT RANK_ONE(SB), 0, $640-8
	NO_LOCAL_POINTERS
	MOVD r+0(FP), R0
	MOVE rankOne_mu(R0), F24
	MOVE rankOne_inv(R0), F29
	MOVE rankOne_vv(R0), F30
	MOVD rankOne_nStride(R0), R13
	MOVD rankOne_mStride(R0), R14
	MOVD rankOne_v(R0), R15
	MOVD rankOne_rows(R0), R16
	MOVD rankOne_n(R0), R17
	MOVD rankOne_m(R0), R19
	MOVD rankOne_steps(R0), R25
	MOVD rankOne_cols(R0), R22
	LSL  $SIZE_LOG, R22
	AND  $63, R22, R23
	BIC  $63, R22
	MOVD $copies-640(SP), R26
	CBZ  R23, group
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R26, R1
	MOVD $20, R2

clear:
	FSTPQ.P (F0, F1), 32(R1)
	SUBS    $1, R2
	BNE     clear
	MOVD    rankOne_w(R0), R1
	ADD     R22, R1
	ADD     $512, R26, R2
	COPY(R1, R2, R23)
	MOVD    rankOne_acc(R0), R1
	ADD     R22, R1
	ADD     $576, R26, R2
	COPY(R1, R2, R23)

group: // for rows left > 0 {
	MOVE (R15), F20
	MOVD $1, R21
	CMP  $4, R16
	BLT  begin
	MOVD $4, R21
	MOVE SIZE(R15), F21
	MOVE (2*SIZE)(R15), F22
	MOVE (3*SIZE)(R15), F23

begin:
	TST  $const_stepDot, R25
	BEQ  add
	MOVD $0, R20
	AND  $const_updateDot, R25, R24
	TST  $const_stepResume, R25
	BNE  resume
	LANES_ZERO(V0, V1, V2, V3)
	LANES_ZERO(V4, V5, V6, V7)
	LANES_ZERO(V8, V9, V10, V11)
	LANES_ZERO(V12, V13, V14, V15)
	B    columns

resume:
	MOVD rankOne_lanes(R0), R1
	ROW_LANES(LANES_LOAD, R1)

columns:
	MOVD R17, R1
	ADD  R13, R1, R2
	ADD  R13, R2, R3
	ADD  R13, R3, R4
	MOVD R19, R5
	ADD  R14, R5, R6
	ADD  R14, R6, R7
	ADD  R14, R7, R8
	MOVD rankOne_w(R0), R9
	MOVD rankOne_acc(R0), R10
	MOVD R23, R12
	LSR  $6, R22, R11
	CBNZ R11, choose

tail: // if columns are left { the same with copies }
	CBZ  R12, restore
	ADD  R22, R17, R3
	MOVD R26, R4
	MOVD $64, R6

#define FROM R3
#define STRIDE R13
#define TO R4
#define TO_STRIDE R6
#define LOOP copyN
#include "copy_rows_arm64.h"

	CBZ  R24, copied
	ADD  R22, R19, R3
	ADD  $256, R26, R4

#define FROM R3
#define STRIDE R14
#define TO R4
#define TO_STRIDE R6
#define LOOP copyM
#include "copy_rows_arm64.h"

copied:
	MOVD R26, R1
	ADD  $64, R26, R2
	ADD  $128, R26, R3
	ADD  $192, R26, R4
	ADD  $256, R26, R5
	ADD  $320, R26, R6
	ADD  $384, R26, R7
	ADD  $448, R26, R8
	ADD  $512, R26, R9
	ADD  $576, R26, R10
	MOVD $0, R12
	MOVD $1, R11

choose:
	CMP  $4, R21
	BEQ  four
	CBNZ R20, addOne
	CBZ  R24, dot1
	B    stepDot1

addOne:
	CBZ R24, add1
	B   stepAdd1

four:
	CBNZ R20, addFour
	CBZ  R24, dot4
	B    stepDot4

addFour:
	CBZ R24, add4
	B   stepAdd4

#define COLS DOT_COLS
#define ROWS ROWS1
#define LOOP dot1
#include "rank_cols_arm64.h"

#define COLS STEP_DOT_COLS
#define ROWS ROWS1
#define LOOP stepDot1
#include "rank_cols_arm64.h"

#define COLS ADD_COLS
#define ROWS ROWS1
#define LOOP add1
#include "rank_cols_arm64.h"

#define COLS STEP_ADD_COLS
#define ROWS ROWS1
#define LOOP stepAdd1
#include "rank_cols_arm64.h"

#define COLS DOT_COLS
#define ROWS ROWS4
#define LOOP dot4
#include "rank_cols_arm64.h"

#define COLS STEP_DOT_COLS
#define ROWS ROWS4
#define LOOP stepDot4
#include "rank_cols_arm64.h"

#define COLS ADD_COLS
#define ROWS ROWS4
#define LOOP add4
#include "rank_cols_arm64.h"

#define COLS STEP_ADD_COLS
#define ROWS ROWS4
#define LOOP stepAdd4
#include "rank_cols_arm64.h"

restore: // the last columns of N, if they were updated
	CBZ  R24, restored
	CBZ  R23, restored
	MOVD R26, R3
	ADD  R22, R17, R4
	MOVD $64, R6

#define FROM R3
#define STRIDE R6
#define TO R4
#define TO_STRIDE R13
#define LOOP copyBack
#include "copy_rows_arm64.h"

restored:
	CBNZ R20, next
	TST  $const_stepSuspend, R25
	BEQ  project
	MOVD rankOne_lanes(R0), R1
	ROW_LANES(LANES_SAVE, R1)
	B    next

project:
	MOVI rankOne_inv(R0), R1
	SHLI $1, R1
	CBZ  R1, square           // inv = 0: v stays
	FOLD_TWO(0, 1, 2, 3, 4, 5, 6, 7)
	PROJECT
	CMP  $4, R21
	BEQ  project4
	MOVE F26, (R15)
	VMOV V26.B16, V20.B16
	B    square

project4:
	MOVE2 F26, (R15)
	SPLIT(V20, V21)
	FOLD_TWO(8, 9, 10, 11, 12, 13, 14, 15)
	PROJECT
	MOVE2 F26, (2*SIZE)(R15)
	SPLIT(V22, V23)

square:
	FMA(V20, V20, V30)
	CMP $4, R21
	BNE add
	FMA(V21, V21, V30)
	FMA(V22, V22, V30)
	FMA(V23, V23, V30)

add:
	TST  $const_stepAdd, R25
	BEQ  next
	MOVD $1, R20
	AND  $const_updateAdd, R25, R24
	B    columns

next:
	ADD  R21<<SIZE_LOG, R15
	MADD R21, R17, R13, R17
	MADD R21, R19, R14, R19
	SUBS R21, R16
	BGT  group                // }
	MOVE F30, rankOne_vv(R0)
	TST  $const_stepAdd, R25
	BEQ  done
	ADD  $576, R26, R1
	MOVD rankOne_acc(R0), R2
	ADD  R22, R2
	COPY(R1, R2, R23)

done:
	RET
