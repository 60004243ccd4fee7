//go:build !purego

// The AVX2 bodies of linear.go: linear_amd64.h, included once for each precision. Y15
// holds the mask of the last vector.
// Requires: AVX2, FMA.

#include "go_asm.h"
#include "textflag.h"

// 32 bytes of ones, 32 of zeros: the mask of b bytes is at 32 - b.
DATA linearMask<>+0(SB)/8, $-1
DATA linearMask<>+8(SB)/8, $-1
DATA linearMask<>+16(SB)/8, $-1
DATA linearMask<>+24(SB)/8, $-1
DATA linearMask<>+32(SB)/8, $0
DATA linearMask<>+40(SB)/8, $0
DATA linearMask<>+48(SB)/8, $0
DATA linearMask<>+56(SB)/8, $0
GLOBL linearMask<>(SB), RODATA|NOPTR, $64

#define WIDTH 32
#define HEIGHT 2
#define B0 Y12
#define B1 Y13
#define B2 Y14
#define COEF Y15
#define V0 Y0
#define V1 Y1
#define V2 Y2
#define V3 Y3
#define V4 Y4
#define V5 Y5
#define PANEL_ROWS(OP) \
	OP((DX), Y0, Y1, Y2); \
	OP((DX)(BX*1), Y3, Y4, Y5); \
	OP((DX)(BX*2), Y6, Y7, Y8); \
	OP((DX)(R8*1), Y9, Y10, Y11)
#define MASK(N) \
	LEAQ    linearMask<>+32(SB), AX; \
	IMULQ   $SIZE, N; \
	SUBQ    N, AX; \
	VMOVDQU (AX), Y15
#define LOAD_LAST(P, R) VMASK P, Y15, R
#define STORE_LAST(R, P) VMASK R, Y15, P

#define PANEL ·panelAVX2F64
#define ADD_SCALED ·addScaledAVX2F64
#define SCALE ·scaleAVX2F64
#define SIZE 8
#define LANES_LOG 2
#define VMOVU VMOVUPD
#define VMASK VMASKMOVPD
#define VFMA VFMADD231PD
#define VMUL VMULPD
#define VBCST VBROADCASTSD
#include "linear_amd64.h"
#undef VMASK

#define PANEL ·panelAVX2F32
#define ADD_SCALED ·addScaledAVX2F32
#define SCALE ·scaleAVX2F32
#define SIZE 4
#define LANES_LOG 3
#define VMOVU VMOVUPS
#define VMASK VMASKMOVPS
#define VFMA VFMADD231PS
#define VMUL VMULPS
#define VBCST VBROADCASTSS
#include "linear_amd64.h"
