// The AVX-512 bodies of rankone.go. kernel_avx512_amd64.h has what the rooms share.

// The same with p = v w, v in V, w in Z4.
#define RANK_STEP(LD, ST, N, M, V) \
	VMUL Z4, V, Z5; \
	LD(M, Z6); \
	STEP(LD, ST, N)

// Stores v of a group, or if inv = 0 goes on with the v of the previous pass.
#define KEEP_V(old) \
	MOVI      rankOne_inv(DI), CX; \
	ADDI      CX, CX; \
	JEQ       old; \
	VCOMPRESS Z30, K3, Z30; \
	STORE4((R14))

// The bodies, for four rows (R4), two (R2) or one (R1). DOT has n at SI and the
// lanes from Z0 on; ADD has n at AX and v from Z16 on; the update has m at R10
// and takes the v from Z24 on in DOT.
#define DOT_R4(LD, ST) \
	DOT_R2(LD, ST); \
	DOT_ROW(LD, (SI)(R8*2), Z2); \
	DOT_ROW(LD, (SI)(R9*1), Z3)
#define DOT_R2(LD, ST) \
	DOT_R1(LD, ST); \
	DOT_ROW(LD, (SI)(R8*1), Z1)
#define DOT_R1(LD, ST) \
	LD((BX), Z4); \
	DOT_ROW(LD, (SI), Z0)
#define DOT_ROW(LD, N, A) LD(N, Z7); VFMA Z7, Z4, A

#define STEP_DOT_R2(LD, ST) \
	STEP_DOT_R1(LD, ST); \
	STEP_DOT_ROW(LD, ST, (SI)(R8*1), (R10)(R11*1), Z25, Z1)
#define STEP_DOT_R1(LD, ST) \
	LD((BX), Z4); \
	STEP_DOT_ROW(LD, ST, (SI), (R10), Z24, Z0)
#define STEP_DOT_ROW(LD, ST, N, M, V, A) RANK_STEP(LD, ST, N, M, V); VFMA Z7, Z4, A

#define ADD_R4(LD, ST) \
	LD((R13), Z8); \
	ADD_ROW(LD, (AX), Z16); \
	ADD_ROW(LD, (AX)(R8*1), Z17); \
	ADD_ROW(LD, (AX)(R8*2), Z18); \
	ADD_ROW(LD, (AX)(R9*1), Z19); \
	ST(Z8, (R13))
#define ADD_R2(LD, ST) \
	LD((R13), Z8); \
	ADD_ROW(LD, (AX), Z16); \
	ADD_ROW(LD, (AX)(R8*1), Z17); \
	ST(Z8, (R13))
#define ADD_R1(LD, ST) \
	LD((R13), Z8); \
	ADD_ROW(LD, (AX), Z16); \
	ST(Z8, (R13))
#define ADD_ROW(LD, N, V) LD(N, Z7); VFMA Z7, V, Z8

#define STEP_ADD_R2(LD, ST) \
	LD((BX), Z4); \
	LD((R13), Z8); \
	STEP_ADD_ROW(LD, ST, (AX), (R10), Z16); \
	STEP_ADD_ROW(LD, ST, (AX)(R8*1), (R10)(R11*1), Z17); \
	ST(Z8, (R13))
#define STEP_ADD_R1(LD, ST) \
	LD((BX), Z4); \
	LD((R13), Z8); \
	STEP_ADD_ROW(LD, ST, (AX), (R10), Z16); \
	ST(Z8, (R13))
#define STEP_ADD_ROW(LD, ST, N, M, V) RANK_STEP(LD, ST, N, M, V); VFMA Z7, V, Z8

// The sums of one group and the products of the next, while those after it are
// fetched: four rows with R11, R12 = 5, 7 strides of N, or two with R9 = 5 strides
// of N and R12 = 5 of M.
#define ADD_DOT_R4(LD, ST) \
	PREFETCHT1 (SI)(R8*4); \
	PREFETCHT1 (SI)(R11*1); \
	PREFETCHT1 (SI)(R9*2); \
	PREFETCHT1 (SI)(R12*1); \
	ADD_R4(LD, ST); \
	DOT_R4(LD, ST)
