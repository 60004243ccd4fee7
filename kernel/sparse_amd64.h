// The bodies of sparse.go, for AVX2 and AVX-512. kernel_avx2_amd64.h and kernel_avx512_amd64.h have the
// vectors and operations. A level defines before it, in its sparse_*_amd64.h,
//
//	GROUP_MASKS           sets the masks of the last group from the count in CX
//	V_LAST, GROUP_LAST    load the last group of v; multiply it by that of x_j
//	GROUP_ZERO, GROUP_FMA, GROUP_FOLD   the lanes: zero, += a group of v times one of x_j; their sum in X0
//	FOUR_ENTRIES          sampled for four entries of one group at a time, or nothing:
//	                      goes on at one with what is left, or at next
//	*_HALF                the same as the operation without it, for half a group
//	V_GROUP, FOUR_GROUP, ONE_GROUP      load a group of v, if it has a register; add its products with
//	                      those of the x_j in AX, BX, R14, R15, or with that of the x_j in AX
//	FOUR_PREPARE, FOUR_ZERO, FOUR_FOLD  what FOUR_FOLD needs; the lanes of four entries; their sums in W0
//	A_GROUP, A_KEEP       load and store a group of a row of A, if it has a register
//	FOUR_ADD, ONE_ADD     add to it those of four x_j, or of one, times W0 to W3
//	FOUR_SCATTER, ONE_SCATTER           add to those of the c_j in AX, BX, R14, R15 that of v times W0 to W3
//	GROUP0 to GROUP7, SUMS0 to SUMS7    the registers of the groups of v and of A, if it has these
//
// Registers, in all:
//
//	DI arguments      R12 row pointers     R13 rows left     CX entries of the row left
//	SI &idx[t]        DX  &n[t] or &p[t]   AX offset of x_j, j = idx[t]
//	R8 X   R9 its stride   R10 row of A or V   R11 its stride
//	W0-W7 row of A or V   W8 coefficient   W9 g   W11 scratch

#define ARGUMENTS \
	MOVQ c+0(FP), DI; \
	IN4(gather_rowData, R10, gather_x, R8, gather_values, DX, gather_idx, SI); \
	IN4(gather_ptr, R12, gather_rowStride, R11, gather_xStride, R9, gather_rows, R13); \
	MOVQ gather_left(DI), CX

// CX = entries of the next row, with its flags
#define ENTRIES \
	LEAQ 8(R12), R12; \
	MOVQ (R12), CX; \
	SUBQ -8(R12), CX

// On to the next row, or the return.
#define NEXT_ROW(row) \
	ADDQ R11, R10; \
	DECQ R13; \
	JNE  row; \
	VZEROUPPER; \
	RET

// AX = offset of the row of X of the next entry
#define COLUMN \
	MOVLQSX (SI), AX; \
	ADDQ    $4, SI; \
	IMULQ   R9, AX

// The operations on a vector of a row: load, add to it or from it for one entry, store.
#define ROW_LOAD(AT, R, U) VMOVU AT(R10), R
#define ROW_LOAD_PART(AT, R, U) PART_LOAD(AT(R10), R)
#define ROW_FMA(AT, R, U) VFMA AT(R8)(AX*1), W8, R
#define ROW_FMA_PART(AT, R, U) PART_FMA(AT(R8)(AX*1), W8, R)
#define ROW_STORE(AT, R, U) VMOVU R, AT(R10)
#define ROW_STORE_PART(AT, R, U) PART_STORE(R, AT(R10))
#define ROW_SCATTER(AT, R, U) SCATTER_BY(LOAD, STORE, AT(R8)(AX*1), R)
#define ROW_SCATTER_PART(AT, R, U) SCATTER_BY(PART_LOAD, PART_STORE, AT(R8)(AX*1), R)
#define SCATTER_BY(LD, ST, X, R) LD(X, W11); VFMA R, W8, W11; ST(W11, X)
#define ROW_STAYS(AT, R, U)

// Goes to the loop for one more than AX, 0 to 7.
#define CHOOSE(few) \
	CMPQ AX, $3; \
	JLT  few; \
	JEQ  whole4; \
	CMPQ AX, $5; \
	JLT  whole5; \
	JEQ  whole6; \
	CMPQ AX, $7; \
	JLT  whole7; \
	JMP  whole8; \
few: \
	CMPQ AX, $1; \
	JLT  whole1; \
	JEQ  whole2; \
	JMP  whole3

