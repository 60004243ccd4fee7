// The AVX2 bodies of rankone.go. kernel_avx2_amd64.h has what the rooms share, rankone_amd64.h the passes.
//
//	           groups of four           of two, of one
//	Y0-Y7      lanes: Y0 Y4, Y1 Y5,     Y0 Y4, Y1 Y5: lower and upper half of
//	           Y2 Y6, Y3 Y7             each row; in the sums Y2 acc, Y6 Y7 v[0] v[1]
//	Y3 Y14                              v[0] v[1] of the previous pass, for the update
//	Y8         w; inv, vv between the loops
//	Y9         acc                      p, then m⁺-p
//	Y10        v[0]                     m, then m⁺
//	Y11        n                        n
//	Y12 Y13    v[1] v[2]                µ, zero
//	Y14        v[3]                     see above
//	Y15        mask of the last columns, of which AX has both

#define RW Y8
#define ACC Y2
#define V0 Y6
#define V1 Y7
#define OLD0 Y3
#define OLD1 Y14
#define FOUR_ACC Y9
#define FOUR_V0 Y10
#define FOUR_V1 Y12
#define FOUR_V2 Y13
#define FOUR_V3 Y14
#define NSUM DX
#define PENALTY rankOne_part(DI)
#define PENALTY_IN
#define VV_OUT

#define RANK_BEGIN(OTHER) \
	MOVQ  r+0(FP), DI; \
	MOVQ  rankOne_cols(DI), CX; \
	ANDQ  $(64/SIZE-1), CX; \
	MASKS(AX); \
	IN3(rankOne_nStride, R8, rankOne_mStride, R11, rankOne_v, R14); \
	VPXOR Y13, Y13, Y13; \
	VBCST rankOne_mu(DI), Y12; \
	IN2(rankOne_n, R15, rankOne_m, CX); \
	MOVQ  CX, rankOne_mRow(DI); \
	MOVQ  rankOne_rows(DI), CX; \
	MOVQ  CX, rankOne_left(DI)

#define RANK_LINE(BODY) BODY(LOAD, STORE, 0, Y0, Y1, Y2, Y3); BODY(LOAD, STORE, 32, Y4, Y5, Y6, Y7)
#define RANK_LAST(FETCH, BODY) \
	VMOVU (AX), Y15; \
	BODY(PART_LOAD, PART_STORE, 0, Y0, Y1, Y2, Y3); \
	VMOVU 32(AX), Y15; \
	BODY(PART_LOAD, PART_STORE, 32, Y4, Y5, Y6, Y7)
#define GROUP_OF(BITS)
#define GROUP_START(OLD, old, add) \
	MOVQ  rankOne_steps(DI), CX; \
	TESTL $const_stepDot, CX; \
	JEQ   add; \
	MOVQ  R15, SI; \
	MOVQ  rankOne_mRow(DI), R10; \
	MOVQ  rankOne_w(DI), BX; \
	OLD
#define OLD_V4
#define OLD_V2 VBCST (R14), Y3; VBCST SIZE(R14), Y14
#define OLD_V1 VBCST (R14), Y3
#define NEW_V4 BCST4(R14, Y10, Y12, Y13, Y14)
#define NEW_V2 VBCST (R14), Y6; VBCST SIZE(R14), Y7
#define NEW_V1 VBCST (R14), Y6
#define OLD_AND_ZERO(OLD, LANES) OLD; LANES(LANE_ZERO)

#define LANES_R4(OP) \
	LANES_R2(OP); \
	OP(128(R13), Y2); \
	OP(160(R13), Y6); \
	OP(192(R13), Y3); \
	OP(224(R13), Y7)
#define LANES_R2(OP) \
	LANES_R1(OP); \
	OP(64(R13), Y1); \
	OP(96(R13), Y5)
#define LANES_R1(OP) \
	OP((R13), Y0); \
	OP(32(R13), Y4)

// Sums of lanes, v and vv; with inv = 0 v stays. Groups of four leave other numbers in Y13. Of one row only the first
// sum counts.
#define PROJECT_R4(old, square, add) \
	INV_OR(square); \
	VPXOR Y13, Y13, Y13; \
	FOLD2(Y0, Y1, Y4, Y5); \
	FOLD2(Y2, Y3, Y6, Y7); \
	VBCST rankOne_inv(DI), Y8; \
	PROJECT(Y0, Y8, Y13, Y1); \
	PROJECT(Y2, Y8, Y13, Y3); \
	VEXTRACTF128 $1, Y0, X1; \
	VEXTRACTF128 $1, Y2, X3; \
	VMOVS X0, (R14); \
	VMOVS X1, SIZE(R14); \
	VMOVS X2, (2*SIZE)(R14); \
	VMOVS X3, (3*SIZE)(R14); \
	SQUARES(SQUARE2; SQUARE((2*SIZE)); SQUARE((3*SIZE)), square)
