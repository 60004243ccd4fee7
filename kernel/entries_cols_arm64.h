// The columns of one row of UPDATE and ADDITION, but for the last four bytes. The file
// that includes this one defines, for this use,
//
//	OP  the operation on a vector, or on 8 bytes

	LSR  $6, R8, R12
	CBZ  R12, rest

loop4: // for four vectors left > 0 {
	OP(FMOVQ, 0)
	OP(FMOVQ, 16)
	OP(FMOVQ, 32)
	OP(FMOVQ, 48)
	ONWARD(64)
	SUBS $1, R12
	BNE  loop4 // }

rest:
	UBFX $4, R8, $2, R12
	CBZ  R12, half

loop1: // for vectors left > 0 {
	OP(FMOVQ, 0)
	ONWARD(16)
	SUBS $1, R12
	BNE  loop1 // }

half:
	TBZ  $3, R8, quarter
	OP(FMOVD, 0)
	ONWARD(8)

quarter:

#undef OP
