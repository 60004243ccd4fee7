// The NEON bodies of products.go. kernel_neon_arm64.h has what the rooms share.

// Contraction along rows.

// Two quarters of a group of columns: AT(row), loaded by LDP. X1 and X2 are for
// one row of X and for two.
#define X1_PAIR(LDP, AT) LDP AT(R1), (F24, F25)
#define X2_PAIR(LDP, AT) LDP AT(R1), (F24, F25); LDP AT(R2), (F26, F27)

// Two quarters of row G of G in GA and GB, times those of the rows of X, to
// the lanes A (first row of X) and B (second).
#define X1_FMA(LDP, AT, G, FA, FB, GA, GB, A0, A1, B0, B1) \
	LDP AT(G), (FA, FB); \
	FMA(V24, GA, A0); \
	FMA(V25, GB, A1)
#define X2_FMA(LDP, AT, G, FA, FB, GA, GB, A0, A1, B0, B1) \
	LDP AT(G), (FA, FB); \
	FMA(V24, GA, A0); \
	FMA(V25, GB, A1); \
	FMA(V26, GA, B0); \
	FMA(V27, GB, B1)

// The upper two quarters and the lower two, for one to three rows of G.
#define UPPER1(PAIR, MUL) PAIR(FLDPQ, 32); MUL(FLDPQ, 32, R3, F28, F29, V28, V29, V2, V3, V6, V7)
#define UPPER2(PAIR, MUL) UPPER1(PAIR, MUL); MUL(FLDPQ, 32, R4, F30, F31, V30, V31, V10, V11, V14, V15)
#define UPPER3(PAIR, MUL) UPPER2(PAIR, MUL); MUL(FLDPQ, 32, R5, F28, F29, V28, V29, V18, V19, V22, V23)
#define LOWER1(PAIR, MUL) PAIR(FLDPQ.P, 64); MUL(FLDPQ.P, 64, R3, F28, F29, V28, V29, V0, V1, V4, V5)
#define LOWER2(PAIR, MUL) LOWER1(PAIR, MUL); MUL(FLDPQ.P, 64, R4, F30, F31, V30, V31, V8, V9, V12, V13)
#define LOWER3(PAIR, MUL) LOWER2(PAIR, MUL); MUL(FLDPQ.P, 64, R5, F28, F29, V28, V29, V16, V17, V20, V21)

// A half of a group of columns: that of one to three rows of G, in V24 to V29; and that of the row at X,
// times the former, to the lanes A, B and C, in pairs for each row of G.
#define HALF1 FLDPQ.P 64(R3), (F24, F25)
#define HALF2 HALF1; FLDPQ.P 64(R4), (F26, F27)
#define HALF3 HALF2; FLDPQ.P 64(R5), (F28, F29)
#define X_ROW(X, MUL, A0, A1, B0, B1, C0, C1) \
	FLDPQ.P 64(X), (F30, F31); \
	MUL(A0, A1, B0, B1, C0, C1)
#define HALF1_X(A0, A1, B0, B1, C0, C1) FMA(V30, V24, A0); FMA(V31, V25, A1)
#define HALF2_X(A0, A1, B0, B1, C0, C1) HALF1_X(A0, A1, B0, B1, C0, C1); FMA(V30, V26, B0); FMA(V31, V27, B1)
#define HALF3_X(A0, A1, B0, B1, C0, C1) HALF2_X(A0, A1, B0, B1, C0, C1); FMA(V30, V28, C0); FMA(V31, V29, C1)

// Copies the last columns of R5 rows from R3, STRIDE bytes apart, to R4, 64 bytes apart.
#define LAST_COLS(STRIDE, row) \
	ADD R15<<6, R3; \
row: \
	MOVD R3, R1; \
	MOVD R4, R2; \
	COPY(R1, R2, R13); \
	ADD  STRIDE, R3; \
	ADD  $64, R4; \
	SUBS $1, R5; \
	BNE  row

// Clears the lanes.
#define ALL_ZERO \
	ZERO16; \
	LANES_ZERO(V16, V17, V18, V19); \
	LANES_ZERO(V20, V21, V22, V23)

// OP on the lanes of three rows of G, in memory at P.
#define ALL_LANES(OP, P) \
	LANES16(OP, P); \
	OP(256, P, F16, F17); OP(288, P, F18, F19); OP(320, P, F20, F21); OP(352, P, F22, F23)

