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
	LEAQ (SI)(CX*4), SI
	LEAQ (DX)(CX*SIZE), DX
	NEGQ CX

ENTRY: // for entries left > 0, -CX of them {
	MOVLQSX (SI)(CX*4), AX
	IMULQ   R9, AX
	ADD_G((DX)(CX*SIZE))
	FMAS
	INCQ    CX
	JNE     ENTRY // }
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
