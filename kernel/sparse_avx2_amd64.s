//go:build !purego

// The AVX2 bodies of the sparse kernels: sparse_amd64.h, included once for each
// precision, with the macros of the level, which stand here, and those of the
// precision. Y10 and Y11 hold the masks of the last
// vector of A, or of the two last vectors of v.
// Requires: AVX2, FMA.

#include "go_asm.h"
#include "textflag.h"

// 32 bytes of ones, 32 of zeros: the mask of b bytes is at 32 - b.
DATA gatherMask<>+0(SB)/8, $-1
DATA gatherMask<>+8(SB)/8, $-1
DATA gatherMask<>+16(SB)/8, $-1
DATA gatherMask<>+24(SB)/8, $-1
DATA gatherMask<>+32(SB)/8, $0
DATA gatherMask<>+40(SB)/8, $0
DATA gatherMask<>+48(SB)/8, $0
DATA gatherMask<>+56(SB)/8, $0
GLOBL gatherMask<>(SB), RODATA|NOPTR, $64

#define WIDTH 32
#define ACC0 Y0
#define ACC1 Y1
#define ACC2 Y2
#define ACC3 Y3
#define ACC4 Y4
#define ACC5 Y5
#define ACC6 Y6
#define ACC7 Y7
#define MASK \
	IMUL3Q  $SIZE, CX, CX; \
	NEGQ    CX; \
	LEAQ    gatherMask<>+32(SB), AX; \
	VMOVDQU (AX)(CX*1), Y10

// Of CX elements, the first vector has min(CX, all), the second what is left.
#define MASKS \
	IMUL3Q  $SIZE, CX, CX; \
	MOVQ    $32, BX; \
	CMPQ    CX, BX; \
	CMOVQLT CX, BX; \
	SUBQ    BX, CX; \
	NEGQ    BX; \
	NEGQ    CX; \
	LEAQ    gatherMask<>+32(SB), AX; \
	VMOVDQU (AX)(BX*1), Y10; \
	VMOVDQU (AX)(CX*1), Y11
#define LOAD(AT, R) VMOVU AT(R10), R
#define LOAD_LAST(AT, R) VMASK AT(R10), Y10, R
#define STORE(AT, R) VMOVU R, AT(R10)
#define STORE_LAST(AT, R) VMASK R, Y10, AT(R10)
#define FMA(AT, R) VFMA AT(R8)(AX*1), Y8, R
#define FMA_LAST(AT, R) \
	VMASK AT(R8)(AX*1), Y10, Y11; \
	VFMA  Y11, Y8, R
#define SCATTER(AT, R) \
	VMOVU AT(R8)(AX*1), Y11; \
	VFMA  R, Y8, Y11; \
	VMOVU Y11, AT(R8)(AX*1)
#define SCATTER_LAST(AT, R) \
	VMASK AT(R8)(AX*1), Y10, Y11; \
	VFMA  R, Y8, Y11; \
	VMASK Y11, Y10, AT(R8)(AX*1)
#define ADD_G(N) \
	VBCST N, Y8; \
	VADD  Y9, Y8, Y8
#define G_LOAD VBCST gather_g(DI), Y9
#define V_LAST(LO, HI) \
	VMASK LO, Y10, Y4; \
	VMASK HI, Y11, Y5
#define LANES_ZERO \
	VPXOR Y0, Y0, Y0; \
	VPXOR Y1, Y1, Y1
#define GROUP(VLO, VHI, LO, HI) \
	VMOVU LO, Y2; \
	VMOVU HI, Y3; \
	VFMA  VLO, Y2, Y0; \
	VFMA  VHI, Y3, Y1
#define GROUP_LAST(LO, HI) \
	VMASK LO, Y10, Y2; \
	VMASK HI, Y11, Y3; \
	VFMA  Y2, Y4, Y0; \
	VFMA  Y3, Y5, Y1
#define LANES_FOLD \
	VADD Y1, Y0, Y0; \
	FOLD

#define FOUR_ENTRIES(four, one, next)

#define ADD_SPARSE ·addSparseAVX2F64
#define ADD_TRANSPOSED ·addTransposedAVX2F64
#define SAMPLED ·sampledAVX2F64
#include "sparse_f64_amd64.h"
#include "sparse_amd64.h"

#define ADD_SPARSE ·addSparseAVX2F32
#define ADD_TRANSPOSED ·addTransposedAVX2F32
#define SAMPLED ·sampledAVX2F32
#include "sparse_f32_amd64.h"
#include "sparse_amd64.h"
