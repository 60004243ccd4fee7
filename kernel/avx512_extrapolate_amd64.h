// The AVX-512 body of one precision: Extrapolate. See avx512_matrix_amd64.h.

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
// Requires: AVX512F. Preconditions: rows, cols >= 1.
//
//	Z0 lanes   Z1 zero   Z2 beta   Z3 x   Z4 before, then d   K1 last columns
//	SI x[i]   DX before[i]   R8 R9 their strides
//	AX column in bytes   CX vectors left   R11 rows left   R12 lanes
TEXT EXTRAPOLATE(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ   e+0(FP), DI
	MOVQ   extrapolation_x(DI), SI
	MOVQ   extrapolation_before(DI), DX
	MOVQ   extrapolation_xStride(DI), R8
	MOVQ   extrapolation_beforeStride(DI), R9
	MOVQ   extrapolation_rows(DI), R11
	MOVQ   extrapolation_lanes(DI), R12
	VMOVU  (R12), Z0
	VPXORQ Z1, Z1, Z1
	VBCST  extrapolation_beta(DI), Z2
	MOVQ   extrapolation_cols(DI), CX
	ANDQ   $(64/SIZE-1), CX
	MOVL   $1, AX
	SHLL   CX, AX
	DECL   AX
	KMOVW  AX, K1

row: // for rows left > 0 {
	XORL AX, AX
	MOVQ extrapolation_cols(DI), CX
	SHRQ $LANES_LOG, CX
	JEQ  part

loop:
	VMOVU (SI)(AX*1), Z3
	VMOVU (DX)(AX*1), Z4
	VMOVU Z3, (DX)(AX*1)
	EXTRAPOLATE_STEP
	VMOVU Z3, (SI)(AX*1)
	ADDQ  $64, AX
	DECQ  CX
	JNE   loop

part:
	KORTESTW K1, K1
	JEQ      whole
	VMOVU.Z  (SI)(AX*1), K1, Z3
	VMOVU.Z  (DX)(AX*1), K1, Z4
	VMOVU    Z3, K1, (DX)(AX*1)
	EXTRAPOLATE_STEP
	VMOVU    Z3, K1, (SI)(AX*1)

whole:
	ADDQ  R8, SI
	ADDQ  R9, DX
	DECQ  R11
	JNE   row            // }
	VMOVU Z0, (R12)
	VZEROUPPER
	RET
