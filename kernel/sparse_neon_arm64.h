// The NEON bodies of sparse.go. kernel_neon_arm64.h has what the rooms share.

#define GATHER_IN \
	IN4(gather_rowData, R1, gather_rowStride, R2, gather_x, R3, gather_xStride, R4); \
	IN3(gather_values, R5, gather_idx, R6, gather_ptr, R7); \
	MOVD gather_rows(R0), R8

// R11 = entries of the next row, if there are any.
#define ENTRIES(next) \
	LDP (R7), (R12, R13); \
	ADD $8, R7; \
	SUB R12, R13, R11; \
	CBZ R11, next

// On to the next row, or the return.
#define NEXT_ROW(row) \
	ADD  R2, R1; \
	SUBS $1, R8; \
	BNE  row; \
	RET

// R, or R12, = row of X of the next entry, V25 = its n + g.
#define COLUMN_OF(R) \
	MOVWU.P 4(R6), R; \
	MADD    R, R3, R4, R
#define COLUMN COLUMN_OF(R12)
#define COEFFICIENT \
	MOVE (R5), F25; \
	ADD  $SIZE, R5; \
	FADD(24, 25, 25)

// PIECES applies PAIR to pairs of vectors of a row, by name and number, and ONE to what MOV moves, or MOVP, which goes
// on: of 64, 32, 16, 8 and 4 bytes those that a row has, from R12 on. two, pair and one are their instructions, and 1.
#define PIECES(PAIR, ONE, two, pair, one) \
	TBZ $6, R9, two(PC); \
	PAIR(F0, 0, F1, 1); \
	PAIR(F2, 2, F3, 3); \
	TBZ $5, R9, pair(PC); \
	PAIR(F4, 4, F5, 5); \
	TBZ $4, R9, one(PC); \
	ONE(FMOVQ, FMOVQ.P, 16, F6, 6); \
	TBZ $3, R9, one(PC); \
	ONE(FMOVD, FMOVD.P, 8, F7, 7); \
	TBZ $2, R9, one(PC); \
	ONE(FMOVS, FMOVS.P, 4, F20, 20)
#define PIECES_OF(OP) OP
#define PIECES_LOAD PIECES(PAIR_LOAD, ONE_LOAD, 3, 2, 2)
#define PAIR_LOAD(A, a, B, b) FLDPQ.P 32(R12), (A, B)
#define ONE_LOAD(MOV, MOVP, BYTES, A, a) MOVP BYTES(R12), A
#define PIECES_STAY
#define PIECES_KEEP PIECES(PAIR_KEEP, ONE_KEEP, 3, 2, 2)
#define PAIR_KEEP(A, a, B, b) FSTPQ.P (A, B), 32(R12)
#define ONE_KEEP(MOV, MOVP, BYTES, A, a) MOVP A, BYTES(R12)
#define PIECES_FMA PIECES(PAIR_FMA, ONE_FMA, 7, 4, 3)
#define PAIR_FMA(A, a, B, b) FLDPQ.P 32(R12), (F16, F17); FMAE(25, 16, a); FMAE(25, 17, b)
#define ONE_FMA(MOV, MOVP, BYTES, A, a) MOVP BYTES(R12), F16; FMAE(25, 16, a)
#define PIECES_SCATTER PIECES(PAIR_SCATTER, ONE_SCATTER, 9, 5, 4)
#define PAIR_SCATTER(A, a, B, b) FLDPQ (R12), (F16, F17); FMAE(25, a, 16); FMAE(25, b, 17); FSTPQ.P (F16, F17), 32(R12)
#define ONE_SCATTER(MOV, MOVP, BYTES, A, a) MOV (R12), F16; FMAE(25, a, 16); MOVP F16, BYTES(R12)

// LINES1 to LINES4 apply OP to the cache lines of a row: offset, and four vectors by name and number.
#define LINES1(OP) OP(0, F0, 0, F1, 1, F2, 2, F3, 3)
#define LINES2(OP) LINES1(OP); OP(64, F4, 4, F5, 5, F6, 6, F7, 7)
#define LINES3(OP) LINES2(OP); OP(128, F8, 8, F9, 9, F10, 10, F11, 11)
#define LINES4(OP) LINES3(OP); OP(192, F12, 12, F13, 13, F14, 14, F15, 15)

