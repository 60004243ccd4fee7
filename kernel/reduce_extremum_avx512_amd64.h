// MAX and MIN but for their names. The file that includes this one defines, for this
// use,
//
//	OP  OP(X, Y, TO) sets TO to the better of X and Y, to Y if neither is better
//
// In the last group a lane without an element meets itself. If that is so for all of
// them nothing is loaded: a load of no elements from a page that is not there takes a
// thousand cycles.

	REDUCE_IN
	JEQ   part

loop: // for whole groups {
	VMOVU (SI), Z2
	VMOVU 64(SI), Z3
	OP(Z2, Z0, Z0)
	OP(Z3, Z1, Z1)
	ADDQ  $128, SI
	DECQ  CX
	JNE   loop // }

part: // the last group, and the result, in the last call
	CMPQ  reduction_last(DI), $0
	JEQ   out
	REDUCE_MASKS
	KORTESTW K1, K1
	JEQ   fold
	VMOVU Z0, Z2
	VMOVU Z1, Z3
	VMOVU (SI), K1, Z2
	VMOVU 64(SI), K2, Z3
	OP(Z2, Z0, Z0)
	OP(Z3, Z1, Z1)

fold:
	REDUCE_FOLD(OP)

out:
	REDUCE_OUT

#undef OP