// The rows of addSparse and addTransposed, for VECS vectors of which LD, EACH_LAST and ST_LAST take the last.
#define SPARSE_ROWS(VECS, LD, EACH, EACH_LAST, ST, ST_LAST, row, entry, next) \
row: /* for rows left > 0 { */ \
	ENTRIES; \
	JLE  next; \
	VECS(ROW_LOAD, LD); \
	LEAQ (SI)(CX*4), SI; \
	LEAQ (DX)(CX*SIZE), DX; \
	NEGQ CX; \
entry: /* for entries left > 0, -CX of them { */ \
	MOVLQSX (SI)(CX*4), AX; \
	IMULQ   R9, AX; \
	VBCST   (DX)(CX*SIZE), W8; \
	VADD    W9, W8, W8; \
	VECS(EACH, EACH_LAST); \
	INCQ    CX; \
	JNE     entry; /* } */ \
	VECS(ST, ST_LAST); \
next: \
	NEXT_ROW(row) /* } */

// addSparse and addTransposed but for their names, a loop for each number of vectors: EACH adds to a vector
// of the row or from it, for one entry, and KEEP stores it.
#define SPARSE_SIZES(EACH, EACH_PART, KEEP, KEEP_PART) \
	ARGUMENTS; \
	VBCST gather_g(DI), W9; \
	MOVQ gather_cols(DI), AX; \
	CMPQ CX, $(VECTOR/SIZE); \
	JLT  partial; \
	CHOOSE(few); \
partial: \
	LAST_MASK(CX); \
	MOVQ gather_cols(DI), AX; \
	CMPQ AX, $1; \
	JLT  row1; \
	JEQ  row2; \
	CMPQ AX, $2; \
	JEQ  row3; \
	JMP  row4; \
	SPARSE_ROWS(VECS8, ROW_LOAD, EACH, EACH, KEEP, KEEP, whole8, wholeEntry8, wholeNext8); \
	SPARSE_ROWS(VECS7, ROW_LOAD, EACH, EACH, KEEP, KEEP, whole7, wholeEntry7, wholeNext7); \
	SPARSE_ROWS(VECS6, ROW_LOAD, EACH, EACH, KEEP, KEEP, whole6, wholeEntry6, wholeNext6); \
	SPARSE_ROWS(VECS5, ROW_LOAD, EACH, EACH, KEEP, KEEP, whole5, wholeEntry5, wholeNext5); \
	SPARSE_ROWS(VECS4, ROW_LOAD, EACH, EACH, KEEP, KEEP, whole4, wholeEntry4, wholeNext4); \
	SPARSE_ROWS(VECS3, ROW_LOAD, EACH, EACH, KEEP, KEEP, whole3, wholeEntry3, wholeNext3); \
	SPARSE_ROWS(VECS2, ROW_LOAD, EACH, EACH, KEEP, KEEP, whole2, wholeEntry2, wholeNext2); \
	SPARSE_ROWS(VECS1, ROW_LOAD, EACH, EACH, KEEP, KEEP, whole1, wholeEntry1, wholeNext1); \
	SPARSE_ROWS(VECS4, ROW_LOAD_PART, EACH, EACH_PART, KEEP, KEEP_PART, row4, entry4, next4); \
	SPARSE_ROWS(VECS3, ROW_LOAD_PART, EACH, EACH_PART, KEEP, KEEP_PART, row3, entry3, next3); \
	SPARSE_ROWS(VECS2, ROW_LOAD_PART, EACH, EACH_PART, KEEP, KEEP_PART, row2, entry2, next2); \
	SPARSE_ROWS(VECS1, ROW_LOAD_PART, EACH, EACH_PART, KEEP, KEEP_PART, row1, entry1, next1)

// func addSparse(c *gather): addSparseProductGeneric
//
// A row of A stays in registers: at most eight whole vectors, or at most three and one of c.left
// elements, in a loop of its own for each number.
// Preconditions: rows >= 1; 0 <= cols <= 7, or 3 if left is not all of a vector;
// 1 <= left <= elements of a vector.
BODY(bodies_addSparse, AT_LEVEL(addSparseAVX2<>, addSparseAVX512<>))
	SPARSE_SIZES(ROW_FMA, ROW_FMA_PART, ROW_STORE, ROW_STORE_PART)

