// The registers of AVX-512 for linear_amd64.h. The mask of the last vector is that of PART_LOAD.

#define VECTOR 64
#define PANEL_LOG 3
#define PANEL_B0 Z24
#define PANEL_B1 Z25
#define PANEL_B2 Z26
#define PANEL_COEF Z27
#define T0 Z0
#define T1 Z1
#define T2 Z2
#define T3 Z3
#define T4 Z4
#define T5 Z5
#define PANEL_ROWS(OP) \
	OP((DX), Z0, Z1, Z2); \
	OP((DX)(BX*1), Z3, Z4, Z5); \
	OP((DX)(BX*2), Z6, Z7, Z8); \
	OP((DX)(R8*1), Z9, Z10, Z11); \
	OP((DX)(BX*4), Z12, Z13, Z14); \
	OP((DX)(R9*1), Z15, Z16, Z17); \
	OP((DX)(R8*2), Z18, Z19, Z20); \
	OP((DX)(R10*1), Z21, Z22, Z23)
#define LAST_MASK(N) \
	MOVL  $1, AX; \
	SHLL  N, AX; \
	DECL  AX; \
	KMOVW AX, K1
