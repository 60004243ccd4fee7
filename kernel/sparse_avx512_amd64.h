// What is special to AVX-512 in the bodies of sparse_amd64.h. K1 names the elements of the last group of
// sampled, Z4 is that of v.

#define WHOLE_GROUPS \
	CMPQ CX, $(64/SIZE); \
	JLT  4(PC); \
	CMPQ gather_cols(DI), $7; \
	JGT  2(PC); \
	JMP  sampledAVX512whole<>(SB)
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
	VCOMPRESS  Z0, K2, Z0; \
	STORE_FOUR((DX))
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

// The row of V stays in Z16 to Z23.
#define LOADS1 VMOVU (R10), Z16
#define PRODUCT1(R) \
	COLUMN; \
	ADDQ R8, AX; \
	NIL(R); \
	VFMA (AX), Z16, R
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

#include "sparse_amd64.h"

// The rows of sampled for so many whole groups, four entries at a time, whose sums hide the time of
// each other's multiply-adds. LOADS loads a row of V, PRODUCT(R) sets R to the lanes of v_i x_j for the
// next entry.
#define GROUP_ROWS(LOADS, PRODUCT, row, four, left, one, next) \
row: /* for rows left > 0 { */ \
	ENTRIES; \
	JLE  next; \
	LOADS; \
	SUBQ $4, CX; \
	JLT  left; \
four: /* for entries left >= 4 { */ \
	PRODUCT(Z0); \
	PRODUCT(Z1); \
	PRODUCT(Z2); \
	PRODUCT(Z3); \
	FOUR_FOLD; \
	ADDQ $(4*SIZE), DX; \
	SUBQ $4, CX; \
	JGE  four; /* } */ \
left: \
	ADDQ $4, CX; \
	JEQ  next; \
one: /* for entries left > 0 { */ \
	PRODUCT(Z0); \
	GROUP_FOLD; \
	VMOVS X0, (DX); \
	ADDQ  $SIZE, DX; \
	DECQ  CX; \
	JNE   one; /* } */ \
next: \
	ADDQ R11, R10; \
	DECQ R13; \
	JNE  row; /* } */ \
	VZEROUPPER; \
	RET

// sampled for rows of one to eight whole groups: sampled has set the registers.
TEXT sampledAVX512whole<>(SB), NOSPLIT|NOFRAME, $0-8
	QUARTERS(BX)
	MOVQ gather_cols(DI), AX
	CMPQ AX, $3
	JLT  upTo3
	JEQ  whole4
	CMPQ AX, $5
	JLT  whole5
	JEQ  whole6
	CMPQ AX, $7
	JLT  whole7
	JMP  whole8

upTo3:
	CMPQ AX, $1
	JLT  whole1
	JEQ  whole2
	JMP  whole3

	GROUP_ROWS(LOADS8, PRODUCT8, whole8, four8, left8, one8, next8)
	GROUP_ROWS(LOADS7, PRODUCT7, whole7, four7, left7, one7, next7)
	GROUP_ROWS(LOADS6, PRODUCT6, whole6, four6, left6, one6, next6)
	GROUP_ROWS(LOADS5, PRODUCT5, whole5, four5, left5, one5, next5)
	GROUP_ROWS(LOADS4, PRODUCT4, whole4, four4, left4, one4, next4)
	GROUP_ROWS(LOADS3, PRODUCT3, whole3, four3, left3, one3, next3)
	GROUP_ROWS(LOADS2, PRODUCT2, whole2, four2, left2, one2, next2)
	GROUP_ROWS(LOADS1, PRODUCT1, whole1, four1, left1, one1, next1)
