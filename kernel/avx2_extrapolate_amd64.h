// The AVX2 body of one precision: Extrapolate. See avx2_matrix_amd64.h.

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
// Requires: AVX2, FMA. Preconditions: rows, cols >= 1.
//
//	Y0 Y1 lanes   Y2 beta   Y3 x   Y4 before, then d   Y13 zero   Y15 mask of a vector
//	SI x[i]   DX before[i]   R8 R9 their strides   R10 masks of the last columns
//	AX column in bytes   CX groups of two vectors left   R11 rows left   R12 lanes
TEXT EXTRAPOLATE(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ  e+0(FP), DI
	MOVQ  extrapolation_x(DI), SI
	MOVQ  extrapolation_before(DI), DX
	MOVQ  extrapolation_xStride(DI), R8
	MOVQ  extrapolation_beforeStride(DI), R9
	MOVQ  extrapolation_rows(DI), R11
	MOVQ  extrapolation_lanes(DI), R12
	VMOVU (R12), Y0
	VMOVU 32(R12), Y1
	VBCST extrapolation_beta(DI), Y2
	VPXOR Y13, Y13, Y13
	MOVQ  extrapolation_cols(DI), CX
	ANDQ  $(64/SIZE-1), CX
	MASKS(R10)

row: // for rows left > 0 {
	XORL AX, AX
	MOVQ extrapolation_cols(DI), CX
	SHRQ $(LANES_LOG+1), CX
	JEQ  part

loop:
	EXTRAPOLATE_STEP(LOAD, STORE, 0, Y0)
	EXTRAPOLATE_STEP(LOAD, STORE, 32, Y1)
	ADDQ $64, AX
	DECQ CX
	JNE  loop

part:
	TESTQ $(64/SIZE-1), extrapolation_cols(DI)
	JEQ   whole
	VMOVU (R10), Y15
	EXTRAPOLATE_STEP(PART_LOAD, PART_STORE, 0, Y0)
	VMOVU 32(R10), Y15
	EXTRAPOLATE_STEP(PART_LOAD, PART_STORE, 32, Y1)

whole:
	ADDQ  R8, SI
	ADDQ  R9, DX
	DECQ  R11
	JNE   row            // }
	VMOVU Y0, (R12)
	VMOVU Y1, 32(R12)
	VZEROUPPER
	RET
