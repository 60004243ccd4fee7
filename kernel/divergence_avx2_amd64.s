//go:build !purego

// The AVX2 bodies of divergence.go: divergence_avx2_amd64.h, included once for each precision.
// Requires: AVX2, FMA.

#include "go_asm.h"
#include "textflag.h"

// 64 bytes of ones, 64 of zeros: the mask of b bytes is at 64 - b.
DATA divergenceMask<>+0(SB)/8, $-1
DATA divergenceMask<>+8(SB)/8, $-1
DATA divergenceMask<>+16(SB)/8, $-1
DATA divergenceMask<>+24(SB)/8, $-1
DATA divergenceMask<>+32(SB)/8, $-1
DATA divergenceMask<>+40(SB)/8, $-1
DATA divergenceMask<>+48(SB)/8, $-1
DATA divergenceMask<>+56(SB)/8, $-1
DATA divergenceMask<>+64(SB)/8, $0
DATA divergenceMask<>+72(SB)/8, $0
DATA divergenceMask<>+80(SB)/8, $0
DATA divergenceMask<>+88(SB)/8, $0
DATA divergenceMask<>+96(SB)/8, $0
DATA divergenceMask<>+104(SB)/8, $0
DATA divergenceMask<>+112(SB)/8, $0
DATA divergenceMask<>+120(SB)/8, $0
GLOBL divergenceMask<>(SB), RODATA|NOPTR, $128

#define RATIO ·ratioAVX2F64
#define DOTLOG ·dotLogAVX2F64
#define DERIVE ·logDerivativesAVX2F64
#define SIZE 8
#define LANES_LOG 3
#define VMASK VMASKMOVPD
#define FRACTION 52
#define VMOVU VMOVUPD
#define VBCST VBROADCASTSD
#define VMAX VMAXPD
#define VDIV VDIVPD
#define VADD VADDPD
#define VSUB VSUBPD
#define VMUL VMULPD
#define VAND VANDPD
#define VCMP VCMPPD
#define VBLENDV VBLENDVPD
#define VFMA231 VFMADD231PD
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
#include "divergence_avx2_amd64.h"
#undef RATIO
#undef DOTLOG
#undef DERIVE
#undef SIZE
#undef LANES_LOG
#undef VMASK
#undef FRACTION
#undef VMOVU
#undef VBCST
#undef VMAX
#undef VDIV
#undef VADD
#undef VSUB
#undef VMUL
#undef VAND
#undef VCMP
#undef VBLENDV
#undef VFMA231
#undef VPADD
#undef VPSRL
#undef POLY

#define RATIO ·ratioAVX2F32
#define DOTLOG ·dotLogAVX2F32
#define DERIVE ·logDerivativesAVX2F32
#define SIZE 4
#define LANES_LOG 4
#define VMASK VMASKMOVPS
#define FRACTION 23
#define VMOVU VMOVUPS
#define VBCST VBROADCASTSS
#define VMAX VMAXPS
#define VDIV VDIVPS
#define VADD VADDPS
#define VSUB VSUBPS
#define VMUL VMULPS
#define VAND VANDPS
#define VCMP VCMPPS
#define VBLENDV VBLENDVPS
#define VFMA231 VFMADD231PS
#define VPADD VPADDD
#define VPSRL VPSRLD
#define POLY \
	VMOVUPS     logVectors_poly2(BX), Y7; \
	VMOVUPS     logVectors_poly3(BX), Y8; \
	VFMADD213PS logVectors_poly0(BX), Y6, Y7; \
	VFMADD213PS logVectors_poly1(BX), Y6, Y8
#include "divergence_avx2_amd64.h"
