// What is special to AVX2 in the bodies of sparse_amd64.h. Y10 and Y11 hold the masks of the last group of
// sampled, Y4 and Y5 that of v.

#define WHOLE_GROUPS \
	CMPQ CX, $(64/SIZE); \
	JLT  4(PC); \
	CMPQ gather_cols(DI), $7; \
	JGT  2(PC); \
	JMP  SAMPLED_WHOLE(SB)
#define GROUP_MASKS \
	MASKS(AX); \
	VMOVU (AX), Y10; \
	VMOVU 32(AX), Y11
#define V_LAST(LO, HI) \
	VMASKMOV LO, Y10, Y4; \
	VMASKMOV HI, Y11, Y5
#define GROUP_ZERO \
	VPXOR Y0, Y0, Y0; \
	VPXOR Y1, Y1, Y1
#define GROUP_FMA(VLO, VHI, LO, HI) \
	VMOVU LO, Y2; \
	VMOVU HI, Y3; \
	VFMA  VLO, Y2, Y0; \
	VFMA  VHI, Y3, Y1
#define GROUP_LAST(LO, HI) \
	VMASKMOV LO, Y10, Y2; \
	VMASKMOV HI, Y11, Y3; \
	VFMA     Y2, Y4, Y0; \
	VFMA     Y3, Y5, Y1
#define GROUP_FOLD \
	VADD         Y1, Y0, Y0; \
	VEXTRACTF128 $1, Y0, X1; \
	VADD         X1, X0, X0; \
	REDUCE_FOLD_PART(SUM_OF)
#define FOUR_ENTRIES(four, one, next)

// The lanes of four entries are in Y0 to Y7, two vectors each. Y8 and Y9 hold a group of v: a row of several
// groups does not fit beside the lanes.
#define FOUR_PREPARE
#define FOUR_ZERO \
	NIL(Y0); NIL(Y1); NIL(Y2); NIL(Y3); NIL(Y4); NIL(Y5); NIL(Y6); NIL(Y7)
#define V_GROUP(AT, R, A)
#define FOUR_GROUP(AT, R, A) \
	VMOVU AT(R10), Y8; \
	VMOVU (AT+32)(R10), Y9; \
	VFMA  AT(AX), Y8, Y0; \
	VFMA  (AT+32)(AX), Y9, Y1; \
	VFMA  AT(BX), Y8, Y2; \
	VFMA  (AT+32)(BX), Y9, Y3; \
	VFMA  AT(R14), Y8, Y4; \
	VFMA  (AT+32)(R14), Y9, Y5; \
	VFMA  AT(R15), Y8, Y6; \
	VFMA  (AT+32)(R15), Y9, Y7
#define ONE_GROUP(AT, R, A) GROUP_FMA(AT(R10), (AT+32)(R10), AT(AX), (AT+32)(AX))

// Four sums are folded together: the halves of the lanes, then those of entries 0 and 2 and of 1 and 3 beside
// each other, so that the sums are in order.
#define FOUR_FOLD \
	VADD       Y1, Y0, Y0; \
	VADD       Y3, Y2, Y2; \
	VADD       Y5, Y4, Y4; \
	VADD       Y7, Y6, Y6; \
	VPERM2F128 $0x20, Y4, Y0, Y1; \
	VPERM2F128 $0x31, Y4, Y0, Y0; \
	VPERM2F128 $0x20, Y6, Y2, Y3; \
	VPERM2F128 $0x31, Y6, Y2, Y2; \
	VADD       Y0, Y1, Y0; \
	VADD       Y2, Y3, Y2; \
	VUNPCKLPD  Y2, Y0, Y1; \
	VUNPCKHPD  Y2, Y0, Y0; \
	VADD       Y0, Y1, Y0; \
	FOUR_FOLD_PART
#define A_GROUP(AT, R, A)
#define FOUR_ADD(AT, R, A) \
	VMOVU AT(DI), Y4; \
	VMOVU (AT+32)(DI), Y5; \
	VFMA  AT(AX), Y0, Y4; \
	VFMA  (AT+32)(AX), Y0, Y5; \
	VFMA  AT(BX), Y1, Y4; \
	VFMA  (AT+32)(BX), Y1, Y5; \
	VFMA  AT(R14), Y2, Y4; \
	VFMA  (AT+32)(R14), Y2, Y5; \
	VFMA  AT(R15), Y3, Y4; \
	VFMA  (AT+32)(R15), Y3, Y5; \
	VMOVU Y4, AT(DI); \
	VMOVU Y5, (AT+32)(DI)
#define ONE_ADD(AT, R, A) \
	VMOVU AT(DI), Y4; \
	VMOVU (AT+32)(DI), Y5; \
	VFMA  AT(AX), Y0, Y4; \
	VFMA  (AT+32)(AX), Y0, Y5; \
	VMOVU Y4, AT(DI); \
	VMOVU Y5, (AT+32)(DI)
#define A_KEEP(AT, R, A)
#define SCATTER(LO, HI, C) \
	VMOVU LO, Y6; \
	VMOVU HI, Y7; \
	VFMA  Y4, C, Y6; \
	VFMA  Y5, C, Y7; \
	VMOVU Y6, LO; \
	VMOVU Y7, HI
#define FOUR_SCATTER(AT, R, A) \
	VMOVU AT(R10), Y4; \
	VMOVU (AT+32)(R10), Y5; \
	SCATTER(AT(AX), (AT+32)(AX), Y0); \
	SCATTER(AT(BX), (AT+32)(BX), Y1); \
	SCATTER(AT(R14), (AT+32)(R14), Y2); \
	SCATTER(AT(R15), (AT+32)(R15), Y3)
#define ONE_SCATTER(AT, R, A) \
	VMOVU AT(R10), Y4; \
	VMOVU (AT+32)(R10), Y5; \
	SCATTER(AT(AX), (AT+32)(AX), Y0)
#define GROUP0
#define GROUP1
#define GROUP2
#define GROUP3
#define GROUP4
#define GROUP5
#define GROUP6
#define GROUP7
#define SUMS0
#define SUMS1
#define SUMS2
#define SUMS3
#define SUMS4
#define SUMS5
#define SUMS6
#define SUMS7

#include "sparse_amd64.h"

// sparse_rankone_amd64.h has the body, for both levels.
DATA TABLE+bodies_sparseRankOne(SB)/8, $SPARSE_RANK_ONE(SB)
