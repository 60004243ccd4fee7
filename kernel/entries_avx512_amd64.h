// The AVX-512 bodies of entries.go. kernel_avx512_amd64.h has what the rooms share.

// The columns of 64 bytes, for entries_amd64.h.
#define LINE_LOG LANES_LOG
#define LINE_MASKS LAST_MASK(CX)
#define LINE(OP, LD, ST) OP(LD, ST, 0, Z0)
#define LINE_PART(OP) LINE(OP, PART_LOAD, PART_STORE)

// func update(u *update)
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
TEXT updateAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST, KLD) \
	LD((BX)(AX*1), Z5); \
	LD((DX)(AX*1), Z6); \
	PREFETCHT1 (R13)(AX*1); \
	STEP(LD, ST, (SI)(AX*1))
#include "entries_rows_avx512_amd64.h"

// func add(u *update)
//
//	for i := range rows { for j := range cols { n[i][j] += m[i][j] } }
//
// Preconditions and registers as above; p is not used.
TEXT addAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST, KLD) \
	LD((SI)(AX*1), Z7); \
	LD((DX)(AX*1), Z6); \
	VADD Z6, Z7, Z7; \
	ST(Z7, (SI)(AX*1))
#include "entries_rows_avx512_amd64.h"

// func augment(u *update)
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
TEXT augmentAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST, KLD) \
	LD((BX)(AX*1), Z5); \
	LD((DX)(AX*1), Z6); \
	AUG_STEP(LD, ST, (SI)(AX*1)); \
	AUG_TARGET; \
	ST(Z7, (BX)(AX*1))
#include "entries_rows_avx512_amd64.h"

// func target(u *update)
//
//	for i := range rows {
//		for j := range cols {
//			n[i][j] = target(p[i][j], max(0, m[i][j]), mu, nu)
//		}
//	}
//
// Preconditions and registers as above.
TEXT targetAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST, KLD) \
	LD((BX)(AX*1), Z7); \
	LD((DX)(AX*1), Z6); \
	TARGET_OF; \
	ST(Z7, (SI)(AX*1))
#include "entries_rows_avx512_amd64.h"

// func keep(u *update)
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
TEXT keepAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST, KLD) \
	KLD((R15)); \
	SEEN_LOAD((SI)(AX*1), Z7); \
	ST(Z7, (SI)(AX*1))
#include "entries_rows_avx512_amd64.h"

// func impute(u *update)
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
TEXT imputeAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST, KLD) \
	KLD((R15)); \
	SEEN_LOAD((DX)(AX*1), Z6); \
	SEEN_STORE(Z6, (SI)(AX*1))
#include "entries_rows_avx512_amd64.h"

// func weigh(u *update)
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
TEXT weighAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
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
#include "entries_rows_avx512_amd64.h"

// func maskedUpdate(u *update)
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
TEXT maskedUpdateAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST, KLD) \
	KLD((R15)); \
	LD((BX)(AX*1), Z8); \
	SEEN_LOAD((DX)(AX*1), Z6); \
	VMOVU Z8, Z5; \
	STEP(SEEN_LOAD, NO_STORE, (SI)(AX*1)); \
	VMOVU Z7, K2, Z8; \
	ST(Z8, (SI)(AX*1))
#include "entries_rows_avx512_amd64.h"

// func maskedAugment(u *update)
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
TEXT maskedAugmentAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST, KLD) \
	KLD((R15)); \
	SEEN_LOAD((BX)(AX*1), Z5); \
	SEEN_LOAD((DX)(AX*1), Z6); \
	AUG_STEP(SEEN_LOAD, SEEN_STORE, (SI)(AX*1)); \
	AUG_TARGET; \
	SEEN_STORE(Z7, (BX)(AX*1))
#include "entries_rows_avx512_amd64.h"

// func maskedTarget(u *update)
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
TEXT maskedTargetAVX512<>(SB), NOSPLIT|NOFRAME, $0-8
#define BODY(LD, ST, KLD) \
	KLD((R15)); \
	SEEN_LOAD((BX)(AX*1), Z7); \
	SEEN_LOAD((DX)(AX*1), Z6); \
	TARGET_OF; \
	SEEN_STORE(Z7, (SI)(AX*1))
#include "entries_rows_avx512_amd64.h"
