// The NEON bodies of sweep.go. kernel_arm64.h has what the rooms share.

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

// func sweep(s *sweep)
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
// Each panel is a function of its own, so that its labels are, and goes on in the next one.
//
//	V0-V11 t     V16 V17 h[l], mask, scratch     V18 b[k][l]
//	V19 penalty  V20 inv[k]
//	R1 h[l] or a[k]   R2 &b[k][l]   R3 l left before, R4 after the own one
//	R5 k    R6 to     R7 stride of h    R8 h[0]   R9 a[k]   R10 b[k]   R11 &inv[k]
//	R12 mask[k] or nil   R13 h[k]   R14 R15 R16 strides of a, b, mask
//	R17 bytes of columns done   R19 bytes left   R20 rank   R21 scratch
TEXT sweepNEON<>(SB), NOSPLIT|NOFRAME, $0-8
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
	LSR  $4, R19, R21
	OF_SIZE(R21, 12, sweepNEONof12<>)
	OF_SIZE(R21, 11, sweepNEONof11<>)
	OF_SIZE(R21, 10, sweepNEONof10<>)
	OF_SIZE(R21, 9, sweepNEONof9<>)
	OF_SIZE(R21, 8, sweepNEONof8<>)
	OF_SIZE(R21, 7, sweepNEONof7<>)
	OF_SIZE(R21, 6, sweepNEONof6<>)
	OF_SIZE(R21, 5, sweepNEONof5<>)
	OF_SIZE(R21, 4, sweepNEONof4<>)
	OF_SIZE(R21, 3, sweepNEONof3<>)
	OF_SIZE(R21, 2, sweepNEONof2<>)
	OF_SIZE(R21, 1, sweepNEONof1<>)
	B    sweepNEONleft<>(SB)

// The columns that are left, less than a vector.
TEXT sweepNEONleft<>(SB), NOSPLIT|NOFRAME, $0-8
	TBZ $3, R19, 2(PC)
	B   sweepNEONhalf<>(SB)
	B   sweepNEONquarter<>(SB)

#define BODY sweepNEONof12<>
#define VECS VECS12
#define MOV FMOVQ
#define WIDTH 192
#define NEXT sweepNEONleft<>
#include "sweep_size_arm64.h"

#define BODY sweepNEONof11<>
#define VECS VECS11
#define MOV FMOVQ
#define WIDTH 176
#define NEXT sweepNEONleft<>
#include "sweep_size_arm64.h"

#define BODY sweepNEONof10<>
#define VECS VECS10
#define MOV FMOVQ
#define WIDTH 160
#define NEXT sweepNEONleft<>
#include "sweep_size_arm64.h"

#define BODY sweepNEONof9<>
#define VECS VECS9
#define MOV FMOVQ
#define WIDTH 144
#define NEXT sweepNEONleft<>
#include "sweep_size_arm64.h"

#define BODY sweepNEONof8<>
#define VECS VECS8
#define MOV FMOVQ
#define WIDTH 128
#define NEXT sweepNEONleft<>
#include "sweep_size_arm64.h"

#define BODY sweepNEONof7<>
#define VECS VECS7
#define MOV FMOVQ
#define WIDTH 112
#define NEXT sweepNEONleft<>
#include "sweep_size_arm64.h"

#define BODY sweepNEONof6<>
#define VECS VECS6
#define MOV FMOVQ
#define WIDTH 96
#define NEXT sweepNEONleft<>
#include "sweep_size_arm64.h"

#define BODY sweepNEONof5<>
#define VECS VECS5
#define MOV FMOVQ
#define WIDTH 80
#define NEXT sweepNEONleft<>
#include "sweep_size_arm64.h"

#define BODY sweepNEONof4<>
#define VECS VECS4
#define MOV FMOVQ
#define WIDTH 64
#define NEXT sweepNEONleft<>
#include "sweep_size_arm64.h"

#define BODY sweepNEONof3<>
#define VECS VECS3
#define MOV FMOVQ
#define WIDTH 48
#define NEXT sweepNEONleft<>
#include "sweep_size_arm64.h"

#define BODY sweepNEONof2<>
#define VECS VECS2
#define MOV FMOVQ
#define WIDTH 32
#define NEXT sweepNEONleft<>
#include "sweep_size_arm64.h"

#define BODY sweepNEONof1<>
#define VECS VECS1
#define MOV FMOVQ
#define WIDTH 16
#define NEXT sweepNEONleft<>
#include "sweep_size_arm64.h"

// The panel of the last eight bytes.
#define BODY sweepNEONhalf<>
#define VECS VECS1
#define MOV FMOVD
#define WIDTH 8
#define NEXT sweepNEONquarter<>
#include "sweep_size_arm64.h"

// The panel of the last four bytes: one float32. Of float64 there is none.
#define BODY sweepNEONquarter<>
#define VECS VECS1
#define MOV FMOVS
#define WIDTH 4
#define NEXT sweepNEONend<>
#include "sweep_size_arm64.h"

TEXT sweepNEONend<>(SB), NOSPLIT|NOFRAME, $0-8
	RET
