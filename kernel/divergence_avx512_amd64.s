//go:build !purego

// The AVX-512 bodies of divergence.go: divergence_avx512_amd64.h, included once for each
// precision.
// Requires: AVX-512 F, DQ.

#include "go_asm.h"
#include "textflag.h"

#define RATIO ·ratioAVX512F64
#define DOTLOG ·dotLogAVX512F64
#define DERIVE ·logDerivativesAVX512F64
#define SIZE 8
#define LANES_LOG 3
#define FRACTION 52
#define VMOVU VMOVUPD
#define VBCST VBROADCASTSD
#define VMAX VMAXPD
#define VDIV VDIVPD
#define VADD VADDPD
#define VSUB VSUBPD
#define VMUL VMULPD
#define VCMP VCMPPD
#define VFMA231 VFMADD231PD
#define VPADD VPADDQ
#define VPSRL VPSRLQ
#define POLY \
	VMOVAPD     Z31, Z7; \
	VMOVAPD     Z30, Z8; \
	VFMADD213PD Z29, Z6, Z7; \
	VFMADD213PD Z28, Z6, Z8; \
	VFMADD213PD Z27, Z6, Z7; \
	VFMADD213PD Z26, Z6, Z8; \
	VFMADD213PD Z25, Z6, Z7
#include "divergence_avx512_amd64.h"
#undef RATIO
#undef DOTLOG
#undef DERIVE
#undef SIZE
#undef LANES_LOG
#undef FRACTION
#undef VMOVU
#undef VBCST
#undef VMAX
#undef VDIV
#undef VADD
#undef VSUB
#undef VMUL
#undef VCMP
#undef VFMA231
#undef VPADD
#undef VPSRL
#undef POLY

#define RATIO ·ratioAVX512F32
#define DOTLOG ·dotLogAVX512F32
#define DERIVE ·logDerivativesAVX512F32
#define SIZE 4
#define LANES_LOG 4
#define FRACTION 23
#define VMOVU VMOVUPS
#define VBCST VBROADCASTSS
#define VMAX VMAXPS
#define VDIV VDIVPS
#define VADD VADDPS
#define VSUB VSUBPS
#define VMUL VMULPS
#define VCMP VCMPPS
#define VFMA231 VFMADD231PS
#define VPADD VPADDD
#define VPSRL VPSRLD
#define POLY \
	VMOVAPS     Z27, Z7; \
	VMOVAPS     Z28, Z8; \
	VFMADD213PS Z25, Z6, Z7; \
	VFMADD213PS Z26, Z6, Z8
#include "divergence_avx512_amd64.h"
