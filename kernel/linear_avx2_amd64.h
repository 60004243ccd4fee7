// The registers of AVX2 for linear_amd64.h. The mask of the last vector is that of PART_LOAD.

#define VECTOR 32
#define PANEL_LOG 2
#define PANEL_B0 Y12
#define PANEL_B1 Y13
#define PANEL_B2 Y14
#define PANEL_COEF Y15
#define T0 Y0
#define T1 Y1
#define T2 Y2
#define T3 Y3
#define T4 Y4
#define T5 Y5
#define PANEL_ROWS(OP) \
	OP((DX), Y0, Y1, Y2); \
	OP((DX)(BX*1), Y3, Y4, Y5); \
	OP((DX)(BX*2), Y6, Y7, Y8); \
	OP((DX)(R8*1), Y9, Y10, Y11)
#define LAST_MASK(N) \
	LEAQ    masks<>+128(SB), AX; \
	IMULQ   $SIZE, N; \
	SUBQ    N, AX; \
	VMOVDQU (AX), Y15
