// The AVX2 bodies of sweep.go. kernel_avx2_amd64.h has what the rooms share.

// Sweep. VECS1 to VECS8 apply OP to the vectors of a panel of columns, their
// offset and register, but LAST to the last one, of mask Y15.
#define VECS1(OP, LAST) LAST(0, Y0)
#define VECS2(OP, LAST) OP(0, Y0); LAST(32, Y1)
#define VECS3(OP, LAST) OP(0, Y0); OP(32, Y1); LAST(64, Y2)
#define VECS4(OP, LAST) OP(0, Y0); OP(32, Y1); OP(64, Y2); LAST(96, Y3)
#define VECS5(OP, LAST) OP(0, Y0); OP(32, Y1); OP(64, Y2); OP(96, Y3); LAST(128, Y4)
#define VECS6(OP, LAST) OP(0, Y0); OP(32, Y1); OP(64, Y2); OP(96, Y3); OP(128, Y4); LAST(160, Y5)
#define VECS7(OP, LAST) OP(0, Y0); OP(32, Y1); OP(64, Y2); OP(96, Y3); OP(128, Y4); OP(160, Y5); LAST(192, Y6)
#define VECS8(OP, LAST) OP(0, Y0); OP(32, Y1); OP(64, Y2); OP(96, Y3); OP(128, Y4); OP(160, Y5); OP(192, Y6); LAST(224, Y7)

#define T_LOAD(AT, T) VMOVU AT(SI), T
#define T_LOAD_PART(AT, T) PART_LOAD(AT(SI), T)
#define T_FMA(AT, T) VFNMA AT(SI), Y8, T
#define T_FMA_PART(AT, T) PART_LOAD(AT(SI), Y13); VFNMA Y13, Y8, T
#define T_PROJECT(AT, T) VSUB Y10, T, T; VCMP $0x1E, Y9, T, Y13; VMUL Y11, T, T; VAND Y13, T, T
#define T_MASK(AT, T) VMUL AT(DX), T, T
#define T_MASK_PART(AT, T) PART_LOAD(AT(DX), Y13); VMUL Y13, T, T
#define T_STORE(AT, T) VMOVU T, AT(SI)
#define T_STORE_PART(AT, T) PART_STORE(T, AT(SI))

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
#include "sweep_cols_avx2_amd64.h"

#define VECS VECS2
#define ROW row2
#define LOOP loop2
#define OWN own2
#define UNMASKED unmasked2
#define PARTIAL partial2
#include "sweep_cols_avx2_amd64.h"

#define VECS VECS3
#define ROW row3
#define LOOP loop3
#define OWN own3
#define UNMASKED unmasked3
#define PARTIAL partial3
#include "sweep_cols_avx2_amd64.h"

#define VECS VECS4
#define ROW row4
#define LOOP loop4
#define OWN own4
#define UNMASKED unmasked4
#define PARTIAL partial4
#include "sweep_cols_avx2_amd64.h"

#define VECS VECS5
#define ROW row5
#define LOOP loop5
#define OWN own5
#define UNMASKED unmasked5
#define PARTIAL partial5
#include "sweep_cols_avx2_amd64.h"

#define VECS VECS6
#define ROW row6
#define LOOP loop6
#define OWN own6
#define UNMASKED unmasked6
#define PARTIAL partial6
#include "sweep_cols_avx2_amd64.h"

#define VECS VECS7
#define ROW row7
#define LOOP loop7
#define OWN own7
#define UNMASKED unmasked7
#define PARTIAL partial7
#include "sweep_cols_avx2_amd64.h"

#define VECS VECS8
#define ROW row8
#define LOOP loop8
#define OWN own8
#define UNMASKED unmasked8
#define PARTIAL partial8
#include "sweep_cols_avx2_amd64.h"

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
