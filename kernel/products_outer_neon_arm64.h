// outer for one height. The file that includes this one defines, for this use,
//
//	ROWS_OF   applies an operation to so many rows

	MOVD o+0(FP), R0
	MOVD outer_out(R0), R1
	MOVD outer_outStride(R0), R2
	MOVD outer_srcStride(R0), R4
	MOVD outer_coefOut(R0), R6
	ADD  R6, R6, R7
	ADD  R6, R7, R8
	ADD  R6, R8, R9
	ADD  R6, R9, R10
	MOVD outer_coefInner(R0), R11
	MOVD outer_cols(R0), R12
	LSL  $SIZE_LOG, R12
	MOVD outer_keep(R0), R17

next: // for columns left > 0 {
	MOVD outer_out(R0), R14
	SUB  R14, R1, R14
	MOVD outer_src(R0), R3
	ADD  R14, R3
	MOVD outer_coef(R0), R5
	MOVD outer_inner(R0), R13
	MOVD R1, R14
	MOVD R2, R15
	CBNZ R17, width
	MOVD $zero<>(SB), R14
	MOVD $0, R15

width:
	TILE(COLS4, FMOVQ, 64, loop4, update4, narrower4)
	TILE(COLS2, FMOVQ, 32, loop2, update2, narrower2)
	TILE(COLS1, FMOVQ, 16, loop1, update1, narrower1)
	TILE(COLS1, MOVE, SIZE, loop, update, done)
	RET // }

#undef ROWS_OF