#define PROJECT_R2(old, square, add) \
	INV_OR(square); \
	FOLD2(Y0, Y1, Y4, Y5); \
	VBCST rankOne_inv(DI), Y8; \
	PROJECT(Y0, Y8, Y13, Y1); \
	VEXTRACTF128 $1, Y0, X1; \
	VMOVS X0, (R14); \
	VMOVS X1, SIZE(R14); \
	SQUARES(SQUARE2, square)
#define PROJECT_R1(old, square, add) \
	INV_OR(square); \
	VPXOR Y13, Y13, Y13; \
	FOLD2(Y0, Y1, Y4, Y5); \
	VBCST rankOne_inv(DI), Y8; \
	PROJECT(Y0, Y8, Y13, Y1); \
	VMOVS X0, (R14); \
	SQUARES(SQUARE(0), square)
#define INV_OR(square) MOVI rankOne_inv(DI), CX; ADDI CX, CX; JEQ square
#define SQUARES(OF, square) \
square: \
	VMOVS rankOne_vv(DI), X8; \
	OF; \
	VMOVS X8, rankOne_vv(DI)
#define SQUARE2 SQUARE(0); SQUARE(SIZE)
#define SQUARE(AT) VMOVS AT(R14), X9; VFMAS X9, X9, X8

#define AUG_STRIDES
#define AUG_FETCH2 PREFETCHT1 (SI)(R8*4); PREFETCHT1 (SI)(R9*1); PREFETCHT1 (R10)(R11*4)

// The masked rank-one pass: the update and the products of one row, which MASKED_ROW begins.
#define MASKED_ROW \
	MOVQ R9, SI; \
	MOVQ R11, DX; \
	MOVQ R13, BX; \
	MOVQ rankOne_w(DI), R14
#define MASKED_STEP(LD, ST, AT, A, B, SN) \
	SN((BX)); \
	LD(AT(R14), Y8); \
	VMUL    Y8, Y0, Y9; \
	LD(AT(DX), Y10); \
	STEP_OF(LD, NO_STORE, AT(SI)); \
	LD(AT(SI), Y6); \
	VBLENDV Y7, Y11, Y6, Y6; \
	ST(Y6, AT(SI))
#define MASKED_DOT(LD, ST, AT, PRODUCTS, SQUARES, SN) \
	SN((BX)); \
	LD(AT(R14), Y8); \
	N_SEEN(LD, AT(SI), AT(DX)); \
	VFMA Y11, Y8, PRODUCTS; \
	VAND Y7, Y8, Y6; \
	VFMA Y6, Y6, SQUARES
#define N_SEEN(LD, N, M) READ_ROW(LD, N, M); ONLY_SEEN(WN)
#define V_SEEN(V, R) VAND Y7, V, R
#define MACC Y2
#define MDEN Y3
#define MV0 Y0
#define MV1 Y1
#define MV2 Y6
#define MV3 Y14
#define MASKED_ADDED ADDQ $32, R15; ADDQ $32, AX
#define SEEN_LOWER(P) SEEN_OF(P, Y4)
#define SEEN_UPPER(P) SEEN_OF(P, Y5)

// The lanes of a row at AX.
#define MASKED_LANES(OP) LANES4(OP, 0, AX, Y0, Y1, Y2, Y3)

// The columns of a masked pass for a row or a group of rows, as RANK_COLS.
#define MASKED_COLS(FETCH, BODY, loop, part, end) \
	MOVQ rankOne_cols(DI), CX; \
	SHRQ $(LANES_LOG+1), CX; \
	JEQ  part; \
loop: /* for columns left > 0 { */ \
	FETCH; \
	BODY(LOAD, STORE, 0, Y0, Y2, SEEN_LOWER); \
	ADDQ $HALF_BYTES, BX; \
	BODY(LOAD, STORE, 32, Y1, Y3, SEEN_UPPER); \
	ADDQ $64, SI; \
	ADDQ $64, DX; \
	ADDQ $64, R14; \
	INCQ BX; \
	DECQ CX; \
	JNE  loop; /* } */ \
