//go:build !purego

// The AVX-512 bodies of linear.go: linear_amd64.h, included once for each precision.
// K1 names the elements of the last vector.
// Requires: AVX-512 F, DQ, BW, VL.

#include "go_asm.h"
#include "textflag.h"

#define WIDTH 64
#define HEIGHT 3
#define B0 Z24
#define B1 Z25
#define B2 Z26
#define COEF Z27
#define V0 Z0
#define V1 Z1
#define V2 Z2
#define V3 Z3
#define V4 Z4
#define V5 Z5
#define PANEL_ROWS(OP) \
	OP((DX), Z0, Z1, Z2); \
	OP((DX)(BX*1), Z3, Z4, Z5); \
	OP((DX)(BX*2), Z6, Z7, Z8); \
	OP((DX)(R8*1), Z9, Z10, Z11); \
	OP((DX)(BX*4), Z12, Z13, Z14); \
	OP((DX)(R9*1), Z15, Z16, Z17); \
	OP((DX)(R8*2), Z18, Z19, Z20); \
	OP((DX)(R10*1), Z21, Z22, Z23)
#define MASK(N) \
	MOVL  $1, AX; \
	SHLL  N, AX; \
	DECL  AX; \
	KMOVW AX, K1
#define LOAD_LAST(P, R) VMOVU.Z P, K1, R
#define STORE_LAST(R, P) VMOVU R, K1, P

#define PANEL ·panelAVX512F64
#define ADD_SCALED ·addScaledAVX512F64
#define SCALE ·scaleAVX512F64
#define SIZE 8
#define LANES_LOG 3
#define VMOVU VMOVUPD
#define VFMA VFMADD231PD
#define VMUL VMULPD
#define VBCST VBROADCASTSD
#include "linear_amd64.h"

#define PANEL ·panelAVX512F32
#define ADD_SCALED ·addScaledAVX512F32
#define SCALE ·scaleAVX512F32
#define SIZE 4
#define LANES_LOG 4
#define VMOVU VMOVUPS
#define VFMA VFMADD231PS
#define VMUL VMULPS
#define VBCST VBROADCASTSS
#include "linear_amd64.h"