#define FETCH_R2 \
	PREFETCHT1 (SI)(R8*4); \
	PREFETCHT1 (SI)(R9*1); \
	PREFETCHT1 (R10)(R11*4); \
	PREFETCHT1 (R10)(R12*1)
#define ADD_STEP_DOT_R2(LD, ST) \
	FETCH_R2; \
	ADD_R2(LD, ST); \
	STEP_DOT_R2(LD, ST)
#define STEP_ADD_DOT_R2(LD, ST) \
	FETCH_R2; \
	STEP_ADD_R2(LD, ST); \
	DOT_R2(LD, ST)

// The columns of a group of rows, a vector at a time: BODY is the step on it. Goes on at end.
#define RANK_COLS(BODY, loop, part, end) \
	MOVQ     rankOne_cols(DI), CX; \
	SHRQ     $LANES_LOG, CX; \
	JEQ      part; \
loop: /* for columns left > 0 { */ \
	BODY(LOAD, STORE); \
	ADDQ     $64, AX; \
	ADDQ     $64, SI; \
	ADDQ     $64, R10; \
	ADDQ     $64, BX; \
	ADDQ     $64, R13; \
	DECQ     CX; \
	JNE      loop; /* } */ \
part: /* the last columns */ \
	KORTESTW K1, K1; \
	JEQ      end; \
	BODY(PART_LOAD, PART_STORE); \
	JMP      end

// One row of a rank-one pass up to its target, with the update for v in V and w in Z4,
// and without. The bodies are those of RankOne otherwise; of two groups, R10 is at m of
// the later one; R12 and DX are -1 and 5 strides of M.
#define AUG_UPDATED(LD, ST, G, M, V) \
	VMUL Z4, V, Z5; \
	LD(M, Z6); \
	AUG_STEP(LD, ST, G); \
	AUG_TARGET(WNU)
#define AUG_READ(LD, G, M) \
	LD(M, Z6); \
	VMAX Z21, Z6, Z6; \
	LD(G, Z7); \
	AUG_TARGET(WNU)

#define AUG_PRODUCTS2(LD, ST) \
	AUG_PRODUCTS1(LD, ST); \
	AUG_READ(LD, (SI)(R8*1), (R10)(R11*1)); \
	VFMA Z7, Z4, Z1
#define AUG_PRODUCTS1(LD, ST) \
	LD((BX), Z4); \
	AUG_READ(LD, (SI), (R10)); \
	VFMA Z7, Z4, Z0
#define AUG_BEFORE2(LD, ST) \
	AUG_BEFORE1(LD, ST); \
	AUG_UPDATED(LD, ST, (SI)(R8*1), (R10)(R11*1), Z25); \
	VFMA Z7, Z4, Z1
#define AUG_BEFORE1(LD, ST) \
	LD((BX), Z4); \
	AUG_UPDATED(LD, ST, (SI), (R10), Z24); \
	VFMA Z7, Z4, Z0
#define AUG_SUMS2(LD, ST) AUG_SUMS_OF2(LD, ST, (R10), (R10)(R11*1))
#define AUG_SUMS_OF2(LD, ST, M0, M1) \
	LD((R13), Z8); \
	AUG_READ(LD, (AX), M0); \
	VFMA Z7, Z16, Z8; \
	AUG_READ(LD, (AX)(R8*1), M1); \
	VFMA Z7, Z17, Z8; \
	ST(Z8, (R13))
#define AUG_SUMS1(LD, ST) \
	LD((R13), Z8); \
	AUG_READ(LD, (AX), (R10)); \
	VFMA Z7, Z16, Z8; \
	ST(Z8, (R13))