#define LINE_LOAD(AT, A, a, B, b, C, c, D, d) \
	FLDPQ AT(R12), (A, B); \
	FLDPQ (AT+32)(R12), (C, D)
#define LINE_STORE(AT, A, a, B, b, C, c, D, d) \
	FSTPQ (A, B), AT(R12); \
	FSTPQ (C, D), (AT+32)(R12)
#define LINE_STAYS(AT, A, a, B, b, C, c, D, d)
#define LINE_FMA(AT, A, a, B, b, C, c, D, d) \
	LINE_LOAD(AT, F16, 16, F17, 17, F18, 18, F19, 19); \
	FMAE(25, 16, a); \
	FMAE(25, 17, b); \
	FMAE(25, 18, c); \
	FMAE(25, 19, d)
#define LINE_SCATTER(AT, A, a, B, b, C, c, D, d) \
	FLDPQ AT(R12), (F16, F17); \
	FLDPQ (AT+32)(R12), (F18, F19); \
	FMAE(25, a, 16); \
	FMAE(25, b, 17); \
	FMAE(25, c, 18); \
	FMAE(25, d, 19); \
	LINE_STORE(AT, F16, 16, F17, 17, F18, 18, F19, 19)

// The rows of addSparse and addTransposed, for so many whole lines, or for pieces: LOAD loads a line, EACH adds to it or
// from it, for one entry, and KEEP stores it.
#define SPARSE_ROWS(LINES, LOAD, EACH, KEEP, row, entry, next) \
row: /* for rows left > 0 { */ \
	ENTRIES(next); \
	MOVD R1, R12; \
	LINES(LOAD); \
entry: /* for entries left > 0 { */ \
	COLUMN; \
	COEFFICIENT; \
	LINES(EACH); \
	SUBS $1, R11; \
	BNE  entry; /* } */ \
	MOVD R1, R12; \
	LINES(KEEP); \
next: \
	NEXT_ROW(row) /* } */

// addSparse and addTransposed but for their names: EACH adds to a line of the row or from it, for one entry, and KEEP
// stores it. PIECES_EACH and PIECES_KEEP do so for rows that are not of whole lines.
#define SPARSE_SIZES(PIECES_EACH, PIECES_KEEP, EACH, KEEP) \
	MOVD c+0(FP), R0; \
	GATHER_IN; \
	MOVD gather_cols(R0), R9; \
	LSL  $4, R9; \
	MOVD gather_left(R0), R10; \
	ADD  R10<<SIZE_LOG, R9; \
	MOVE gather_g(R0), F24; \
	TST  $63, R9; \
	BNE  row; \
	CMP  $128, R9; \
	BLT  row1; \
	BEQ  row2; \
	CMP  $192, R9; \
	BEQ  row3; \
	B    row4; \
	SPARSE_ROWS(PIECES_OF, PIECES_LOAD, PIECES_EACH, PIECES_KEEP, row, entry, next); \
	SPARSE_ROWS(LINES4, LINE_LOAD, EACH, KEEP, row4, entry4, next4); \
	SPARSE_ROWS(LINES3, LINE_LOAD, EACH, KEEP, row3, entry3, next3); \
	SPARSE_ROWS(LINES2, LINE_LOAD, EACH, KEEP, row2, entry2, next2); \
	SPARSE_ROWS(LINES1, LINE_LOAD, EACH, KEEP, row1, entry1, next1)

// V = the R14 bytes, 4 to 16, at R12, completed with zeros.
#define REST(F, V) \
	TBZ     $4, R14, 3(PC); \
	FMOVQ   (R12), F; \
	B       7(PC); \
	TBZ     $3, R14, 5(PC); \
	FMOVD.P 8(R12), F; \
	TBZ     $2, R14, 4(PC); \
	VLD1    (R12), V.S[2]; \
	B       2(PC); \
	FMOVS   (R12), F

