// What the bodies of SparseRankOne are made of for float32. sparse_rankone_amd64.h,
// which is included next, undefines it.

#define SIZE 4
#define LANES X0
#define W4 X1
#define T4 X2
#define M4 X3
#define N4 X4
#define ZERO4 X12
#define V4 X13
#define G4 X14
#define MU4 X15
#define MOVU VMOVUPS
#define MUL VMULPS
#define ADD VADDPS
#define SUB VSUBPS
#define MAX VMAXPS
#define MIN VMINPS
#define FMA VFMADD231PS
#define MOV1 VMOVSS
#define MUL1 VMULSS
#define ADD1 VADDSS
#define SUB1 VSUBSS
#define MAX1 VMAXSS
#define MIN1 VMINSS
#define FMA1 VFMADD231SS
#define FMA213 VFMADD213SS
#define BELOW1 VCMPSS $17,
#define AND1 VANDPS
#define BCST VBROADCASTSS
#define DOUBLE(X, R) \
	VMOVD X, R; \
	ADDL  R, R
#define GATHER4 \
	MOVL      (SI), AX; \
	MOVL      4(SI), BX; \
	VMOVSS    (R8)(AX*4), X1; \
	VINSERTPS $0x10, (R8)(BX*4), X1, X1; \
	MOVL      8(SI), AX; \
	MOVL      12(SI), BX; \
	VINSERTPS $0x20, (R8)(AX*4), X1, X1; \
	VINSERTPS $0x30, (R8)(BX*4), X1, X1
#define SPLIT \
	VPERMILPS $1, X0, X5; \
	VPERMILPS $2, X0, X6; \
	VPERMILPS $3, X0, X7