#define AUG_AFTER2(LD, ST) AUG_AFTER_OF2(LD, ST, (R10), (R10)(R11*1))
#define AUG_AFTER_OF2(LD, ST, M0, M1) \
	LD((BX), Z4); \
	LD((R13), Z8); \
	AUG_UPDATED(LD, ST, (AX), M0, Z16); \
	VFMA Z7, Z16, Z8; \
	AUG_UPDATED(LD, ST, (AX)(R8*1), M1, Z17); \
	VFMA Z7, Z17, Z8; \
	ST(Z8, (R13))
#define AUG_AFTER1(LD, ST) \
	LD((BX), Z4); \
	LD((R13), Z8); \
	AUG_UPDATED(LD, ST, (AX), (R10), Z16); \
	VFMA Z7, Z16, Z8; \
	ST(Z8, (R13))
#define AUG_FETCH2 \
	PREFETCHT1 (SI)(R8*4); \
	PREFETCHT1 (SI)(R9*1); \
	PREFETCHT1 (R10)(R11*4); \
	PREFETCHT1 (R10)(DX*1)
#define AUG_SUMS_BEFORE2(LD, ST) \
	AUG_FETCH2; \
	AUG_SUMS_OF2(LD, ST, (R10)(R12*2), (R10)(R12*1)); \
	AUG_BEFORE2(LD, ST)
#define AUG_AFTER_PRODUCTS2(LD, ST) \
	AUG_FETCH2; \
	AUG_AFTER_OF2(LD, ST, (R10)(R12*2), (R10)(R12*1)); \
	AUG_PRODUCTS2(LD, ST)

// The masked rank-one pass, for four rows (R4) or one (R1).
#define MASKED_STEP(LD, SEEN_IN) \
	SEEN_IN((BX)); \
	LD((R14), Z4); \
	VMUL Z4, Z16, Z5; \
	SEEN_LOAD((DX), Z6); \
	STEP_OF(SEEN_LOAD, SEEN_STORE, (SI))

#define MASKED_DOT_R4(LD, ST, SEEN_IN) \
	MASKED_DOT_R1(LD, ST, SEEN_IN); \
	MASKED_DOT_ROW(SEEN_IN, (SI)(R8*1), (DX)(R10*1), (BX)(R12*1), Z25, Z13); \
	MASKED_DOT_ROW(SEEN_IN, (SI)(R8*2), (DX)(R10*2), (BX)(R12*2), Z26, Z14); \
	MASKED_DOT_ROW(SEEN_IN, (SI)(R9*1), (DX)(R11*1), (BX)(R13*1), Z27, Z15)
#define MASKED_DOT_R1(LD, ST, SEEN_IN) \
	LD((R14), Z4); \
	MASKED_DOT_ROW(SEEN_IN, (SI), (DX), (BX), Z24, Z12)
#define MASKED_DOT_ROW(SEEN_IN, N, M, O, PRODUCTS, SQUARES) \
	SEEN_IN(O); \
	READ(N, M); \
	VFMA Z7, Z4, PRODUCTS; \
	VFMA Z4, Z4, K2, SQUARES

#define MASKED_ADD_R4(LD, ST, SEEN_IN) \
	PREFETCHT1 (SI)(R8*4); \
	PREFETCHT1 (SI)(R9*2); \
	PREFETCHT1 (DX)(R10*4); \
	PREFETCHT1 (DX)(R11*2); \
	LD((R15), Z8); \
	LD((AX), Z11); \
	MASKED_ADD_ROW(SEEN_IN, (SI), (DX), (BX), Z16); \
	MASKED_ADD_ROW(SEEN_IN, (SI)(R8*1), (DX)(R10*1), (BX)(R12*1), Z17); \
	MASKED_ADD_ROW(SEEN_IN, (SI)(R8*2), (DX)(R10*2), (BX)(R12*2), Z18); \
	MASKED_ADD_ROW(SEEN_IN, (SI)(R9*1), (DX)(R11*1), (BX)(R13*1), Z19); \
	ST(Z8, (R15)); \
	ST(Z11, (AX))
