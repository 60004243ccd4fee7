//go:build !purego

// The AVX-512 bodies of the sparse kernels: sparse_amd64.h, included once for each
// precision, with the macros of the level, which stand here, and those of the
// precision. K1 names the elements of the last vector.
// Requires: AVX-512 F, DQ, BW, VL.

#include "go_asm.h"
#include "textflag.h"

#define WIDTH 64
#define ACC0 Z0
#define ACC1 Z1
#define ACC2 Z2
#define ACC3 Z3
#define ACC4 Z4
#define ACC5 Z5
#define ACC6 Z6
#define ACC7 Z7
#define MASK \
	MOVL  $1, AX; \
	SHLL  CX, AX; \
	DECL  AX; \
	KMOVW AX, K1
#define MASKS MASK
#define LOAD(AT, R) VMOVU AT(R10), R
#define LOAD_LAST(AT, R) VMOVU.Z AT(R10), K1, R
#define STORE(AT, R) VMOVU R, AT(R10)
#define STORE_LAST(AT, R) VMOVU R, K1, AT(R10)
#define FMA(AT, R) VFMA AT(R8)(AX*1), Z8, R
#define FMA_LAST(AT, R) VFMA AT(R8)(AX*1), Z8, K1, R
#define SCATTER(AT, R) \
	VMOVU AT(R8)(AX*1), Z11; \
	VFMA  R, Z8, Z11; \
	VMOVU Z11, AT(R8)(AX*1)
#define SCATTER_LAST(AT, R) \
	VMOVU.Z AT(R8)(AX*1), K1, Z11; \
	VFMA    R, Z8, Z11; \
	VMOVU   Z11, K1, AT(R8)(AX*1)
#define ADD_G(N) \
	VBCST N, Z8; \
	VADD  Z9, Z8, Z8
#define G_LOAD VBCST gather_g(DI), Z9
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

// Four sums are folded together: halves and quarters of Z0 to Z3 beside each other,
// so that Z0 has a sum in each quarter, which FOLD4 completes and stores. K2 names
// the first element of each quarter.
#define FOUR_FOLD \
	VSHUFF64X2 $0x44, Z1, Z0, Z5; \
	VSHUFF64X2 $0xEE, Z1, Z0, Z7; \
	VADD       Z7, Z5, Z5; \
	VSHUFF64X2 $0x44, Z3, Z2, Z7; \
	VSHUFF64X2 $0xEE, Z3, Z2, Z8; \
	VADD       Z8, Z7, Z7; \
	VSHUFF64X2 $0x88, Z7, Z5, Z0; \
	VSHUFF64X2 $0xDD, Z7, Z5, Z1; \
	VADD       Z1, Z0, Z0; \
	FOLD4
#define WHOLE_GROUPS \
	MOVL   $(0x1111 | 0x44*(SIZE/8)), BX; \
	KMOVW  BX, K2; \
	VPXORQ Z6, Z6, Z6
#define FOUR_ENTRIES(four, one, next) \
	SUBQ $4, CX; \
	JLT  left; \
	WHOLE_GROUPS; \
four: \
	MASKED(Z0); \
	MASKED(Z1); \
	MASKED(Z2); \
	MASKED(Z3); \
	FOUR_FOLD; \
	ADDQ $(4*SIZE), DX; \
	SUBQ $4, CX; \
	JGE  four; \
left: \
	ADDQ $4, CX; \
	JEQ  next
#define MASKED(R) \
	COLUMN; \
	VMOVU.Z (R8)(AX*1), K1, R; \
	VFMA213 Z6, Z4, R

// The row of V stays in Z16 to Z23.
#define LOADS1 VMOVU (R10), Z16
#define PRODUCT1(R) \
	COLUMN; \
	ADDQ    R8, AX; \
	VMOVU   (AX), R; \
	VFMA213 Z6, Z16, R
#define LOADS2 LOADS1; VMOVU 64(R10), Z17
#define PRODUCT2(R) PRODUCT1(R); VFMA 64(AX), Z17, R
#define LOADS3 LOADS2; VMOVU 128(R10), Z18
#define PRODUCT3(R) PRODUCT2(R); VFMA 128(AX), Z18, R
#define LOADS4 LOADS3; VMOVU 192(R10), Z19
#define PRODUCT4(R) PRODUCT3(R); VFMA 192(AX), Z19, R
#define LOADS5 LOADS4; VMOVU 256(R10), Z20
#define PRODUCT5(R) PRODUCT4(R); VFMA 256(AX), Z20, R
#define LOADS6 LOADS5; VMOVU 320(R10), Z21
#define PRODUCT6(R) PRODUCT5(R); VFMA 320(AX), Z21, R
#define LOADS7 LOADS6; VMOVU 384(R10), Z22
#define PRODUCT7(R) PRODUCT6(R); VFMA 384(AX), Z22, R
#define LOADS8 LOADS7; VMOVU 448(R10), Z23
#define PRODUCT8(R) PRODUCT7(R); VFMA 448(AX), Z23, R

#define ADD_SPARSE ·addSparseAVX512F64
#define ADD_TRANSPOSED ·addTransposedAVX512F64
#define SAMPLED ·sampledAVX512F64
#include "sparse_f64_amd64.h"
#include "sparse_amd64.h"

#define ADD_SPARSE ·addSparseAVX512F32
#define ADD_TRANSPOSED ·addTransposedAVX512F32
#define SAMPLED ·sampledAVX512F32
#include "sparse_f32_amd64.h"
#include "sparse_amd64.h"
