// The NEON bodies of sweep.go. kernel_neon_arm64.h has what the rooms share.

// VECS1 to VECS12 apply ops to the vectors of a panel of columns, in pairs and
// the last of an odd number singly: what moves it, offset, register by its names and
// number; the same of the register for the next coordinate. VECS_HALF and VECS_QUARTER have the
// elements of a part of one.
#define VECS1(OP2, OP) OP(FMOVQ, 0, F0, V0, 0, F12, V12, 12)
#define VECS_HALF(OP2, OP) OP(FMOVD, 0, F0, V0, 0, F12, V12, 12)
#define VECS_QUARTER(OP2, OP) OP(FMOVS, 0, F0, V0, 0, F12, V12, 12)
#define VECS2(OP2, OP) OP2(0, F0, V0, 0, F1, V1, 1, F12, V12, 12, F13, V13, 13)
#define VECS3(OP2, OP) VECS2(OP2, OP); OP(FMOVQ, 32, F2, V2, 2, F14, V14, 14)
#define VECS4(OP2, OP) VECS2(OP2, OP); OP2(32, F2, V2, 2, F3, V3, 3, F14, V14, 14, F15, V15, 15)
#define VECS5(OP2, OP) VECS4(OP2, OP); OP(FMOVQ, 64, F4, V4, 4, F16, V16, 16)
#define VECS6(OP2, OP) VECS4(OP2, OP); OP2(64, F4, V4, 4, F5, V5, 5, F16, V16, 16, F17, V17, 17)
#define VECS7(OP2, OP) VECS6(OP2, OP); OP(FMOVQ, 96, F6, V6, 6, F18, V18, 18)
#define VECS8(OP2, OP) VECS6(OP2, OP); OP2(96, F6, V6, 6, F7, V7, 7, F18, V18, 18, F19, V19, 19)
#define VECS9(OP2, OP) VECS8(OP2, OP); OP(FMOVQ, 128, F8, V8, 8, F20, V20, 20)
#define VECS10(OP2, OP) VECS8(OP2, OP); OP2(128, F8, V8, 8, F9, V9, 9, F20, V20, 20, F21, V21, 21)
#define VECS11(OP2, OP) VECS10(OP2, OP); OP(FMOVQ, 160, F10, V10, 10, F22, V22, 22)
#define VECS12(OP2, OP) VECS10(OP2, OP); OP2(160, F10, V10, 10, F11, V11, 11, F22, V22, 22, F23, V23, 23)

#define T_LOAD(MOV, AT, F, V, t, G, W, u) MOV AT(R1), F
#define T_LOAD2(AT, F, V, t, FF, VV, tt, G, W, u, GG, WW, uu) FLDPQ AT(R1), (F, FF)

#define T_FMS(MOV, AT, F, V, t, G, W, u) MOV AT(R1), F24; FMSE(26, 24, t)
#define T_FMS2(AT, F, V, t, FF, VV, tt, G, W, u, GG, WW, uu) \
	FLDPQ AT(R1), (F24, F25); \
	FMSE(26, 24, t); \
	FMSE(26, 25, tt)

// The same for the next coordinate, or for both.
#define U_LOAD(MOV, AT, F, V, t, G, W, u) MOV AT(R1), G
#define U_LOAD2(AT, F, V, t, FF, VV, tt, G, W, u, GG, WW, uu) FLDPQ AT(R1), (G, GG)

#define TU_FMS(MOV, AT, F, V, t, G, W, u) T_FMS(MOV, AT, F, V, t, G, W, u); FMSE(27, 24, u)
#define TU_FMS2(AT, F, V, t, FF, VV, tt, G, W, u, GG, WW, uu) \
	T_FMS2(AT, F, V, t, FF, VV, tt, G, W, u, GG, WW, uu); \
	FMSE(27, 24, u); \
	FMSE(27, 25, uu)

// The next coordinate becomes the current one.
#define T_NEXT(MOV, AT, F, V, t, G, W, u) VMOV W.B16, V.B16
#define T_NEXT2(AT, F, V, t, FF, VV, tt, G, W, u, GG, WW, uu) VMOV W.B16, V.B16; VMOV WW.B16, VV.B16

// t = t - penalty > 0 ? (t - penalty) * inv : +0
#define T_PROJECT(MOV, AT, F, V, t, G, W, u) \
	FSUB(28, t, t); \
	FCMGTZ(t, 24); \
	FMULE(29, t, t); \
	VAND V24.B16, V.B16, V.B16
