//go:build !purego

// The AVX2 bodies in float32.

#include "go_asm.h"
#include "textflag.h"

#define TABLE ·avx2F32

#define LANES_LOG 3
#define VMASKMOV VMASKMOVPS
#define VBLENDV VBLENDVPS
#define VAND VANDPS
#define VMOVMSK VMOVMSKPS
#define VADDS VADDSS
#define VSUBS VSUBSS
#define VMULS VMULSS
#define VMAXS VMAXSS
#define VMINS VMINSS
#define VCMPS VCMPSS
#define VPCMPEQ VPCMPEQD
#define BIT_OF_LANE bits32<>(SB)
#define HALF_BYTES 1
#define FOLD_PART(A, T) VPERMILPS $0x4E, A, T; VADDPS T, A, A; VPERMILPS $0xB1, A, T; VADDPS T, A, A
#define REDUCE_FOLD_PART(OP) VPERMILPS $0x4E, Y0, Y1; OP(Y1, Y0, Y0); VPERMILPS $0xB1, Y0, Y1; OP(Y1, Y0, Y0)
#define POLY \
	VMOVUPS     logVectors_poly2(BX), Y7; \
	VMOVUPS     logVectors_poly3(BX), Y8; \
	VFMADD213PS logVectors_poly0(BX), Y6, Y7; \
	VFMADD213PS logVectors_poly1(BX), Y6, Y8
#define FOURS(OP) OP(X0, X1, X2, X3, X4, X12, X13, X14, X15)
#define FOUR_FOLD_PART \
	VHADDPS      Y0, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VUNPCKLPD    X1, X0, X0
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

#include "kernel_f32_amd64.h"
#include "rooms_avx2_amd64.h"
