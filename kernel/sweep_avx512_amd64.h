// What is of AVX-512 in the bodies of sweep.go, for sweep_amd64.h: a vector of h[l] is loaded once for two
// coordinates, which are twice as many chains of multiply-adds.
//
//	U0-U7 t of k+1   Z13 h[l]   Z14 b[k+1][l]   BX &b[k+1][l], or 0 if row k+1 is not begun

#define U0 Z16
#define U1 Z17
#define U2 Z18
#define U3 Z19
#define U4 Z20
#define U5 Z21
#define U6 Z22
#define U7 Z23

#define U_LOAD(AT, T, U) VMOVU AT(SI), U
#define U_LOAD_PART(AT, T, U) PART_LOAD(AT(SI), U)
#define TU_FMA(AT, T, U) VMOVU AT(SI), Z13; VFNMA Z13, W8, T; VFNMA Z13, Z14, U
#define TU_FMA_PART(AT, T, U) PART_LOAD(AT(SI), Z13); VFNMA Z13, W8, T; VFNMA Z13, Z14, U
#define T_BEGUN(AT, T, U) VMOVAPD U, T

#define TWO_NONE XORL BX, BX
#define TWO(VECS, both, single) \
	LEAQ  1(R14), BX; \
	CMPQ  BX, sweep_to(DI); \
	JGE   single; \
	MOVI  SIZE(R12), BX; \
	ADDI  BX, BX; \
	JEQ   single; \
	MOVQ  R10, SI; \
	ADDQ  sweep_aStride(DI), SI; \
	VECS(U_LOAD, U_LOAD_PART); \
	MOVQ  R9, SI; \
	MOVQ  DX, BX; \
	ADDQ  sweep_bStride(DI), BX; \
both: /* for l < k { t -= b[k][l] h[l], and the same for k+1 */ \
	VBCST (DX), W8; \
	VBCST (BX), Z14; \
	VECS(TU_FMA, TU_FMA_PART); \
	ADDQ  R8, SI; \
	ADDQ  $SIZE, DX; \
	ADDQ  $SIZE, BX; \
	DECQ  CX; \
	JNE   both; /* } */ \
	JMP   own; \
single: \
	XORL  BX, BX
#define TWO_NEXT(begun) TESTQ BX, BX; JNE begun
#define TWO_BEGUN(VECS, begun) \
begun: \
	VECS(T_BEGUN, T_BEGUN); \
	MOVQ R15, SI; \
	SUBQ R8, SI; \
	MOVQ BX, DX; \
	XORL BX, BX; \
	MOVL $1, CX; \
	MOVQ sweep_rank(DI), AX; \
	SUBQ R14, AX; \
	DECQ AX; \
	JMP  loop
