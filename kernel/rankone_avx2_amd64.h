// The AVX2 bodies of rankone.go. kernel_avx2_amd64.h has what the rooms share.

// The same with p = v w, v in V, w in Y8.
#define RANK_STEP(LD, ST, N, M, V) \
	VMUL Y8, V, Y9; \
	LD(M, Y10); \
	STEP(LD, ST, N)

#define LANES2(OP) \
	OP((R13), Y0); \
	OP(32(R13), Y4); \
	OP(64(R13), Y1); \
	OP(96(R13), Y5)
#define LANES4(OP) \
	LANES2(OP); \
	OP(128(R13), Y2); \
	OP(160(R13), Y6); \
	OP(192(R13), Y3); \
	OP(224(R13), Y7)

// vv += v*v of the v at AT; vv in X8.
#define SQUARE(AT) VMOVS AT(R14), X9; VFMAS X9, X9, X8

// The bodies, for four rows (R4), two (R2) or one (R1), at AT bytes from the
// column reached. DOT has n at SI and the lanes in A0-A3. ADD has n at DX, and of
// four rows acc in Y9 and v in Y10, Y12-Y14, else acc in Y2 and v in Y6, Y7. The
// update has m at R10 and takes the v of Y3, Y14 in DOT.
#define DOT_R4(LD, ST, AT, A0, A1, A2, A3) \
	DOT_R2(LD, ST, AT, A0, A1, A2, A3); \
	DOT_ROW(LD, AT(SI)(R8*2), A2); \
	DOT_ROW(LD, AT(SI)(R9*1), A3)
#define DOT_R2(LD, ST, AT, A0, A1, A2, A3) \
	DOT_R1(LD, ST, AT, A0, A1, A2, A3); \
	DOT_ROW(LD, AT(SI)(R8*1), A1)
#define DOT_R1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(BX), Y8); \
	DOT_ROW(LD, AT(SI), A0)
#define DOT_ROW(LD, N, A) LD(N, Y11); VFMA Y11, Y8, A

#define STEP_DOT_R2(LD, ST, AT, A0, A1, A2, A3) \
	STEP_DOT_R1(LD, ST, AT, A0, A1, A2, A3); \
	STEP_DOT_ROW(LD, ST, AT(SI)(R8*1), AT(R10)(R11*1), Y14, A1)
#define STEP_DOT_R1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(BX), Y8); \
	STEP_DOT_ROW(LD, ST, AT(SI), AT(R10), Y3, A0)
#define STEP_DOT_ROW(LD, ST, N, M, V, A) RANK_STEP(LD, ST, N, M, V); VFMA Y11, Y8, A

#define ADD_R4(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(R13), Y9); \
	ADD_ROW(LD, AT(DX), Y10, Y9); \
	ADD_ROW(LD, AT(DX)(R8*1), Y12, Y9); \
	ADD_ROW(LD, AT(DX)(R8*2), Y13, Y9); \
	ADD_ROW(LD, AT(DX)(R9*1), Y14, Y9); \
	ST(Y9, AT(R13))
#define ADD_R2(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(R13), Y2); \
	ADD_ROW(LD, AT(DX), Y6, Y2); \
	ADD_ROW(LD, AT(DX)(R8*1), Y7, Y2); \
	ST(Y2, AT(R13))
#define ADD_R1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(R13), Y2); \
	ADD_ROW(LD, AT(DX), Y6, Y2); \
	ST(Y2, AT(R13))
#define ADD_ROW(LD, N, V, ACC) LD(N, Y11); VFMA Y11, V, ACC

#define STEP_ADD_R2(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(BX), Y8); \
	LD(AT(R13), Y2); \
	STEP_ADD_ROW(LD, ST, AT(DX), AT(R10), Y6); \
	STEP_ADD_ROW(LD, ST, AT(DX)(R8*1), AT(R10)(R11*1), Y7); \
	ST(Y2, AT(R13))
#define STEP_ADD_R1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(BX), Y8); \
	LD(AT(R13), Y2); \
	STEP_ADD_ROW(LD, ST, AT(DX), AT(R10), Y6); \
	ST(Y2, AT(R13))
