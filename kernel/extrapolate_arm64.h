// NEON body of Extrapolate.
// Included by kernel_arm64.s once for each precision, with the macros of that one.

// func EXTRAPOLATE(e *extrapolation)
//
//	for i := range rows {
//		for j := range cols {
//			d := x[i][j] - before[i][j]
//			before[i][j] = x[i][j]
//			lane[j%lanes] = fma(d, d, lane[j%lanes])
//			x[i][j] = max(0, fma(beta, d, x[i][j]))
//		}
//	}
//
// The last columns of a row are copied, completed with zeros, and copied back.
// Preconditions: rows, cols >= 1.
//
//	V0-V3 lanes   V24 beta   V25 x   V26 before, then d   V28 scratch
//	R1 x[i]   R2 before[i]   R4 R5 their strides   R9 R10 column reached
//	R3 lanes   R6 bytes of the last group   R7 rows left   R8 groups of a row
//	R11 groups left   R12 copies   R13 R14 the last columns   R15 scratch
TEXT EXTRAPOLATE(SB), NOSPLIT|NOFRAME, $0-8
	MOVD  e+0(FP), R0
	MOVE  extrapolation_beta(R0), F24
	MOVD  extrapolation_x(R0), R1
	MOVD  extrapolation_before(R0), R2
	MOVD  extrapolation_lanes(R0), R3
	MOVD  extrapolation_xStride(R0), R4
	MOVD  extrapolation_beforeStride(R0), R5
	MOVD  extrapolation_rows(R0), R7
	MOVD  extrapolation_cols(R0), R8
	LSL   $SIZE_LOG, R8
	AND   $63, R8, R6
	LSR   $6, R8
	ADD   $extrapolation_copies, R0, R12
	FLDPQ (R3), (F0, F1)
	FLDPQ 32(R3), (F2, F3)

row: // for rows left > 0 {
	MOVD R1, R9
	MOVD R2, R10
	CBZ  R8, part
	MOVD R8, R11

loop:
	EXTRAPOLATE_GROUP
	ADD  $64, R9
	ADD  $64, R10
	SUBS $1, R11
	BNE  loop

part:
	CBZ   R6, whole
	VEOR  V25.B16, V25.B16, V25.B16
	VEOR  V26.B16, V26.B16, V26.B16
	FSTPQ (F25, F26), (R12)
	FSTPQ (F25, F26), 32(R12)
	FSTPQ (F25, F26), 64(R12)
	FSTPQ (F25, F26), 96(R12)
	MOVD  R9, R13
	MOVD  R10, R14
	MOVD  R12, R15
	COPY(R9, R15, R6)
	ADD   $64, R12, R15
	COPY(R10, R15, R6)
	MOVD  R12, R9
	ADD   $64, R12, R10
	EXTRAPOLATE_GROUP
	COPY(R9, R13, R6)
	COPY(R10, R14, R6)

whole:
	ADD   R4, R1
	ADD   R5, R2
	SUBS  $1, R7
	BNE   row           // }
	FSTPQ (F0, F1), (R3)
	FSTPQ (F2, F3), 32(R3)
	RET
