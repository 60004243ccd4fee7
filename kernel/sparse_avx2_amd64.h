// What is special to AVX2 in the bodies of sparse_amd64.h. Y10 and Y11 hold the masks of the last group of
// sampled, Y4 and Y5 that of v.

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
#define FOUR_VECTOR(AT, V, A, B, C, D) \
	VMOVU AT(R10), V; \
	VFMA  AT(AX), V, A; \
	VFMA  AT(BX), V, B; \
	VFMA  AT(R14), V, C; \
	VFMA  AT(R15), V, D
#define FOUR_HALF(AT, R, A) FOUR_VECTOR(AT, Y8, Y0, Y2, Y4, Y6)
#define FOUR_GROUP(AT, R, A) FOUR_HALF(AT, R, A); FOUR_VECTOR(AT+32, Y9, Y1, Y3, Y5, Y7)
#define ONE_HALF(AT, R, A) \
	VMOVU AT(AX), Y2; \
	VFMA  AT(R10), Y2, Y0
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
#define FOUR_ADD_TO(AT, A) \
	VMOVU AT(DI), A; \
	VFMA  AT(AX), Y0, A; \
	VFMA  AT(BX), Y1, A; \
	VFMA  AT(R14), Y2, A; \
	VFMA  AT(R15), Y3, A; \
	VMOVU A, AT(DI)
#define FOUR_ADD_HALF(AT, R, A) FOUR_ADD_TO(AT, Y4)
#define FOUR_ADD(AT, R, A) FOUR_ADD_TO(AT, Y4); FOUR_ADD_TO(AT+32, Y5)
#define ONE_ADD_TO(AT, A) \
	VMOVU AT(DI), A; \
	VFMA  AT(AX), Y0, A; \
	VMOVU A, AT(DI)
#define ONE_ADD_HALF(AT, R, A) ONE_ADD_TO(AT, Y4)
#define ONE_ADD(AT, R, A) ONE_ADD_TO(AT, Y4); ONE_ADD_TO(AT+32, Y5)
#define A_KEEP(AT, R, A)
#define SCATTER(P, C, V, X) \
	VMOVU P, X; \
	VFMA  V, C, X; \
	VMOVU X, P
#define FOUR_SCATTER_FROM(AT, V, X) \
	VMOVU AT(R10), V; \
	SCATTER(AT(AX), Y0, V, X); \
	SCATTER(AT(BX), Y1, V, X); \
	SCATTER(AT(R14), Y2, V, X); \
	SCATTER(AT(R15), Y3, V, X)
#define FOUR_SCATTER_HALF(AT, R, A) FOUR_SCATTER_FROM(AT, Y4, Y6)
#define FOUR_SCATTER(AT, R, A) FOUR_SCATTER_FROM(AT, Y4, Y6); FOUR_SCATTER_FROM(AT+32, Y5, Y7)
#define ONE_SCATTER_FROM(AT, V, X) \
	VMOVU AT(R10), V; \
	SCATTER(AT(AX), Y0, V, X)
#define ONE_SCATTER_HALF(AT, R, A) ONE_SCATTER_FROM(AT, Y4, Y6)
#define ONE_SCATTER(AT, R, A) ONE_SCATTER_FROM(AT, Y4, Y6); ONE_SCATTER_FROM(AT+32, Y5, Y7)

#include "sparse_amd64.h"

// The bodies for half of the last group, one vector.
BODY((bodies_sampled+8*4), sampledAVX2half<>)
	SAMPLED_GROUPS(HALVED)

BODY((bodies_sampled+8*5), sampledAVX2addedHalf<>)
	ADDED_GROUPS(HALVED)

BODY((bodies_sampled+8*6), sampledAVX2scatteredHalf<>)
	SCATTERED_GROUPS(HALVED)

// sparse_rankone_amd64.h has the body, for both levels.
DATA TABLE+bodies_sparseRankOne(SB)/8, $SPARSE_RANK_ONE(SB)
