// A masked rank-one pass, and the return. MASKED_RANK_ONE lists the registers. The file
// that includes this one defines, for this use,
//
//	READ     loads n, at N and M, into Y11
//	STEP_OF  the update

	MOVQ  r+0(FP), DI
	MOVQ  rankOne_cols(DI), CX
	ANDQ  $(64/SIZE-1), CX
	MASKS(AX)
	MOVQ  AX, rankOne_mRow(DI)
	LEAQ  BIT_OF_LANE, AX
	VMOVU (AX), Y4
	VMOVU (8*SIZE-32)(AX), Y5
	VPXOR Y13, Y13, Y13
	VBCST rankOne_mu(DI), Y12
	MOVQ  rankOne_nStride(DI), R8
	MOVQ  rankOne_mStride(DI), R10
	MOVQ  rankOne_seenStride(DI), R12
	MOVQ  rankOne_n(DI), R9
	MOVQ  rankOne_m(DI), R11
	MOVQ  rankOne_seen(DI), R13
	MOVQ  rankOne_v(DI), R15
	MOVQ  rankOne_lanes(DI), AX
	MOVQ  rankOne_rows(DI), CX
	MOVQ  CX, rankOne_left(DI)

row: // for rows left > 0 {
	TESTL $(const_updateDot|const_updateAdd), rankOne_steps(DI)
	JEQ   updated
	VBCST (R15), Y0
	MASKED_ROW

#define BODY MASKED_STEP
#define LOOP updateLoop
#define PART updatePart
#define END updated
#include "avx2_masked_cols_amd64.h"

updated:
	TESTL $const_stepDot, rankOne_steps(DI)
	JEQ   next
	MASKED_LANES(LANE_LOAD)
	MASKED_ROW

#define BODY MASKED_DOT
#define LOOP dotLoop
#define PART dotPart
#define END dotted
#include "avx2_masked_cols_amd64.h"

dotted:
	MASKED_LANES(LANE_SAVE)
	ADDQ $(32*SIZE), AX

next:
	ADDQ R8, R9
	ADDQ R10, R11
	ADDQ R12, R13
	ADDQ $SIZE, R15
	DECQ rankOne_left(DI)
	JNE  row               // }

	TESTL $const_stepAdd, rankOne_steps(DI)
	JEQ   done
	MOVQ  rankOne_n(DI), SI
	MOVQ  rankOne_m(DI), DX
	MOVQ  rankOne_seen(DI), BX
	LEAQ  (R8)(R8*2), R9
	LEAQ  (R10)(R10*2), R11
	LEAQ  (R12)(R12*2), R13
	MOVQ  rankOne_acc(DI), R15
	MOVQ  rankOne_den(DI), AX
	MOVQ  rankOne_v(DI), CX
	VBCST (CX), Y0
	CMPQ  rankOne_rows(DI), $1
	JEQ   add1
	VBCST SIZE(CX), Y1
	VBCST (2*SIZE)(CX), Y6
	VBCST (3*SIZE)(CX), Y12

#define BODY MASKED_ADD_R4
#define LOOP addLoop4
#define PART addPart4
#define END done
#include "avx2_masked_cols_amd64.h"

add1:
#define BODY MASKED_ADD_R1
#define LOOP addLoop1
#define PART addPart1
#define END done
#include "avx2_masked_cols_amd64.h"

done:
	VZEROUPPER
	RET

#undef READ
#undef STEP_OF
