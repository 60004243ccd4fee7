// The rows of a rank-one pass in groups of two, while there are so many, then of one.
// The file that includes this one has set the registers that rankOne lists, and
// defines, for this use,
//
//	READ_ROW, UPDATE_ROW        load a vector of a row of n, and update it
//	M_SUM0(AT), M_SUM1(AT)      m of the sums, in two groups
//	FETCH2                      fetches for the groups that come next
//	M_STRIDES                   sets R12 from R11, the stride of M
//	M_OF_SUMS                   before AFTER_PRODUCTS_R2, R10 being at m[i] of the products

pairs:
	LEAQ (R8)(R8*4), R9
	M_STRIDES
	GROUP_OF(3)
	SUBQ $2, rankOne_left(DI)
	JLT  rest2

twos: // for rows left >= 2 {
	GROUP_START(OLD_V2, M_ROW, old2, add2)
	LANES_R2(LANE_ZERO)
	TESTL $const_stepResume, CX
	JEQ   dot2
	MOVQ  rankOne_lanes(DI), R13
	LANES_R2(LOAD)

dot2:
	TESTL $const_updateDot, CX
	JNE   updateDot2

	RANK_COLS(NOTHING, PRODUCTS_R2, dotLoop2, dotPart2, dotted2)

updateDot2:
	RANK_COLS(NOTHING, BEFORE_R2, updateDotLoop2, updateDotPart2, dotted2)

dotted2:
	TESTL $const_stepSuspend, rankOne_steps(DI)
	JEQ   project2
	MOVQ  rankOne_lanes(DI), R13
	LANES_R2(LANE_SAVE)
	JMP   next2

project2:
	PROJECT_R2(old2, square2, add2)

add2:
	MOVQ  rankOne_steps(DI), CX
	TESTL $const_stepAdd, CX
	JEQ   next2
	NEW_V2
	MOVQ  R15, NSUM
	M_ROW
	IN2(rankOne_w, BX, rankOne_acc, R13)
	TESTL $const_stepDot, CX
	JEQ   addOnly2
	CMPQ  rankOne_left(DI), $2
	JLT   addOnly2
	TESTL $(const_updateDot|const_updateAdd), CX
	JEQ   addOnly2

	// The sums of this group, the products of the next. The update is that of
	// the sums or that of the products.
	SUBQ  $2, rankOne_left(DI)
	ADDQ  $(2*SIZE), R14
	LEAQ  (R15)(R8*2), R15
	MOVQ  R15, SI
	LEAQ  (R10)(R11*2), R10
	MOVQ  R10, rankOne_mRow(DI)
	OLD_AND_ZERO(OLD_V2, LANES_R2)
	TESTL $const_updateAdd, CX
	JNE   updateAddDot2

	RANK_COLS(FETCH2, SUMS_BEFORE_R2, addUpdateDotLoop2, addUpdateDotPart2, project2)

updateAddDot2:
	M_OF_SUMS

	RANK_COLS(FETCH2, AFTER_PRODUCTS_R2, updateAddDotLoop2, updateAddDotPart2, project2)

addOnly2:
	TESTL $const_updateAdd, CX
	JNE   updateAdd2

	RANK_COLS(NOTHING, SUMS_R2, addLoop2, addPart2, next2)

updateAdd2:
	RANK_COLS(NOTHING, AFTER_R2, updateAddLoop2, updateAddPart2, next2)

next2:
	LEAQ (R15)(R8*2), R15
	LEAQ (R11*2), CX
	ADDQ CX, rankOne_mRow(DI)
	ADDQ $(2*SIZE), R14
	SUBQ $2, rankOne_left(DI)
	JGE  twos // }

rest2:
	ADDQ $2, rankOne_left(DI)

rest:
	CMPQ rankOne_left(DI), $0
	JEQ  done
	MOVQ rankOne_mStride(DI), R11
	GROUP_OF(1)

one: // for rows left > 0 {
	GROUP_START(OLD_V1, M_ROW, old1, add1)
	LANES_R1(LANE_ZERO)
	TESTL $const_stepResume, CX
	JEQ   dot1
	MOVQ  rankOne_lanes(DI), R13
	LANES_R1(LOAD)

dot1:
	TESTL $const_updateDot, CX
	JNE   updateDot1

	RANK_COLS(NOTHING, PRODUCTS_R1, dotLoop1, dotPart1, dotted1)

updateDot1:
	RANK_COLS(NOTHING, BEFORE_R1, updateDotLoop1, updateDotPart1, dotted1)

dotted1:
	TESTL $const_stepSuspend, rankOne_steps(DI)
	JEQ   project1
	MOVQ  rankOne_lanes(DI), R13
	LANES_R1(LANE_SAVE)
	JMP   next1

project1:
	PROJECT_R1(old1, square1, add1)

add1:
	MOVQ  rankOne_steps(DI), CX
	TESTL $const_stepAdd, CX
	JEQ   next1
	NEW_V1
	MOVQ  R15, NSUM
	M_ROW
	IN2(rankOne_w, BX, rankOne_acc, R13)
	TESTL $const_updateAdd, CX
	JNE   updateAdd1

	RANK_COLS(NOTHING, SUMS_R1, addLoop1, addPart1, next1)

updateAdd1:
	RANK_COLS(NOTHING, AFTER_R1, updateAddLoop1, updateAddPart1, next1)

next1:
	ADDQ R8, R15
	ADDQ R11, rankOne_mRow(DI)
	ADDQ $SIZE, R14
	DECQ rankOne_left(DI)
	JNE  one // }

done:
	VV_OUT
	VZEROUPPER
	RET

#undef READ_ROW
#undef UPDATE_ROW
#undef M_SUM0
#undef M_SUM1
#undef FETCH2
#undef M_STRIDES
#undef M_OF_SUMS