part: /* the last columns */ \
	TESTQ $(64/SIZE-1), rankOne_cols(DI); \
	JEQ   end; \
	MOVQ  rankOne_masks(DI), CX; \
	VMOVU (CX), Y15; \
	BODY(PART_LOAD, PART_STORE, 0, Y0, Y2, SEEN_LOWER); \
	VMOVU 32(CX), Y15; \
	MOVQ  rankOne_cols(DI), CX; /* on to a second byte, if there is one */ \
	ANDQ  $(64/SIZE-1), CX; \
	DECQ  CX; \
	SHRQ  $3, CX; \
	ADDQ  CX, BX; \
	BODY(PART_LOAD, PART_STORE, 32, Y1, Y3, SEEN_UPPER); \
	JMP   end
#define MASKED_BEGIN \
	MASKS(AX); \
	MOVQ  AX, rankOne_masks(DI); \
	LEAQ  BIT_OF_LANE, AX; \
	VMOVU (AX), Y4; \
	VMOVU (8*SIZE-32)(AX), Y5; \
	VPXOR Y13, Y13, Y13; \
	VBCST rankOne_mu(DI), Y12

// The rows of a group, one after the other.
//
//	           update, products               sums
//	Y0 Y1      v[i]; lanes of products        v[0] v[1]
//	Y2 Y3      lanes of squares               acc, den
//	Y4 Y5      bits of the lanes of the lower and the upper half of a group of columns
//	Y6         scratch                        v[2]
//	Y7 Y8      seen, w                        seen, scratch
//	Y9-Y11     update and n                   n
//	Y12        µ                              scratch
//	Y13 Y15    zero, mask of the last columns
//	Y14                                       v[3]
//	SI n[i]    DX m[i]   BX seen[i]   R14 w   R15 acc   AX den: all at the column reached
//	R8 R10 R12           strides of N, M and the mask
//	R9 R11 R13           n[i], m[i], seen[i]; 3 strides
//	R15 AX               &v[i], lanes
//	CX                   groups of columns left; scratch
//	r.left rows left     r.group rows of the group, r.inner of these left
//	r.masks of the last columns
#define MASKED_STEPS \
	MOVQ rankOne_lanes(DI), AX; \
	MOVQ CX, rankOne_inner(DI); \
row: /* for rows of the group { */ \
	TESTL $const_updateDot, rankOne_steps(DI); \
	JNE   update; \
products: \
	TESTL $const_stepDot, rankOne_steps(DI); \
	JEQ   projected; \
	MASKED_LANES(LANE_ZERO); \
	TESTL $const_stepResume, rankOne_steps(DI); \
	JEQ   dot; \
	MASKED_LANES(LOAD); \
dot: \
	MASKED_ROW; \
	MASKED_COLS(NOTHING, MASKED_DOT, dotLoop, dotPart, dotted); \
dotted: \
	TESTL $const_stepSuspend, rankOne_steps(DI); \
	JEQ   project; \
	MASKED_LANES(LANE_SAVE); \
	ADDQ  $128, AX; \
	JMP   projected; \
project: /* Y0 sum of products, Y1 1 / sum of squares */ \
	ADDQ  $128, AX; \
	FOLD2(Y0, Y2, Y1, Y3); \
	VEXTRACTF128 $1, Y0, X1; \
	VBCST   rankOne_inv(DI), Y2; \
	VDIV    Y1, Y2, Y1; \
	VCMP    $0x1E, Y13, Y1, Y2; /* positive */ \
	VSUB    Y1, Y1, Y3; \
	VCMP    $0x00, Y13, Y3, Y3; /* and finite */ \
	VAND    Y2, Y3, Y3; \
	VCMP    $0x1E, Y13, Y0, Y2; \
	VMUL    Y1, Y0, Y0; \
	VAND    Y2, Y0, Y0; \
	VMOVS   (R15), X2; \
	VBLENDV Y3, Y0, Y2, Y0; \
	VMOVS   X0, (R15); \
projected: \
	TESTL $const_updateAdd, rankOne_steps(DI); \
	JEQ   next; \
update: \
	VBCST (R15), Y0; \
	MASKED_ROW; \
	MASKED_COLS(NOTHING, MASKED_STEP, updateLoop, updatePart, updated); \
updated: \
	TESTL $const_updateAdd, rankOne_steps(DI); \
	JEQ   products; \
next: \
	MASKED_NEXT; \
	DECQ rankOne_inner(DI); \
	JNE  row /* } */

#include "rankone_amd64.h"