#define STEP_ADD_ROW(LD, ST, N, M, V) RANK_STEP(LD, ST, N, M, V); VFMA Y11, V, Y2

// The sums of one group and the products of the next.
#define ADD_DOT_R4(LD, ST, AT, A0, A1, A2, A3) \
	ADD_R4(LD, ST, AT, A0, A1, A2, A3); \
	DOT_R4(LD, ST, AT, A0, A1, A2, A3)
#define ADD_STEP_DOT_R2(LD, ST, AT, A0, A1, A2, A3) \
	ADD_R2(LD, ST, AT, A0, A1, A2, A3); \
	STEP_DOT_R2(LD, ST, AT, A0, A1, A2, A3)
#define STEP_ADD_DOT_R2(LD, ST, AT, A0, A1, A2, A3) \
	STEP_ADD_R2(LD, ST, AT, A0, A1, A2, A3); \
	DOT_R2(LD, ST, AT, A0, A1, A2, A3)

// The groups that come next are fetched meanwhile: four rows with R11, R12 = 5,
// 7 strides of N, or two with R9 = 5 strides of N and R12 = 5 of M.
#define FETCH_R4 \
	PREFETCHT1 (SI)(R8*4); \
	PREFETCHT1 (SI)(R11*1); \
	PREFETCHT1 (SI)(R9*2); \
	PREFETCHT1 (SI)(R12*1)
#define FETCH_R2 \
	PREFETCHT1 (SI)(R8*4); \
	PREFETCHT1 (SI)(R9*1); \
	PREFETCHT1 (R10)(R11*4); \
	PREFETCHT1 (R10)(R12*1)
#define NOTHING

// The columns of a group of rows, 64 bytes at a time: BODY is the step on 32 bytes of columns, FETCH is
// what is fetched for the groups that come next. Goes on at end.
#define RANK_COLS(FETCH, BODY, loop, part, end) \
	MOVQ  rankOne_cols(DI), CX; \
	SHRQ  $(LANES_LOG+1), CX; \
	JEQ   part; \
loop: /* for columns left > 0 { */ \
	FETCH; \
	BODY(LOAD, STORE, 0, Y0, Y1, Y2, Y3); \
	BODY(LOAD, STORE, 32, Y4, Y5, Y6, Y7); \
	ADDQ  $64, SI; \
	ADDQ  $64, DX; \
	ADDQ  $64, R10; \
	ADDQ  $64, BX; \
	ADDQ  $64, R13; \
	DECQ  CX; \
	JNE   loop; /* } */ \
part: /* the last columns */ \
	TESTQ $(64/SIZE-1), rankOne_cols(DI); \
	JEQ   end; \
	VMOVU (AX), Y15; \
	BODY(PART_LOAD, PART_STORE, 0, Y0, Y1, Y2, Y3); \
	VMOVU 32(AX), Y15; \
	BODY(PART_LOAD, PART_STORE, 32, Y4, Y5, Y6, Y7); \
	JMP   end

// One row of a rank-one pass up to its target, with the update for v in V and w in Y8,
// and without. The bodies are those of RankOne otherwise; of two groups, R10 is at m of
// the later one, and R12 is -1 stride of M.
#define AUG_UPDATED(LD, ST, G, M, V) \
	VMUL Y8, V, Y9; \
	LD(M, Y10); \
	AUG_STEP(LD, ST, G); \
	AUG_TARGET(rankOne_part(DI))
#define AUG_READ(LD, G, M) \
	LD(M, Y10); \
	VMAX Y13, Y10, Y10; \
	LD(G, Y11); \
	AUG_TARGET(rankOne_part(DI))

#define AUG_PRODUCTS2(LD, ST, AT, A0, A1, A2, A3) \
	AUG_PRODUCTS1(LD, ST, AT, A0, A1, A2, A3); \
	AUG_READ(LD, AT(SI)(R8*1), AT(R10)(R11*1)); \
	VFMA Y11, Y8, A1
#define AUG_PRODUCTS1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(BX), Y8); \
	AUG_READ(LD, AT(SI), AT(R10)); \
	VFMA Y11, Y8, A0
