// MAX and MIN but for their names. The file that includes this one defines, for this
// use,
//
//	OP  OP(X, Y, TO) sets TO to the better of X and Y, to Y if neither is better
//
// In the last group a lane without an element meets itself.

	REDUCE_IN
	JEQ   part

loop: // for whole groups {
	VMOVU (SI), Y4
	VMOVU 32(SI), Y5
	VMOVU 64(SI), Y6
	VMOVU 96(SI), Y7
	OP(Y4, Y0, Y0)
	OP(Y5, Y1, Y1)
	OP(Y6, Y2, Y2)
	OP(Y7, Y3, Y3)
	ADDQ  $128, SI
	DECQ  CX
	JNE   loop // }

part: // the last group, and the result, in the last call
	CMPQ  reduction_last(DI), $0
	JEQ   out
	MOVQ  reduction_n(DI), CX
	ANDQ  $(128/SIZE-1), CX
	JEQ   fold
	MASKS(R9)
	EXTREMUM_PART(OP, 0, Y0)
	EXTREMUM_PART(OP, 32, Y1)
	EXTREMUM_PART(OP, 64, Y2)
	EXTREMUM_PART(OP, 96, Y3)

fold:
	REDUCE_FOLD(OP)

out:
	REDUCE_OUT

#undef OP
