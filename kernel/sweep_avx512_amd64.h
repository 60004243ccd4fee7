// The AVX-512 bodies of sweep.go. kernel_avx512_amd64.h has what the rooms share.

// Sweep. VECS1 to VECS8 apply OP to the vectors of a panel of columns: their
// offset and register. The last one is the one of K1.
#define VECS1(OP, LAST) LAST(0, Z0)
#define VECS2(OP, LAST) OP(0, Z0); LAST(64, Z1)
#define VECS3(OP, LAST) OP(0, Z0); OP(64, Z1); LAST(128, Z2)
#define VECS4(OP, LAST) OP(0, Z0); OP(64, Z1); OP(128, Z2); LAST(192, Z3)
#define VECS5(OP, LAST) OP(0, Z0); OP(64, Z1); OP(128, Z2); OP(192, Z3); LAST(256, Z4)
#define VECS6(OP, LAST) OP(0, Z0); OP(64, Z1); OP(128, Z2); OP(192, Z3); OP(256, Z4); LAST(320, Z5)
#define VECS7(OP, LAST) OP(0, Z0); OP(64, Z1); OP(128, Z2); OP(192, Z3); OP(256, Z4); OP(320, Z5); LAST(384, Z6)
#define VECS8(OP, LAST) OP(0, Z0); OP(64, Z1); OP(128, Z2); OP(192, Z3); OP(256, Z4); OP(320, Z5); OP(384, Z6); LAST(448, Z7)

#define T_LOAD(AT, T) VMOVU AT(SI), T
#define T_LOAD_PART(AT, T) VMOVU.Z AT(SI), K1, T
#define T_FMA(AT, T) VFNMA AT(SI), Z8, T
#define T_FMA_PART(AT, T) VFNMA AT(SI), Z8, K1, T
#define T_PROJECT(AT, T) VSUB Z10, T, T; VCMP $0x1E, Z9, T, K2; VMUL.Z Z11, T, K2, T
#define T_MASK(AT, T) VMUL AT(DX), T, T
#define T_MASK_PART(AT, T) VMUL AT(DX), T, K1, T
#define T_STORE(AT, T) VMOVU T, AT(SI)
#define T_STORE_PART(AT, T) VMOVU T, K1, AT(SI)

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
#include "sweep_cols_avx512_amd64.h"

#define VECS VECS2
#define ROW row2
#define LOOP loop2
#define OWN own2
#define UNMASKED unmasked2
#include "sweep_cols_avx512_amd64.h"

#define VECS VECS3
#define ROW row3
#define LOOP loop3
#define OWN own3
#define UNMASKED unmasked3
#include "sweep_cols_avx512_amd64.h"

#define VECS VECS4
#define ROW row4
#define LOOP loop4
#define OWN own4
#define UNMASKED unmasked4
#include "sweep_cols_avx512_amd64.h"

#define VECS VECS5
#define ROW row5
#define LOOP loop5
#define OWN own5
#define UNMASKED unmasked5
#include "sweep_cols_avx512_amd64.h"

#define VECS VECS6
#define ROW row6
#define LOOP loop6
#define OWN own6
#define UNMASKED unmasked6
#include "sweep_cols_avx512_amd64.h"

#define VECS VECS7
#define ROW row7
#define LOOP loop7
#define OWN own7
#define UNMASKED unmasked7
#include "sweep_cols_avx512_amd64.h"

#define VECS VECS8
#define ROW row8
#define LOOP loop8
#define OWN own8
#define UNMASKED unmasked8
#include "sweep_cols_avx512_amd64.h"

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