// V20-V23 = the next group of v; its products with the next group of x_j, at X, are added to the lanes.
#define V_GROUP \
	FLDPQ.P 32(R13), (F20, F21); \
	FLDPQ.P 32(R13), (F22, F23)
#define GROUP_FMA(X, A, B, C, D) \
	FLDPQ.P 32(X), (F16, F17); \
	FLDPQ.P 32(X), (F18, F19); \
	FMA(V16, V20, A); \
	FMA(V17, V21, B); \
	FMA(V18, V22, C); \
	FMA(V19, V23, D)

// One entry of a rank-one row, to the lane L, after the update of n or without.
#define ENTRY_W \
	MOVWU.P 4(R6), R12; \
	ADD     R12<<SIZE_LOG, R3, R12; \
	MOVE    (R12), F16
#define UPDATE_ENTRY(L) \
	ENTRY_W; \
	FMULE(20, 16, 25); \
	MOVE    (R2), F26; \
	ADD     $SIZE, R2; \
	MOVE    (R5), F27; \
	STEP(25); \
	MOVE    F27, (R5); \
	ADD     $SIZE, R5; \
	FADD(21, 27, 27); \
	FMA(V16, V27, L)
#define SUM_ENTRY(L) \
	ENTRY_W; \
	MOVE    (R5), F27; \
	ADD     $SIZE, R5; \
	FADD(21, 27, 27); \
	FMA(V16, V27, L)

// The entries of a rank-one row, to its lanes, by ENTRY. Goes to summed, or on after the last.
#define ROW_ENTRIES(ENTRY, four, few) \
	SUBS $4, R11; \
	BLT  few; \
four: /* for entries left >= 4 { */ \
	ENTRY(V0); \
	ENTRY(V1); \
	ENTRY(V2); \
	ENTRY(V3); \
	SUBS $4, R11; \
	BGE  four; /* } */ \
few: \
	ADDS $4, R11; \
	BEQ  summed; \
	ENTRY(V0); \
	SUBS $1, R11; \
	BEQ  summed; \
	ENTRY(V1); \
	SUBS $1, R11; \
	BEQ  summed; \
	ENTRY(V2)

// func addSparse(c *gather): addSparseProductGeneric
//
// A row of A stays in registers: one to four lines of 64 bytes, each number in a loop of its own, or
// less than 128 bytes, which are taken as pieces of 64, 32, 16, 8 and 4.
// Preconditions: rows >= 1; columns are c.cols vectors and c.left elements.
//
//	V0-V15 V20 row of A   V16-V19 x_j   V24 g   V25 n + g
//	R1 row of A   R2 its stride   R3 X   R4 its stride   R5 &n[t]   R6 &idx[t]
//	R7 row pointers   R8 rows left   R9 bytes of a row   R11 entries left   R12 x_j
BODY(bodies_addSparse, addSparseNEON<>)
	SPARSE_SIZES(PIECES_FMA, PIECES_KEEP, LINE_FMA, LINE_STORE)

// func addTransposed(c *gather): addTransposedGeneric
//
// A row of V stays in registers. Preconditions and registers as above.
BODY(bodies_addTransposed, addTransposedNEON<>)
	SPARSE_SIZES(PIECES_SCATTER, PIECES_STAY, LINE_SCATTER, LINE_STAYS)

// func sampled(c *gather): sampledProductGeneric
//
// A row has c.cols groups of 64 bytes and then c.left elements, which are
// completed with zeros: up to three whole vectors, and one of 4 to 16 bytes, which
// stay in registers for v.
// Preconditions: rows >= 1; cols >= 0; 1 <= left <= elements of 64 bytes.
//
//	V0-V3 lanes, V0-V15 those of four entries   V16-V19 group of x_j   V20-V23 group of v
//	V8-V10 last vectors of v   V11 the rest of it   V24 0
//	R1 row of V   R2 its stride   R3 X   R4 its stride   R5 &p[t]   R6 &idx[t]
//	R7 row pointers   R8 rows left   R9 groups   R11 entries left   R12 x_j
//	R13 group of v   R14 bytes of the last vector   R15 groups left   R16 whole vectors of the last group
//	R12 R16 R17 R19 rows of X of four entries
BODY(bodies_sampled, sampledNEON<>)
	MOVD c+0(FP), R0
	GATHER_IN
	IN2(gather_cols, R9, gather_left, R14)
	LSL  $SIZE_LOG, R14
	CMP  $64, R14
	BEQ  whole
	SUB  $1, R14, R16
	LSR  $4, R16
	SUB  R16<<4, R14
	VEOR V24.B16, V24.B16, V24.B16

