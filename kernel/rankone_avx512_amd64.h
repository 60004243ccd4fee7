// The AVX-512 bodies of rankone.go. kernel_avx512_amd64.h has what the rooms share, rankone_amd64.h the
// passes.
//
//	Z0-Z3 lanes   Z4 w   Z5-Z7 update and n   Z8 acc   Z9 1-ρ, if augmented   Z16-Z19 v   Z20 µ
//	Z21 zero   X22 vv   Z23 inv   Z24-Z27 v of the previous pass   Z28-Z31 folding
//	DX 5 strides of M, if augmented
//	K1 last columns   K2 rows of the group   K3 FOLD_MASK   K4 scratch

#define RW Z4
#define ACC Z8
#define V0 Z16
#define V1 Z17
#define OLD0 Z24
#define OLD1 Z25
#define FOUR_ACC Z8
#define FOUR_V0 Z16
#define FOUR_V1 Z17
#define FOUR_V2 Z18
#define FOUR_V3 Z19
#define NSUM AX
#define PENALTY WNU
#define PENALTY_IN VBCST rankOne_part(DI), WNU
#define VV_OUT VMOVS X22, rankOne_vv(DI)

#define RANK_BEGIN(OTHER) \
	MOVQ   r+0(FP), DI; \
	IN4(rankOne_nStride, R8, rankOne_mStride, R11, rankOne_v, R14, rankOne_cols, CX); \
	ANDQ   $(64/SIZE-1), CX; \
	LAST_MASK(CX); \
	MOVL   $FOLD_MASK, AX; \
	KMOVW  AX, K3; \
	VPXORQ Z21, Z21, Z21; \
	VBCST  rankOne_mu(DI), Z20; \
	OTHER; \
	VBCST  rankOne_inv(DI), Z23; \
	VMOVS  rankOne_vv(DI), X22; \
	IN2(rankOne_n, R15, rankOne_m, AX); \
	MOVQ   AX, rankOne_mRow(DI); \
	MOVQ   rankOne_rows(DI), AX; \
	MOVQ   AX, rankOne_left(DI)

#define RANK_LINE(BODY) BODY(LOAD, STORE, 0, Z0, Z1, Z2, Z3)
#define RANK_LAST(FETCH, BODY) FETCH; BODY(PART_LOAD, PART_STORE, 0, Z0, Z1, Z2, Z3)
#define GROUP_OF(BITS) MOVL $BITS, AX; KMOVW AX, K2
#define GROUP_START(OLD, old, add) \
	OLD; \
	MOVQ  rankOne_w(DI), BX; \
	MOVQ  R15, SI; \
	MOVQ  rankOne_mRow(DI), R10; \
	MOVQ  rankOne_steps(DI), CX; \
	TESTL $const_stepDot, CX; \
	JEQ   old
#define OLD_V4 \
	OLD_V2; \
	VBCST (2*SIZE)(R14), Z26; \
	VBCST (3*SIZE)(R14), Z27
#define OLD_V2 OLD_V1; VBCST SIZE(R14), Z25
#define OLD_V1 VBCST (R14), Z24
#define NEW_V4
#define NEW_V2
#define NEW_V1
#define OLD_AND_ZERO(OLD, LANES) LANES(LANE_ZERO); OLD

#define LANES_R4(OP) LANES4(OP, 0, R13, Z0, Z1, Z2, Z3)
#define LANES_R2(OP) OP((R13), Z0); OP(64(R13), Z1)
#define LANES_R1(OP) OP((R13), Z0)

// Sums of lanes, v and vv, or the v of the previous pass (KEPT).
#define PROJECT_R4(old, square, add) FOLD4(Z0, Z1, Z2, Z3); PROJECTED(SPREAD4, KEPT4, SQUARES4, old, square, add)
#define PROJECT_R2(old, square, add) FOLD4(Z0, Z1, Z0, Z1); PROJECTED(SPREAD2, KEPT2, SQUARES2, old, square, add)
#define PROJECT_R1(old, square, add) FOLD4(Z0, Z0, Z0, Z0); PROJECTED(SPREAD1, KEPT1, SQUARES1, old, square, add)
#define PROJECTED(SPREAD, OLD, SQUARES, old, square, add) \
	PROJECT(Z30, Z23, Z21, Z31); \
	SPREAD; \
	KEEP_V(old); \
	JMP   square; \
old: \
	OLD; \
	TESTL $const_stepDot, rankOne_steps(DI); \
	JEQ   add; \
square: \
	SQUARES
#define SPREAD4 \
	SPREAD2; \
	VSHUFF64X2 $0xAA, Z30, Z30, Z18; \
	VSHUFF64X2 $0xFF, Z30, Z30, Z19
