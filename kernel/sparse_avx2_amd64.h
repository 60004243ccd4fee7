// What is special to AVX2 in the bodies of sparse_amd64.h. Y10 and Y11 hold the masks of the last group of
// sampled, Y4 and Y5 that of v.

#define WHOLE_GROUPS
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

#include "sparse_amd64.h"
