// A masked rank-one pass, and the return. maskedRankOne lists the registers. The file
// that includes this one defines, for this use,
//
//	READ     loads n at AT into V27
//	STEP_OF  the update

	MOVD r+0(FP), R0
	MOVE rankOne_mu(R0), F24
	MOVE rankOne_part(R0), F18
	BIT_OF_LANE(R1)
	IN4(rankOne_nStride, R13, rankOne_mStride, R8, rankOne_seenStride, R24, rankOne_v, R15)
	IN4(rankOne_rows, R16, rankOne_n, R17, rankOne_m, R19, rankOne_seen, R21)
	IN3(rankOne_steps, R25, rankOne_lanes, R4, rankOne_cols, R22)
	LSL  $SIZE_LOG, R22
	AND  $63, R22, R23
	BIC  $63, R22
	ADD  $rankOne_copies, R0, R26
	CBZ  R23, row
	CLEAR(R26, 11, R1, R2, clear)
	COPY_IN(rankOne_w, 128)
	COPY_IN(rankOne_acc, 192)
	COPY_IN(rankOne_den, 256)

row: // for rows left > 0 {
	MOVE (R15), F20
	SPREAD(R15, V22)
	MOVD $0, R20

step: // for R20 < 4 {
	MOVD $const_updateDot, R6
	CBZ  R20, asked
	MOVD $const_stepDot, R6
	CMP  $2, R20
	BLT  asked
	MOVD $const_updateAdd, R6
	BEQ  asked
	MOVD $const_stepAdd, R6

asked:
	TST  R6, R25
	BEQ  next
	CMP  $1, R20
	BNE  columns
	LANES_ZERO(V0, V1, V2, V3)
	LANES_ZERO(V4, V5, V6, V7)
	TST  $const_stepResume, R25
	BEQ  columns
	LANES8(LANES_LOAD, R4)

columns:
	MOVD R17, R1
	MOVD R21, R2
	MOVD R19, R5
	IN3(rankOne_den, R3, rankOne_w, R9, rankOne_acc, R10)
	MOVD R23, R12
	LSR  $6, R22, R11
	CBNZ R11, choose

tail: // if columns are left { the same with copies }
	CBZ   R12, restore
	ADD   R22, R17, R6
	MOVD  R26, R7
	COPY(R6, R7, R23)
	ADD   R22, R19, R6
	ADD   $64, R26, R7
	COPY(R6, R7, R23)
	LSR   $(SIZE_LOG+3), R22, R6
	ADD   R21, R6
	MOVBU (R6), R7
	MOVB  R7, 320(R26)
	CMP   $(8*SIZE), R23
	BLE   3(PC)
	MOVBU 1(R6), R7
	MOVB  R7, 321(R26)
	MOVD  R26, R1
	ADD   $320, R26, R2
	ADD   $64, R26, R5
	ADD   $128, R26, R9
	ADD   $192, R26, R10
	ADD   $256, R26, R3
	MOVD  $0, R12
	MOVD  $1, R11

choose:
	CMP $1, R20
	BEQ dot
	CMP $3, R20
	BEQ add

	MASKED_COLS(MASKED_STEP, update)

	MASKED_COLS(MASKED_DOT, dot)

	MASKED_COLS(MASKED_ADD, add)

restore:
	CMP  $1, R20
	BEQ  dotted
	CMP  $3, R20
	BEQ  next
	MOVD R26, R6
	ADD  R22, R17, R7
	COPY(R6, R7, R23) // the last columns of N
	B    next

dotted:
	TST  $const_stepSuspend, R25
	BEQ  project
	LANES8(LANES_SAVE, R4)
	ADD  $128, R4
	B    next

project: // V19 sum of products, V27 1 / sum of squares
	ADD  $128, R4
	FOLD_TWO(0, 1, 2, 3, 4, 5, 6, 7)
	SPLIT(V19, V27)
	MOVE rankOne_inv(R0), F25
	DIV(F27, F25, F27)
	VEOR V31.B16, V31.B16, V31.B16
	FSUB(27, 27, 25)
	EQUAL(V31, V25, V25)      // finite
	FCMGTZ(27, 28)            // and positive
	VAND V28.B16, V25.B16, V25.B16
	FCMGTZ(19, 28)
	FMUL(27, 19, 19)
	VAND V28.B16, V19.B16, V19.B16
	VBIT V25.B16, V19.B16, V20.B16
	MOVE F20, (R15)
	SPREAD(R15, V22)

next:
	ADD $1, R20
	CMP $4, R20
	BLT step          // }
	ADD  $SIZE, R15
	ADD  R13, R17
	ADD  R8, R19
	ADD  R24, R21
	SUBS $1, R16
	BNE  row          // }

	TST  $const_stepAdd, R25
	BEQ  done
	COPY_OUT(rankOne_acc, 192)
	COPY_OUT(rankOne_den, 256)

done:
	RET

#undef READ
#undef STEP_OF