#define AUG_BEFORE2(LD, ST, AT, A0, A1, A2, A3) \
	AUG_BEFORE1(LD, ST, AT, A0, A1, A2, A3); \
	AUG_UPDATED(LD, ST, AT(SI)(R8*1), AT(R10)(R11*1), Y14); \
	VFMA Y11, Y8, A1
#define AUG_BEFORE1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(BX), Y8); \
	AUG_UPDATED(LD, ST, AT(SI), AT(R10), Y3); \
	VFMA Y11, Y8, A0
#define AUG_SUMS2(LD, ST, AT, A0, A1, A2, A3) AUG_SUMS_OF2(LD, ST, AT, AT(R10), AT(R10)(R11*1))
#define AUG_SUMS_OF2(LD, ST, AT, M0, M1) \
	LD(AT(R13), Y2); \
	AUG_READ(LD, AT(DX), M0); \
	VFMA Y11, Y6, Y2; \
	AUG_READ(LD, AT(DX)(R8*1), M1); \
	VFMA Y11, Y7, Y2; \
	ST(Y2, AT(R13))
#define AUG_SUMS1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(R13), Y2); \
	AUG_READ(LD, AT(DX), AT(R10)); \
	VFMA Y11, Y6, Y2; \
	ST(Y2, AT(R13))
#define AUG_AFTER2(LD, ST, AT, A0, A1, A2, A3) AUG_AFTER_OF2(LD, ST, AT, AT(R10), AT(R10)(R11*1))
#define AUG_AFTER_OF2(LD, ST, AT, M0, M1) \
	LD(AT(BX), Y8); \
	LD(AT(R13), Y2); \
	AUG_UPDATED(LD, ST, AT(DX), M0, Y6); \
	VFMA Y11, Y6, Y2; \
	AUG_UPDATED(LD, ST, AT(DX)(R8*1), M1, Y7); \
	VFMA Y11, Y7, Y2; \
	ST(Y2, AT(R13))
#define AUG_AFTER1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(BX), Y8); \
	LD(AT(R13), Y2); \
	AUG_UPDATED(LD, ST, AT(DX), AT(R10), Y6); \
	VFMA Y11, Y6, Y2; \
	ST(Y2, AT(R13))
#define AUG_FETCH2 \
	PREFETCHT1 (SI)(R8*4); \
	PREFETCHT1 (SI)(R9*1); \
	PREFETCHT1 (R10)(R11*4)
#define AUG_SUMS_BEFORE2(LD, ST, AT, A0, A1, A2, A3) \
	AUG_SUMS_OF2(LD, ST, AT, AT(R10)(R12*2), AT(R10)(R12*1)); \
	AUG_BEFORE2(LD, ST, AT, A0, A1, A2, A3)
#define AUG_AFTER_PRODUCTS2(LD, ST, AT, A0, A1, A2, A3) \
	AUG_AFTER_OF2(LD, ST, AT, AT(R10)(R12*2), AT(R10)(R12*1)); \
	AUG_PRODUCTS2(LD, ST, AT, A0, A1, A2, A3)

// The masked rank-one pass: the update and the products of one row, and the sums of four
// (R4) or one (R1). MASKED_ROW begins a row.
#define MASKED_ROW \
	MOVQ R9, SI; \
	MOVQ R11, DX; \
	MOVQ R13, BX; \
	MOVQ rankOne_w(DI), R14
#define MASKED_STEP(LD, ST, AT, A, B, BITS) \
	SEEN_OF((BX), BITS); \
	LD(AT(R14), Y8); \
	VMUL    Y8, Y0, Y9; \
	LD(AT(DX), Y10); \
	STEP_OF(LD, NO_STORE, AT(SI)); \
	LD(AT(SI), Y6); \
	VBLENDV Y7, Y11, Y6, Y6; \
	ST(Y6, AT(SI))
#define MASKED_DOT(LD, ST, AT, PRODUCTS, SQUARES, BITS) \
	SEEN_OF((BX), BITS); \
	LD(AT(R14), Y8); \
	READ(LD, AT(SI), AT(DX)); \
	VAND Y7, Y11, Y11; \
	VFMA Y11, Y8, PRODUCTS; \
	VAND Y7, Y8, Y6; \
	VFMA Y6, Y6, SQUARES
