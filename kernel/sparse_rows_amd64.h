// The rows of ADD_SPARSE and ADD_TRANSPOSED, for vectors of so many registers. The
// file that includes this one defines, for this use,
//
//	LOADS             loads a row of A or V
//	FMAS              adds to it or from it, for one entry
//	STORES            stores it, or NOP
//	ROW, ENTRY, NEXT  labels

ROW: // for rows left > 0 {
	ENTRIES
	JLE  NEXT
	LOADS

ENTRY: // for entries left > 0 {
	COLUMN
	ADD_G
	FMAS
	ADDQ $SIZE, DX
	DECQ CX
	JNE  ENTRY // }
	STORES

NEXT:
	ADDQ R11, R10
	DECQ R13
	JNE  ROW // }
	VZEROUPPER
	RET

#undef LOADS
#undef FMAS
#undef STORES
#undef ROW
#undef ENTRY
#undef NEXT
