// The AVX-512 bodies of one precision: sweeps, updates, the rank-one pass. See
// avx512_matrix_amd64.h.

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
//	Z0-Z7  t     Z8 b[k][l]   Z9 zero   Z10 penalty   Z11 inv[k]
//	R14 k        R8 stride of h     R9 h[0]     R10 a[k]    R11 b[k]
//	R12 &inv[k]  R13 mask[k] or nil R15 h[k]    BX  vectors
//	SI h[l]      DX &b[k][l]        CX l left before, AX after the own one
//	K1 columns of the last vector
TEXT SWEEP(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ  s+0(FP), DI
	MOVQ  sweep_cols(DI), CX
	LEAQ  (64/SIZE-1)(CX), BX
	SHRQ  $LANES_LOG, BX
	DECQ  CX
	ANDQ  $(64/SIZE-1), CX
	MOVL  $2, AX
	SHLL  CX, AX
	DECL  AX
	KMOVW AX, K1
	VPXORQ Z9, Z9, Z9
	VBCST sweep_penalty(DI), Z10
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
#include "avx512_sweep_cols_amd64.h"

#define VECS VECS2
#define ROW row2
#define LOOP loop2
#define OWN own2
#define UNMASKED unmasked2
#include "avx512_sweep_cols_amd64.h"

#define VECS VECS3
#define ROW row3
#define LOOP loop3
#define OWN own3
#define UNMASKED unmasked3
#include "avx512_sweep_cols_amd64.h"

#define VECS VECS4
#define ROW row4
#define LOOP loop4
#define OWN own4
#define UNMASKED unmasked4
#include "avx512_sweep_cols_amd64.h"

#define VECS VECS5
#define ROW row5
#define LOOP loop5
#define OWN own5
#define UNMASKED unmasked5
#include "avx512_sweep_cols_amd64.h"

#define VECS VECS6
#define ROW row6
#define LOOP loop6
#define OWN own6
#define UNMASKED unmasked6
#include "avx512_sweep_cols_amd64.h"

#define VECS VECS7
#define ROW row7
#define LOOP loop7
#define OWN own7
#define UNMASKED unmasked7
#include "avx512_sweep_cols_amd64.h"

#define VECS VECS8
#define ROW row8
#define LOOP loop8
#define OWN own8
#define UNMASKED unmasked8
#include "avx512_sweep_cols_amd64.h"

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
//	Z5 p, then m⁺-p   Z6 m, then m⁺   Z7 n   Z20 µ   Z21 zero
//	SI n[i]   DX m[i]   BX p[i]   R8 R9 R10 their strides
//	AX column in bytes   CX vectors left   R11 rows left   K1 last columns
//	R12 from m[i] to the rows behind the last of these, which are fetched, R13 those
TEXT UPDATE(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST, KLD) \
	LD((BX)(AX*1), Z5); \
	LD((DX)(AX*1), Z6); \
	PREFETCHT1 (R13)(AX*1); \
	STEP(LD, ST, (SI)(AX*1))
#include "avx512_elements_amd64.h"

// func ADDITION(u *update)
//
//	for i := range rows { for j := range cols { n[i][j] += m[i][j] } }
//
// Preconditions: rows, cols >= 1.
//
//	Z7 n   SI n[i]   DX m[i]   R8 R9 their strides
//	AX column in bytes   CX vectors left   R11 rows left   K1 last columns
TEXT ADDITION(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ  u+0(FP), DI
	MOVQ  update_n(DI), SI
	MOVQ  update_m(DI), DX
	MOVQ  update_nStride(DI), R8
	MOVQ  update_mStride(DI), R9
	MOVQ  update_rows(DI), R11
	MOVQ  update_cols(DI), CX
	ANDQ  $(64/SIZE-1), CX
	MOVL  $1, AX
	SHLL  CX, AX
	DECL  AX
	KMOVW AX, K1

row: // for rows left > 0 {
	XORL  AX, AX
	MOVQ  update_cols(DI), CX
	SHRQ  $LANES_LOG, CX
	JEQ   part

loop:
	VMOVU (SI)(AX*1), Z7
	VADD  (DX)(AX*1), Z7, Z7
	VMOVU Z7, (SI)(AX*1)
	ADDQ  $64, AX
	DECQ  CX
	JNE   loop

part:
	KORTESTW K1, K1
	JEQ      whole
	VMOVU.Z  (SI)(AX*1), K1, Z7
	VADD     (DX)(AX*1), Z7, K1, Z7
	VMOVU    Z7, K1, (SI)(AX*1)

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
//	Z0-Z3 lanes   Z4 w   Z5-Z7 update and n   Z8 acc   Z16-Z19 v   Z20 µ
//	Z21 zero   X22 vv   Z23 inv   Z24-Z27 v of the previous pass   Z28-Z31 folding
//	R8 R9      1, 3 strides of N in groups of four, 1, 5 in groups of two
//	R11 R12    5, 7 strides of N in groups of four, 1, 5 of M in groups of two
//	R14 &v[i]  R15 n[i], r.mRow m[i], first column
//	SI n[i]    AX n[i] of the sums   R10 m[i]   BX w   R13 acc, lanes: column reached
//	CX vectors left; steps           r.left rows left, but for the group
//	K1 last columns   K2 rows of the group   K3 FOLD_MASK   K4 scratch
TEXT RANK_ONE(SB), NOSPLIT|NOFRAME, $0-8
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
#define BODY DOT_R4
#define LOOP dotLoop4
#define PART dotPart4
#define END dotted4
#include "avx512_rank_cols_amd64.h"

dotted4:
	TESTL $const_stepSuspend, rankOne_steps(DI)
	JEQ   project4
	MOVQ  rankOne_lanes(DI), R13
	LANES4(LANE_SAVE, 0, R13, Z0, Z1, Z2, Z3)
	JMP   next4

project4:
	FOLD4(Z0, Z1, Z2, Z3)
	PROJECT
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

#define BODY ADD_DOT_R4
#define LOOP addDotLoop4
#define PART addDotPart4
#define END project4
#include "avx512_rank_cols_amd64.h"

addOnly4:
#define BODY ADD_R4
#define LOOP addLoop4
#define PART addPart4
#define END next4
#include "avx512_rank_cols_amd64.h"

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
#include "avx512_rank_pairs_amd64.h"
