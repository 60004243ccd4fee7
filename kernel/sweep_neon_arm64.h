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

// func sweep(s *sweep): sweepGeneric, for the coordinates [from, to), for N whole vectors of columns
//
//	for k < to { t = a[k]; for l != k { t -= b[k][l] h[l] }; h[k] = mask project(t) }
//
// VECS applies operations to the vectors of a panel. All whole vectors are one panel; then come 8 bytes and 4 bytes of columns, if
// any, each a panel of its own. Two coordinates walk together over the h[l] before the
// first of them: 14 loads for 24 multiply-adds of 12 vectors, instead of 26.
// Preconditions: the whole vectors of cols are those of the function; 0 <= from < to <= rank.
//
//	V0-V11 t     V12-V23 t of k+1     V24 V25 h[l], mask, scratch
//	V26 V27 b[k][l], b[k+1][l]        V28 penalty   V29 inv[k]
//	R1 h[l] or a[k]   R2 &b[k][l]   R3 l left before, R4 after the own one
//	R5 k    R6 to     R7 stride of h    R8 h[0]   R9 a[k]   R10 b[k]   R11 &inv[k]
//	R12 mask[k] or nil   R13 h[k]   R14 R15 R16 strides of a, b, mask
//	R17 bytes of columns done   R19 bytes left   R20 rank   R21 scratch   R22 bytes of the panel
//	R23 the function of the next panel   R24 1: t of k+1 is begun   R25 &b[k+1][l]
#define SWEEP_OF(N, NAME, VECS) \
	BODY((bodies_sweep+8*N), NAME); \
	SWEEP_BEGIN; \
	SWEEP_PANEL(VECS)
#define SWEEP_BEGIN \
	MOVD s+0(FP), R0; \
	ADD  $sweep_penalty, R0, R1; \
	SPREAD(R1, V28); \
	IN3(sweep_to, R6, sweep_hStride, R7, sweep_aStride, R14); \
	IN3(sweep_bStride, R15, sweep_rank, R20, sweep_cols, R19); \
	LSL  $SIZE_LOG, R19; \
	MOVD $0, R17; \
	BIC  $15, R19, R22; \
	MOVD $sweepNEONleft<>(SB), R23
#define SWEEP_PANEL(VECS) \
	MOVD $0, R24; \
	IN2(sweep_from, R5, sweep_h, R8); \
	ADD  R17, R8; \
	MADD R5, R8, R7, R13; \
	MOVD sweep_a(R0), R9; \
	ADD  R17, R9; \
	MADD R5, R9, R14, R9; \
	MOVD sweep_b(R0), R10; \
	MADD R5, R10, R15, R10; \
	MOVD sweep_inv(R0), R11; \
	ADD  R5<<SIZE_LOG, R11; \
	MOVD $0, R16; \
	MOVD sweep_mask(R0), R12; \
	CBZ  R12, row; \
	MOVD sweep_maskStride(R0), R16; \
	ADD  R17, R12; \
	MADD R5, R12, R16, R12; \
row: /* for k < to { */ \
	MOVI   (R11), R21; \
	SHLI   $1, R21; \
	CBZ    R21, next; \
	MOVD   R9, R1; \
	VECS(T_LOAD2, T_LOAD); \
	MOVD   R8, R1; \
	MOVD   R10, R2; \
	MOVD   R5, R3; \
	SUB    R5, R20, R4; \
	SUB    $1, R4; \
	CBZ    R3, own; \
	ADD    $1, R5, R21; \
	CMP    R6, R21; \
	BGE    loop; \
	MOVI   SIZE(R11), R21; \
	SHLI   $1, R21; \
	CBZ    R21, loop; \
	ADD    R14, R9, R1; \
	VECS(U_LOAD2, U_LOAD); \
	MOVD   R8, R1; \
	ADD    R15, R10, R25; \
	MOVD   $1, R24; \
both: /* for l < k { t -= b[k][l] h[l], and the same for k+1 */ \
	MOVE   (R2), F26; \
	MOVE   (R25), F27; \
	VECS(TU_FMS2, TU_FMS); \
	ADD    $SIZE, R2; \
	ADD    $SIZE, R25; \
	ADD    R7, R1; \
	SUBS   $1, R3; \
	BNE    both; /* } */ \
	B      own; \
loop: /* for l left { t -= b[k][l] h[l] */ \
	MOVE   (R2), F26; \
	VECS(T_FMS2, T_FMS); \
	ADD    $SIZE, R2; \
	ADD    R7, R1; \
	SUBS   $1, R3; \
	BNE    loop; /* } */ \
own: /* but not l = k; then those behind it */ \
	ADD    $SIZE, R2; \
	ADD    R7, R1; \
	MOVD   R4, R3; \
	MOVD   $0, R4; \
	CBNZ   R3, loop; \
	MOVE   (R11), F29; \
	VECS(T_PROJECT2, T_PROJECT); \
	CBZ    R12, unmasked; \
	VECS(T_MASK2, T_MASK); \
unmasked: /* h[k] = t */ \
	VECS(T_STORE2, T_STORE); \
next: \
	ADD    R7, R13; \
	ADD    R14, R9; \
	ADD    R15, R10; \
	ADD    $SIZE, R11; \
	ADD    R16, R12; \
	ADD    $1, R5; \
	CBNZ   R24, begun; \
	CMP    R6, R5; \
	BLT    row; /* } */ \
	ADD    R22, R17; \
	SUBS   R22, R19; \
	BLE    done; \
	B      (R23); \
begun: /* t needs h[k-1] next */ \
	MOVD   $0, R24; \
	VECS(T_NEXT2, T_NEXT); \
	SUB    R7, R13, R1; \
	MOVD   R25, R2; \
	MOVD   $1, R3; \
	SUB    R5, R20, R4; \
	SUB    $1, R4; \
	B      loop; \
done: \
	RET
BODY(bodies_sweep, sweepNEONof0<>)
	SWEEP_BEGIN
	B    sweepNEONleft<>(SB)
SWEEP_OF(1, sweepNEONof1<>, VECS1)
SWEEP_OF(2, sweepNEONof2<>, VECS2)
SWEEP_OF(3, sweepNEONof3<>, VECS3)
SWEEP_OF(4, sweepNEONof4<>, VECS4)
SWEEP_OF(5, sweepNEONof5<>, VECS5)
SWEEP_OF(6, sweepNEONof6<>, VECS6)
SWEEP_OF(7, sweepNEONof7<>, VECS7)
SWEEP_OF(8, sweepNEONof8<>, VECS8)
SWEEP_OF(9, sweepNEONof9<>, VECS9)
SWEEP_OF(10, sweepNEONof10<>, VECS10)
SWEEP_OF(11, sweepNEONof11<>, VECS11)
SWEEP_OF(12, sweepNEONof12<>, VECS12)

// The columns that are left, less than a vector.
TEXT sweepNEONleft<>(SB), NOSPLIT|NOFRAME, $0-8
	TBZ  $3, R19, 4(PC)
	MOVD $8, R22
	MOVD $sweepNEONquarter<>(SB), R23
	B    sweepNEONhalf<>(SB)
	MOVD $4, R22
	B    sweepNEONquarter<>(SB)

// The panels of the last eight bytes and of the last four: one float32. Of float64 there is none.
TEXT sweepNEONhalf<>(SB), NOSPLIT|NOFRAME, $0-8
	SWEEP_PANEL(VECS_HALF)
TEXT sweepNEONquarter<>(SB), NOSPLIT|NOFRAME, $0-8
	SWEEP_PANEL(VECS_QUARTER)