// func addTransposed(c *gather): addTransposedGeneric
//
// A row of V stays in registers. Preconditions as above.
BODY(bodies_addTransposed, AT_LEVEL(addTransposedAVX2<>, addTransposedAVX512<>))
	SPARSE_SIZES(ROW_SCATTER, ROW_SCATTER_PART, ROW_STAYS, ROW_STAYS)

// Stores the sum of an entry, and goes on at entry if others are left.
#define SUM_OUT(entry) \
	GROUP_FOLD; \
	VMOVS X0, (DX); \
	ADDQ  $SIZE, DX; \
	DECQ  CX; \
	JNE   entry

// func sampled(c *gather): sampledProductGeneric
//
// A row has c.cols groups of 64 bytes and then c.left elements, which are
// completed with zeros; those of v stay in registers.
//	R14 group of v   R15 group of x_j   BX groups left
// Preconditions: rows >= 1; cols >= 0; 1 <= left <= elements of 64 bytes.
BODY(bodies_sampled, AT_LEVEL(sampledAVX2<>, sampledAVX512<>))
	ARGUMENTS
	GROUP_MASKS

row: // for rows left > 0 {
	ENTRIES
	JLE   next
	MOVQ  gather_cols(DI), BX
	SHLQ  $6, BX
	V_LAST((R10)(BX*1), 32(R10)(BX*1))

	CMPQ  BX, $64
	JEQ   entry1
	JLT   few

entry: // for entries left > 0 {
	COLUMN
	GROUP_ZERO
	MOVQ  gather_cols(DI), BX
	LEAQ  (R8)(AX*1), R15
	MOVQ  R10, R14

group:
	GROUP_FMA((R14), 32(R14), (R15), 32(R15))
	ADDQ  $64, R14
	ADDQ  $64, R15
	DECQ  BX
	JNE   group
	GROUP_LAST((R15), 32(R15))
	SUM_OUT(entry)         // }
	JMP   next

entry1: // the same with one group before the last
	COLUMN
	GROUP_ZERO
	GROUP_FMA((R10), 32(R10), (R8)(AX*1), 32(R8)(AX*1))
	GROUP_LAST(64(R8)(AX*1), 96(R8)(AX*1))
	SUM_OUT(entry1)
	JMP   next

few: // the same with the last group only, for four entries at once where that pays
	FOUR_ENTRIES(four, entry0, next)

entry0:
	COLUMN
	GROUP_ZERO
	GROUP_LAST((R8)(AX*1), 32(R8)(AX*1))
	SUM_OUT(entry0)

next:
	NEXT_ROW(row)          // }

// GROUPS1 to GROUPS8 apply OP to the groups of a row, each by its offset, its register of v and that of A.
// HALVES1 to HALVES8 do so but for the last group, of which there is a half: HALF is OP for it.
#define GROUPS1(OP, HALF) OP(0, GROUP0, SUMS0)
#define HALVES1(OP, HALF) HALF(0, GROUP0, SUMS0)
#define GROUPS2(OP, HALF) GROUPS1(OP, HALF); OP(64, GROUP1, SUMS1)
#define HALVES2(OP, HALF) GROUPS1(OP, HALF); HALF(64, GROUP1, SUMS1)
#define GROUPS3(OP, HALF) GROUPS2(OP, HALF); OP(128, GROUP2, SUMS2)
#define HALVES3(OP, HALF) GROUPS2(OP, HALF); HALF(128, GROUP2, SUMS2)
#define GROUPS4(OP, HALF) GROUPS3(OP, HALF); OP(192, GROUP3, SUMS3)
#define HALVES4(OP, HALF) GROUPS3(OP, HALF); HALF(192, GROUP3, SUMS3)
#define GROUPS5(OP, HALF) GROUPS4(OP, HALF); OP(256, GROUP4, SUMS4)
#define HALVES5(OP, HALF) GROUPS4(OP, HALF); HALF(256, GROUP4, SUMS4)
#define GROUPS6(OP, HALF) GROUPS5(OP, HALF); OP(320, GROUP5, SUMS5)
#define HALVES6(OP, HALF) GROUPS5(OP, HALF); HALF(320, GROUP5, SUMS5)
#define GROUPS7(OP, HALF) GROUPS6(OP, HALF); OP(384, GROUP6, SUMS6)
#define HALVES7(OP, HALF) GROUPS6(OP, HALF); HALF(384, GROUP6, SUMS6)
#define GROUPS8(OP, HALF) GROUPS7(OP, HALF); OP(448, GROUP7, SUMS7)
#define HALVES8(OP, HALF) GROUPS7(OP, HALF); HALF(448, GROUP7, SUMS7)

