// The groups of rows of a masked rank-one pass, and the return. maskedRankOne lists the
// registers. The file that includes this one defines, for this use,
//
//	READ     loads n, at N and M, into Y11
//	STEP_OF  the update

	MOVQ  r+0(FP), DI
	MOVQ  rankOne_cols(DI), CX
	ANDQ  $(64/SIZE-1), CX
	MASKS(AX)
	MOVQ  AX, rankOne_masks(DI)
	LEAQ  BIT_OF_LANE, AX
	VMOVU (AX), Y4
	VMOVU (8*SIZE-32)(AX), Y5
	VPXOR Y13, Y13, Y13
	VBCST rankOne_mu(DI), Y12
	IN4(rankOne_nStride, R8, rankOne_mStride, R10, rankOne_seenStride, R12, rankOne_n, R9)
	IN4(rankOne_m, R11, rankOne_seen, R13, rankOne_v, R15, rankOne_rows, CX)
	MOVQ  CX, rankOne_left(DI)

group: // for groups of rows left > 0 {
	OUT4(R9, rankOne_nRow, R11, rankOne_mRow, R13, rankOne_seenRow, R15, rankOne_vAt)
	MOVQ rankOne_lanes(DI), AX
	MOVL $4, CX
	CMPQ rankOne_left(DI), $4
	JGE  grouped
	MOVL $1, CX

grouped:
	MOVQ CX, rankOne_group(DI)
	MOVQ CX, rankOne_inner(DI)
	SUBQ CX, rankOne_left(DI)

row: // for rows of the group {
	TESTL $const_updateDot, rankOne_steps(DI)
	JNE   update

products:
	TESTL $const_stepDot, rankOne_steps(DI)
	JEQ   projected
	MASKED_LANES(LANE_ZERO)
	TESTL $const_stepResume, rankOne_steps(DI)
	JEQ   dot
	MASKED_LANES(LOAD)

dot:
	MASKED_ROW

	MASKED_COLS(NOTHING, MASKED_DOT, dotLoop, dotPart, dotted)

dotted:
	TESTL $const_stepSuspend, rankOne_steps(DI)
	JEQ   project
	MASKED_LANES(LANE_SAVE)
	ADDQ  $128, AX
	JMP   projected

project: // Y0 sum of products, Y1 1 / sum of squares
	ADDQ  $128, AX
	FOLD2(Y0, Y2, Y1, Y3)
	VEXTRACTF128 $1, Y0, X1
	VBCST   rankOne_inv(DI), Y2
	VDIV    Y1, Y2, Y1
	VCMP    $0x1E, Y13, Y1, Y2 // positive
	VSUB    Y1, Y1, Y3
	VCMP    $0x00, Y13, Y3, Y3 // and finite
	VAND    Y2, Y3, Y3
	VCMP    $0x1E, Y13, Y0, Y2
	VMUL    Y1, Y0, Y0
	VAND    Y2, Y0, Y0
	VMOVS   (R15), X2
	VBLENDV Y3, Y0, Y2, Y0
	VMOVS   X0, (R15)

projected:
	TESTL $const_updateAdd, rankOne_steps(DI)
	JEQ   next

update:
	VBCST (R15), Y0
	MASKED_ROW

	MASKED_COLS(NOTHING, MASKED_STEP, updateLoop, updatePart, updated)

updated:
	TESTL $const_updateAdd, rankOne_steps(DI)
	JEQ   products

next:
	MASKED_NEXT
	DECQ rankOne_inner(DI)
	JNE  row               // }

	TESTL $const_stepAdd, rankOne_steps(DI)
	JEQ   added
	IN3(rankOne_nRow, SI, rankOne_mRow, DX, rankOne_seenRow, BX)
	LEAQ  (R8)(R8*2), R9
	LEAQ  (R10)(R10*2), R11
	LEAQ  (R12)(R12*2), R13
	IN3(rankOne_acc, R15, rankOne_den, AX, rankOne_vAt, CX)
	VBCST (CX), Y0
	CMPQ  rankOne_group(DI), $1
	JEQ   add1
	VBCST SIZE(CX), Y1
	VBCST (2*SIZE)(CX), Y6
	VBCST (3*SIZE)(CX), Y14

	MASKED_COLS(MASKED_FETCH, MASKED_ADD_R4, addLoop4, addPart4, added)

add1:
	MASKED_COLS(NOTHING, MASKED_ADD_R1, addLoop1, addPart1, added)

added:
	IN3(rankOne_group, CX, rankOne_nRow, R9, rankOne_mRow, R11)
	IN2(rankOne_seenRow, R13, rankOne_vAt, R15)

onward:
	MASKED_NEXT
	DECQ CX
	JNE  onward
	CMPQ rankOne_left(DI), $0
	JNE  group             // }
	VZEROUPPER
	RET

#undef READ
#undef STEP_OF
