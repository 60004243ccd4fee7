// The NEON bodies of divergence.go. kernel_neon_arm64.h has what the rooms share.

// POLY of a precision sets V11 and V6 to the sums of the odd and the even powers, in steps.
#define POLY_STEP(C, P) \
	VMOV C.B16, V9.B16; \
	FMA(P, V10, V9); \
	VMOV V9.B16, P.B16

// GROUPS is the groups of 64 bytes of N elements, and the return: STEP is that of a group, and goes on to the next. COPIES
// copies the last R6 elements, completes them with zeros and sets R7 and R1 to x there, and R2 and others. BACK copies x back
// to R12, and OUT stores the sums. COPY_ELEMENTS uses V6 and R9-R11.
#define GROUPS(N, STEP, COPIES, BACK, OUT) \
	MOVD N, R5; \
	AND  $(64/SIZE-1), R5, R6; \
	LSR  $(6-SIZE_LOG), R5; \
	MOVD $0, R12; \
	CBZ  R5, last; \
loop: /* for groups left > 0 { */ \
	STEP; \
	SUBS $1, R5; \
	BNE  loop; /* } */ \
	CBNZ R12, back; \
last: \
	CBZ  R6, done; \
	MOVD R1, R12; \
	COPIES; \
	MOVD R7, R1; \
	MOVD R8, R2; \
	MOVD $1, R5; \
	B    loop; \
back: \
	BACK; \
done: \
	OUT; \
	RET
#define COPY_PAIR \
	ADD $ratios_copies, R0, R7; \
	ADD $64, R7, R8; \
	CLEAR64(0, R7); \
	CLEAR64(0, R8); \
	COPY_ELEMENTS(R1, R7, R6); \
	COPY_ELEMENTS(R2, R8, R6)
#define X_BACK COPY_ELEMENTS(R7, R12, R6)
#define NOTHING
#define COPY_ELEMENTS(FROM, TO, N) \
	MOVD   FROM, R9; \
	MOVD   TO, R10; \
	MOVD   N, R11; \
	MOVE.P SIZE(R9), F6; \
	MOVE.P F6, SIZE(R10); \
	SUBS   $1, R11; \
	BNE    -3(PC)

// func ratio(r *ratios): ratioGeneric
//
// Preconditions: n >= 1.
//
//	V0 least   V1-V4 x   V5-V8 m   V9-V12 x > least   R1 x   R2 m   R5 groups left
//	R6 elements of the last one   R7 R8 copies   R12 where x of the last one is, else 0
#define RATIO_GROUP \
	FLDPQ   (R1), (F1, F2); \
	FLDPQ   32(R1), (F3, F4); \
	FLDPQ.P 32(R2), (F5, F6); \
	FLDPQ.P 32(R2), (F7, F8); \
	FCMGT(0, 1, 9); \
	FCMGT(0, 2, 10); \
	FCMGT(0, 3, 11); \
	FCMGT(0, 4, 12); \
	VBSL    V0.B16, V1.B16, V9.B16; \
	VBSL    V0.B16, V2.B16, V10.B16; \
	VBSL    V0.B16, V3.B16, V11.B16; \
	VBSL    V0.B16, V4.B16, V12.B16; \
	FDIV(9, 5, 1); \
	FDIV(10, 6, 2); \
	FDIV(11, 7, 3); \
	FDIV(12, 8, 4); \
	FSTPQ.P (F1, F2), 32(R1); \
	FSTPQ.P (F3, F4), 32(R1)
BODY(bodies_ratio, ratioNEON<>)
	MOVD r+0(FP), R0
	IN2(ratios_x, R1, ratios_m, R2)
	ADD  $ratios_least, R0, R3
	SPREAD(R3, V0)
	GROUPS(ratios_n(R0), RATIO_GROUP, COPY_PAIR, X_BACK, NOTHING)

// One vector of x and m, at AT: lanes += x > 0 ? m log x : 0. FMA(M, N, D) is D += N M.
#define LOG_OF(AT, LANES) \
	FMOVQ AT(R1), F4; \
	FCMGTZ(4, 5); \
	FCMGT(4, 12, 6); \
	FMUL(13, 4, 7); \
	VBIT  V6.B16, V7.B16, V4.B16; \
	VAND  V14.B16, V6.B16, V6.B16; \
	ADD_TO(V15, V4); \
	SHIFTED(V4, V7); \
	VORR  V16.B16, V7.B16, V7.B16; \
	FSUB(17, 7, 7); \
	FSUB(6, 7, 7); \
	VAND  V18.B16, V4.B16, V4.B16; \
	ADD_TO(V19, V4); \
	FSUB(20, 4, 4); \
	FADD(21, 4, 8); \
	FDIV(8, 4, 8); \
	FMUL(8, 8, 9); \
	FMUL(9, 9, 10); \
	POLY; \
	FMUL(6, 10, 6); \
	FMA(V11, V9, V6); \
	FMUL(4, 4, 9); \
	FMUL(22, 9, 9); \
	FADD(9, 6, 6); \
	FMUL(24, 7, 10); \
	FMA(V6, V8, V10); \
	FSUB(9, 10, 10); \
	FADD(4, 10, 10); \
	FMA(V23, V7, V10); \
	FMOVQ AT(R2), F4; \
	VAND  V5.B16, V4.B16, V4.B16; \
	VAND  V5.B16, V10.B16, V10.B16; \
	FMA(V10, V4, LANES)