#define T_PROJECT2(AT, F, V, t, FF, VV, tt, G, W, u, GG, WW, uu) \
	T_PROJECT(FMOVQ, AT, F, V, t, G, W, u); \
	T_PROJECT(FMOVQ, AT, FF, VV, tt, GG, WW, uu)

#define T_MASK(MOV, AT, F, V, t, G, W, u) MOV AT(R12), F24; FMUL(24, t, t)
#define T_MASK2(AT, F, V, t, FF, VV, tt, G, W, u, GG, WW, uu) \
	FLDPQ AT(R12), (F24, F25); \
	FMUL(24, t, t); \
	FMUL(25, tt, tt)

#define T_STORE(MOV, AT, F, V, t, G, W, u) MOV F, AT(R13)
#define T_STORE2(AT, F, V, t, FF, VV, tt, G, W, u, GG, WW, uu) FSTPQ (F, FF), AT(R13)

// func sweep(s *sweep): sweepGeneric, for the coordinates [from, to)
//
// All whole vectors are one panel; then come 8 bytes and 4 bytes of columns, if
// any, each a panel of its own. Two coordinates walk together over the h[l] before the
// first of them: 14 loads for 24 multiply-adds of 12 vectors, instead of 26.
// Preconditions: 1 <= cols < 13 vectors; 0 <= from < to <= rank.
//
// Each panel is a function of its own, so that its labels are.
//
//	V0-V11 t     V12-V23 t of k+1     V24 V25 h[l], mask, scratch
//	V26 V27 b[k][l], b[k+1][l]        V28 penalty   V29 inv[k]
//	R1 h[l] or a[k]   R2 &b[k][l]   R3 l left before, R4 after the own one
//	R5 k    R6 to     R7 stride of h    R8 h[0]   R9 a[k]   R10 b[k]   R11 &inv[k]
//	R12 mask[k] or nil   R13 h[k]   R14 R15 R16 strides of a, b, mask
//	R17 bytes of columns done   R19 bytes left   R20 rank   R21 scratch   R22 bytes of the panel
//	R23 the function of the next panel   R24 1: t of k+1 is begun   R25 &b[k+1][l]
BODY(bodies_sweep, sweepNEON<>)
	MOVD s+0(FP), R0
	ADD  $sweep_penalty, R0, R1
	SPREAD(R1, V28)
	MOVD sweep_to(R0), R6
	MOVD sweep_hStride(R0), R7
	MOVD sweep_aStride(R0), R14
	MOVD sweep_bStride(R0), R15
	MOVD sweep_rank(R0), R20
	MOVD sweep_cols(R0), R19
	LSL  $SIZE_LOG, R19
	MOVD $0, R17
	LSR  $4, R19, R21
	LSL  $4, R21, R22
	MOVD $sweepNEONleft<>(SB), R23
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
	TBZ  $3, R19, 4(PC)
	MOVD $8, R22
	MOVD $sweepNEONquarter<>(SB), R23
	B    sweepNEONhalf<>(SB)
	MOVD $4, R22
	B    sweepNEONquarter<>(SB)

TEXT sweepNEONof12<>(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS12
#include "sweep_size_neon_arm64.h"

TEXT sweepNEONof11<>(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS11
#include "sweep_size_neon_arm64.h"

TEXT sweepNEONof10<>(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS10
#include "sweep_size_neon_arm64.h"

TEXT sweepNEONof9<>(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS9
#include "sweep_size_neon_arm64.h"

TEXT sweepNEONof8<>(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS8
#include "sweep_size_neon_arm64.h"

TEXT sweepNEONof7<>(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS7
#include "sweep_size_neon_arm64.h"

TEXT sweepNEONof6<>(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS6
#include "sweep_size_neon_arm64.h"

TEXT sweepNEONof5<>(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS5
#include "sweep_size_neon_arm64.h"

TEXT sweepNEONof4<>(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS4
#include "sweep_size_neon_arm64.h"

TEXT sweepNEONof3<>(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS3
#include "sweep_size_neon_arm64.h"

TEXT sweepNEONof2<>(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS2
#include "sweep_size_neon_arm64.h"

TEXT sweepNEONof1<>(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS1
#include "sweep_size_neon_arm64.h"

// The panel of the last eight bytes.
TEXT sweepNEONhalf<>(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS_HALF
#include "sweep_size_neon_arm64.h"

// The panel of the last four bytes: one float32. Of float64 there is none.
TEXT sweepNEONquarter<>(SB), NOSPLIT|NOFRAME, $0-8
#define VECS VECS_QUARTER
#include "sweep_size_neon_arm64.h"
