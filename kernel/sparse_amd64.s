//go:build !purego

// The AVX2 and AVX-512 bodies of the sparse kernels: sparse_amd64.h, included
// once for each level and precision.

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

// AVX-512. K1 names the elements of the last vector.
// Requires: AVX-512 F, DQ, BW, VL.

#define WIDTH 64
#define ACC0 Z0
#define ACC1 Z1
#define ACC2 Z2
#define ACC3 Z3
#define MASK \
	MOVL  $1, AX; \
	SHLL  CX, AX; \
	DECL  AX; \
	KMOVW AX, K1
#define MASKS MASK
#define LOAD(AT, R) VMOVU AT(R10), R
#define LOAD_LAST(AT, R) VMOVU.Z AT(R10), K1, R
#define STORE(R, AT) VMOVU R, AT(R10)
#define STORE_LAST(R, AT) VMOVU R, K1, AT(R10)
#define FMA(AT, R) VFMA AT(R8)(AX*1), Z8, R
#define FMA_LAST(AT, R) VFMA AT(R8)(AX*1), Z8, K1, R
#define SCATTER(AT, R) \
	VMOVU AT(R8)(AX*1), Z7; \
	VFMA  R, Z8, Z7; \
	VMOVU Z7, AT(R8)(AX*1)
#define SCATTER_LAST(AT, R) \
	VMOVU.Z AT(R8)(AX*1), K1, Z7; \
	VFMA    R, Z8, Z7; \
	VMOVU   Z7, K1, AT(R8)(AX*1)
#define ADD_G \
	VMOV1 (DX), X8; \
	VADD1 X9, X8, X8; \
	VBCST X8, Z8
#define G_LOAD VMOV1 gather_g(DI), X9
#define V_LAST(LO, HI) VMOVU.Z LO, K1, Z4
#define LANES_ZERO VPXORQ Z0, Z0, Z0
#define GROUP(VLO, VHI, LO, HI) \
	VMOVU LO, Z1; \
	VFMA  VLO, Z1, Z0
#define GROUP_LAST(LO, HI) \
	VMOVU.Z LO, K1, Z1; \
	VFMA    Z1, Z4, Z0
#define LANES_FOLD \
	VEXTRACTF64X4 $1, Z0, Y1; \
	VADD          Y1, Y0, Y0; \
	FOLD

#define ADD_SPARSE ·addSparseAVX512F64
#define ADD_TRANSPOSED ·addTransposedAVX512F64
#define SAMPLED ·sampledAVX512F64
#define SIZE 8
#define VMOVU VMOVUPD
#define VMOV1 VMOVSD
#define VADD VADDPD
#define VADD1 VADDSD
#define VBCST VBROADCASTSD
#define VFMA VFMADD231PD
#define STORE1 VMOVSD X0, (DX)
#define FOLD \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPD       X1, X0, X0; \
	VPERMILPD    $1, X0, X1; \
	VADDSD       X1, X0, X0
#include "sparse_amd64.h"
#undef ADD_SPARSE
#undef ADD_TRANSPOSED
#undef SAMPLED
#undef SIZE
#undef VMOVU
#undef VMOV1
#undef VADD
#undef VADD1
#undef VBCST
#undef VFMA
#undef STORE1
#undef FOLD
#undef ARGUMENTS
#undef ENTRIES
#undef COLUMN
#undef ADD_ROWS
#undef SCATTER_ROWS

#define ADD_SPARSE ·addSparseAVX512F32
#define ADD_TRANSPOSED ·addTransposedAVX512F32
#define SAMPLED ·sampledAVX512F32
#define SIZE 4
#define VMOVU VMOVUPS
#define VMOV1 VMOVSS
#define VADD VADDPS
#define VADD1 VADDSS
#define VBCST VBROADCASTSS
#define VFMA VFMADD231PS
#define STORE1 VMOVSS X0, (DX)
#define FOLD \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPS       X1, X0, X0; \
	VPERMILPS    $0x0E, X0, X1; \
	VADDPS       X1, X0, X0; \
	VPERMILPS    $1, X0, X1; \
	VADDSS       X1, X0, X0
#include "sparse_amd64.h"

// AVX2. Y10 and Y11 hold the masks of the last vector of A, or of the two last
// vectors of v.
// Requires: AVX2, FMA.

#undef WIDTH
#undef ACC0
#undef ACC1
#undef ACC2
#undef ACC3
#undef MASK
#undef MASKS
#undef LOAD
#undef LOAD_LAST
#undef STORE
#undef STORE_LAST
#undef FMA
#undef FMA_LAST
#undef SCATTER
#undef SCATTER_LAST
#undef ADD_G
#undef G_LOAD
#undef V_LAST
#undef LANES_ZERO
#undef GROUP
#undef GROUP_LAST
#undef LANES_FOLD
#undef ADD_SPARSE
#undef ADD_TRANSPOSED
#undef SAMPLED
#undef ARGUMENTS
#undef ENTRIES
#undef COLUMN
#undef ADD_ROWS
#undef SCATTER_ROWS
#define WIDTH 32
#define ACC0 Y0
#define ACC1 Y1
#define ACC2 Y2
#define ACC3 Y3
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
#define STORE(R, AT) VMOVU R, AT(R10)
#define STORE_LAST(R, AT) VMASK R, Y10, AT(R10)
#define FMA(AT, R) VFMA AT(R8)(AX*1), Y8, R
#define FMA_LAST(AT, R) \
	VMASK AT(R8)(AX*1), Y10, Y7; \
	VFMA  Y7, Y8, R
#define SCATTER(AT, R) \
	VMOVU AT(R8)(AX*1), Y7; \
	VFMA  R, Y8, Y7; \
	VMOVU Y7, AT(R8)(AX*1)
#define SCATTER_LAST(AT, R) \
	VMASK AT(R8)(AX*1), Y10, Y7; \
	VFMA  R, Y8, Y7; \
	VMASK Y7, Y10, AT(R8)(AX*1)
#define ADD_G \
	VMOV1 (DX), X8; \
	VADD1 X9, X8, X8; \
	VBCST X8, Y8
#define G_LOAD VMOV1 gather_g(DI), X9
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

#define ADD_SPARSE ·addSparseAVX2F32
#define ADD_TRANSPOSED ·addTransposedAVX2F32
#define SAMPLED ·sampledAVX2F32
#define VMASK VMASKMOVPS
#include "sparse_amd64.h"
#undef ADD_SPARSE
#undef ADD_TRANSPOSED
#undef SAMPLED
#undef VMASK
#undef SIZE
#undef VMOVU
#undef VMOV1
#undef VADD
#undef VADD1
#undef VBCST
#undef VFMA
#undef STORE1
#undef FOLD
#undef ARGUMENTS
#undef ENTRIES
#undef COLUMN
#undef ADD_ROWS
#undef SCATTER_ROWS

#define ADD_SPARSE ·addSparseAVX2F64
#define ADD_TRANSPOSED ·addTransposedAVX2F64
#define SAMPLED ·sampledAVX2F64
#define SIZE 8
#define VMASK VMASKMOVPD
#define VMOVU VMOVUPD
#define VMOV1 VMOVSD
#define VADD VADDPD
#define VADD1 VADDSD
#define VBCST VBROADCASTSD
#define VFMA VFMADD231PD
#define STORE1 VMOVSD X0, (DX)
#define FOLD \
	VEXTRACTF128 $1, Y0, X1; \
	VADDPD       X1, X0, X0; \
	VPERMILPD    $1, X0, X1; \
	VADDSD       X1, X0, X0
#include "sparse_amd64.h"