#define MASKED_ADD_R1(LD, ST, SEEN_IN) \
	LD((R15), Z8); \
	LD((AX), Z11); \
	MASKED_ADD_ROW(SEEN_IN, (SI), (DX), (BX), Z16); \
	ST(Z8, (R15)); \
	ST(Z11, (AX))
#define MASKED_ADD_ROW(SEEN_IN, N, M, O, V) \
	SEEN_IN(O); \
	READ(N, M); \
	VFMA    Z7, V, Z8; \
	VMOVU.Z V, K2, Z5; \
	VFMA    Z5, Z5, Z11

#define MASKED_LANES(OP, P) \
	LANES4(OP, 0, P, Z24, Z25, Z26, Z27); \
	LANES4(OP, 256, P, Z12, Z13, Z14, Z15)

// MASKED_GROUP begins the columns of a group of rows.
#define MASKED_GROUP \
	MOVQ rankOne_nRow(DI), SI; \
	MOVQ rankOne_mRow(DI), DX; \
	MOVQ rankOne_seenRow(DI), BX; \
	MOVQ rankOne_w(DI), R14; \
	LEAQ (R8)(R8*2), R9; \
	LEAQ (R10)(R10*2), R11; \
	LEAQ (R12)(R12*2), R13

// The columns of a masked pass for a row or a group of rows, as RANK_COLS.
#define MASKED_COLS(BODY, loop, part, end) \
	MOVQ rankOne_cols(DI), CX; \
	SHRQ $LANES_LOG, CX; \
	JEQ  part; \
loop: /* for columns left > 0 { */ \
	BODY(LOAD, STORE, SEEN_AT); \
	ADDQ $64, SI; \
	ADDQ $64, DX; \
	ADDQ $64, R14; \
	ADDQ $64, R15; \
	ADDQ $64, AX; \
	ADDQ $(8/SIZE), BX; \
	DECQ CX; \
	JNE  loop; /* } */ \
part: /* the last columns */ \
	KORTESTW K1, K1; \
	JEQ      end; \
	BODY(PART_LOAD, PART_STORE, PART_SEEN_AT); \
	JMP      end

// func rankOne(r *rankOne): rankOneGeneric, in steps
//
// Rows go in groups: of four, or with stepPairs of two, while there are so many, then of one. With stepDot and
// stepAdd, the sums of a group are taken together with the products of the next one, at project, and the ones after
// that are prefetched: rows come from L3 or memory at an even pace.
//
// Preconditions: rows, cols >= 1; with stepResume or stepSuspend, rows is that
// of one group; stepPairs if there is an update.
//
//	Z0-Z3 lanes   Z4 w   Z5-Z7 update and n   Z8 acc   Z16-Z19 v   Z20 µ
//	Z21 zero   X22 vv   Z23 inv   Z24-Z27 v of the previous pass   Z28-Z31 folding
//	R8 R9      1, 3 strides of N in groups of four, 1, 5 in groups of two
//	R11 R12    5, 7 strides of N in groups of four, 1, 5 of M in groups of two
//	R14 &v[i]  R15 n[i], r.mRow m[i], first column
//	SI n[i]    AX n[i] of the sums   R10 m[i]   BX w   R13 acc, lanes: column reached
//	CX vectors left; steps           r.left rows left, but for the group
//	K1 last columns   K2 rows of the group   K3 FOLD_MASK   K4 scratch
DATA TABLE+bodies_rankOne(SB)/8, $rankOneAVX512<>(SB)
TEXT rankOneAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ   r+0(FP), DI
	MOVQ   rankOne_nStride(DI), R8
	MOVQ   rankOne_mStride(DI), R11
	MOVQ   rankOne_v(DI), R14
	MOVQ   rankOne_cols(DI), CX
	ANDQ   $(64/SIZE-1), CX
	MOVL   $1, AX
	SHLL   CX, AX
	DECL   AX
	KMOVW  AX, K1
	MOVL   $FOLD_MASK, AX
	KMOVW  AX, K3
	VPXORQ Z21, Z21, Z21
	VBCST  rankOne_mu(DI), Z20
	VBCST  rankOne_inv(DI), Z23
	VMOVS  rankOne_vv(DI), X22
	MOVQ   rankOne_n(DI), R15
	MOVQ   rankOne_m(DI), AX
	MOVQ   AX, rankOne_mRow(DI)
	MOVQ   rankOne_rows(DI), AX
	MOVQ   AX, rankOne_left(DI)
	TESTL  $const_stepPairs, rankOne_steps(DI)
	JNE    pairs

	LEAQ   (R8)(R8*2), R9
	LEAQ   (R8)(R8*4), R11
	LEAQ   (R9)(R8*4), R12
	MOVL   $15, AX
	KMOVW  AX, K2
	SUBQ   $4, rankOne_left(DI)
	JLT    rest4

