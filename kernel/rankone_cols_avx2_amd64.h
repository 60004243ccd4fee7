// The columns of RANK_ONE for a group of rows, 64 bytes at a time. The file that
// includes this one defines, for this use,
//
//	FETCH            what is fetched for the groups that come next
//	BODY             the step on 32 bytes of columns
//	LOOP, PART, END  labels, END that of what follows

	MOVQ  rankOne_cols(DI), CX
	SHRQ  $(LANES_LOG+1), CX
	JEQ   PART

LOOP: // for columns left > 0 {
	FETCH
	BODY(LOAD, STORE, 0, Y0, Y1, Y2, Y3)
	BODY(LOAD, STORE, 32, Y4, Y5, Y6, Y7)
	ADDQ  $64, SI
	ADDQ  $64, DX
	ADDQ  $64, R10
	ADDQ  $64, BX
	ADDQ  $64, R13
	DECQ  CX
	JNE   LOOP // }

PART: // the last columns
	TESTQ $(64/SIZE-1), rankOne_cols(DI)
	JEQ   END
	VMOVU (AX), Y15
	BODY(PART_LOAD, PART_STORE, 0, Y0, Y1, Y2, Y3)
	VMOVU 32(AX), Y15
	BODY(PART_LOAD, PART_STORE, 32, Y4, Y5, Y6, Y7)
	JMP   END

#undef FETCH
#undef BODY
#undef LOOP
#undef PART
#undef END
