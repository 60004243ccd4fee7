// DOT, MAX and MIN but for their names. The file that includes this one defines, for this use,
//
//	STEP_OF, STEP_PART  the step of a vector, whole or in part
//	FOLD_OF             FOLD_OF(X, Y, TO) folds X, the later, with Y; of MAX, the better, or Y if neither is

	REDUCE_IN
	JEQ  part

loop: // for whole groups {
	GROUP(STEP_OF)
	ADDQ $128, SI
	ADDQ $128, DX
	DECQ CX
	JNE  loop // }

part: // the last group, and the result, in the last call
	CMPQ reduction_last(DI), $0
	JEQ  out
	MOVQ reduction_n(DI), CX
	ANDQ $(128/SIZE-1), CX
	JEQ  fold
	GROUP_PART(STEP_PART)

fold:
	REDUCE_FOLD(FOLD_OF)

out:
	GROUP(LANES_OUT)
	VZEROUPPER
	RET

#undef STEP_OF
#undef STEP_PART
#undef FOLD_OF
