// The AVX-512 bodies of the augmented Lagrangian, of one precision. See
// avx512_matrix_amd64.h.

// func AUGMENT(u *update)
//
//	for i := range rows {
//		for j := range cols {
//			n[i][j] = augment(n[i][j], max(0, m[i][j]), p[i][j], mu)
//			p[i][j] = target(n[i][j], max(0, m[i][j]), 1, nu)
//		}
//	}
//
// Preconditions: rows, cols >= 1.
//
//	Z5 Z6 Z7 p, m, n, see AUG_STEP and AUG_TARGET   Z9 nu   Z20 mu   Z21 zero
//	SI n[i]   DX m[i]   BX p[i]   R8 R9 R10 their strides
//	AX column in bytes   CX vectors left   R11 rows left   K1 last columns
TEXT AUGMENT(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST, KLD) \
	LD((BX)(AX*1), Z5); \
	LD((DX)(AX*1), Z6); \
	AUG_STEP(LD, ST, (SI)(AX*1)); \
	AUG_TARGET; \
	ST(Z7, (BX)(AX*1))
#include "avx512_elements_amd64.h"

// func TARGET(u *update)
//
//	for i := range rows {
//		for j := range cols {
//			n[i][j] = target(p[i][j], max(0, m[i][j]), mu, nu)
//		}
//	}
//
// Preconditions and registers as above.
TEXT TARGET(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST, KLD) \
	LD((BX)(AX*1), Z7); \
	LD((DX)(AX*1), Z6); \
	TARGET_OF; \
	ST(Z7, (SI)(AX*1))
#include "avx512_elements_amd64.h"

// func AUG_RANK_ONE(r *rankOne)
//
// RANK_ONE on the target of the augmented Lagrangian: n is G, of which the target is
// formed wherever a row is read, and m is always there. Rows go in groups of two and of
// one.
//
// Preconditions: those of RANK_ONE, and stepPairs. Registers as there, but for
//
//	Z9 1-ρ   Z10 sum of m and n in AUG_TARGET   Z20 1/(1+ρ)   R12 DX -1, 5 strides of M
TEXT AUG_RANK_ONE(SB), NOSPLIT|NOFRAME, $0-8
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
#include "avx512_rank_pairs_amd64.h"