row: // for rows left > 0 {
	ENTRIES(next)
	ADD  R9<<6, R1, R12
	CBZ  R16, rest
	FMOVQ.P 16(R12), F8
	CMP  $2, R16
	BLT  rest
	FMOVQ.P 16(R12), F9
	BEQ  rest
	FMOVQ.P 16(R12), F10

rest:
	REST(F11, V11)

entry: // for entries left > 0 {
	COLUMN
	LANES_ZERO(V0, V1, V2, V3)
	MOVD R9, R15
	CBZ  R15, last
	MOVD R1, R13

group: // for groups left > 0 {
	V_GROUP
	GROUP_FMA(R12, V0, V1, V2, V3)
	SUBS $1, R15
	BNE  group // }

last:
	CMP  $2, R16
	BGT  last3
	BEQ  last2
	CBNZ R16, last1
	REST(F17, V17)
	FMA(V17, V11, V0)
	FMA(V24, V24, V1)
	FMA(V24, V24, V2)
	FMA(V24, V24, V3)
	B    fold

last1:
	FMOVQ.P 16(R12), F16
	REST(F17, V17)
	FMA(V16, V8, V0)
	FMA(V17, V11, V1)
	FMA(V24, V24, V2)
	FMA(V24, V24, V3)
	B    fold

last2:
	FLDPQ.P 32(R12), (F16, F18)
	REST(F17, V17)
	FMA(V16, V8, V0)
	FMA(V18, V9, V1)
	FMA(V17, V11, V2)
	FMA(V24, V24, V3)
	B    fold

last3:
	FLDPQ.P 32(R12), (F16, F18)
	FMOVQ.P 16(R12), F19
	REST(F17, V17)
	FMA(V16, V8, V0)
	FMA(V18, V9, V1)
	FMA(V19, V10, V2)
	FMA(V17, V11, V3)

fold:
	FOLD_TWO(0, 1, 2, 3, 0, 1, 2, 3)
	MOVE F26, (R5)
	ADD  $SIZE, R5
	SUBS $1, R11
	BNE  entry // }

next:
	NEXT_ROW(row) // }

whole: // the same for whole groups, four entries at a time, which share the loads of v
	ADD $1, R9

row4: // for rows left > 0 {
	ENTRIES(next4)
	SUBS $4, R11
	BLT  few

four: // for entries left >= 4 {
	COLUMN_OF(R12)
	COLUMN_OF(R16)
	COLUMN_OF(R17)
	COLUMN_OF(R19)
	ZERO16
	MOVD R9, R15
	MOVD R1, R13

group4: // for groups left > 0 {
	V_GROUP
	GROUP_FMA(R12, V0, V1, V2, V3)
	GROUP_FMA(R16, V4, V5, V6, V7)
	GROUP_FMA(R17, V8, V9, V10, V11)
	GROUP_FMA(R19, V12, V13, V14, V15)
	SUBS $1, R15
	BNE  group4 // }
	FOLD_TWO(0, 1, 2, 3, 4, 5, 6, 7)
	MOVE2 F26, (R5)
	FOLD_TWO(8, 9, 10, 11, 12, 13, 14, 15)
	MOVE2 F26, (2*SIZE)(R5)
	ADD  $(4*SIZE), R5
	SUBS $4, R11
	BGE  four // }

few:
	ADDS $4, R11
	BEQ  next4

one: // for entries left > 0 {
	COLUMN
	LANES_ZERO(V0, V1, V2, V3)
	MOVD R9, R15
	MOVD R1, R13