// Stores the sums of one row of G for the rows of X, and goes on to the next
// row of A, unless it was the last.
#define FOLD_ROW(a0, a1, a2, a3, b0, b1, b2, b3) \
	FOLD_TWO(a0, a1, a2, a3, b0, b1, b2, b3); \
	CMP   $2, R7; \
	BGE   3(PC); \
	MOVE  F26, (R1); \
	B     2(PC); \
	MOVE2 F26, (R1); \
	ADD   R2, R1; \
	SUBS  $1, R3; \
	BEQ   folded

// The same for four rows of X: pairs of lower quarters, the upper ones being at AT(R4).
#define FOLD_HALVES(AT, a0, a1, b0, b1, c0, c1, d0, d1) \
	FLDPQ AT(R4), (F24, F25); \
	FLDPQ (AT+32)(R4), (F29, F30); \
	FOLD_TWO(a0, a1, 24, 25, b0, b1, 29, 30); \
	MOVE2 F26, (R1); \
	FLDPQ (AT+64)(R4), (F24, F25); \
	FLDPQ (AT+96)(R4), (F29, F30); \
	FOLD_TWO(c0, c1, 24, 25, d0, d1, 29, 30); \
	MOVE2 F26, (2*SIZE)(R1); \
	ADD   R2, R1; \
	SUBS  $1, R3; \
	BEQ   folded

// Outer products.

// OUT_ROWS1 to OUT_ROWS6 apply OP to the rows of a tile: COLS and MOV, the address of the coefficient,
// and four accumulators by name and number.
#define OUT_ROWS1(OP, COLS, MOV) OP(COLS, MOV, (R5), F0, 0, F1, 1, F2, 2, F3, 3)
#define OUT_ROWS2(OP, COLS, MOV) OUT_ROWS1(OP, COLS, MOV); OP(COLS, MOV, (R5)(R6), F4, 4, F5, 5, F6, 6, F7, 7)
#define OUT_ROWS3(OP, COLS, MOV) OUT_ROWS2(OP, COLS, MOV); OP(COLS, MOV, (R5)(R7), F8, 8, F9, 9, F10, 10, F11, 11)
#define OUT_ROWS4(OP, COLS, MOV) OUT_ROWS3(OP, COLS, MOV); OP(COLS, MOV, (R5)(R8), F12, 12, F13, 13, F14, 14, F15, 15)
#define OUT_ROWS5(OP, COLS, MOV) OUT_ROWS4(OP, COLS, MOV); OP(COLS, MOV, (R5)(R9), F16, 16, F17, 17, F18, 18, F19, 19)
#define OUT_ROWS6(OP, COLS, MOV) OUT_ROWS5(OP, COLS, MOV); OP(COLS, MOV, (R5)(R10), F20, 20, F21, 21, F22, 22, F23, 23)

// COLS4, COLS2 and COLS1 apply PAIR to pairs of the vectors of a row, or ONE to one that MOV moves:
// offset, accumulators by name and number, the numbers of the vectors of src.
#define COLS4(PAIR, ONE, MOV, A, a, B, b, E, e, D, d) PAIR(0, A, a, B, b, 24, 25); PAIR(32, E, e, D, d, 26, 27)
#define COLS2(PAIR, ONE, MOV, A, a, B, b, E, e, D, d) PAIR(0, A, a, B, b, 24, 25)
#define COLS1(PAIR, ONE, MOV, A, a, B, b, E, e, D, d) ONE(MOV, 0, A, a, 24)

// The operations on a row, and on a pair of vectors of it, or on one.
#define OUT_LOAD(COLS, MOV, C, A, a, B, b, E, e, D, d) \
	COLS(LOAD_PAIR, LOAD_ONE, MOV, A, a, B, b, E, e, D, d); \
	ADD R15, R14
#define LOAD_PAIR(AT, A, a, B, b, s, t) FLDPQ AT(R14), (A, B)
#define LOAD_ONE(MOV, AT, A, a, s) MOV AT(R14), A

#define OUT_SRC(COLS, MOV) COLS(SRC_PAIR, SRC_ONE, MOV, F24, 24, F25, 25, F26, 26, F27, 27)
#define SRC_PAIR(AT, A, a, B, b, s, t) FLDPQ AT(R3), (A, B)
#define SRC_ONE(MOV, AT, A, a, s) MOV AT(R3), A

#define OUT_FMA(COLS, MOV, C, A, a, B, b, E, e, D, d) \
	MOVE C, F28; \
	COLS(FMA_PAIR, FMA_ONE, MOV, A, a, B, b, E, e, D, d)
#define FMA_PAIR(AT, A, a, B, b, s, t) FMAE(28, s, a); FMAE(28, t, b)
#define FMA_ONE(MOV, AT, A, a, s) FMAE(28, s, a)

