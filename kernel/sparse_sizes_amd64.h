// ADD_SPARSE and ADD_TRANSPOSED but for their names: a loop for each number of vectors. The file that
// includes this one defines, for this use,
//
//	EACH, EACH_LAST      adds to a vector of the row or from it, for one entry
//	KEEP_ROW, KEEP_LAST  stores a vector of the row, or NONE

	ARGUMENTS
	G_LOAD
	MOVQ gather_cols(DI), AX
	CMPQ CX, $(WIDTH/SIZE)
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
	MASK
	MOVQ gather_cols(DI), AX
	CMPQ AX, $1
	JLT  row1
	JEQ  row2
	CMPQ AX, $2
	JEQ  row3
	JMP  row4

#define ACCS(OP, LAST) ACCS8(OP, OP)
#define ROW whole8
#define ENTRY wholeEntry8
#define NEXT wholeNext8
#include "sparse_rows_amd64.h"

#define ACCS(OP, LAST) ACCS7(OP, OP)
#define ROW whole7
#define ENTRY wholeEntry7
#define NEXT wholeNext7
#include "sparse_rows_amd64.h"

#define ACCS(OP, LAST) ACCS6(OP, OP)
#define ROW whole6
#define ENTRY wholeEntry6
#define NEXT wholeNext6
#include "sparse_rows_amd64.h"

#define ACCS(OP, LAST) ACCS5(OP, OP)
#define ROW whole5
#define ENTRY wholeEntry5
#define NEXT wholeNext5
#include "sparse_rows_amd64.h"

#define ACCS(OP, LAST) ACCS4(OP, OP)
#define ROW whole4
#define ENTRY wholeEntry4
#define NEXT wholeNext4
#include "sparse_rows_amd64.h"

#define ACCS(OP, LAST) ACCS3(OP, OP)
#define ROW whole3
#define ENTRY wholeEntry3
#define NEXT wholeNext3
#include "sparse_rows_amd64.h"

#define ACCS(OP, LAST) ACCS2(OP, OP)
#define ROW whole2
#define ENTRY wholeEntry2
#define NEXT wholeNext2
#include "sparse_rows_amd64.h"

#define ACCS(OP, LAST) ACCS1(OP, OP)
#define ROW whole1
#define ENTRY wholeEntry1
#define NEXT wholeNext1
#include "sparse_rows_amd64.h"

#define ACCS ACCS4
#define ROW row4
#define ENTRY entry4
#define NEXT next4
#include "sparse_rows_amd64.h"

#define ACCS ACCS3
#define ROW row3
#define ENTRY entry3
#define NEXT next3
#include "sparse_rows_amd64.h"

#define ACCS ACCS2
#define ROW row2
#define ENTRY entry2
#define NEXT next2
#include "sparse_rows_amd64.h"

#define ACCS ACCS1
#define ROW row1
#define ENTRY entry1
#define NEXT next1
#include "sparse_rows_amd64.h"

#undef EACH
#undef EACH_LAST
#undef KEEP_ROW
#undef KEEP_LAST
