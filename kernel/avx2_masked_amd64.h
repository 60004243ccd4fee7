// The AVX2 bodies with a mask, of one precision. See avx2_matrix_amd64.h.

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
// Preconditions: rows, cols >= 1.
//
//	Y11 n   Y7 seen   Y15 mask of the last columns   R12 bits of lanes
//	SI n[i]   DX m[i]   BX p[i]   R15 seen[i]   R8 R9 R10 strides of n, m, p
//	AX column in bytes   CX vectors left   R11 rows left
TEXT KEEP(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST) \
	SEEN; \
	LD((SI)(AX*1), Y11); \
	VAND Y7, Y11, Y11; \
	ST(Y11, (SI)(AX*1))
#include "avx2_elements_amd64.h"

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
// Preconditions and registers as above; Y10 m.
TEXT IMPUTE(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST) \
	SEEN; \
	LD((DX)(AX*1), Y10); \
	LD((SI)(AX*1), Y11); \
	VBLENDV Y7, Y10, Y11, Y11; \
	ST(Y11, (SI)(AX*1))
#include "avx2_elements_amd64.h"

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
//	Y9 p   Y10 m   Y11 n   Y6 mu-p, then the new n   Y7 p > 0   Y12 mu   Y13 zero
TEXT WEIGH(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST) \
	LD((BX)(AX*1), Y9); \
	LD((DX)(AX*1), Y10); \
	LD((SI)(AX*1), Y11); \
	VSUB    Y9, Y12, Y6; \
	VMUL    Y11, Y6, Y6; \
	VFMA    Y10, Y9, Y6; \
	VCMP    $0x1E, Y13, Y9, Y7; \
	VBLENDV Y7, Y6, Y11, Y11; \
	ST(Y11, (SI)(AX*1))
#include "avx2_elements_amd64.h"

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
// Preconditions and registers as above, but for those of UPDATE and
//
//	Y6 p, then n
TEXT MASKED_UPDATE(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST) \
	SEEN; \
	LD((BX)(AX*1), Y6); \
	LD((DX)(AX*1), Y10); \
	VMOVU   Y6, Y9; \
	STEP(LD, NO_STORE, (SI)(AX*1)); \
	VBLENDV Y7, Y11, Y6, Y6; \
	ST(Y6, (SI)(AX*1))
#include "avx2_elements_amd64.h"

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
// Preconditions and registers as above, but for those of AUGMENT and
//
//	Y5 old n   Y6 old p
TEXT MASKED_AUGMENT(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST) \
	SEEN; \
	LD((SI)(AX*1), Y5); \
	LD((BX)(AX*1), Y6); \
	LD((DX)(AX*1), Y10); \
	VMOVU   Y6, Y9; \
	AUG_STEP(LD, NO_STORE, (SI)(AX*1)); \
	VBLENDV Y7, Y11, Y5, Y5; \
	ST(Y5, (SI)(AX*1)); \
	AUG_TARGET(Y8); \
	VBLENDV Y7, Y11, Y6, Y6; \
	ST(Y6, (BX)(AX*1))
#include "avx2_elements_amd64.h"

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
// Preconditions and registers as above, but for those of TARGET and
//
//	Y6 old n
TEXT MASKED_TARGET(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST) \
	SEEN; \
	LD((SI)(AX*1), Y6); \
	LD((BX)(AX*1), Y11); \
	LD((DX)(AX*1), Y10); \
	TARGET_OF; \
	VBLENDV Y7, Y11, Y6, Y6; \
	ST(Y6, (SI)(AX*1))
#include "avx2_elements_amd64.h"

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
// for groups of four rows while there are so many, then of one. r.inv is 1.
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
TEXT MASKED_RANK_ONE(SB), NOSPLIT|NOFRAME, $0-8
#define READ(LD, N, M) LD(N, Y11)
#define STEP_OF STEP
#include "avx2_masked_rank_amd64.h"

// func MASKED_AUG_RANK(r *rankOne)
//
// MASKED_RANK_ONE on the target of the augmented Lagrangian, as AUG_RANK_ONE is RANK_ONE.
TEXT MASKED_AUG_RANK(SB), NOSPLIT|NOFRAME, $0-8
#define READ AUG_READ
#define STEP_OF AUG_STEP
#include "avx2_masked_rank_amd64.h"