#define OUT_STORE(COLS, MOV, C, A, a, B, b, E, e, D, d) \
	COLS(STORE_PAIR, STORE_ONE, MOV, A, a, B, b, E, e, D, d); \
	ADD R2, R14
#define STORE_PAIR(AT, A, a, B, b, s, t) FSTPQ (A, B), AT(R14)
#define STORE_ONE(MOV, AT, A, a, s) MOV A, AT(R14)

// The epilogue of UpdateMultiplierProduct: the tile is P, and N, at R14, is
// updated by it. M is at R3, with stride R13; µ in V24.
#define OUT_STEP(COLS, MOV, C, A, a, B, b, E, e, D, d) \
	COLS(STEP_PAIR, STEP_ONE, MOV, A, a, B, b, E, e, D, d); \
	ADD R2, R14; \
	ADD R13, R3
#define STEP_PAIR(AT, A, a, B, b, s, t) STEP_ONE(FMOVQ, AT, A, a, s); STEP_ONE(FMOVQ, (AT+16), B, b, t)
#define STEP_ONE(MOV, AT, A, a, s) \
	MOV AT(R3), F26; \
	MOV AT(R14), F27; \
	STEP(a); \
	MOV F27, AT(R14)

// One tile of the output, at R1, of WIDTH bytes of columns, which MOV moves if they are one vector or
// less, if so many are left; the labels of the use come last.
//
//	for b := 0; b < inner; b++ { out[a][j] = fma(coef[a][b], src[b][j], out[a][j]) }
//
// With outer.m, n = step(n, m, p), the tile being p.
#define TILE(ROWS_OF, COLS, MOV, WIDTH, loop, step, narrower) \
	CMP $WIDTH, R12; \
	BLT narrower; \
	ROWS_OF(OUT_LOAD, COLS, MOV); \
loop: /* for rows of src left > 0 { */ \
	OUT_SRC(COLS, MOV); \
	ROWS_OF(OUT_FMA, COLS, MOV); \
	ADD  R4, R3; \
	ADD  R11, R5; \
	SUBS $1, R13; \
	BNE  loop; /* } */ \
	MOVD R1, R14; \
	MOVD outer_m(R0), R3; \
	CBNZ R3, step; \
	ROWS_OF(OUT_STORE, COLS, MOV); \
	ADD  $WIDTH, R1; \
	SUBS $WIDTH, R12; \
	BGT  next; \
	RET; \
step: \
	MOVD outer_out(R0), R13; \
	SUB  R13, R3; \
	ADD  R1, R3; \
	MOVD outer_mStride(R0), R13; \
	MOVE outer_mu(R0), F24; \
	ROWS_OF(OUT_STEP, COLS, MOV); \
	ADD  $WIDTH, R1; \
	SUBS $WIDTH, R12; \
	BGT  next; \
	RET; \
narrower:

// func contract(c *contraction): contractGeneric, from c.lanes with resume, for a height
//
// UPPER and LOWER apply operations to the upper two quarters of a group of columns and to the lower; HALF and HALF_X load a
// half of a group of the rows of G, and multiply it with that of a row of X.
//
// Rows of X are taken four at a time, and those left two at a time. Four rows have the lanes of half a
// group of columns: the columns are walked twice, and the upper lanes wait in memory. So the loop has
// 14 loads for 24 multiply-adds instead of 20. With resume, lanes start from c.lanes, else
// from zero; with suspend they are put there instead of being added up, and cols
// must be a multiple of the lanes. A last group of columns is copied and completed with zeros.
//
// Preconditions: rows, cols >= 1; height is that of the function.
//
//	V0-V23   lanes: V(8k+4i) to V(8k+4i+3) belong to g[k], x[i]; of four rows V(8k+2i), V(8k+2i+1)
//	V24-V27  two quarters of a group of x[0], x[1]        of four rows V30, V31
//	V28-V31  two quarters of g[k]                         of four rows V24-V29
//	R1 R2 R24 R25  x[i] to x[i+3], column reached     R3 R4 R5  g[0], g[1], g[2]
//	R6 groups left     R7 rows left     R8 &a[0][i]     R9 &x[i][0]
//	R10 R11  strides of X, G            R13 bytes of the last group   R14 lanes
//	R15 whole groups   R16 resume       R17 32: upper half, 0: lower   R19 rows of X taken
//	R20 copies: G, X   R21 suspend      R22 R13 until it is done
#define CONTRACT_OF(HEIGHT, NAME, UPPER, LOWER, HALF, HALF_X) \
	BODY((bodies_contract+8*(HEIGHT-1)), NAME); \
	MOVD c+0(FP), R0; \
	IN4(contraction_xStride, R10, contraction_gStride, R11, contraction_rows, R7, contraction_a, R8); \
	IN3(contraction_x, R9, contraction_lanes, R14, contraction_cols, R15); \
	LSL  $SIZE_LOG, R15; \
	AND  $63, R15, R13; \
	LSR  $6, R15; \
	ADD  $contraction_copies, R0, R20; \
	CBZ  R13, group; \
	CLEAR(R20, 14, R1, R2, clear); \
	MOVD    contraction_g(R0), R3; \
	MOVD    R20, R4; \
	MOVD    contraction_height(R0), R5; \
	LAST_COLS(R11, copy); \
