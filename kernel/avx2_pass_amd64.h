// The AVX2 bodies of one precision: sweeps, updates, the rank-one pass. See
// avx2_matrix_amd64.h.

// func SWEEP(s *sweep)
//
//	for k := from; k < to; k++ {
//		if inv[k] == 0 {
//			continue
//		}
//		for j := range cols {
//			t := a[k][j]
//			for l := range rank {
//				if l != k {
//					t = fma(-b[k][l], h[l][j], t)
//				}
//			}
//			t = project(t-penalty, inv[k])
//			if mask != nil {
//				t *= mask[k][j]
//			}
//			h[k][j] = t
//		}
//	}
//
// Preconditions: 1 <= cols <= 8 vectors; 0 <= from < to <= rank.
//
//	Y0-Y7  t     Y8 b[k][l]   Y9 zero   Y10 penalty   Y11 inv[k]   Y13 scratch
//	R14 k        R8 stride of h     R9 h[0]     R10 a[k]    R11 b[k]
//	R12 &inv[k]  R13 mask[k] or nil R15 h[k]    BX  vectors
//	SI h[l]      DX &b[k][l]        CX l left before, AX after the own one
//	Y15 mask of the last vector
TEXT SWEEP(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ  s+0(FP), DI
	MOVQ  sweep_cols(DI), CX
	LEAQ  (32/SIZE-1)(CX), BX
	SHRQ  $LANES_LOG, BX
	DECQ  CX
	ANDQ  $(32/SIZE-1), CX
	INCQ  CX
	MASKS(AX)
	VMOVU (AX), Y15
	VPXOR Y9, Y9, Y9
	VBCST sweep_penalty(DI), Y10
	MOVQ  sweep_from(DI), R14
	MOVQ  sweep_hStride(DI), R8
	MOVQ  sweep_h(DI), R9
	MOVQ  R14, R15
	IMULQ R8, R15
	ADDQ  R9, R15
	MOVQ  sweep_aStride(DI), R10
	IMULQ R14, R10
	ADDQ  sweep_a(DI), R10
	MOVQ  sweep_bStride(DI), R11
	IMULQ R14, R11
	ADDQ  sweep_b(DI), R11
	MOVQ  sweep_inv(DI), R12
	LEAQ  (R12)(R14*SIZE), R12
	MOVQ  sweep_mask(DI), R13
	TESTQ R13, R13
	JEQ   first
	MOVQ  sweep_maskStride(DI), AX
	IMULQ R14, AX
	ADDQ  AX, R13

first:
	CMPQ BX, $8
	JEQ  row8
	CMPQ BX, $7
	JEQ  row7
	CMPQ BX, $6
	JEQ  row6
	CMPQ BX, $5
	JEQ  row5
	CMPQ BX, $4
	JEQ  row4
	CMPQ BX, $3
	JEQ  row3
	CMPQ BX, $2
	JEQ  row2

#define VECS VECS1
#define ROW row1
#define LOOP loop1
#define OWN own1
#define UNMASKED unmasked1
#define PARTIAL partial1
#include "avx2_sweep_cols_amd64.h"

#define VECS VECS2
#define ROW row2
#define LOOP loop2
#define OWN own2
#define UNMASKED unmasked2
#define PARTIAL partial2
#include "avx2_sweep_cols_amd64.h"

#define VECS VECS3
#define ROW row3
#define LOOP loop3
#define OWN own3
#define UNMASKED unmasked3
#define PARTIAL partial3
#include "avx2_sweep_cols_amd64.h"

#define VECS VECS4
#define ROW row4
#define LOOP loop4
#define OWN own4
#define UNMASKED unmasked4
#define PARTIAL partial4
#include "avx2_sweep_cols_amd64.h"

#define VECS VECS5
#define ROW row5
#define LOOP loop5
#define OWN own5
#define UNMASKED unmasked5
#define PARTIAL partial5
#include "avx2_sweep_cols_amd64.h"

#define VECS VECS6
#define ROW row6
#define LOOP loop6
#define OWN own6
#define UNMASKED unmasked6
#define PARTIAL partial6
#include "avx2_sweep_cols_amd64.h"

#define VECS VECS7
#define ROW row7
#define LOOP loop7
#define OWN own7
#define UNMASKED unmasked7
#define PARTIAL partial7
#include "avx2_sweep_cols_amd64.h"

#define VECS VECS8
#define ROW row8
#define LOOP loop8
#define OWN own8
#define UNMASKED unmasked8
#define PARTIAL partial8
#include "avx2_sweep_cols_amd64.h"

next:
	ADDQ  R8, R15
	ADDQ  sweep_aStride(DI), R10
	ADDQ  sweep_bStride(DI), R11
	ADDQ  $SIZE, R12
	TESTQ R13, R13
	JEQ   onward
	ADDQ  sweep_maskStride(DI), R13

onward:
	INCQ R14
	CMPQ R14, sweep_to(DI)
	JLT  first
	VZEROUPPER
	RET

// func UPDATE(u *update)
//
//	for i := range rows {
//		for j := range cols {
//			n[i][j] = step(n[i][j], m[i][j], p[i][j], mu)
//		}
//	}
//
// Preconditions: rows, cols >= 1.
//
//	Y9 p, then m⁺-p   Y10 m, then m⁺   Y11 n   Y12 µ   Y13 zero   Y15 mask of the last columns
//	SI n[i]   DX m[i]   BX p[i]   R8 R9 R10 their strides
//	AX column in bytes   CX vectors left   R11 rows left
TEXT UPDATE(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST) \
	LD((BX)(AX*1), Y9); \
	LD((DX)(AX*1), Y10); \
	STEP(LD, ST, (SI)(AX*1))
#include "avx2_elements_amd64.h"

// func ADDITION(u *update)
//
//	for i := range rows { for j := range cols { n[i][j] += m[i][j] } }
//
// Preconditions: rows, cols >= 1.
//
//	Y11 n   Y15 mask of the last columns   SI n[i]   DX m[i]   R8 R9 their strides
//	AX column in bytes   CX vectors left   R11 rows left
TEXT ADDITION(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ  u+0(FP), DI
	MOVQ  update_n(DI), SI
	MOVQ  update_m(DI), DX
	MOVQ  update_nStride(DI), R8
	MOVQ  update_mStride(DI), R9
	MOVQ  update_rows(DI), R11
	MOVQ  update_cols(DI), CX
	ANDQ  $(32/SIZE-1), CX
	MASKS(AX)
	VMOVU  (AX), Y15

row: // for rows left > 0 {
	XORL  AX, AX
	MOVQ  update_cols(DI), CX
	SHRQ  $LANES_LOG, CX
	JEQ   part

loop:
	VMOVU (SI)(AX*1), Y11
	VADD  (DX)(AX*1), Y11, Y11
	VMOVU Y11, (SI)(AX*1)
	ADDQ  $32, AX
	DECQ  CX
	JNE   loop

part:
	TESTQ $(32/SIZE-1), update_cols(DI)
	JEQ   whole
	PART_LOAD((SI)(AX*1), Y11)
	PART_LOAD((DX)(AX*1), Y10)
	VADD  Y10, Y11, Y11
	PART_STORE(Y11, (SI)(AX*1))

whole:
	ADDQ R8, SI
	ADDQ R9, DX
	DECQ R11
	JNE  row               // }
	VZEROUPPER
	RET

// func RANK_ONE(r *rankOne)
//
// The rank-one pass over a block of rows, in groups: of four, or with stepPairs
// of two, while there are so many, then of one. steps says what is done for each
// group:
//
//	stepDot      lanes of n[i]·w, after the update if updateDot;
//	             from r.lanes if stepResume, and put there if stepSuspend, else
//	             v[i] = project(sum of lanes, inv), unless inv = 0,
//	             and vv = fma(v[i], v[i], vv)
//	stepAdd      acc = fma(v[i], n[i], acc), after the update if updateAdd
//
// With both, the sums of a group are taken together with the products of the
// next one, and the ones after that are prefetched: rows come from L3 or memory
// at an even pace. Several calls with some of the columns each make up a pass
// over long rows.
//
//	for groups of rows left > 0 {
//		if stepDot { lanes = n·w }
//	project:
//		if stepDot { v, vv from the lanes, or r.lanes = lanes and on to the next group }
//		if stepAdd and stepDot and another group is left {
//			acc += v n of this group, lanes = n·w of the next; on to it, at project
//		}
//		if stepAdd { acc += v n }
//	}
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
TEXT RANK_ONE(SB), NOSPLIT|NOFRAME, $0-8
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
#define FETCH NOTHING
#define BODY DOT_R4
#define LOOP dotLoop4
#define PART dotPart4
#define END dotted4
#include "avx2_rank_cols_amd64.h"

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
	PROJECT(Y0, Y1)
	PROJECT(Y2, Y3)
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

#define FETCH FETCH_R4
#define BODY ADD_DOT_R4
#define LOOP addDotLoop4
#define PART addDotPart4
#define END project4
#include "avx2_rank_cols_amd64.h"

addOnly4:
#define FETCH NOTHING
#define BODY ADD_R4
#define LOOP addLoop4
#define PART addPart4
#define END next4
#include "avx2_rank_cols_amd64.h"

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
#include "avx2_rank_pairs_amd64.h"
