// The columns of RANK_ONE for a group of rows, a vector at a time. The file that
// includes this one defines, for this use,
//
//	BODY             the step on a vector of columns
//	LOOP, PART, END  labels, END that of what follows

	MOVQ     rankOne_cols(DI), CX
	SHRQ     $LANES_LOG, CX
	JEQ      PART

LOOP: // for columns left > 0 {
	BODY(LOAD, STORE)
	ADDQ     $64, AX
	ADDQ     $64, SI
	ADDQ     $64, R10
	ADDQ     $64, BX
	ADDQ     $64, R13
	DECQ     CX
	JNE      LOOP // }

PART: // the last columns
	KORTESTW K1, K1
	JEQ      END
	BODY(PART_LOAD, PART_STORE)
	JMP      END

#undef BODY
#undef LOOP
#undef PART
#undef END
