//go:build !purego

// The AVX2 bodies in float64.

#include "go_asm.h"
#include "textflag.h"

#define TABLE ·avx2F64

#define LANES_LOG 2
#define VMASKMOV VMASKMOVPD
#define VBLENDV VBLENDVPD
#define VAND VANDPD
#define VMOVMSK VMOVMSKPD
#define VADDS VADDSD
#define VSUBS VSUBSD
#define VMULS VMULSD
#define VMAXS VMAXSD
#define VMINS VMINSD
#define VCMPS VCMPSD
#define VPCMPEQ VPCMPEQQ
#define BIT_OF_LANE bits64<>(SB)
#define HALF_BYTES 0
#define FOLD_PART(A, T) VPERMILPD $0x5, A, T; VADDPD T, A, A
#define REDUCE_FOLD_PART(OP) VPERMILPD $0x5, Y0, Y1; OP(Y1, Y0, Y0)
#define POLY \
	VMOVUPD     logVectors_poly6(BX), Y7; \
	VMOVUPD     logVectors_poly5(BX), Y8; \
	VFMADD213PD logVectors_poly4(BX), Y6, Y7; \
	VFMADD213PD logVectors_poly3(BX), Y6, Y8; \
	VFMADD213PD logVectors_poly2(BX), Y6, Y7; \
	VFMADD213PD logVectors_poly1(BX), Y6, Y8; \
	VFMADD213PD logVectors_poly0(BX), Y6, Y7
#define FOURS(OP) OP(Y0, Y1, Y2, Y3, Y4, Y12, Y13, Y14, Y15)
#define FOUR_FOLD_PART
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

#include "kernel_f64_amd64.h"
#include "rooms_avx2_amd64.h"
