// The groups of rows of a masked rank-one pass, and the return. maskedRankOne lists the
// registers. The file that includes this one defines, for this use,
//
//	READ     loads n where it is seen, at N and M, into Z7, zero elsewhere
//	STEP_OF  the update

	MOVQ   r+0(FP), DI
	MOVQ   rankOne_cols(DI), CX
	ANDQ   $(64/SIZE-1), CX
	LAST_MASK(CX)
	BYTES_OF(AX, R14)
	MOVL   $FOLD_MASK, AX
	KMOVW  AX, K5
	VPXORQ Z21, Z21, Z21
	VBCST  rankOne_mu(DI), Z20
	VBCST  rankOne_part(DI), Z9
	IN4(rankOne_nStride, R8, rankOne_mStride, R10, rankOne_seenStride, R12, rankOne_n, SI)
	IN3(rankOne_m, DX, rankOne_seen, BX, rankOne_v, R15)
	OUT4(SI, rankOne_nRow, DX, rankOne_mRow, BX, rankOne_seenRow, R15, rankOne_vAt)
	MOVQ   rankOne_rows(DI), CX
	MOVQ   CX, rankOne_left(DI)
	MOVL   $15, AX
	KMOVW  AX, K4
	SUBQ   $4, rankOne_left(DI)
	JLT    rest

group: // for groups of rows left > 0 {
	TESTL $const_updateDot, rankOne_steps(DI)
	JNE   update

products:
	MASKED_GROUP
	TESTL $const_stepDot, rankOne_steps(DI)
	JEQ   projected
	MASKED_LANES(LANE_ZERO, CX)
	TESTL $const_stepResume, rankOne_steps(DI)
	JEQ   dot
	MOVQ  rankOne_lanes(DI), CX
	MASKED_LANES(LOAD, CX)

dot:
	KMOVW K4, CX
	CMPL  CX, $1
	JEQ   dot1

	MASKED_COLS(MASKED_DOT_R4, dotLoop4, dotPart4, dotted)

dot1:
	MASKED_COLS(MASKED_DOT_R1, dotLoop1, dotPart1, dotted)

dotted:
	TESTL $const_stepSuspend, rankOne_steps(DI)
	JEQ   project
	MOVQ  rankOne_lanes(DI), CX
	MASKED_LANES(LANE_SAVE, CX)
	JMP   next

project:
	FOLD4(Z24, Z25, Z26, Z27)
	VCOMPRESS Z30, K5, Z17
	FOLD4(Z12, Z13, Z14, Z15)
	VCOMPRESS Z30, K5, Z18
	VBCST rankOne_inv(DI), Z19
	VDIV  Z18, Z19, Z18
	VCMP  $0x1E, Z21, Z18, K4, K2 // positive
	VSUB  Z18, Z18, Z19
	VCMP  $0x00, Z21, Z19, K2, K2 // and finite
	VCMP  $0x1E, Z21, Z17, K6
	VMUL.Z Z18, Z17, K6, Z30
	MOVQ  rankOne_vAt(DI), CX
	STORE4((CX))

projected:
	TESTL $const_updateAdd, rankOne_steps(DI)
	JEQ   sums

update: // for rows of the group {
	IN4(rankOne_nRow, R9, rankOne_mRow, R11, rankOne_seenRow, R13, rankOne_vAt, R15)
	KMOVW K4, AX

updateRow:
	VBCST (R15), Z16
	MOVQ  R9, SI
	MOVQ  R11, DX
	MOVQ  R13, BX
	IN2(rankOne_w, R14, rankOne_cols, CX)
	SHRQ  $LANES_LOG, CX
	JEQ   updatePart

updateLoop:
	MASKED_STEP(LOAD, SEEN_AT)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, R14
	ADDQ $(8/SIZE), BX
	DECQ CX
	JNE  updateLoop

updatePart:
	KORTESTW K1, K1
	JEQ      updated
	MASKED_STEP(PART_LOAD, PART_SEEN_AT)

updated:
	MASKED_NEXT
	SHRL  $1, AX
	JNE   updateRow                // }
	TESTL $const_updateAdd, rankOne_steps(DI)
	JEQ   products

sums:
	TESTL $const_stepAdd, rankOne_steps(DI)
	JEQ   next
	MASKED_GROUP
	KMOVW K4, CX
	CMPL  CX, $1
	IN3(rankOne_vAt, CX, rankOne_acc, R15, rankOne_den, AX)
	VBCST (CX), Z16
	JEQ   add1
	VBCST SIZE(CX), Z17
	VBCST (2*SIZE)(CX), Z18
	VBCST (3*SIZE)(CX), Z19

	MASKED_COLS(MASKED_ADD_R4, addLoop4, addPart4, next)

add1:
	MASKED_COLS(MASKED_ADD_R1, addLoop1, addPart1, next)

next:
	KMOVW K4, CX
	CMPL  CX, $1
	JEQ   next1
	LEAQ  (R8*4), CX
	ADDQ  CX, rankOne_nRow(DI)
	LEAQ  (R10*4), CX
	ADDQ  CX, rankOne_mRow(DI)
	LEAQ  (R12*4), CX
	ADDQ  CX, rankOne_seenRow(DI)
	ADDQ  $(4*SIZE), rankOne_vAt(DI)
	SUBQ  $4, rankOne_left(DI)
	JGE   group

rest:
	MOVL  $1, AX
	KMOVW AX, K4
	ADDQ  $4, rankOne_left(DI)
	JNE   group
	JMP   done

next1:
	ADDQ R8, rankOne_nRow(DI)
	ADDQ R10, rankOne_mRow(DI)
	ADDQ R12, rankOne_seenRow(DI)
	ADDQ $SIZE, rankOne_vAt(DI)
	DECQ rankOne_left(DI)
	JNE  group                     // }

done:
	VZEROUPPER
	RET

#undef READ
#undef STEP_OF
