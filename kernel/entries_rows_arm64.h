// The rows and columns of the kernels on an update, entry by entry, and the return. The file that includes this one defines, for this use,
//
//	STEP_OF  the operation on a vector, or on 8 or 4 bytes

	MOVD u+0(FP), R0
	MOVE update_mu(R0), F24
	MOVE update_nu(R0), F18
	MOVD update_n(R0), R1
	MOVD update_m(R0), R2
	MOVD update_p(R0), R3
	MOVD update_nStride(R0), R4
	MOVD update_mStride(R0), R5
	MOVD update_pStride(R0), R6
	MOVD update_rows(R0), R7
	MOVD update_seen(R0), R15
	MOVD update_seenStride(R0), R16
	BIT_OF_LANE(R13)
	MOVD update_cols(R0), R8
	LSL  $SIZE_LOG, R8

row: // for rows left > 0 {
	MOVD R1, R9
	MOVD R2, R10
	MOVD R3, R11

	LSR  $6, R8, R12
	CBZ  R12, rest

loop4: // for four vectors left > 0 {
	STEP_OF(FMOVQ, 0)
	STEP_OF(FMOVQ, 16)
	STEP_OF(FMOVQ, 32)
	STEP_OF(FMOVQ, 48)
	ONWARD(64)
	SUBS $1, R12
	BNE  loop4 // }

rest:
	UBFX $4, R8, $2, R12
	CBZ  R12, half

loop1: // for vectors left > 0 {
	STEP_OF(FMOVQ, 0)
	ONWARD(16)
	SUBS $1, R12
	BNE  loop1 // }

half:
	TBZ  $3, R8, quarter
	STEP_OF(FMOVD, 0)
	ONWARD(8)

quarter:

	SINGLE(LAST_ELEMENT(STEP_OF, whole))
	ADD  R4, R1
	ADD  R5, R2
	ADD  R6, R3
	ADD  R16, R15
	SUBS $1, R7
	BNE  row                  // }
	RET

#undef STEP_OF