// Two constants of the logarithm, at R4.
#define CONSTANTS(A, RA, B, RB) FMOVQ A(R4), RA; FMOVQ B(R4), RB

// func dotLog(r *ratios): dotLogGeneric, from and to r.lanes
//
// Preconditions: as for ratio.
//
//	V0-V3 lanes   V12-V31 constants   R1 x   R2 m   R3 lanes   R5 to R8, R12 as for ratio
//	V4 x, its bits, then f   V5 x > 0   V7 k   V8 s   V9 z, then f²/2   V10 w, then log x
//	V11 V6 sums of odd and even powers
#define LOG_GROUP \
	LOG_OF(0, V0); \
	LOG_OF(16, V1); \
	LOG_OF(32, V2); \
	LOG_OF(48, V3); \
	ADD $64, R1; \
	ADD $64, R2
BODY(bodies_dotLog, dotLogNEON<>)
	MOVD  r+0(FP), R0
	IN4(ratios_x, R1, ratios_m, R2, ratios_lanes, R3, ratios_consts, R4)
	LANES4(LANES_LOAD, R3)
	CONSTANTS(logVectors_normal, F12, logVectors_scale, F13)
	CONSTANTS(logVectors_shift, F14, logVectors_offset, F15)
	CONSTANTS(logVectors_magic, F16, logVectors_bias, F17)
	CONSTANTS(logVectors_fraction, F18, logVectors_root, F19)
	CONSTANTS(logVectors_one, F20, logVectors_two, F21)
	CONSTANTS(logVectors_half, F22, logVectors_ln2Hi, F23)
	CONSTANTS(logVectors_ln2Lo, F24, logVectors_poly0, F25)
	CONSTANTS(logVectors_poly1, F26, logVectors_poly2, F27)
	CONSTANTS(logVectors_poly3, F28, logVectors_poly4, F29)
	CONSTANTS(logVectors_poly5, F30, logVectors_poly6, F31)
	GROUPS(ratios_n(R0), LOG_GROUP, COPY_PAIR, NOTHING, LANES4(LANES_SAVE, R3))

// One vector of x, last, m and g, at AT: x += step last, then FIRST += m > 0 ? m t : 0 and
// SECOND += m > 0 ? m t² : 0. FIRST is the number of a register.
#define MOVE_AND_ADD(AT, FIRST, SECOND) \
	FMOVQ AT(R1), F16; \
	FMOVQ AT(R2), F17; \
	FMOVQ AT(R3), F18; \
	FMOVQ AT(R4), F19; \
	FMA(V17, V8, V16); \
	FMOVQ F16, AT(R1); \
	FCMGTZ(18, 20); \
	FCMGT(9, 16, 21); \
	VBSL  V9.B16, V16.B16, V21.B16; \
	FDIV(21, 19, 22); \
	VAND  V20.B16, V22.B16, V22.B16; \
	VAND  V20.B16, V18.B16, V18.B16; \
	FMUL(22, 18, 23); \
	FADD(23, FIRST, FIRST); \
	FMA(V22, V23, SECOND)

// func logDerivatives(r *derivatives): logDerivativesGeneric, from and to the lanes of both sums
//
// The last elements are copied and completed with m = 0. What stands beside these zeros is
// ignored.
// Preconditions: as for ratio.
//
//	V0-V3 first   V24-V27 second   V8 step   V9 least   V16 x   V17 last   V18 m   V19 g
//	V20 m > 0   V21 max(x, least)   V22 t   V23 p
//	R1 x   R2 last   R3 m   R4 g   R5 R6 R12 as for ratio   R13 lanes of first   R14 of second
//	R7 R8 R15 R16 copies of x, last, m and g
#define DERIVATIVES_GROUP \
	MOVE_AND_ADD(0, 0, V24); \
	MOVE_AND_ADD(16, 1, V25); \
	MOVE_AND_ADD(32, 2, V26); \
	MOVE_AND_ADD(48, 3, V27); \
	NEXT4(64, R1, R2, R3, R4)
#define DERIVATIVES_COPIES \
	ADD  $derivatives_copies, R0, R7; \
	WALK4($64, R7, R8, R15, R16); \
	CLEAR64(0, R15); \
	COPY_ELEMENTS(R1, R7, R6); \
	COPY_ELEMENTS(R2, R8, R6); \
	COPY_ELEMENTS(R3, R15, R6); \
	COPY_ELEMENTS(R4, R16, R6); \
	MOVD R15, R3; \
	MOVD R16, R4
#define DERIVATIVES_OUT LANES4(LANES_SAVE, R13); FSTPQ (F24, F25), (R14); FSTPQ (F26, F27), 32(R14)
BODY(bodies_logDerivatives, logDerivativesNEON<>)
	MOVD  r+0(FP), R0
	IN3(derivatives_x, R1, derivatives_last, R2, derivatives_m, R3)
	IN3(derivatives_g, R4, derivatives_first, R13, derivatives_second, R14)
	LANES4(LANES_LOAD, R13)
	FLDPQ (R14), (F24, F25)
	FLDPQ 32(R14), (F26, F27)
	ADD   $derivatives_step, R0, R7
	SPREAD(R7, V8)
	ADD   $derivatives_least, R0, R7
	SPREAD(R7, V9)
	GROUPS(derivatives_n(R0), DERIVATIVES_GROUP, DERIVATIVES_COPIES, X_BACK, DERIVATIVES_OUT)
