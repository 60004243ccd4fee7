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
//	M_STRIDES          sets R12 from R11, the stride of M
//	M_OF_SUMS          before AFTER_PRODUCTS2, R10 being at m[i] of the products

pairs:
	LEAQ  (R8)(R8*4), R9
	M_STRIDES
	MOVL  $3, AX
	KMOVW AX, K2
	SUBQ  $2, rankOne_left(DI)
	JLT   rest2

twos: // for rows left >= 2 {
	VBCST  (R14), Z24
	VBCST  SIZE(R14), Z25
	MOVQ   rankOne_w(DI), BX
	MOVQ   R15, SI
	MOVQ   rankOne_mRow(DI), R10
	MOVQ   rankOne_steps(DI), CX
	TESTL  $const_stepDot, CX
	JEQ    old2
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	TESTL  $const_stepResume, CX
	JEQ    dot2
	MOVQ   rankOne_lanes(DI), R13
	LANE_LOAD((R13), Z0)
	LANE_LOAD(64(R13), Z1)

dot2:
	TESTL $const_updateDot, CX
	JNE   updateDot2

	RANK_COLS(PRODUCTS2, dotLoop2, dotPart2, dotted2)

updateDot2:
	RANK_COLS(BEFORE2, updateDotLoop2, updateDotPart2, dotted2)

dotted2:
	TESTL $const_stepSuspend, rankOne_steps(DI)
	JEQ   project2
	MOVQ  rankOne_lanes(DI), R13
	LANE_SAVE((R13), Z0)
	LANE_SAVE(64(R13), Z1)
	JMP   next2

project2:
	FOLD4(Z0, Z1, Z0, Z1)
	PROJECT(Z30, Z23, Z21, Z31)
	VSHUFF64X2 $0x00, Z30, Z30, Z16
	VSHUFF64X2 $0x55, Z30, Z30, Z17
	KEEP_V(old2)
	JMP        square2

old2:
	VMOVU Z24, Z16
	VMOVU Z25, Z17
	TESTL $const_stepDot, rankOne_steps(DI)
	JEQ   add2

square2:
	VFMAS X16, X16, X22
	VFMAS X17, X17, X22

add2:
	MOVQ  rankOne_steps(DI), CX
	TESTL $const_stepAdd, CX
	JEQ   next2
	MOVQ  R15, AX
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
	SUBQ   $2, rankOne_left(DI)
	ADDQ   $(2*SIZE), R14
	LEAQ   (R15)(R8*2), R15
	MOVQ   R15, SI
	LEAQ   (R10)(R11*2), R10
	MOVQ   R10, rankOne_mRow(DI)
	VPXORQ Z0, Z0, Z0
	VPXORQ Z1, Z1, Z1
	VBCST  (R14), Z24
	VBCST  SIZE(R14), Z25
	TESTL  $const_updateAdd, CX
	JNE    updateAddDot2

	RANK_COLS(SUMS_BEFORE2, addUpdateDotLoop2, addUpdateDotPart2, project2)

updateAddDot2:
	M_OF_SUMS
	RANK_COLS(AFTER_PRODUCTS2, updateAddDotLoop2, updateAddDotPart2, project2)

addOnly2:
	TESTL $const_updateAdd, CX
	JNE   updateAdd2

	RANK_COLS(SUMS2, addLoop2, addPart2, next2)

updateAdd2:
	RANK_COLS(AFTER2, updateAddLoop2, updateAddPart2, next2)

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
	CMPQ  rankOne_left(DI), $0
	JEQ   done
	MOVQ  rankOne_mStride(DI), R11
	MOVL  $1, AX
	KMOVW AX, K2

one: // for rows left > 0 {
	VBCST  (R14), Z24
	MOVQ   rankOne_w(DI), BX
	MOVQ   R15, SI
	MOVQ   rankOne_mRow(DI), R10
	MOVQ   rankOne_steps(DI), CX
	TESTL  $const_stepDot, CX
	JEQ    old1
	VPXORQ Z0, Z0, Z0
	TESTL  $const_stepResume, CX
	JEQ    dot1
	MOVQ   rankOne_lanes(DI), R13
	LANE_LOAD((R13), Z0)

dot1:
	TESTL $const_updateDot, CX
	JNE   updateDot1

	RANK_COLS(PRODUCTS1, dotLoop1, dotPart1, dotted1)

updateDot1:
	RANK_COLS(BEFORE1, updateDotLoop1, updateDotPart1, dotted1)

dotted1:
	TESTL $const_stepSuspend, rankOne_steps(DI)
	JEQ   project1
	MOVQ  rankOne_lanes(DI), R13
	LANE_SAVE((R13), Z0)
	JMP   next1

project1:
	FOLD4(Z0, Z0, Z0, Z0)
	PROJECT(Z30, Z23, Z21, Z31)
	VMOVU Z30, Z16
	KEEP_V(old1)
	JMP   square1

old1:
	VMOVU Z24, Z16
	TESTL $const_stepDot, rankOne_steps(DI)
	JEQ   add1

square1:
	VFMAS X16, X16, X22

add1:
	MOVQ  rankOne_steps(DI), CX
	TESTL $const_stepAdd, CX
	JEQ   next1
	MOVQ  R15, AX
	MOVQ  rankOne_mRow(DI), R10
	MOVQ  rankOne_w(DI), BX
	MOVQ  rankOne_acc(DI), R13
	TESTL $const_updateAdd, CX
	JNE   updateAdd1

	RANK_COLS(SUMS1, addLoop1, addPart1, next1)

updateAdd1:
	RANK_COLS(AFTER1, updateAddLoop1, updateAddPart1, next1)

next1:
	ADDQ R8, R15
	ADDQ R11, rankOne_mRow(DI)
	ADDQ $SIZE, R14
	DECQ rankOne_left(DI)
	JNE  one                   // }

done:
	VMOVS X22, rankOne_vv(DI)
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
#undef M_STRIDES
#undef M_OF_SUMS
