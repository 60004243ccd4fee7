// What is special to AVX-512 in the bodies of sparse_amd64.h. K1 names the elements of the last group of
// sampled, Z4 is that of v.

#define GROUP_MASKS LAST_MASK(CX)
#define V_LAST(LO, HI) PART_LOAD(LO, Z4)
#define GROUP_ZERO NIL(Z0)
#define GROUP_FMA(VLO, VHI, LO, HI) \
	VMOVU LO, Z1; \
	VFMA  VLO, Z1, Z0
#define GROUP_LAST(LO, HI) \
	PART_LOAD(LO, Z1); \
	VFMA Z1, Z4, Z0
#define GROUP_FOLD \
	VEXTRACTF64X4 $1, Z0, Y1; \
	VADD          Y1, Y0, Y0; \
	VEXTRACTF128  $1, Y0, X1; \
	VADD          X1, X0, X0; \
	REDUCE_FOLD_PART(SUM_OF)

// Four sums are folded together: halves and quarters of Z0 to Z3 beside each other,
// so that Z0 has a sum in each quarter, which are completed and stored. K2 names
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
	REDUCE_FOLD_PART(SUM_OF); \
	VCOMPRESS  Z0, K2, Z0
#define QUARTERS(R) \
	MOVL  $(0x1111 | 0x44*(SIZE/8)), R; \
	KMOVW R, K2
#define FOUR_ENTRIES(four, one, next) \
	SUBQ $4, CX; \
	JLT  left; \
	QUARTERS(BX); \
four: \
	MASKED(Z0); \
	MASKED(Z1); \
	MASKED(Z2); \
	MASKED(Z3); \
	FOUR_FOLD; \
	STORE_FOUR((DX)); \
	ADDQ $(4*SIZE), DX; \
	SUBQ $4, CX; \
	JGE  four; \
left: \
	ADDQ $4, CX; \
	JEQ  next
#define MASKED(R) \
	COLUMN; \
	NIL(R); \
	VFMA (R8)(AX*1), Z4, K1, R

// The groups of the row of V stay in Z16 to Z23, those of the row of A in Z24 to Z31, the lanes of four entries
// in Z0 to Z3.
#define FOUR_PREPARE QUARTERS(BX)
#define FOUR_ZERO NIL(Z0); NIL(Z1); NIL(Z2); NIL(Z3)
#define V_GROUP(AT, R, A) VMOVU AT(R10), R
#define FOUR_GROUP(AT, R, A) \
	VFMA AT(AX), R, Z0; \
	VFMA AT(BX), R, Z1; \
	VFMA AT(R14), R, Z2; \
	VFMA AT(R15), R, Z3
#define ONE_GROUP(AT, R, A) VFMA AT(AX), R, Z0
#define A_GROUP(AT, R, A) VMOVU AT(DI), A
#define FOUR_ADD(AT, R, A) \
	VFMA AT(AX), Z0, A; \
	VFMA AT(BX), Z1, A; \
	VFMA AT(R14), Z2, A; \
	VFMA AT(R15), Z3, A
#define ONE_ADD(AT, R, A) VFMA AT(AX), Z0, A
#define A_KEEP(AT, R, A) VMOVU A, AT(DI)
#define SCATTER(P, C, R) \
	VMOVU P, Z4; \
	VFMA  R, C, Z4; \
	VMOVU Z4, P
#define FOUR_SCATTER(AT, R, A) \
	SCATTER(AT(AX), Z0, R); \
	SCATTER(AT(BX), Z1, R); \
	SCATTER(AT(R14), Z2, R); \
	SCATTER(AT(R15), Z3, R)
#define ONE_SCATTER(AT, R, A) SCATTER(AT(AX), Z0, R)
#define GROUP0 Z16
#define GROUP1 Z17
#define GROUP2 Z18
#define GROUP3 Z19
#define GROUP4 Z20
#define GROUP5 Z21
#define GROUP6 Z22
#define GROUP7 Z23
#define SUMS0 Z24
#define SUMS1 Z25
#define SUMS2 Z26
#define SUMS3 Z27
#define SUMS4 Z28
#define SUMS5 Z29
#define SUMS6 Z30
#define SUMS7 Z31

#include "sparse_amd64.h"

// sparse_rankone_amd64.h has the body, for both levels.
DATA TABLE+bodies_sparseRankOne(SB)/8, $SPARSE_RANK_ONE(SB)
