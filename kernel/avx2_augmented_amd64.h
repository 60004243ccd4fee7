// The AVX2 bodies of the augmented Lagrangian, of one precision. See
// avx2_matrix_amd64.h.

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
//	Y9 Y10 Y11 p, m, n, see AUG_STEP and AUG_TARGET   Y8 nu   Y12 mu   Y13 zero
//	Y15 mask of the last columns
//	SI n[i]   DX m[i]   BX p[i]   R8 R9 R10 their strides
//	AX column in bytes   CX vectors left   R11 rows left
TEXT AUGMENT(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST) \
	LD((BX)(AX*1), Y9); \
	LD((DX)(AX*1), Y10); \
	AUG_STEP(LD, ST, (SI)(AX*1)); \
	AUG_TARGET(Y8); \
	ST(Y11, (BX)(AX*1))
#include "avx2_elements_amd64.h"

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
#define BODY(LD, ST) \
	LD((BX)(AX*1), Y11); \
	LD((DX)(AX*1), Y10); \
	TARGET_OF; \
	ST(Y11, (SI)(AX*1))
#include "avx2_elements_amd64.h"

// func AUG_RANK_ONE(r *rankOne)
//
// RANK_ONE on the target of the augmented Lagrangian: n is G, of which the target is
// formed wherever a row is read, and m is always there. Rows go in groups of two and of
// one.
//
// Preconditions: those of RANK_ONE, and stepPairs. Registers as there, but for
//
//	Y12 1/(1+ρ)   R12 -1 stride of M
TEXT AUG_RANK_ONE(SB), NOSPLIT|NOFRAME, $0-8
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
#include "avx2_rank_pairs_amd64.h"
