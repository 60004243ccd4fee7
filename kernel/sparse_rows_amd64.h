// The rows of ADD_SPARSE and ADD_TRANSPOSED, for vectors of so many registers. The
// file that includes this one defines, for this use,
//
//	ACCS              applies an operation to the vectors of a row, another to the last
//	ROW, ENTRY, NEXT  labels

ROW: // for rows left > 0 {
	ENTRIES
	JLE  NEXT
	ACCS(LOAD, LOAD_LAST)
	LEAQ (SI)(CX*4), SI
	LEAQ (DX)(CX*SIZE), DX
	NEGQ CX

ENTRY: // for entries left > 0, -CX of them {
	MOVLQSX (SI)(CX*4), AX
	IMULQ   R9, AX
	ADD_G((DX)(CX*SIZE))
	ACCS(EACH, EACH_LAST)
	INCQ    CX
	JNE     ENTRY // }
	ACCS(KEEP_ROW, KEEP_LAST)

NEXT:
	ADDQ R11, R10
	DECQ R13
	JNE  ROW // }
	VZEROUPPER
	RET

#undef ACCS
#undef ROW
#undef ENTRY
#undef NEXT