fours: // for rows left >= 4 {
	VBCST  (R14), Z24
	VBCST  SIZE(R14), Z25
	VBCST  (2*SIZE)(R14), Z26
	VBCST  (3*SIZE)(R14), Z27
	MOVQ   rankOne_w(DI), BX
	MOVQ   R15, SI
	MOVQ   rankOne_steps(DI), CX
	TESTL  $const_stepDot, CX
	JEQ    old4
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	TESTL  $const_stepResume, CX
	JEQ    dot4
	MOVQ   rankOne_lanes(DI), R13
	LANES4(LANE_LOAD, 0, R13, Z0, Z1, Z2, Z3)

dot4:
	RANK_COLS(DOT_R4, dotLoop4, dotPart4, dotted4)

dotted4:
	TESTL $const_stepSuspend, rankOne_steps(DI)
	JEQ   project4
	MOVQ  rankOne_lanes(DI), R13
	LANES4(LANE_SAVE, 0, R13, Z0, Z1, Z2, Z3)
	JMP   next4

project4:
	FOLD4(Z0, Z1, Z2, Z3)
	PROJECT(Z30, Z23, Z21, Z31)
	VSHUFF64X2 $0x00, Z30, Z30, Z16
	VSHUFF64X2 $0x55, Z30, Z30, Z17
	VSHUFF64X2 $0xAA, Z30, Z30, Z18
	VSHUFF64X2 $0xFF, Z30, Z30, Z19
	KEEP_V(old4)
	JMP        square4

old4:
	VMOVU Z24, Z16
	VMOVU Z25, Z17
	VMOVU Z26, Z18
	VMOVU Z27, Z19
	TESTL $const_stepDot, rankOne_steps(DI)
	JEQ   add4

square4:
	VFMAS X16, X16, X22
	VFMAS X17, X17, X22
	VFMAS X18, X18, X22
	VFMAS X19, X19, X22

add4:
	MOVQ  rankOne_steps(DI), CX
	TESTL $const_stepAdd, CX
	JEQ   next4
	MOVQ  R15, AX
	MOVQ  rankOne_w(DI), BX
	MOVQ  rankOne_acc(DI), R13
	TESTL $const_stepDot, CX
	JEQ   addOnly4
	CMPQ  rankOne_left(DI), $4
	JLT   addOnly4

	// The sums of this group, the products of the next.
	SUBQ   $4, rankOne_left(DI)
	ADDQ   $(4*SIZE), R14
	LEAQ   (R15)(R8*4), R15
	MOVQ   R15, SI
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VPXORQ Z2, Z2, Z2
	VPXORQ Z3, Z3, Z3
	VBCST  (R14), Z24
	VBCST  SIZE(R14), Z25
	VBCST  (2*SIZE)(R14), Z26
	VBCST  (3*SIZE)(R14), Z27

	RANK_COLS(ADD_DOT_R4, addDotLoop4, addDotPart4, project4)

addOnly4:
	RANK_COLS(ADD_R4, addLoop4, addPart4, next4)

next4:
	LEAQ (R15)(R8*4), R15
	ADDQ $(4*SIZE), R14
	SUBQ $4, rankOne_left(DI)
	JGE  fours               // }

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
#define M_STRIDES LEAQ (R11)(R11*4), R12
#define M_OF_SUMS SUBQ R11, R10; SUBQ R11, R10
#include "rankone_pairs_avx512_amd64.h"

