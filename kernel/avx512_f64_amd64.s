//go:build !purego

// The AVX-512 bodies in float64.

#include "go_asm.h"
#include "textflag.h"

#define TABLE ·avx512F64

#define LANES_LOG 3
#define VCOMPRESS VCOMPRESSPD
#define KMOV_SEEN KMOVB
#define PART_KMOV(P) KMOVB P, K2
#define FOLD_MASK 0x55
#define FOLD_PART VPERMILPD $0x55, Z30, Z31; VADDPD Z31, Z30, Z30
#define STORE4(P) VMOVUPD Y30, K2, P
#define STORE_UPPER4(P) VEXTRACTF64X4 $1, Z30, Y30; STORE4(P)
#define FOLD_EIGHTH(A)
#define FOLD_ORDER(A, TO) VPERMPD A, Z29, TO
#define LOAD_ORDER(P, TO) VPMOVSXBQ P, TO
#define ORDER order64<>(SB)
#define REDUCE_FOLD_PART(OP) VPERMILPD $0x55, Z0, Z1; OP(Z1, Z0, Z0)
#define POLY \
	VMOVAPD     Z31, Z7; \
	VMOVAPD     Z30, Z8; \
	VFMADD213PD Z29, Z6, Z7; \
	VFMADD213PD Z28, Z6, Z8; \
	VFMADD213PD Z27, Z6, Z7; \
	VFMADD213PD Z26, Z6, Z8; \
	VFMADD213PD Z25, Z6, Z7

#include "kernel_f64_amd64.h"
#include "rooms_avx512_amd64.h"
