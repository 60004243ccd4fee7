//go:build !purego

// The AVX2 bodies in float32.

#include "go_asm.h"
#include "textflag.h"

#define AVX2_F32
#include "bodies.h"

#define SIZE 4
#define LANES_LOG 3
#define VMOVU VMOVUPS
#define VMASKMOV VMASKMOVPS
#define VBLENDV VBLENDVPS
#define VFMA VFMADD231PS
#define VFNMA VFNMADD231PS
#define VADD VADDPS
#define VSUB VSUBPS
#define VMUL VMULPS
#define VDIV VDIVPS
#define VMAX VMAXPS
#define VMIN VMINPS
#define VAND VANDPS
#define VCMP VCMPPS
#define VMOVMSK VMOVMSKPS
#define VBCST VBROADCASTSS
#define VMOVS VMOVSS
#define VFMAS VFMADD231SS
#define MOVI MOVL
#define VPCMPEQ VPCMPEQD
#define BIT_OF_LANE bits32<>(SB)
#define HALF_BYTES 1
#define ADDI ADDL
#define FOLD_PART(A, T) VPERMILPS $0x4E, A, T; VADDPS T, A, A; VPERMILPS $0xB1, A, T; VADDPS T, A, A
#define REDUCE_FOLD_PART(OP) VPERMILPS $0x4E, Y0, Y1; OP(Y1, Y0, Y0); VPERMILPS $0xB1, Y0, Y1; OP(Y1, Y0, Y0)
#define FRACTION 23
#define VPADD VPADDD
#define VPSRL VPSRLD
#define POLY \
	VMOVUPS     logVectors_poly2(BX), Y7; \
	VMOVUPS     logVectors_poly3(BX), Y8; \
	VFMADD213PS logVectors_poly0(BX), Y6, Y7; \
	VFMADD213PS logVectors_poly1(BX), Y6, Y8

#include "kernel_avx2_amd64.h"
#include "reduce_avx2_amd64.h"
#include "reduce_amd64.h"
#include "products_avx2_amd64.h"
#include "sweep_amd64.h"
#include "entries_avx2_amd64.h"
#include "entries_amd64.h"
#include "rankone_avx2_amd64.h"
#include "divergence_avx2_amd64.h"
#include "linear_amd64.h"