// R = row of X of the next entry
#define COLUMN_OF(R) \
	MOVLQSX (SI), R; \
	ADDQ    $4, SI; \
	IMULQ   R9, R; \
	ADDQ    R8, R

// W0 = the sums of the next four entries.
#define FOUR_SUMS(GROUPS) \
	COLUMN_OF(AX); \
	COLUMN_OF(BX); \
	COLUMN_OF(R14); \
	COLUMN_OF(R15); \
	FOUR_ZERO; \
	GROUPS(FOUR_GROUP, FOUR_HALF); \
	FOUR_FOLD

// The rows of sampled for so many groups, four entries at a time: they share the loads of v, and
// their sums hide the time of each other's multiply-adds.
#define GROUP_ROWS(GROUPS, row, four, left, one, done, next) \
row: /* for rows left > 0 { */ \
	ENTRIES; \
	JLE  next; \
	GROUPS(V_GROUP, V_GROUP); \
	SUBQ $4, CX; \
	JLT  left; \
four: /* for entries left >= 4 { */ \
	FOUR_SUMS(GROUPS); \
	STORE_FOUR((DX)); \
	ADDQ $(4*SIZE), DX; \
	SUBQ $4, CX; \
	JGE  four; /* } */ \
left: \
	ADDQ $4, CX; \
	JEQ  next; \
one: /* for entries left > 0 { */ \
	COLUMN_OF(AX); \
	GROUP_ZERO; \
	GROUPS(ONE_GROUP, ONE_HALF); \
	SUM_OUT(one); /* } */ \
next: \
	NEXT_ROW(row) /* } */

// The loops of a body, of which that for one group more than AX runs.
#define LOOPS(ROWS, G1, G2, G3, G4, G5, G6, G7, G8) \
	CHOOSE(upTo3); \
	ROWS(G8, whole8, four8, left8, one8, done8, next8); \
	ROWS(G7, whole7, four7, left7, one7, done7, next7); \
	ROWS(G6, whole6, four6, left6, one6, done6, next6); \
	ROWS(G5, whole5, four5, left5, one5, done5, next5); \
	ROWS(G4, whole4, four4, left4, one4, done4, next4); \
	ROWS(G3, whole3, four3, left3, one3, done3, next3); \
	ROWS(G2, whole2, four2, left2, one2, done2, next2); \
	ROWS(G1, whole1, four1, left1, one1, done1, next1)
#define WHOLE(ROWS) LOOPS(ROWS, GROUPS1, GROUPS2, GROUPS3, GROUPS4, GROUPS5, GROUPS6, GROUPS7, GROUPS8)
#define HALVED(ROWS) LOOPS(ROWS, HALVES1, HALVES2, HALVES3, HALVES4, HALVES5, HALVES6, HALVES7, HALVES8)

// func sampled(c *gather): sampledProductGeneric, for rows of one to eight groups, whole or with half of the last one
#define SAMPLED_GROUPS(KIND) \
	ARGUMENTS; \
	FOUR_PREPARE; \
	MOVQ gather_cols(DI), AX; \
	KIND(GROUP_ROWS)

BODY((bodies_sampled+8*1), AT_LEVEL(sampledAVX2whole<>, sampledAVX512whole<>))
	SAMPLED_GROUPS(WHOLE)

// The bodies that also take the ratios have in other registers
//
//	DI row of A, or C   R11 arguments   R12 &m[t]   R13 row pointers   W12 least
#define RATIO_ARGUMENTS \
	ARGUMENTS; \
	FOUR_PREPARE; \
	MOVQ  gather_cols(DI), AX; \
	MOVQ  DI, R11; \
	MOVQ  R12, R13; \
	MOVQ  gather_m(R11), R12; \
	MOVQ  gather_other(R11), DI; \
	VBCST gather_least(R11), W12

// W0 to W3 = ratios of the next m to the sums, which are stored
#define RATIO_FOUR \
	VMAX  Y12, Y0, Y0; \
	LOAD_FOUR((R12), Y1, X1); \
	VDIV  Y0, Y1, Y0; \
	STORE_FOUR((DX)); \
	BCST4(DX, W0, W1, W2, W3); \
	ADDQ  $(4*SIZE), DX; \
	ADDQ  $(4*SIZE), R12
