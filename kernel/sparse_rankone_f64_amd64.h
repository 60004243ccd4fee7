// What the bodies of SparseRankOne are made of for float64. sparse_rankone_amd64.h,
// which is included next, undefines it.

#define SIZE 8
#define LANES Y0
#define W4 Y1
#define T4 Y2
#define M4 Y3
#define N4 Y4
#define ZERO4 Y12
#define V4 Y13
#define G4 Y14
#define MU4 Y15
#define MOVU VMOVUPD
#define MUL VMULPD
#define ADD VADDPD
#define SUB VSUBPD
#define MAX VMAXPD
#define MIN VMINPD
#define FMA VFMADD231PD
#define MOV1 VMOVSD
#define MUL1 VMULSD
#define ADD1 VADDSD
#define SUB1 VSUBSD
#define MAX1 VMAXSD
#define MIN1 VMINSD
#define FMA1 VFMADD231SD
#define FMA213 VFMADD213SD
#define BELOW1 VCMPSD $17,
#define AND1 VANDPD
#define BCST VBROADCASTSD
#define DOUBLE(X, R) \
	VMOVQ X, R; \
	ADDQ  R, R
#define GATHER4 \
	MOVL        (SI), AX; \
	MOVL        4(SI), BX; \
	VMOVSD      (R8)(AX*8), X1; \
	VMOVHPD     (R8)(BX*8), X1, X1; \
	MOVL        8(SI), AX; \
	MOVL        12(SI), BX; \
	VMOVSD      (R8)(AX*8), X2; \
	VMOVHPD     (R8)(BX*8), X2, X2; \
	VINSERTF128 $1, X2, Y1, Y1
#define SPLIT \
	VEXTRACTF128 $1, Y0, X6; \
	VPERMILPD    $1, X0, X5; \
	VPERMILPD    $1, X6, X7
