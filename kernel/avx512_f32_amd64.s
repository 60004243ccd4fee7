//go:build !purego

// The AVX-512 bodies in float32.

#include "go_asm.h"
#include "textflag.h"

#define TABLE ·avx512F32

#define LANES_LOG 4
#define VCOMPRESS VCOMPRESSPS
#define KMOV_SEEN KMOVW
#define PART_KMOV(P) VMOVDQU8.Z P, K3, X0; VMOVD X0, CX; KMOVW CX, K2
#define FOLD_MASK 0x1111
#define FOLD_PART VPERMILPS $0x4E, Z30, Z31; VADDPS Z31, Z30, Z30; VPERMILPS $0xB1, Z30, Z31; VADDPS Z31, Z30, Z30
#define STORE4(P) VMOVUPS X30, K2, P
#define STORE_UPPER4(P) VEXTRACTF32X4 $1, Z30, X30; STORE4(P)
#define FOLD_EIGHTH(A) VPERMILPS $0xB1, A, Z24; VADDPS Z24, A, A
#define FOLD_ORDER(A, TO) VPERMPS A, Z29, TO
#define LOAD_ORDER(P, TO) VPMOVSXBD P, TO
#define ORDER order32<>(SB)
#define REDUCE_FOLD_PART(OP) VPERMILPS $0x4E, Z0, Z1; OP(Z1, Z0, Z0); VPERMILPS $0xB1, Z0, Z1; OP(Z1, Z0, Z0)
#define POLY \
	VMOVAPS     Z27, Z7; \
	VMOVAPS     Z28, Z8; \
	VFMADD213PS Z25, Z6, Z7; \
	VFMADD213PS Z26, Z6, Z8

#include "kernel_f32_amd64.h"
#include "rooms_avx512_amd64.h"
