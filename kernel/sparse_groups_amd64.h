// The rows of SAMPLED for so many whole groups, four entries at a time, whose sums hide the time of
// each other's multiply-adds. The file that includes this one defines, for this use,
//
//	LOADS                         loads a row of V
//	PRODUCT(R)                    R = the lanes of v_i x_j for the next entry
//	ROW, FOUR, LEFT, ONE, NEXT    labels

ROW: // for rows left > 0 {
	ENTRIES
	JLE  NEXT
	LOADS
	SUBQ $4, CX
	JLT  LEFT

FOUR: // for entries left >= 4 {
	PRODUCT(Z0)
	PRODUCT(Z1)
	PRODUCT(Z2)
	PRODUCT(Z3)
	FOUR_FOLD
	ADDQ $(4*SIZE), DX
	SUBQ $4, CX
	JGE  FOUR // }

LEFT:
	ADDQ $4, CX
	JEQ  NEXT

ONE: // for entries left > 0 {
	PRODUCT(Z0)
	LANES_FOLD
	STORE1
	ADDQ $SIZE, DX
	DECQ CX
	JNE  ONE // }

NEXT:
	ADDQ R11, R10
	DECQ R13
	JNE  ROW // }
	VZEROUPPER
	RET

#undef LOADS
#undef PRODUCT
#undef ROW
#undef FOUR
#undef LEFT
#undef ONE
#undef NEXT