group: /* for rows left > 0 { */ \
	MOVD $2, R19; \
	CMP  $2, R7; \
	CSEL LT, R7, R19, R19; \
	MOVD $4, R1; \
	CMP  $4, R7; \
	CSEL GE, R1, R19, R19; \
	CBZ  R13, rows; \
	MOVD R9, R3; \
	ADD  $192, R20, R4; \
	MOVD R19, R5; \
	LAST_COLS(R10, copyX); \
rows: \
	IN2(contraction_resume, R16, contraction_suspend, R21); \
	CMP  $4, R7; \
	BLT  pair; \
	MOVD $32, R17; \
half: /* for the upper half of each group of columns, and then the lower { */ \
	CBNZ R16, resume4; \
	ALL_ZERO; \
	B    columns4; \
resume4: \
	ALL_LANES(LANES_LOAD, R14); \
columns4: \
	ADD  R17, R9, R1; \
	WALK4(R10, R1, R2, R24, R25); \
	MOVD contraction_g(R0), R3; \
	ADD  R17, R3; \
	ADD  R11, R3, R4; \
	ADD  R11, R4, R5; \
	MOVD R15, R6; \
	MOVD R13, R22; \
	CBZ  R6, tail4; \
four: /* for groups of columns left > 0 { */ \
	HALF; \
	X_ROW(R1, HALF_X, V0, V1, V8, V9, V16, V17); \
	X_ROW(R2, HALF_X, V2, V3, V10, V11, V18, V19); \
	X_ROW(R24, HALF_X, V4, V5, V12, V13, V20, V21); \
	X_ROW(R25, HALF_X, V6, V7, V14, V15, V22, V23); \
	SUBS $1, R6; \
	BNE  four; /* } */ \
tail4: /* if columns are left { the same with copies } */ \
	CBZ  R22, lanes4; \
	ADD  R17, R20, R3; \
	WALK4($64, R3, R4, R5, R1); \
	WALK4($64, R1, R2, R24, R25); \
	MOVD $1, R6; \
	MOVD $0, R22; \
	B    four; \
lanes4: \
	MOVD R14, R1; \
	CBNZ R21, save4; \
	CBZ  R17, fold4; \
	ADD  $contraction_half, R0, R1; \
save4: \
	ALL_LANES(LANES_SAVE, R1); \
	ADD  $const_lanesNEON, R14; \
	SUBS $32, R17; \
	BGE  half; /* } */ \
	B    folded; \
fold4: /* for k < height { a[k][i:i+4] = sums of the lanes of k } */ \
	ADD  $const_lanesNEON, R14; \
	MOVD R8, R1; \
	IN2(contraction_aStride, R2, contraction_height, R3); \
	ADD  $contraction_half, R0, R4; \
	FOLD_HALVES(0, 0, 1, 2, 3, 4, 5, 6, 7); \
	FOLD_HALVES(128, 8, 9, 10, 11, 12, 13, 14, 15); \
	FOLD_HALVES(256, 16, 17, 18, 19, 20, 21, 22, 23); \
pair: /* the same for two rows of X, or one, by whole groups */ \
	CBNZ R16, resume; \
	ALL_ZERO; \
	B    columns; \
resume: \
	ALL_LANES(LANES_LOAD, R14); \
columns: \
	MOVD R9, R1; \
	ADD  R10, R1, R2; \
	MOVD contraction_g(R0), R3; \
	ADD  R11, R3, R4; \
	ADD  R11, R4, R5; \
	MOVD R15, R6; \
	MOVD R13, R22; \
	CBNZ R6, choose; \
tail: \
	CBZ  R22, lanes; \
	MOVD R20, R3; \
	WALK4($64, R3, R4, R5, R1); \
	ADD  $64, R1, R2; \
	MOVD $1, R6; \
	MOVD $0, R22; \
choose: \
	CMP $2, R7; \
	BLT one; \
