// The AVX-512 bodies with a mask, of one precision. See avx512_matrix_amd64.h.

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
//	Z7 n   K2 seen   SI n[i]   DX m[i]   BX p[i]   R15 seen[i]   R8 R9 R10 strides of n, m, p
//	AX column in bytes   CX vectors left   R11 rows left   K1 last columns   K3 their bytes
TEXT KEEP(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST, KLD) \
	KLD((R15)); \
	SEEN_LOAD((SI)(AX*1), Z7); \
	ST(Z7, (SI)(AX*1))
#include "avx512_elements_amd64.h"

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
// Preconditions and registers as above; Z6 m.
TEXT IMPUTE(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST, KLD) \
	KLD((R15)); \
	SEEN_LOAD((DX)(AX*1), Z6); \
	SEEN_STORE(Z6, (SI)(AX*1))
#include "avx512_elements_amd64.h"

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
//	Z5 p   Z6 m   Z7 n   Z8 mu-p, then the new n   K2 p > 0   Z20 mu   Z21 zero
TEXT WEIGH(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST, KLD) \
	LD((BX)(AX*1), Z5); \
	LD((DX)(AX*1), Z6); \
	LD((SI)(AX*1), Z7); \
	VCMP  $0x1E, Z21, Z5, K2; \
	VSUB  Z5, Z20, Z8; \
	VMUL  Z7, Z8, Z8; \
	VFMA  Z6, Z5, Z8; \
	VMOVU Z8, K2, Z7; \
	ST(Z7, (SI)(AX*1))
#include "avx512_elements_amd64.h"

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
//	Z8 p, then n
TEXT MASKED_UPDATE(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST, KLD) \
	KLD((R15)); \
	LD((BX)(AX*1), Z8); \
	SEEN_LOAD((DX)(AX*1), Z6); \
	VMOVU Z8, Z5; \
	STEP(SEEN_LOAD, NO_STORE, (SI)(AX*1)); \
	VMOVU Z7, K2, Z8; \
	ST(Z8, (SI)(AX*1))
#include "avx512_elements_amd64.h"

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
// Preconditions and registers as above, but for those of AUGMENT.
TEXT MASKED_AUGMENT(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST, KLD) \
	KLD((R15)); \
	SEEN_LOAD((BX)(AX*1), Z5); \
	SEEN_LOAD((DX)(AX*1), Z6); \
	AUG_STEP(SEEN_LOAD, SEEN_STORE, (SI)(AX*1)); \
	AUG_TARGET; \
	SEEN_STORE(Z7, (BX)(AX*1))
#include "avx512_elements_amd64.h"

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
// Preconditions and registers as above, but for those of TARGET.
TEXT MASKED_TARGET(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST, KLD) \
	KLD((R15)); \
	SEEN_LOAD((BX)(AX*1), Z7); \
	SEEN_LOAD((DX)(AX*1), Z6); \
	TARGET_OF; \
	SEEN_STORE(Z7, (SI)(AX*1))
#include "avx512_elements_amd64.h"

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
TEXT MASKED_RANK_ONE(SB), NOSPLIT|NOFRAME, $0-8
#define READ(N, M) SEEN_LOAD(N, Z7)
#define STEP_OF STEP
#include "avx512_masked_rank_amd64.h"

// func MASKED_AUG_RANK(r *rankOne)
//
// MASKED_RANK_ONE on the target of the augmented Lagrangian, as AUG_RANK_ONE is RANK_ONE.
TEXT MASKED_AUG_RANK(SB), NOSPLIT|NOFRAME, $0-8
#define READ(N, M) AUG_READ(SEEN_LOAD, N, M)
#define STEP_OF AUG_STEP
#include "avx512_masked_rank_amd64.h"
