// NEON bodies of the augmented Lagrangian.
// Included by kernel_arm64.s once for each precision, with the macros of that one.

// func AUGMENT(u *update)
//
//	for i := range rows {
//		for j := range cols {
//			n[i][j] = augment(n[i][j], max(0, m[i][j]), p[i][j], mu)
//			p[i][j] = target(n[i][j], max(0, m[i][j]), 1, nu)
//		}
//	}
//
// Preconditions: rows, cols >= 1. The last columns are taken 8 and 4 bytes at a
// time.
//
//	V18 nu   V24 mu   V25 p   V26 m   V27 n   V28 V31 scratch
//	R1 n[i]   R2 m[i]   R3 p[i]   R4 R5 R6 their strides   R9 R10 R11 column reached
//	R7 rows left   R8 bytes of a row   R12 vectors left
TEXT AUGMENT(SB), NOSPLIT|NOFRAME, $0-8

#define STEP_OF AUGMENT_STEP
#include "augmented_rows_arm64.h"

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

#define STEP_OF TARGET_STEP
#include "augmented_rows_arm64.h"

// func AUG_RANK_ONE(r *rankOne)
//
// RANK_ONE on the target of the augmented Lagrangian: n is G, of which the target is
// formed wherever a row is read, and m is always there.
//
// Preconditions and registers as there, but for
//
//	V18 1-ρ   V24 1/(1+ρ)
TEXT AUG_RANK_ONE(SB), NOSPLIT|NOFRAME, $0-8
	MOVD r+0(FP), R0
	MOVE rankOne_part(R0), F18

#define PRODUCTS AUG_DOT_COLS
#define BEFORE AUG_STEP_DOT_COLS
#define SUMS AUG_ADD_COLS
#define AFTER AUG_STEP_ADD_COLS
#define WITHOUT_M(copied)
#include "rank_rows_arm64.h"