#define SPREAD2 \
	VSHUFF64X2 $0x00, Z30, Z30, Z16; \
	VSHUFF64X2 $0x55, Z30, Z30, Z17
#define SPREAD1 VMOVU Z30, Z16
#define KEPT4 KEPT2; VMOVU Z26, Z18; VMOVU Z27, Z19
#define KEPT2 KEPT1; VMOVU Z25, Z17
#define KEPT1 VMOVU Z24, Z16
#define SQUARES4 SQUARES2; VFMAS X18, X18, X22; VFMAS X19, X19, X22
#define SQUARES2 SQUARES1; VFMAS X17, X17, X22
#define SQUARES1 VFMAS X16, X16, X22

// Stores v of a group, or if inv = 0 goes on with the v of the previous pass.
#define KEEP_V(old) \
	MOVI      rankOne_inv(DI), CX; \
	ADDI      CX, CX; \
	JEQ       old; \
	VCOMPRESS Z30, K3, Z30; \
	STORE4((R14))

#define AUG_STRIDES LEAQ (R11)(R11*4), DX
#define AUG_FETCH2 FETCH4((SI)(R8*4), (SI)(R9*1), (R10)(R11*4), (R10)(DX*1))

// The masked rank-one pass, for four rows (R4) or one (R1).
#define MASKED_STEP(LD, SN) \
	SN((BX)); \
	LD((R14), Z4); \
	VMUL Z4, Z16, Z5; \
	SEEN_LOAD((DX), Z6); \
	STEP_OF(SEEN_LOAD, SEEN_STORE, (SI))

#define MASKED_DOT_R4(LD, ST, AT, A, B, SN) \
	MASKED_DOT_R1(LD, ST, AT, A, B, SN); \
	MASKED_DOT_ROW(SN, (SI)(R8*1), (DX)(R10*1), (BX)(R12*1), Z25, Z13); \
	MASKED_DOT_ROW(SN, (SI)(R8*2), (DX)(R10*2), (BX)(R12*2), Z26, Z14); \
	MASKED_DOT_ROW(SN, (SI)(R9*1), (DX)(R11*1), (BX)(R13*1), Z27, Z15)
#define MASKED_DOT_R1(LD, ST, AT, A, B, SN) \
	LD((R14), Z4); \
	MASKED_DOT_ROW(SN, (SI), (DX), (BX), Z24, Z12)
#define MASKED_DOT_ROW(SN, N, M, O, PRODUCTS, SQUARES) \
	SN(O); \
	N_SEEN(LOAD, N, M); \
	VFMA Z7, Z4, PRODUCTS; \
	VFMA Z4, Z4, K2, SQUARES

#define N_SEEN(LD, N, M) READ_ROW(SEEN_LOAD, N, M)
#define V_SEEN(V, R) VMOVU.Z V, K2, R
#define MACC Z8
#define MDEN Z11
#define MV0 Z16
#define MV1 Z17
#define MV2 Z18
#define MV3 Z19
#define MASKED_ADDED

#define MASKED_LANES(OP, P) \
	LANES4(OP, 0, P, Z24, Z25, Z26, Z27); \
	LANES4(OP, 256, P, Z12, Z13, Z14, Z15)

// MASKED_GROUP begins the columns of a group of rows.
#define MASKED_GROUP \
	IN4(rankOne_nRow, SI, rankOne_mRow, DX, rankOne_seenRow, BX, rankOne_w, R14); \
	LEAQ (R8)(R8*2), R9; \
	LEAQ (R10)(R10*2), R11; \
	LEAQ (R12)(R12*2), R13

// The columns of a masked pass for a row or a group of rows, as RANK_COLS.
#define MASKED_COLS(FETCH, BODY, loop, part, end) \
	MOVQ rankOne_cols(DI), CX; \
	SHRQ $LANES_LOG, CX; \
	JEQ  part; \
loop: /* for columns left > 0 { */ \
	FETCH; \
	BODY(LOAD, STORE, 0, Z24, Z12, SEEN_AT); \
	NEXT4(64, SI, DX, R14, R15); \
	ADDQ $64, AX; \
	ADDQ $(8/SIZE), BX; \
	DECQ CX; \
	JNE  loop; /* } */ \
part: /* the last columns */ \
	KORTESTW K1, K1; \
	JEQ      end; \
	FETCH; \
	BODY(PART_LOAD, PART_STORE, 0, Z24, Z12, PART_SEEN_AT); \
	JMP      end
