// The rows of a rank-one pass, and the return. rankOne lists the registers. The file
// that includes this one defines, for this use,
//
//	READ_ROW, UPDATE_ROW   load a vector of a row of n, and update it
//	WITHOUT_M(copied)      goes to copied if the step does without M

	MOVD r+0(FP), R0
	MOVE rankOne_mu(R0), F24
	MOVE rankOne_inv(R0), F29
	MOVE rankOne_vv(R0), F30
	IN4(rankOne_nStride, R13, rankOne_mStride, R14, rankOne_v, R15, rankOne_rows, R16)
	IN4(rankOne_n, R17, rankOne_m, R19, rankOne_steps, R25, rankOne_cols, R22)
	LSL  $SIZE_LOG, R22
	AND  $63, R22, R23
	BIC  $63, R22
	ADD  $rankOne_copies, R0, R26
	CBZ  R23, group
	CLEAR(R26, 20, R1, R2, clear)
	COPY_IN(rankOne_w, 512)
	COPY_IN(rankOne_acc, 576)

group: // for rows left > 0 {
	MOVE (R15), F20
	MOVD $1, R21
	CMP  $4, R16
	BLT  begin
	MOVD $4, R21
	MOVE SIZE(R15), F21
	MOVE (2*SIZE)(R15), F22
	MOVE (3*SIZE)(R15), F23

begin:
	TST  $const_stepDot, R25
	BEQ  add
	MOVD $0, R20
	AND  $const_updateDot, R25, R24
	TST  $const_stepResume, R25
	BNE  resume
	ZERO16
	B    columns

resume:
	MOVD rankOne_lanes(R0), R1
	LANES16(LANES_LOAD, R1)

columns:
	MOVD R17, R1
	WALK4(R13, R1, R2, R3, R4)
	MOVD R19, R5
	WALK4(R14, R5, R6, R7, R8)
	IN2(rankOne_w, R9, rankOne_acc, R10)
	MOVD R23, R12
	LSR  $6, R22, R11
	CBNZ R11, choose

tail: // if columns are left { the same with copies }
	CBZ  R12, restore
	ADD  R22, R17, R3
	MOVD R26, R4
	MOVD $64, R6

	COPY_ROWS(R3, R13, R4, R6, copyN)

	WITHOUT_M(copied)
	ADD  R22, R19, R3
	ADD  $256, R26, R4

	COPY_ROWS(R3, R14, R4, R6, copyM)

copied:
	MOVD R26, R1
	WALK4($64, R1, R2, R3, R4)
	WALK4($64, R4, R5, R6, R7)
	WALK4($64, R7, R8, R9, R10)
	MOVD $0, R12
	MOVD $1, R11

choose:
	CMP  $4, R21
	BEQ  four
	RANK_LOOPS(ROWS1, dot1, stepDot1, adds1, add1, stepAdd1)

four:
	RANK_LOOPS(ROWS4, dot4, stepDot4, adds4, add4, stepAdd4)

restore: // the last columns of N, if they were updated
	CBZ  R24, restored
	CBZ  R23, restored
	MOVD R26, R3
	ADD  R22, R17, R4
	MOVD $64, R6

	COPY_ROWS(R3, R6, R4, R13, copyBack)

restored:
	CBNZ R20, next
	TST  $const_stepSuspend, R25
	BEQ  project
	MOVD rankOne_lanes(R0), R1
	LANES16(LANES_SAVE, R1)
	B    next

project:
	MOVI rankOne_inv(R0), R1
	SHLI $1, R1
	CBZ  R1, square           // inv = 0: v stays
	FOLD_TWO(0, 1, 2, 3, 4, 5, 6, 7)
	PROJECT
	CMP  $4, R21
	BEQ  project4
	MOVE F26, (R15)
	VMOV V26.B16, V20.B16
	B    square

project4:
	MOVE2 F26, (R15)
	SPLIT(V20, V21)
	FOLD_TWO(8, 9, 10, 11, 12, 13, 14, 15)
	PROJECT
	MOVE2 F26, (2*SIZE)(R15)
	SPLIT(V22, V23)

square:
	FMA(V20, V20, V30)
	CMP $4, R21
	BNE add
	FMA(V21, V21, V30)
	FMA(V22, V22, V30)
	FMA(V23, V23, V30)

add:
	TST  $const_stepAdd, R25
	BEQ  next
	MOVD $1, R20
	AND  $const_updateAdd, R25, R24
	B    columns

next:
	ADD  R21<<SIZE_LOG, R15
	MADD R21, R17, R13, R17
	MADD R21, R19, R14, R19
	SUBS R21, R16
	BGT  group                // }
	MOVE F30, rankOne_vv(R0)
	TST  $const_stepAdd, R25
	BEQ  done
	COPY_OUT(rankOne_acc, 576)

done:
	RET

#undef READ_ROW
#undef UPDATE_ROW
#undef WITHOUT_M
