// ADD_SPARSE and ADD_TRANSPOSED but for their names: a loop for each number of vectors. The file that
// includes this one defines, for this use,
//
//	EACH, EACH_PART      adds to a vector of the row or from it, for one entry
//	KEEP_ROW, KEEP_PART  stores a vector of the row, or ROW_STAYS

	ARGUMENTS
	VBCST gather_g(DI), W9
	MOVQ gather_cols(DI), AX
	CMPQ CX, $(VECTOR/SIZE)
	JLT  partial
	CMPQ AX, $3
	JLT  few
	JEQ  whole4
	CMPQ AX, $5
	JLT  whole5
	JEQ  whole6
	CMPQ AX, $7
	JLT  whole7
	JMP  whole8

few:
	CMPQ AX, $1
	JLT  whole1
	JEQ  whole2
	JMP  whole3

partial:
	LAST_MASK(CX)
	MOVQ gather_cols(DI), AX
	CMPQ AX, $1
	JLT  row1
	JEQ  row2
	CMPQ AX, $2
	JEQ  row3
	JMP  row4

	SPARSE_ROWS(VECS8, ROW_LOAD, EACH, KEEP_ROW, whole8, wholeEntry8, wholeNext8)
	SPARSE_ROWS(VECS7, ROW_LOAD, EACH, KEEP_ROW, whole7, wholeEntry7, wholeNext7)
	SPARSE_ROWS(VECS6, ROW_LOAD, EACH, KEEP_ROW, whole6, wholeEntry6, wholeNext6)
	SPARSE_ROWS(VECS5, ROW_LOAD, EACH, KEEP_ROW, whole5, wholeEntry5, wholeNext5)
	SPARSE_ROWS(VECS4, ROW_LOAD, EACH, KEEP_ROW, whole4, wholeEntry4, wholeNext4)
	SPARSE_ROWS(VECS3, ROW_LOAD, EACH, KEEP_ROW, whole3, wholeEntry3, wholeNext3)
	SPARSE_ROWS(VECS2, ROW_LOAD, EACH, KEEP_ROW, whole2, wholeEntry2, wholeNext2)
	SPARSE_ROWS(VECS1, ROW_LOAD, EACH, KEEP_ROW, whole1, wholeEntry1, wholeNext1)
	SPARSE_ROWS(VECS4, ROW_LOAD_PART, EACH_PART, KEEP_PART, row4, entry4, next4)
	SPARSE_ROWS(VECS3, ROW_LOAD_PART, EACH_PART, KEEP_PART, row3, entry3, next3)
	SPARSE_ROWS(VECS2, ROW_LOAD_PART, EACH_PART, KEEP_PART, row2, entry2, next2)
	SPARSE_ROWS(VECS1, ROW_LOAD_PART, EACH_PART, KEEP_PART, row1, entry1, next1)

#undef EACH
#undef EACH_PART
#undef KEEP_ROW
#undef KEEP_PART