two: \
	UPPER(X2_PAIR, X2_FMA); \
	LOWER(X2_PAIR, X2_FMA); \
	SUBS $1, R6; \
	BNE  two; \
	B    tail; \
one: \
	UPPER(X1_PAIR, X1_FMA); \
	LOWER(X1_PAIR, X1_FMA); \
	SUBS $1, R6; \
	BNE  one; \
	B    tail; \
lanes: \
	CBZ  R21, fold; \
	ALL_LANES(LANES_SAVE, R14); \
	ADD  $const_lanesNEON, R14; \
	B    folded; \
fold: \
	ADD  $const_lanesNEON, R14; \
	MOVD R8, R1; \
	IN2(contraction_aStride, R2, contraction_height, R3); \
	FOLD_ROW(0, 1, 2, 3, 4, 5, 6, 7); \
	FOLD_ROW(8, 9, 10, 11, 12, 13, 14, 15); \
	FOLD_ROW(16, 17, 18, 19, 20, 21, 22, 23); \
folded: \
	ADD  R19<<SIZE_LOG, R8; \
	MADD R19, R9, R10, R9; \
	SUBS R19, R7; \
	BGT  group; /* } */ \
	RET
CONTRACT_OF(1, contractNEONof1<>, UPPER1, LOWER1, HALF1, HALF1_X)
CONTRACT_OF(2, contractNEONof2<>, UPPER2, LOWER2, HALF2, HALF2_X)
CONTRACT_OF(3, contractNEONof3<>, UPPER3, LOWER3, HALF3, HALF3_X)

// func outer(o *outer): addProductGeneric, or accumulateGeneric: coefOut and coefInner are the strides of V; for a height
//
// ROWS_OF applies an operation to so many rows. Columns are taken four vectors at a time; what is left as two vectors, one, and
// single elements. The upper elements of a register loaded with one are never stored.
// With keep = 0 out starts from zero and is not read. If m is not nil the sums are P,
// formed from zero, and instead of being stored they update out by m, as
// updateProductGeneric. behind, ahead and also are not used.
// Preconditions: cols, inner >= 1; height is that of the function; keep = 0 if m is not nil.
//
//	V0-V23   out[a]: V(4a) to V(4a+3)
//	V24-V27  src[b]; then µ, scratch, m, n
//	V28      coefficient; then scratch
//	R1 &out[0][j]   R2 stride of out     R12 bytes of columns left
//	R3 src[b]       R4 its stride        R13 rows of src left
//	R5 coefficient of a = 0              R6-R10 1 to 5 times coefOut   R11 coefInner
//	R14 R15 walk over the rows of out, or stay at zero   R17 keep
#define OUTER_OF(HEIGHT, NAME, ROWS_OF) \
	BODY((bodies_outer+8*(HEIGHT-1)), NAME); \
	MOVD o+0(FP), R0; \
	IN4(outer_out, R1, outer_outStride, R2, outer_srcStride, R4, outer_coefOut, R6); \
	WALK4(R6, R6, R7, R8, R9); \
	ADD  R6, R9, R10; \
	IN2(outer_coefInner, R11, outer_cols, R12); \
	LSL  $SIZE_LOG, R12; \
	MOVD outer_keep(R0), R17; \
next: /* for columns left > 0 { */ \
	MOVD outer_out(R0), R14; \
	SUB  R14, R1, R14; \
	MOVD outer_src(R0), R3; \
	ADD  R14, R3; \
	IN2(outer_coef, R5, outer_inner, R13); \
	MOVD R1, R14; \
	MOVD R2, R15; \
	CBNZ R17, width; \
	MOVD $zero<>(SB), R14; \
	MOVD $0, R15; \
width: \
	TILE(ROWS_OF, COLS4, FMOVQ, 64, loop4, update4, narrower4); \
	TILE(ROWS_OF, COLS2, FMOVQ, 32, loop2, update2, narrower2); \
	TILE(ROWS_OF, COLS1, FMOVQ, 16, loop1, update1, narrower1); \
	TILE(ROWS_OF, COLS1, MOVE, SIZE, loop, update, done); \
	RET; /* } */
OUTER_OF(1, outerNEONof1<>, OUT_ROWS1)
OUTER_OF(2, outerNEONof2<>, OUT_ROWS2)
OUTER_OF(3, outerNEONof3<>, OUT_ROWS3)
OUTER_OF(4, outerNEONof4<>, OUT_ROWS4)
OUTER_OF(5, outerNEONof5<>, OUT_ROWS5)
OUTER_OF(6, outerNEONof6<>, OUT_ROWS6)
