// The rows of ADD_SPARSE and ADD_TRANSPOSED, for so many whole lines. The file that includes this one
// defines, for this use,
//
//	LOADS             loads a row of A or V from R12 on
//	FMAS              adds to it or from it, for one entry
//	STORES            stores it, or NOP
//	ROW, ENTRY, NEXT  labels

ROW: // for rows left > 0 {
	ENTRIES(NEXT)
	MOVD R1, R12
	LOADS

ENTRY: // for entries left > 0 {
	COLUMN
	COEFFICIENT
	FMAS
	SUBS $1, R11
	BNE  ENTRY // }
	STORES

NEXT:
	ADD  R2, R1
	SUBS $1, R8
	BNE  ROW // }
	RET

#undef LOADS
#undef FMAS
#undef STORES
#undef ROW
#undef ENTRY
#undef NEXT