#define RATIO_ONE \
	VMAX  Y12, Y0, Y0; \
	VMOVS (R12), X1; \
	VDIV  Y0, Y1, Y0; \
	VMOVS X0, (DX); \
	VBCST (DX), W0; \
	ADDQ  $SIZE, DX; \
	ADDQ  $SIZE, R12

// The rows of C for those of X: C is DI bytes behind X and has the same stride.
#define COLUMN_OF_C ADDQ DI, AX
#define COLUMNS_OF_C \
	COLUMN_OF_C; \
	ADDQ DI, BX; \
	ADDQ DI, R14; \
	ADDQ DI, R15
#define COLUMNS_OF_X
#define GROUP_STAYS(AT, R, A)

// The rows of sampled with ratios, for so many groups: FOUR and ONE take the ratios of four entries, or of
// one, at the rows that COLUMNS and LAST_COLUMN set. FOUR_OF_HALF and ONE_OF_HALF take half a group. FROM and TO load
// and store the row of A.
#define RATIO_ROWS(GROUPS, FROM, TO, FOUR, FOUR_OF_HALF, ONE, ONE_OF_HALF, COLUMNS, LAST_COLUMN, BEHIND, row, four, left, one, done, next) \
row: /* for rows left > 0 { */ \
	LEAQ 8(R13), R13; \
	MOVQ (R13), CX; \
	SUBQ -8(R13), CX; \
	JLE  next; \
	GROUPS(V_GROUP, V_GROUP); \
	GROUPS(FROM, FROM); \
	SUBQ $4, CX; \
	JLT  left; \
four: /* for entries left >= 4 { */ \
	FOUR_SUMS(GROUPS); \
	RATIO_FOUR; \
	COLUMNS; \
	GROUPS(FOUR, FOUR_OF_HALF); \
	SUBQ $4, CX; \
	JGE  four; /* } */ \
left: \
	ADDQ $4, CX; \
	JEQ  done; \
one: /* for entries left > 0 { */ \
	COLUMN_OF(AX); \
	GROUP_ZERO; \
	GROUPS(ONE_GROUP, ONE_HALF); \
	GROUP_FOLD; \
	RATIO_ONE; \
	LAST_COLUMN; \
	GROUPS(ONE, ONE_OF_HALF); \
	DECQ CX; \
	JNE  one; /* } */ \
done: \
	GROUPS(TO, TO); \
next: \
	ADDQ gather_rowStride(R11), R10; \
	BEHIND; \
	DECQ gather_rows(R11); \
	JNE  row; /* } */ \
	VZEROUPPER; \
	RET

// func sampled(c *gather), if c.do is addRatios: ratioProductGeneric, for such rows
#define ADDED_ROWS(GROUPS, row, four, left, one, done, next) \
	RATIO_ROWS(GROUPS, A_GROUP, A_KEEP, FOUR_ADD, FOUR_ADD_HALF, ONE_ADD, ONE_ADD_HALF, COLUMNS_OF_X, COLUMNS_OF_X, NEXT_OF_A, row, four, left, one, done, next)
#define NEXT_OF_A ADDQ gather_otherStride(R11), DI

#define ADDED_GROUPS(KIND) RATIO_ARGUMENTS; KIND(ADDED_ROWS)
BODY((bodies_sampled+8*2), AT_LEVEL(sampledAVX2added<>, sampledAVX512added<>))
	ADDED_GROUPS(WHOLE)

// func sampled(c *gather), if c.do is scatterRatios: ratioProductGeneric, for such rows
#define SCATTERED_ROWS(GROUPS, row, four, left, one, done, next) \
	RATIO_ROWS(GROUPS, GROUP_STAYS, GROUP_STAYS, FOUR_SCATTER, FOUR_SCATTER_HALF, ONE_SCATTER, ONE_SCATTER_HALF, COLUMNS_OF_C, COLUMN_OF_C, SAME_C, row, four, left, one, done, next)
#define SAME_C

#define SCATTERED_GROUPS(KIND) RATIO_ARGUMENTS; SUBQ R8, DI; KIND(SCATTERED_ROWS)
BODY((bodies_sampled+8*3), AT_LEVEL(sampledAVX2scattered<>, sampledAVX512scattered<>))
	SCATTERED_GROUPS(WHOLE)