group1: // for groups left > 0 {
	V_GROUP
	GROUP_FMA(R12, V0, V1, V2, V3)
	SUBS $1, R15
	BNE  group1 // }
	FOLD_TWO(0, 1, 2, 3, 0, 1, 2, 3)
	MOVE F26, (R5)
	ADD  $SIZE, R5
	SUBS $1, R11
	BNE  one // }

next4:
	NEXT_ROW(row4) // }

// func sparseRankOne(r *rankOneRows): sparseRankOneGeneric, of each row the part that do names
//
// If do is scatterRow, only the last of the inner loops runs. Entries are taken one
// by one, in element 0 of a vector, since fetching is most of the work.
// Preconditions: rows >= 1; one row, if do is not wholeRow.
//
//	V0-V3 lanes   V16 w_j or c_j   V20 v_i   V21 g   V22 base   V24 µ
//	V25-V28 p, m, n, scratch       V29 inv
//	R1 &v[i]   R2 &m[t]   R3 w   R4 c   R5 &n[t]   R6 &idx[t]   R7 row pointers
//	R8 rows left   R9 do   R10 entries of the row   R11 entries left   R15 0 if no m
BODY(bodies_sparseRankOne, sparseRankOneNEON<>)
	MOVD r+0(FP), R0
	IN3(rankOneRows_v, R1, rankOneRows_m, R2, rankOneRows_w, R3)
	IN3(rankOneRows_c, R4, rankOneRows_n, R5, rankOneRows_idx, R6)
	IN3(rankOneRows_ptr, R7, rankOneRows_rows, R8, rankOneRows_do, R9)
	MOVD R2, R15
	MOVE rankOneRows_mu(R0), F24
	MOVE rankOneRows_g(R0), F21
	MOVE rankOneRows_base(R0), F22
	MOVE rankOneRows_inv(R0), F29

row: // for rows left > 0 {
	LDP  (R7), (R12, R13)
	ADD  $8, R7
	SUB  R12, R13, R11
	MOVD R11, R10
	MOVE (R1), F20
	CMP  $const_scatterRow, R9
	BEQ  entries
	ADD  $rankOneRows_lanes, R0, R12
	MOVE (R12), F0
	MOVE SIZE(R12), F1
	MOVE (2*SIZE)(R12), F2
	MOVE (3*SIZE)(R12), F3
	CBZ  R15, sum
	ROW_ENTRIES(UPDATE_ENTRY, update4, updated)
	B    summed

sum: // the same without the update
	ROW_ENTRIES(SUM_ENTRY, sum4, few)

summed:
	CMP  $const_startRow, R9
	BEQ  start
	MOVI rankOneRows_inv(R0), R12
	SHLI $1, R12
	CBZ  R12, renewed
	FADD(2, 0, 0)
	FADD(3, 1, 1)
	FADD(1, 0, 26)
	FADD(22, 26, 26)
	PROJECT
	VMOV V26.B16, V20.B16
	MOVE F20, (R1)

renewed:
	CMP  $const_finishRow, R9
	BEQ  next
	MOVI (R1), R12
	SHLI $1, R12
	CBZ  R12, next
	SUB  R10<<2, R6          // back to the first entry
	SUB  R10<<SIZE_LOG, R5
	MOVD R10, R11

entries:
	CBZ R11, next

scatter: // for entries left > 0 {
	MOVWU.P 4(R6), R12
	ADD  R12<<SIZE_LOG, R4, R12
	MOVE (R5), F25
	ADD  $SIZE, R5
	FADD(21, 25, 25)
	MOVE (R12), F16
	FMAE(20, 25, 16)
	MOVE F16, (R12)
	SUBS $1, R11
	BNE  scatter // }

next:
	ADD  $SIZE, R1
	SUBS $1, R8
	BNE  row // }
	RET

start:
	ADD  $rankOneRows_lanes, R0, R12
	MOVE F0, (R12)
	MOVE F1, SIZE(R12)
	MOVE F2, (2*SIZE)(R12)
	MOVE F3, (3*SIZE)(R12)
	RET