#define MASKED_FETCH \
	PREFETCHT1 (SI)(R8*4); \
	PREFETCHT1 (SI)(R9*2); \
	PREFETCHT1 (DX)(R10*4); \
	PREFETCHT1 (DX)(R11*2)
#define MASKED_ADD_R4(LD, ST, AT, A, B, BITS) \
	LD((R15), Y2); \
	LD((AX), Y3); \
	MASKED_ADD_ROW(LD, AT(SI), AT(DX), (BX), Y0, BITS); \
	MASKED_ADD_ROW(LD, AT(SI)(R8*1), AT(DX)(R10*1), (BX)(R12*1), Y1, BITS); \
	MASKED_ADD_ROW(LD, AT(SI)(R8*2), AT(DX)(R10*2), (BX)(R12*2), Y6, BITS); \
	MASKED_ADD_ROW(LD, AT(SI)(R9*1), AT(DX)(R11*1), (BX)(R13*1), Y14, BITS); \
	MASKED_ADDED(ST)
#define MASKED_ADD_R1(LD, ST, AT, A, B, BITS) \
	LD((R15), Y2); \
	LD((AX), Y3); \
	MASKED_ADD_ROW(LD, AT(SI), AT(DX), (BX), Y0, BITS); \
	MASKED_ADDED(ST)
#define MASKED_ADD_ROW(LD, N, M, O, V, BITS) \
	SEEN_OF(O, BITS); \
	READ(LD, N, M); \
	VAND Y7, Y11, Y11; \
	VFMA Y11, V, Y2; \
	VAND Y7, V, Y8; \
	VFMA Y8, Y8, Y3
#define MASKED_ADDED(ST) \
	ST(Y2, (R15)); \
	ST(Y3, (AX)); \
	ADDQ $32, R15; \
	ADDQ $32, AX

// The lanes of a row at AX.
#define MASKED_LANES(OP) \
	OP((AX), Y0); \
	OP(32(AX), Y1); \
	OP(64(AX), Y2); \
	OP(96(AX), Y3)

// The columns of a masked pass for a row or a group of rows, as RANK_COLS.
#define MASKED_COLS(FETCH, BODY, loop, part, end) \
	MOVQ rankOne_cols(DI), CX; \
	SHRQ $(LANES_LOG+1), CX; \
	JEQ  part; \
loop: /* for columns left > 0 { */ \
	FETCH; \
	BODY(LOAD, STORE, 0, Y0, Y2, Y4); \
	ADDQ $HALF_BYTES, BX; \
	BODY(LOAD, STORE, 32, Y1, Y3, Y5); \
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
	BODY(PART_LOAD, PART_STORE, 0, Y0, Y2, Y4); \
	VMOVU 32(CX), Y15; \
	MOVQ  rankOne_cols(DI), CX; /* on to a second byte, if there is one */ \
	ANDQ  $(64/SIZE-1), CX; \
	DECQ  CX; \
	SHRQ  $3, CX; \
	ADDQ  CX, BX; \
	BODY(PART_LOAD, PART_STORE, 32, Y1, Y3, Y5); \
	JMP   end

