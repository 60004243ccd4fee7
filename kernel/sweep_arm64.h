// The NEON bodies of sweep.go. kernel_arm64.h has what the rooms share. For float32
// sweep_single_arm64.h goes on with it.

// VECS1 to VECS12 apply ops to the vectors of a panel of columns, in pairs and
// the last of an odd number singly: offset, register by its names and number.
#define VECS1(OP2, OP, MOV) OP(MOV, 0, F0, V0, 0)
#define VECS2(OP2, OP, MOV) OP2(0, F0, V0, 0, F1, V1, 1)
#define VECS3(OP2, OP, MOV) VECS2(OP2, OP, MOV); OP(MOV, 32, F2, V2, 2)
#define VECS4(OP2, OP, MOV) VECS2(OP2, OP, MOV); OP2(32, F2, V2, 2, F3, V3, 3)
#define VECS5(OP2, OP, MOV) VECS4(OP2, OP, MOV); OP(MOV, 64, F4, V4, 4)
#define VECS6(OP2, OP, MOV) VECS4(OP2, OP, MOV); OP2(64, F4, V4, 4, F5, V5, 5)
#define VECS7(OP2, OP, MOV) VECS6(OP2, OP, MOV); OP(MOV, 96, F6, V6, 6)
#define VECS8(OP2, OP, MOV) VECS6(OP2, OP, MOV); OP2(96, F6, V6, 6, F7, V7, 7)
#define VECS9(OP2, OP, MOV) VECS8(OP2, OP, MOV); OP(MOV, 128, F8, V8, 8)
#define VECS10(OP2, OP, MOV) VECS8(OP2, OP, MOV); OP2(128, F8, V8, 8, F9, V9, 9)
#define VECS11(OP2, OP, MOV) VECS10(OP2, OP, MOV); OP(MOV, 160, F10, V10, 10)
#define VECS12(OP2, OP, MOV) VECS10(OP2, OP, MOV); OP2(160, F10, V10, 10, F11, V11, 11)

#define T_LOAD(MOV, AT, F, V, t) MOV AT(R1), F
#define T_LOAD2(AT, F, V, t, FF, VV, tt) FLDPQ AT(R1), (F, FF)

#define T_FMS(MOV, AT, F, V, t) MOV AT(R1), F16; FMSE(18, 16, t)
#define T_FMS2(AT, F, V, t, FF, VV, tt) \
	FLDPQ AT(R1), (F16, F17); \
	FMSE(18, 16, t); \
	FMSE(18, 17, tt)

// t = t - penalty > 0 ? (t - penalty) * inv : +0
#define T_PROJECT(MOV, AT, F, V, t) \
	FSUB(19, t, t); \
	FCMGTZ(t, 16); \
	FMULE(20, t, t); \
	VAND V16.B16, V.B16, V.B16
#define T_PROJECT2(AT, F, V, t, FF, VV, tt) \
	T_PROJECT(FMOVQ, AT, F, V, t); \
	T_PROJECT(FMOVQ, AT, FF, VV, tt)

#define T_MASK(MOV, AT, F, V, t) MOV AT(R12), F16; FMUL(16, t, t)
#define T_MASK2(AT, F, V, t, FF, VV, tt) \
	FLDPQ AT(R12), (F16, F17); \
	FMUL(16, t, t); \
	FMUL(17, tt, tt)

#define T_STORE(MOV, AT, F, V, t) MOV F, AT(R13)
#define T_STORE2(AT, F, V, t, FF, VV, tt) FSTPQ (F, FF), AT(R13)

#define SWEEP_SHORT(row) TBZ $3, R19, row

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
// All whole vectors are one panel; then come 8 bytes and 4 bytes of columns, if
// any, each a panel of its own.
// Preconditions: 1 <= cols < 13 vectors; 0 <= from < to <= rank.
//
//	V0-V11 t     V16 V17 h[l], mask, scratch     V18 b[k][l]
//	V19 penalty  V20 inv[k]
//	R1 h[l] or a[k]   R2 &b[k][l]   R3 l left before, R4 after the own one
//	R5 k    R6 to     R7 stride of h    R8 h[0]   R9 a[k]   R10 b[k]   R11 &inv[k]
//	R12 mask[k] or nil   R13 h[k]   R14 R15 R16 strides of a, b, mask
//	R17 bytes of columns done   R19 bytes left   R20 rank   R21 scratch
TEXT SWEEP(SB), NOSPLIT|NOFRAME, $0-8
	MOVD s+0(FP), R0
	ADD  $sweep_penalty, R0, R1
	SPREAD(R1, V19)
	MOVD sweep_to(R0), R6
	MOVD sweep_hStride(R0), R7
	MOVD sweep_aStride(R0), R14
	MOVD sweep_bStride(R0), R15
	MOVD sweep_rank(R0), R20
	MOVD sweep_cols(R0), R19
	LSL  $SIZE_LOG, R19
	MOVD $0, R17

