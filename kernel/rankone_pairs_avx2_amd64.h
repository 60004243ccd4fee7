// The rows of a rank-one pass in groups of two, while there are so many, then of one.
// The file that includes this one has set the registers that rankOne lists, and
// defines, for this use,
//
//	BEFORE2, BEFORE1   products after the update, for two rows or one
//	AFTER2, AFTER1     sums after the update
//	PRODUCTS2, ...1    products without it
//	SUMS2, SUMS1       sums without it
//	SUMS_BEFORE2       sums of one group, and the products of the next after the update
//	AFTER_PRODUCTS2    sums of one group after the update, and the products of the next
//	FETCH2             what is fetched for the groups that come next
//	M_STRIDES          sets R12 from R11, the stride of M
//	M_OF_SUMS          before AFTER_PRODUCTS2, R10 being at m[i] of the products

pairs:
	LEAQ (R8)(R8*4), R9
	M_STRIDES
	SUBQ $2, rankOne_left(DI)
	JLT  rest2

twos: // for rows left >= 2 {
	MOVQ  rankOne_steps(DI), CX
	TESTL $const_stepDot, CX
	JEQ   add2
	MOVQ  R15, SI
	MOVQ  rankOne_mRow(DI), R10
	MOVQ  rankOne_w(DI), BX
	VBCST (R14), Y3
	VBCST SIZE(R14), Y14
	LANES2(LANE_ZERO)
	TESTL $const_stepResume, CX
	JEQ   dot2
	MOVQ  rankOne_lanes(DI), R13
	LANES2(LANE_LOAD)

dot2:
	TESTL $const_updateDot, CX
	JNE   updateDot2

	RANK_COLS(NOTHING, PRODUCTS2, dotLoop2, dotPart2, dotted2)

updateDot2:
	RANK_COLS(NOTHING, BEFORE2, updateDotLoop2, updateDotPart2, dotted2)

dotted2:
	TESTL $const_stepSuspend, rankOne_steps(DI)
	JEQ   project2
	MOVQ  rankOne_lanes(DI), R13
	LANES2(LANE_SAVE)
	JMP   next2

project2:
	MOVI  rankOne_inv(DI), CX
	ADDI  CX, CX
	JEQ   square2
	FOLD2(Y0, Y1, Y4, Y5)
	VBCST rankOne_inv(DI), Y8
	PROJECT(Y0, Y8, Y13, Y1)
	VEXTRACTF128 $1, Y0, X1
	VMOVS X0, (R14)
	VMOVS X1, SIZE(R14)

square2:
	VMOVS rankOne_vv(DI), X8
	SQUARE(0)
	SQUARE(SIZE)
	VMOVS X8, rankOne_vv(DI)

add2:
	MOVQ  rankOne_steps(DI), CX
	TESTL $const_stepAdd, CX
	JEQ   next2
	VBCST (R14), Y6
	VBCST SIZE(R14), Y7
	MOVQ  R15, DX
	MOVQ  rankOne_mRow(DI), R10
	MOVQ  rankOne_w(DI), BX
	MOVQ  rankOne_acc(DI), R13
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
	VBCST (R14), Y3
	VBCST SIZE(R14), Y14
	LANES2(LANE_ZERO)
	TESTL $const_updateAdd, CX
	JNE   updateAddDot2

	RANK_COLS(FETCH2, SUMS_BEFORE2, addUpdateDotLoop2, addUpdateDotPart2, project2)

updateAddDot2:
	M_OF_SUMS

	RANK_COLS(FETCH2, AFTER_PRODUCTS2, updateAddDotLoop2, updateAddDotPart2, project2)

addOnly2:
	TESTL $const_updateAdd, CX
	JNE   updateAdd2

	RANK_COLS(NOTHING, SUMS2, addLoop2, addPart2, next2)

updateAdd2:
	RANK_COLS(NOTHING, AFTER2, updateAddLoop2, updateAddPart2, next2)

next2:
	LEAQ (R15)(R8*2), R15
	LEAQ (R11*2), CX
	ADDQ CX, rankOne_mRow(DI)
	ADDQ $(2*SIZE), R14
	SUBQ $2, rankOne_left(DI)
	JGE  twos                 // }

rest2:
	ADDQ $2, rankOne_left(DI)

rest:
	CMPQ rankOne_left(DI), $0
	JEQ  done
	MOVQ rankOne_mStride(DI), R11

one: // for rows left > 0 {
	MOVQ  rankOne_steps(DI), CX
	TESTL $const_stepDot, CX
	JEQ   add1
	MOVQ  R15, SI
	MOVQ  rankOne_mRow(DI), R10
	MOVQ  rankOne_w(DI), BX
	VBCST (R14), Y3
	VPXOR Y0, Y0, Y0
	VPXOR Y4, Y4, Y4
	TESTL $const_stepResume, CX
	JEQ   dot1
	MOVQ  rankOne_lanes(DI), R13
	VMOVU (R13), Y0
	VMOVU 32(R13), Y4

dot1:
	TESTL $const_updateDot, CX
	JNE   updateDot1

	RANK_COLS(NOTHING, PRODUCTS1, dotLoop1, dotPart1, dotted1)

updateDot1:
	RANK_COLS(NOTHING, BEFORE1, updateDotLoop1, updateDotPart1, dotted1)

dotted1:
	TESTL $const_stepSuspend, rankOne_steps(DI)
	JEQ   project1
	MOVQ  rankOne_lanes(DI), R13
	VMOVU Y0, (R13)
	VMOVU Y4, 32(R13)
	JMP   next1

project1:
	MOVI  rankOne_inv(DI), CX
	ADDI  CX, CX
	JEQ   square1
	VPXOR Y13, Y13, Y13
	FOLD2(Y0, Y1, Y4, Y5)         // of which only the first sum counts
	VBCST rankOne_inv(DI), Y8
	PROJECT(Y0, Y8, Y13, Y1)
	VMOVS X0, (R14)

square1:
	VMOVS rankOne_vv(DI), X8
	SQUARE(0)
	VMOVS X8, rankOne_vv(DI)

add1:
	MOVQ  rankOne_steps(DI), CX
	TESTL $const_stepAdd, CX
	JEQ   next1
	VBCST (R14), Y6
	MOVQ  R15, DX
	MOVQ  rankOne_mRow(DI), R10
	MOVQ  rankOne_w(DI), BX
	MOVQ  rankOne_acc(DI), R13
	TESTL $const_updateAdd, CX
	JNE   updateAdd1

	RANK_COLS(NOTHING, SUMS1, addLoop1, addPart1, next1)

updateAdd1:
	RANK_COLS(NOTHING, AFTER1, updateAddLoop1, updateAddPart1, next1)

next1:
	ADDQ R8, R15
	ADDQ R11, rankOne_mRow(DI)
	ADDQ $SIZE, R14
	DECQ rankOne_left(DI)
	JNE  one                      // }

done:
	VZEROUPPER
	RET

#undef BEFORE2
#undef BEFORE1
#undef AFTER2
#undef AFTER1
#undef PRODUCTS2
#undef PRODUCTS1
#undef SUMS2
#undef SUMS1
#undef SUMS_BEFORE2
#undef AFTER_PRODUCTS2
#undef FETCH2
#undef M_STRIDES
#undef M_OF_SUMS