// func rankOne(r *rankOne): rankOneGeneric, in steps
//
// Rows go in groups: of four, or with stepPairs of two, while there are so many, then of one. With stepDot and
// stepAdd, the sums of a group are taken together with the products of the next one, at project, and the ones after
// that are prefetched: rows come from L3 or memory at an even pace.
//
// Preconditions: rows, cols >= 1; with stepResume or stepSuspend, rows is that
// of one group; stepPairs if there is an update.
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
//	Y15        mask of the last columns
//	R8 R9      1, 3 strides of N        1, 5 strides of N
//	R11 R12    5, 7 strides of N        1, 5 strides of M
//	R10                                 m[i], column reached
//	R14 &v[i]   R15 n[i], r.mRow m[i], first column
//	SI n[i]     DX n[i] of the sums     BX w     R13 acc, lanes: column reached
//	AX masks of the last columns        CX groups of columns left; steps
//	r.left rows left, but for the group
DATA TABLE+bodies_rankOne(SB)/8, $rankOneAVX2<>(SB)
TEXT rankOneAVX2<>(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ  r+0(FP), DI
	MOVQ  rankOne_cols(DI), CX
	ANDQ  $(64/SIZE-1), CX
	MASKS(AX)
	MOVQ  rankOne_nStride(DI), R8
	MOVQ  rankOne_mStride(DI), R11
	MOVQ  rankOne_v(DI), R14
	VPXOR Y13, Y13, Y13
	VBCST rankOne_mu(DI), Y12
	MOVQ  rankOne_n(DI), R15
	MOVQ  rankOne_m(DI), CX
	MOVQ  CX, rankOne_mRow(DI)
	MOVQ  rankOne_rows(DI), CX
	MOVQ  CX, rankOne_left(DI)
	TESTL $const_stepPairs, rankOne_steps(DI)
	JNE   pairs

	LEAQ (R8)(R8*2), R9
	LEAQ (R8)(R8*4), R11
	LEAQ (R9)(R8*4), R12
	SUBQ $4, rankOne_left(DI)
	JLT  rest4

fours: // for rows left >= 4 {
	MOVQ  rankOne_steps(DI), CX
	TESTL $const_stepDot, CX
	JEQ   add4
	MOVQ  R15, SI
	MOVQ  rankOne_w(DI), BX
	LANES4(LANE_ZERO)
	TESTL $const_stepResume, CX
	JEQ   dot4
	MOVQ  rankOne_lanes(DI), R13
	LANES4(LANE_LOAD)

dot4:
	RANK_COLS(NOTHING, DOT_R4, dotLoop4, dotPart4, dotted4)

dotted4:
	TESTL $const_stepSuspend, rankOne_steps(DI)
	JEQ   project4
	MOVQ  rankOne_lanes(DI), R13
	LANES4(LANE_SAVE)
	JMP   next4

project4:
	MOVI  rankOne_inv(DI), CX
	ADDI  CX, CX
	JEQ   square4                 // inv = 0: v stays
	VPXOR Y13, Y13, Y13
	FOLD2(Y0, Y1, Y4, Y5)
	FOLD2(Y2, Y3, Y6, Y7)
	VBCST rankOne_inv(DI), Y8
	PROJECT(Y0, Y8, Y13, Y1)
	PROJECT(Y2, Y8, Y13, Y3)
	VEXTRACTF128 $1, Y0, X1
	VEXTRACTF128 $1, Y2, X3
	VMOVS X0, (R14)
	VMOVS X1, SIZE(R14)
	VMOVS X2, (2*SIZE)(R14)
	VMOVS X3, (3*SIZE)(R14)

square4:
	VMOVS rankOne_vv(DI), X8
	SQUARE(0)
	SQUARE(SIZE)
	SQUARE((2*SIZE))
	SQUARE((3*SIZE))
	VMOVS X8, rankOne_vv(DI)

add4:
	MOVQ  rankOne_steps(DI), CX
	TESTL $const_stepAdd, CX
	JEQ   next4
	VBCST (R14), Y10
	VBCST SIZE(R14), Y12
	VBCST (2*SIZE)(R14), Y13
	VBCST (3*SIZE)(R14), Y14
	MOVQ  R15, DX
	MOVQ  rankOne_w(DI), BX
	MOVQ  rankOne_acc(DI), R13
	TESTL $const_stepDot, CX
	JEQ   addOnly4
	CMPQ  rankOne_left(DI), $4
	JLT   addOnly4

	// The sums of this group, the products of the next.
	SUBQ  $4, rankOne_left(DI)
	ADDQ  $(4*SIZE), R14
	LEAQ  (R15)(R8*4), R15
	MOVQ  R15, SI
	LANES4(LANE_ZERO)

	RANK_COLS(FETCH_R4, ADD_DOT_R4, addDotLoop4, addDotPart4, project4)

addOnly4:
	RANK_COLS(NOTHING, ADD_R4, addLoop4, addPart4, next4)

next4:
	LEAQ (R15)(R8*4), R15
	ADDQ $(4*SIZE), R14
	SUBQ $4, rankOne_left(DI)
	JGE  fours                    // }

rest4:
	ADDQ $4, rankOne_left(DI)
	JMP  rest

#define BEFORE2 STEP_DOT_R2
#define BEFORE1 STEP_DOT_R1
#define AFTER2 STEP_ADD_R2
#define AFTER1 STEP_ADD_R1
#define PRODUCTS2 DOT_R2
#define PRODUCTS1 DOT_R1
#define SUMS2 ADD_R2
#define SUMS1 ADD_R1
#define SUMS_BEFORE2 ADD_STEP_DOT_R2
#define AFTER_PRODUCTS2 STEP_ADD_DOT_R2
#define FETCH2 FETCH_R2
#define M_STRIDES LEAQ (R11)(R11*4), R12
#define M_OF_SUMS SUBQ R11, R10; SUBQ R11, R10
#include "rankone_pairs_avx2_amd64.h"

// func augRankOne(r *rankOne): rankOneAugmentedGeneric, in steps
//
// rankOne on the target of the augmented Lagrangian: n is G, of which the target is
// formed wherever a row is read, and m is always there. Rows go in groups of two and of
// one.
//
// Preconditions: those of rankOne, and stepPairs. Registers as there, but for
//
//	Y12 1/(1+ρ)   R12 -1 stride of M
DATA TABLE+bodies_augRankOne(SB)/8, $augRankOneAVX2<>(SB)
TEXT augRankOneAVX2<>(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ  r+0(FP), DI
	MOVQ  rankOne_cols(DI), CX
	ANDQ  $(64/SIZE-1), CX
	MASKS(AX)
	MOVQ  rankOne_nStride(DI), R8
	MOVQ  rankOne_mStride(DI), R11
	MOVQ  rankOne_v(DI), R14
	VPXOR Y13, Y13, Y13
	VBCST rankOne_mu(DI), Y12
	MOVQ  rankOne_n(DI), R15
	MOVQ  rankOne_m(DI), CX
	MOVQ  CX, rankOne_mRow(DI)
	MOVQ  rankOne_rows(DI), CX
	MOVQ  CX, rankOne_left(DI)

#define BEFORE2 AUG_BEFORE2
#define BEFORE1 AUG_BEFORE1
#define AFTER2 AUG_AFTER2
#define AFTER1 AUG_AFTER1
#define PRODUCTS2 AUG_PRODUCTS2
#define PRODUCTS1 AUG_PRODUCTS1
#define SUMS2 AUG_SUMS2
#define SUMS1 AUG_SUMS1
#define SUMS_BEFORE2 AUG_SUMS_BEFORE2
#define AFTER_PRODUCTS2 AUG_AFTER_PRODUCTS2
#define FETCH2 AUG_FETCH2
#define M_STRIDES MOVQ R11, R12; NEGQ R12
#define M_OF_SUMS
#include "rankone_pairs_avx2_amd64.h"

// func maskedRankOne(r *rankOne): rankOneMaskedGeneric, in steps
//
// Groups are of four rows while there are so many, then of one.
// Preconditions: rows, cols >= 1; with stepResume or stepSuspend, rows is that of one
// group.
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
//	r.nRow, r.mRow, r.seenRow, r.vAt   the group, first column   r.masks of the last columns
DATA TABLE+bodies_maskedRankOne(SB)/8, $maskedRankOneAVX2<>(SB)
TEXT maskedRankOneAVX2<>(SB), NOSPLIT|NOFRAME, $0-8
#define READ(LD, N, M) LD(N, Y11)
#define STEP_OF STEP
#include "rankone_masked_avx2_amd64.h"

// func maskedAugRank(r *rankOne): rankOneAugmentedMaskedGeneric, in steps
//
// maskedRankOne on the target of the augmented Lagrangian, as augRankOne is rankOne.
DATA TABLE+bodies_maskedAugRank(SB)/8, $maskedAugRankAVX2<>(SB)
TEXT maskedAugRankAVX2<>(SB), NOSPLIT|NOFRAME, $0-8
#define READ AUG_READ
#define STEP_OF AUG_STEP
#include "rankone_masked_avx2_amd64.h"