columns: // for columns left > 0 {
	MOVD sweep_from(R0), R5
	MOVD sweep_h(R0), R8
	ADD  R17, R8
	MADD R5, R8, R7, R13
	MOVD sweep_a(R0), R9
	ADD  R17, R9
	MADD R5, R9, R14, R9
	MOVD sweep_b(R0), R10
	MADD R5, R10, R15, R10
	MOVD sweep_inv(R0), R11
	ADD  R5<<SIZE_LOG, R11
	MOVD $0, R16
	MOVD sweep_mask(R0), R12
	CBZ  R12, width
	MOVD sweep_maskStride(R0), R16
	ADD  R17, R12
	MADD R5, R12, R16, R12

width:
	LSR $4, R19, R21
	CMP $11, R21
	BGT row12
	BEQ row11
	CMP $9, R21
	BGT row10
	BEQ row9
	CMP $7, R21
	BGT row8
	BEQ row7
	CMP $5, R21
	BGT row6
	BEQ row5
	CMP $3, R21
	BGT row4
	BEQ row3
	CMP $1, R21
	BGT row2
	BEQ row1
	SINGLE(SWEEP_SHORT(rowS))

	// }

#define VECS VECS1
#define MOV FMOVD
#define WIDTH 8
#define ROW rowD
#define LOOP loopD
#define OWN ownD
#define UNMASKED unmaskedD
#define NEXT nextD
#include "sweep_cols_arm64.h"

#define VECS VECS1
#define MOV FMOVQ
#define WIDTH 16
#define ROW row1
#define LOOP loop1
#define OWN own1
#define UNMASKED unmasked1
#define NEXT next1
#include "sweep_cols_arm64.h"

#define VECS VECS2
#define MOV FMOVQ
#define WIDTH 32
#define ROW row2
#define LOOP loop2
#define OWN own2
#define UNMASKED unmasked2
#define NEXT next2
#include "sweep_cols_arm64.h"

#define VECS VECS3
#define MOV FMOVQ
#define WIDTH 48
#define ROW row3
#define LOOP loop3
#define OWN own3
#define UNMASKED unmasked3
#define NEXT next3
#include "sweep_cols_arm64.h"

#define VECS VECS4
#define MOV FMOVQ
#define WIDTH 64
#define ROW row4
#define LOOP loop4
#define OWN own4
#define UNMASKED unmasked4
#define NEXT next4
#include "sweep_cols_arm64.h"

#define VECS VECS5
#define MOV FMOVQ
#define WIDTH 80
#define ROW row5
#define LOOP loop5
#define OWN own5
#define UNMASKED unmasked5
#define NEXT next5
#include "sweep_cols_arm64.h"

#define VECS VECS6
#define MOV FMOVQ
#define WIDTH 96
#define ROW row6
#define LOOP loop6
#define OWN own6
#define UNMASKED unmasked6
#define NEXT next6
#include "sweep_cols_arm64.h"

#define VECS VECS7
#define MOV FMOVQ
#define WIDTH 112
#define ROW row7
#define LOOP loop7
#define OWN own7
#define UNMASKED unmasked7
#define NEXT next7
#include "sweep_cols_arm64.h"

#define VECS VECS8
#define MOV FMOVQ
#define WIDTH 128
#define ROW row8
#define LOOP loop8
#define OWN own8
#define UNMASKED unmasked8
#define NEXT next8
#include "sweep_cols_arm64.h"

#define VECS VECS9
#define MOV FMOVQ
#define WIDTH 144
#define ROW row9
#define LOOP loop9
#define OWN own9
#define UNMASKED unmasked9
#define NEXT next9
#include "sweep_cols_arm64.h"

#define VECS VECS10
#define MOV FMOVQ
#define WIDTH 160
#define ROW row10
#define LOOP loop10
#define OWN own10
#define UNMASKED unmasked10
#define NEXT next10
#include "sweep_cols_arm64.h"

#define VECS VECS11
#define MOV FMOVQ
#define WIDTH 176
#define ROW row11
#define LOOP loop11
#define OWN own11
#define UNMASKED unmasked11
#define NEXT next11
#include "sweep_cols_arm64.h"

#define VECS VECS12
#define MOV FMOVQ
#define WIDTH 192
#define ROW row12
#define LOOP loop12
#define OWN own12
#define UNMASKED unmasked12
#define NEXT next12
#include "sweep_cols_arm64.h"
