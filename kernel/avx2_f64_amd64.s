//go:build !purego

// The AVX2 bodies in float64.

#include "go_asm.h"
#include "textflag.h"

#define TABLE ·avx2F64
#define SPARSE_RANK_ONE ·sparseRankOneAVX2F64

#define SIZE 8
#define LANES_LOG 2
#define VMOVU VMOVUPD
#define VMASKMOV VMASKMOVPD
#define VBLENDV VBLENDVPD
#define VFMA VFMADD231PD
#define VFNMA VFNMADD231PD
#define VADD VADDPD
#define VSUB VSUBPD
#define VMUL VMULPD
#define VDIV VDIVPD
#define VMAX VMAXPD
#define VMIN VMINPD
#define VAND VANDPD
#define VCMP VCMPPD
#define VMOVMSK VMOVMSKPD
#define VBCST VBROADCASTSD
#define VMOVS VMOVSD
#define VFMAS VFMADD231SD
#define VADDS VADDSD
#define VSUBS VSUBSD
#define VMULS VMULSD
#define VMAXS VMAXSD
#define VMINS VMINSD
#define VCMPS VCMPSD
#define MOVI MOVQ
#define VPCMPEQ VPCMPEQQ
#define BIT_OF_LANE bits64<>(SB)
#define HALF_BYTES 0
#define ADDI ADDQ
#define FOLD_PART(A, T) VPERMILPD $0x5, A, T; VADDPD T, A, A
#define REDUCE_FOLD_PART(OP) VPERMILPD $0x5, Y0, Y1; OP(Y1, Y0, Y0)
#define FRACTION 52
#define VPADD VPADDQ
#define VPSRL VPSRLQ
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
#define LOAD_FOUR(P, Y, X) VMOVUPD P, Y
#define STORE_FOUR(P) VMOVUPD Y0, P
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

#include "kernel_avx2_amd64.h"
#include "kernel_amd64.h"
#include "reduce_amd64.h"
#include "products_avx2_amd64.h"
#include "sweep_avx2_amd64.h"
#include "sweep_amd64.h"
#include "entries_avx2_amd64.h"
#include "entries_amd64.h"
#include "rankone_avx2_amd64.h"
#include "divergence_avx2_amd64.h"
#include "sparse_avx2_amd64.h"
#include "sparse_rankone_amd64.h"
#include "linear_amd64.h"