#define MASKED_BEGIN \
	LAST_MASK(CX); \
	BYTES_OF(AX, R14); \
	MOVL   $FOLD_MASK, AX; \
	KMOVW  AX, K5; \
	VPXORQ Z21, Z21, Z21; \
	VBCST  rankOne_mu(DI), Z20; \
	VBCST  rankOne_part(DI), Z9

// The rows of a group: products of all at once, updates one after the other.
//
//	Z4 w   Z5-Z7 update and n   Z8 acc   Z9 1-ρ, if augmented   Z11 den   Z16-Z19 v
//	Z20 µ  Z21 zero   Z24-Z27 lanes of products   Z12-Z15 of squares   Z17-Z19 Z28-Z31 folding
//	SI n[0]      R8 R9    1, 3 strides of N: of the group, or in the update of
//	DX m[0]      R10 R11  1, 3 of M            one row at a time R9 R11 R13 R15
//	BX seen[0]   R12 R13  1, 3 of the mask     n[i], m[i], seen[i], &v[i]
//	R14 w   R15 acc   AX den, in the update rows left: at the column reached
//	CX vectors left; scratch
//	K1 last columns   K2 seen   K3 bytes of the last columns   K4 rows of the group
//	K5 FOLD_MASK   K6 scratch
#define MASKED_STEPS \
	MOVL  $1, AX; \
	SHLL  CX, AX; \
	DECL  AX; \
	KMOVW AX, K4; \
	TESTL $const_updateDot, rankOne_steps(DI); \
	JNE   update; \
products: \
	MASKED_GROUP; \
	TESTL $const_stepDot, rankOne_steps(DI); \
	JEQ   projected; \
	MASKED_LANES(LANE_ZERO, CX); \
	TESTL $const_stepResume, rankOne_steps(DI); \
	JEQ   dot; \
	MOVQ  rankOne_lanes(DI), CX; \
	MASKED_LANES(LOAD, CX); \
dot: \
	CMPQ rankOne_group(DI), $1; \
	JEQ  dot1; \
	MASKED_COLS(NOTHING, MASKED_DOT_R4, dotLoop4, dotPart4, dotted); \
dot1: \
	MASKED_COLS(NOTHING, MASKED_DOT_R1, dotLoop1, dotPart1, dotted); \
dotted: \
	TESTL $const_stepSuspend, rankOne_steps(DI); \
	JEQ   project; \
	MOVQ  rankOne_lanes(DI), CX; \
	MASKED_LANES(LANE_SAVE, CX); \
	JMP   projected; \
project: \
	FOLD4(Z24, Z25, Z26, Z27); \
	VCOMPRESS Z30, K5, Z17; \
	FOLD4(Z12, Z13, Z14, Z15); \
	VCOMPRESS Z30, K5, Z18; \
	VBCST rankOne_inv(DI), Z19; \
	VDIV  Z18, Z19, Z18; \
	VCMP  $0x1E, Z21, Z18, K4, K2; /* positive */ \
	VSUB  Z18, Z18, Z19; \
	VCMP  $0x00, Z21, Z19, K2, K2; /* and finite */ \
	VCMP  $0x1E, Z21, Z17, K6; \
	VMUL.Z Z18, Z17, K6, Z30; \
	MOVQ  rankOne_vAt(DI), CX; \
	STORE4((CX)); \
projected: \
	TESTL $const_updateAdd, rankOne_steps(DI); \
	JEQ   sums; \
update: /* for rows of the group { */ \
	IN4(rankOne_nRow, R9, rankOne_mRow, R11, rankOne_seenRow, R13, rankOne_vAt, R15); \
	KMOVW K4, AX; \
updateRow: \
	VBCST (R15), Z16; \
	MOVQ  R9, SI; \
	MOVQ  R11, DX; \
	MOVQ  R13, BX; \
	IN2(rankOne_w, R14, rankOne_cols, CX); \
	SHRQ  $LANES_LOG, CX; \
	JEQ   updatePart; \
updateLoop: \
	MASKED_STEP(LOAD, SEEN_AT); \
	ADDQ $64, SI; \
	ADDQ $64, DX; \
	ADDQ $64, R14; \
	ADDQ $(8/SIZE), BX; \
	DECQ CX; \
	JNE  updateLoop; \
updatePart: \
	KORTESTW K1, K1; \
	JEQ      updated; \
	MASKED_STEP(PART_LOAD, PART_SEEN_AT); \
updated: \
	MASKED_NEXT; \
	SHRL  $1, AX; \
	JNE   updateRow; /* } */ \
	TESTL $const_updateAdd, rankOne_steps(DI); \
	JEQ   products

#include "rankone_amd64.h"
