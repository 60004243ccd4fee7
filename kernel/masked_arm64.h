// NEON bodies with a mask.
// Included by kernel_arm64.s once for each precision, with the macros of that one.

// func KEEP(u *update)
//
//	for i := range rows {
//		for j := range cols {
//			if !seen[i][j] {
//				n[i][j] = 0
//			}
//		}
//	}
//
// Preconditions: rows, cols >= 1. The last columns are taken 8 and 4 bytes at a
// time.
//
//	V18 nu   V24 mu   V25 p   V26 m   V27 n   V28 V31 scratch   V29 bits of lanes
//	V30 seen, scratch in between   V17 V19 what stays
//	R1 n[i]   R2 m[i]   R3 p[i]   R4 R5 R6 their strides   R9 R10 R11 column reached
//	R7 rows left   R8 bytes of a row   R12 vectors left
//	R15 seen[i]   R16 its stride   R13 R14 scratch
TEXT KEEP(SB), NOSPLIT|NOFRAME, $0-8

#define STEP_OF KEEP_STEP
#include "augmented_rows_arm64.h"

// func IMPUTE(u *update)
//
//	for i := range rows {
//		for j := range cols {
//			if seen[i][j] {
//				n[i][j] = m[i][j]
//			}
//		}
//	}
//
// Preconditions and registers as above.
TEXT IMPUTE(SB), NOSPLIT|NOFRAME, $0-8

#define STEP_OF IMPUTE_STEP
#include "augmented_rows_arm64.h"

// func WEIGH(u *update)
//
//	for i := range rows {
//		for j := range cols {
//			if p[i][j] > 0 {
//				n[i][j] = fma(p[i][j], m[i][j], (mu-p[i][j])*n[i][j])
//			}
//		}
//	}
//
// Preconditions and registers as above, but for
//
//	V17 mu in all lanes
TEXT WEIGH(SB), NOSPLIT|NOFRAME, $0-8
	MOVD u+0(FP), R0
	ADD  $update_mu, R0, R13
	SPREAD(R13, V17)

#define STEP_OF WEIGH_STEP
#include "augmented_rows_arm64.h"

// func MASKED_UPDATE(u *update)
//
//	for i := range rows {
//		for j := range cols {
//			if seen[i][j] {
//				n[i][j] = step(n[i][j], m[i][j], p[i][j], mu)
//			} else {
//				n[i][j] = p[i][j]
//			}
//		}
//	}
//
// Preconditions and registers as above.
TEXT MASKED_UPDATE(SB), NOSPLIT|NOFRAME, $0-8

#define STEP_OF MASKED_UPDATE_STEP
#include "augmented_rows_arm64.h"

// func MASKED_AUGMENT(u *update)
//
//	for i := range rows {
//		for j := range cols {
//			if seen[i][j] {
//				n[i][j] = augment(n[i][j], max(0, m[i][j]), p[i][j], mu)
//				p[i][j] = target(n[i][j], max(0, m[i][j]), 1, nu)
//			}
//		}
//	}
//
// Preconditions and registers as above.
TEXT MASKED_AUGMENT(SB), NOSPLIT|NOFRAME, $0-8

#define STEP_OF MASKED_AUGMENT_STEP
#include "augmented_rows_arm64.h"

// func MASKED_TARGET(u *update)
//
//	for i := range rows {
//		for j := range cols {
//			if seen[i][j] {
//				n[i][j] = target(p[i][j], max(0, m[i][j]), mu, nu)
//			}
//		}
//	}
//
// Preconditions and registers as above.
TEXT MASKED_TARGET(SB), NOSPLIT|NOFRAME, $0-8

#define STEP_OF MASKED_TARGET_STEP
#include "augmented_rows_arm64.h"

// func MASKED_RANK_ONE(r *rankOne)
//
// RANK_ONE on the entries that are seen, without vv: with o = 1 if seen[i][j], else 0,
//
//	stepDot  lanes of o n[i]·w and of o w·o w, after the update if updateDot;
//	         from r.lanes if stepResume, and put there if stepSuspend, else
//	         v[i] = project(sum of the first, 1 / sum of the second), unless that is 0
//	         or infinite
//	stepAdd  acc = fma(v[i], o n[i], acc), den = fma(o v[i], o v[i], den), after the update
//	         if updateAdd
//
// a row at a time. r.inv is 1.
//
// The last columns are taken in copies that are completed with zeros; those of w, acc and
// den are made once. After an update the rest of the copy of n is zero again, since m⁺ and
// p are.
// Preconditions: rows, cols >= 1; where resume or suspend, rows is 4 at most; with suspend,
// cols is a multiple of the lanes.
//
//	V0-V3 lanes of products   V4-V7 of squares   V16 w   V17 acc   V19 den
//	V18 1-ρ, if augmented   V20 v[i]   V22 v[i] in all lanes   V21 V23 scratch
//	V24 µ   V25-V28 V31 update and n   V29 bits of lanes   V30 seen
//	R1 n[i]   R2 seen[i]   R3 den   R5 m[i]   R9 w   R10 acc: column reached
//	R4 R6 R7 R14 scratch   R11 groups left   R12 bytes of the last group, until it is done
//	R13 R8 R24 strides of N, M, the mask   R15 &v[i]   R16 rows left   R17 n[i]   R19 m[i]
//	R20 0 or 2 in the update, 1 in the products, 3 in the sums   R21 seen[i]
//	R22 whole groups of columns, in bytes   R23 bytes of the last group
//	R25 steps   R26 copies of n, m, w, acc, den, seen
TEXT MASKED_RANK_ONE(SB), NOSPLIT|NOFRAME, $0-8
#define READ(AT) FMOVQ AT(R1), F27
#define STEP_OF STEP(25)
#include "masked_rank_arm64.h"

// func MASKED_AUG_RANK(r *rankOne)
//
// MASKED_RANK_ONE on the target of the augmented Lagrangian, as AUG_RANK_ONE is RANK_ONE.
TEXT MASKED_AUG_RANK(SB), NOSPLIT|NOFRAME, $0-8
#define READ(AT) AUG_READ(AT, R1, R5)
#define STEP_OF AUG_STEP
#include "masked_rank_arm64.h"
