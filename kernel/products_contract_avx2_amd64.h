// The columns of CONTRACT for one height of the panel. The file that includes this
// one defines, for this use,
//
//	G_ROWS             applies an operation to the rows of G in the panel
//	START, LOOP, PART  labels
//
//	for whole groups { lanes = fma(x, g, lanes), 64 bytes }
//	then the columns of the masks R9, if any

START:
	TESTQ CX, CX
	JEQ   PART

LOOP: // for columns left > 0 {
	VMOVU (SI), Y12
	VMOVU (SI)(R8*1), Y13
	G_ROWS(G_LOWER, 0)
	VMOVU 32(SI), Y12
	VMOVU 32(SI)(R8*1), Y13
	G_ROWS(G_UPPER, 32)
	ADDQ  $64, SI
	ADDQ  $64, DX
	DECQ  CX
	JNE   LOOP // }

PART:
	TESTQ $(64/SIZE-1), contraction_cols(DI)
	JEQ   lanes
	VMOVU (R9), Y15
	PART_LOAD((SI), Y12)
	PART_LOAD((SI)(R8*1), Y13)
	G_ROWS(G_LOWER_PART, 0)
	VMOVU 32(R9), Y15
	PART_LOAD(32(SI), Y12)
	PART_LOAD(32(SI)(R8*1), Y13)
	G_ROWS(G_UPPER_PART, 32)
	JMP   lanes

#undef G_ROWS
#undef START
#undef LOOP
#undef PART