// func augRankOne(r *rankOne): rankOneAugmentedGeneric, in steps
//
// rankOne on the target of the augmented Lagrangian: n is G, of which the target is
// formed wherever a row is read, and m is always there. Rows go in groups of two and of
// one.
//
// Preconditions: those of rankOne, and stepPairs. Registers as there, but for
//
//	Z9 1-ρ   Z20 1/(1+ρ)   R12 DX -1, 5 strides of M
DATA TABLE+bodies_augRankOne(SB)/8, $augRankOneAVX512<>(SB)
TEXT augRankOneAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ   r+0(FP), DI
	MOVQ   rankOne_nStride(DI), R8
	MOVQ   rankOne_mStride(DI), R11
	MOVQ   rankOne_v(DI), R14
	MOVQ   rankOne_cols(DI), CX
	ANDQ   $(64/SIZE-1), CX
	MOVL   $1, AX
	SHLL   CX, AX
	DECL   AX
	KMOVW  AX, K1
	MOVL   $FOLD_MASK, AX
	KMOVW  AX, K3
	VPXORQ Z21, Z21, Z21
	VBCST  rankOne_mu(DI), Z20
	VBCST  rankOne_part(DI), Z9
	VBCST  rankOne_inv(DI), Z23
	VMOVS  rankOne_vv(DI), X22
	MOVQ   rankOne_n(DI), R15
	MOVQ   rankOne_m(DI), AX
	MOVQ   AX, rankOne_mRow(DI)
	MOVQ   rankOne_rows(DI), AX
	MOVQ   AX, rankOne_left(DI)

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
#define M_STRIDES MOVQ R11, R12; NEGQ R12; LEAQ (R11)(R11*4), DX
#define M_OF_SUMS
#include "rankone_pairs_avx512_amd64.h"

// func maskedRankOne(r *rankOne): rankOneMaskedGeneric, in steps
//
// Groups are of four rows while there are so many, then of one.
// Preconditions: rows, cols >= 1; with stepResume or stepSuspend, rows is that of one
// group.
//
//	Z4 w   Z5-Z7 update and n   Z8 acc   Z9 1-ρ, if augmented   Z11 den   Z16-Z19 v
//	Z20 µ  Z21 zero   Z24-Z27 lanes of products   Z12-Z15 of squares   Z17-Z19 Z28-Z31 folding
//	SI n[0]      R8 R9    1, 3 strides of N: of the group, or in the update of
//	DX m[0]      R10 R11  1, 3 of M            one row at a time R9 R11 R13 R15
//	BX seen[0]   R12 R13  1, 3 of the mask     n[i], m[i], seen[i], &v[i]
//	R14 w   R15 acc   AX den, in the update rows left: at the column reached
//	CX vectors left; scratch   r.left rows left, but for the group
//	r.nRow, r.mRow, r.seenRow, r.vAt   the group, first column
//	K1 last columns   K2 seen   K3 bytes of the last columns   K4 rows of the group
//	K5 FOLD_MASK   K6 scratch
DATA TABLE+bodies_maskedRankOne(SB)/8, $maskedRankOneAVX512<>(SB)
TEXT maskedRankOneAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
#define READ(N, M) SEEN_LOAD(N, Z7)
#define STEP_OF STEP
#include "rankone_masked_avx512_amd64.h"

// func maskedAugRank(r *rankOne): rankOneAugmentedMaskedGeneric, in steps
//
// maskedRankOne on the target of the augmented Lagrangian, as augRankOne is rankOne.
DATA TABLE+bodies_maskedAugRank(SB)/8, $maskedAugRankAVX512<>(SB)
TEXT maskedAugRankAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
#define READ(N, M) AUG_READ(SEEN_LOAD, N, M)
#define STEP_OF AUG_STEP
#include "rankone_masked_avx512_amd64.h"
