// The columns of a masked rank-one pass for a row or a group of rows, 64 bytes at a time.
// The file that includes this one defines, for this use,
//
//	FETCH            what is fetched for the group that comes next
//	BODY             the step on 32 bytes of columns
//	LOOP, PART, END  labels, END that of what follows

	MOVQ rankOne_cols(DI), CX
	SHRQ $(LANES_LOG+1), CX
	JEQ  PART

LOOP: // for columns left > 0 {
	FETCH
	BODY(LOAD, STORE, 0, Y0, Y2, Y4)
	ADDQ $HALF_BYTES, BX
	BODY(LOAD, STORE, 32, Y1, Y3, Y5)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, R14
	INCQ BX
	DECQ CX
	JNE  LOOP // }

PART: // the last columns
	TESTQ $(64/SIZE-1), rankOne_cols(DI)
	JEQ   END
	MOVQ  rankOne_masks(DI), CX
	VMOVU (CX), Y15
	BODY(PART_LOAD, PART_STORE, 0, Y0, Y2, Y4)
	VMOVU 32(CX), Y15
	MOVQ  rankOne_cols(DI), CX // on to a second byte, if there is one
	ANDQ  $(64/SIZE-1), CX
	DECQ  CX
	SHRQ  $3, CX
	ADDQ  CX, BX
	BODY(PART_LOAD, PART_STORE, 32, Y1, Y3, Y5)
	JMP   END

#undef FETCH
#undef BODY
#undef LOOP
#undef PART
#undef END
