// The body of Extrapolate, for AVX2 and AVX-512. The lanes are 64 bytes. A level defines before it
//
//	LINE(OP, LD, ST)       applies OP to the vectors of 64 bytes of columns: offset and lanes
//	LINE_LOG               log2 of these columns
//	LINE_MASKS             finds the masks of the last columns from their count in CX; may set R10
//	LINE_PART(OP)          applies OP to the last columns with these masks

#define EXTRAPOLATE_STEP(LD, ST, AT, L) \
	LD(AT(SI)(AX*1), W3); \
	LD(AT(DX)(AX*1), W4); \
	ST(W3, AT(DX)(AX*1)); \
	VSUB W4, W3, W4; \
	VFMA W4, W4, L; \
	VFMA W4, W2, W3; \
	VMAX W9, W3, W3; \
	ST(W3, AT(SI)(AX*1))
#define LANES_FROM(LD, ST, AT, L) LD(AT(R12), L)
#define LANES_BACK(LD, ST, AT, L) ST(L, AT(R12))

// func extrapolate(e *extrapolation): extrapolateGeneric, from and to e.lanes
//
// Preconditions: rows, cols >= 1.
//
//	W0 W1 lanes   W2 beta   W3 x   W4 before, then d   W9 zero
//	SI x[i]   DX before[i]   R8 R9 their strides   R10 masks of the last columns
//	AX column in bytes   CX lines left   R11 rows left   R12 lanes
DATA TABLE+bodies_extrapolate(SB)/8, $EXTRAPOLATE(SB)
TEXT EXTRAPOLATE(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ  e+0(FP), DI
	MOVQ  extrapolation_x(DI), SI
	MOVQ  extrapolation_before(DI), DX
	MOVQ  extrapolation_xStride(DI), R8
	MOVQ  extrapolation_beforeStride(DI), R9
	MOVQ  extrapolation_rows(DI), R11
	MOVQ  extrapolation_lanes(DI), R12
	LINE(LANES_FROM, LOAD, STORE)
	VBCST extrapolation_beta(DI), W2
	NIL(W9)
	MOVQ  extrapolation_cols(DI), CX
	ANDQ  $(64/SIZE-1), CX
	LINE_MASKS

row: // for rows left > 0 {
	XORL AX, AX
	MOVQ extrapolation_cols(DI), CX
	SHRQ $LINE_LOG, CX
	JEQ  part

loop:
	LINE(EXTRAPOLATE_STEP, LOAD, STORE)
	ADDQ $64, AX
	DECQ CX
	JNE  loop

part:
	TESTQ $(64/SIZE-1), extrapolation_cols(DI)
	JEQ   whole
	LINE_PART(EXTRAPOLATE_STEP)

whole:
	ADDQ R8, SI
	ADDQ R9, DX
	DECQ R11
	JNE  row           // }
	LINE(LANES_BACK, LOAD, STORE)
	VZEROUPPER
	RET
