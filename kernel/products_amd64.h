// The bodies of products.go, for AVX2 and AVX-512. A level defines before it
//
//	CONTRACT_ROWS, CONTRACT_LANES   rows of X in a group, bytes of the lanes of a group
//	CONTRACT_BEGIN     sets the masks of the last columns from their number in CX, and the strides of G
//	X_STRIDES          sets the strides of the rows of a group of X
//	CONTRACT_COLS, CONTRACT_PART    whole groups of columns, and the last columns
//	OUTER_REGISTERS, OUTER_STRIDES, OUTER_ONE, OUTER_TWO, OUTER_THREE, THREE_COLS   see OUTER_OF

// The lanes of a row of G with those of X: from zero, from c.lanes, and back there.
#define G_ZERO(G, L, X, A0, A1, A2, A3) LANES4(LANE_ZERO, L, R15, A0, A1, A2, A3)
#define G_RESUME(G, L, X, A0, A1, A2, A3) LANES4(LOAD, L, R15, A0, A1, A2, A3)
#define G_SUSPEND(G, L, X, A0, A1, A2, A3) LANES4(LANE_SAVE, L, R15, A0, A1, A2, A3)

// func contract(c *contraction): contractGeneric, from c.lanes with resume, for a height
//
// G_ROWS applies an operation to the rows of G in the panel, and G_FOLDS sets a[k] to the sums of their lanes.
// Rows of X are taken in groups. With resume, lanes start from c.lanes, else from zero; with suspend
// they are put there instead of being added up, and cols must be a multiple of the lanes.
// Preconditions: rows, cols >= 1; height is that of the function.
//
//	AX rows left     R13 &a[0][i]        R14 &x[i][0]    R15 lanes
//	SI x[i], column reached   DX g[0], column reached   CX groups of columns left   and those of the level
#define CONTRACT_OF(HEIGHT, NAME, G_ROWS, G_FOLDS) \
	BODY((bodies_contract+8*(HEIGHT-1)), NAME); \
	MOVQ c+0(FP), DI; \
	MOVQ contraction_cols(DI), CX; \
	ANDQ $(64/SIZE-1), CX; \
	CONTRACT_BEGIN; \
	IN4(contraction_a, R13, contraction_x, R14, contraction_lanes, R15, contraction_rows, AX); \
group: /* for rows left > 0 { */ \
	X_STRIDES; \
	CMPQ contraction_resume(DI), $0; \
	JNE  resume; \
	G_ROWS(G_ZERO, 0); \
	JMP  columns; \
resume: \
	G_ROWS(G_RESUME, 0); \
columns: \
	MOVQ R14, SI; \
	IN2(contraction_g, DX, contraction_cols, CX); \
	SHRQ $LINE_LOG, CX; \
	JEQ  part; \
	CONTRACT_COLS(G_ROWS); \
part: \
	TESTQ $(64/SIZE-1), contraction_cols(DI); \
	JEQ  lanes; \
	CONTRACT_PART(G_ROWS); \
lanes: \
	CMPQ contraction_suspend(DI), $0; \
	JEQ  fold; \
	G_ROWS(G_SUSPEND, 0); \
	JMP  folded; \
fold: \
	MOVQ R13, SI; \
	MOVQ contraction_aStride(DI), DX; \
	G_FOLDS; \
folded: \
	ADDQ $(CONTRACT_ROWS*SIZE), R13; \
	MOVQ contraction_xStride(DI), R8; \
	LEAQ (R14)(R8*CONTRACT_ROWS), R14; \
	ADDQ $CONTRACT_LANES, R15; \
	SUBQ $CONTRACT_ROWS, AX; \
	JGT  group; /* } */ \
	VZEROUPPER; \
	RET

// The epilogue of UpdateMultiplierProduct: the tile is P, and N, at AX, is updated by it. M is at CX,
// with stride SI.
#define OUT_STEP(COLS, C, A0, A1, A2) COLS(STEP_OF_P, STEP_PART_OF_P, A0, A1, A2); ADDQ R14, AX; ADDQ SI, CX
#define STEP_OF_P(AT, A, S) TILE_STEP(LOAD, STORE, AT, A)
#define STEP_PART_OF_P(AT, A, S) TILE_STEP(TILE_LOAD, TILE_STORE, AT, A)
#define TILE_STEP(LD, ST, AT, P) \
	LD(AT(CX), S0); \
	VMAX ZEROS, S0, S0; \
	VSUB P, S0, P; \
	LD(AT(AX), S1); \
	VFMA P, MU, S1; \
	VMIN S0, S1, S1; \
	ST(S1, AT(AX))

// SI = src[0] at the columns of the tile at R13. With outer.behind, the tile of m and that of out so many bytes
// further on are fetched.
#define SRC_OF_TILE(fetch, fetched) \
	MOVQ  outer_behind(DI), AX; \
	TESTQ AX, AX; \
	JEQ   fetched; \
	ADDQ  R13, AX; \
	MOVQ  outer_m(DI), SI; \
	ADDQ  R13, SI; \
	SUBQ  outer_out(DI), SI; \
	MOVQ  outer_height(DI), CX; \
fetch: \
	FETCH_LINES(SI); \
	FETCH_LINES(AX); \
	ADDQ  outer_mStride(DI), SI; \
	ADDQ  R14, AX; \
	DECQ  CX; \
	JNE   fetch; \
fetched: \
	MOVQ  outer_src(DI), SI; \
	ADDQ  R13, SI; \
	SUBQ  outer_out(DI), SI

// One tile of the output, at R13, of WIDTH bytes of columns; the labels of the use come last.
//
//	for b := 0; b < inner; b++ { out[a][j] = fma(coef[a][b], src[b][j], out[a][j]) }
//
// With outer.ahead, two lines of what comes next are fetched for each b. With outer.m, n = step(n, m, p),
// the tile being p.
#define TILE(ROWS_OF, COLS, WIDTH, zero, loaded, fetching, loop, sums, step) \
	CMPQ outer_keep(DI), $0; \
	JEQ  zero; \
	MOVQ R13, AX; \
	ROWS_OF(OUT_LOAD, COLS); \
	JMP  loaded; \
zero: \
	ROWS_OF(OUT_ZERO, COLS); \
loaded: \
	MOVQ outer_ahead(DI), AX; \
	TESTQ AX, AX; \
	JEQ  loop; \
	MOVQ outer_also(DI), R14; \
fetching: /* the same, while two lines of what comes next are fetched { */ \
	PREFETCHT1 (SI)(AX*1); \
	PREFETCHT1 (SI)(R14*1); \
	OUT_SRC(COLS); \
	ROWS_OF(OUT_FMA, COLS); \
	ADDQ R11, SI; \
	ADDQ R12, DX; \
	DECQ CX; \
	JNE  fetching; /* } */ \
	MOVQ outer_outStride(DI), R14; \
	JMP  sums; \
loop: /* for rows of src left > 0 { */ \
	OUT_SRC(COLS); \
	ROWS_OF(OUT_FMA, COLS); \
	ADDQ R11, SI; \
	ADDQ R12, DX; \
	DECQ CX; \
	JNE  loop; /* } */ \
sums: \
	MOVQ R13, AX; \
	MOVQ outer_m(DI), CX; \
	TESTQ CX, CX; \
	JNE  step; \
	ROWS_OF(OUT_STORE, COLS); \
	ADDQ $WIDTH, R13; \
	SUBQ $(WIDTH/SIZE), R15; \
	JGT  next; \
	JMP  done; \
step: /* n = step(n, m, p), the tile being p */ \
	ADDQ R13, CX; \
	SUBQ outer_out(DI), CX; \
	MOVQ outer_mStride(DI), SI; \
	VBCST outer_mu(DI), MU; \
	NIL(ZEROS); \
	ROWS_OF(OUT_STEP, COLS); \
	ADDQ $WIDTH, R13; \
	SUBQ $(WIDTH/SIZE), R15; \
	JGT  next; \
	JMP  done

// func outer(o *outer): addProductGeneric, or accumulateGeneric: coefOut and coefInner are the strides of V; for a height
//
// Columns are taken three vectors at a time, four vectors at the end as twice two; the last vector of a tile
// is masked. With keep = 0 out starts from zero and is not read, else keep is -1. If m is not nil the
// sums are P, formed from zero, and instead of being stored they update out by m, as updateProductGeneric. The tile
// of m, and that of out behind bytes further on, are fetched meanwhile unless behind = 0. If m is nil, each row of src
// fetches the lines that are ahead and also bytes from it, unless ahead = 0.
// Preconditions: cols, inner >= 1; height is that of the function; keep = 0 if m is not nil; ahead = 0
// if m is not nil.
//
// ROWS_OF applies an operation to so many rows.
//
//	R13 &out[0][j]   R14 stride of out   R15 columns left
//	SI src[b]        R11 its stride      CX  rows of src left
//	DX coefficient of a = 0    BX R8  1, 3 times coefOut    R9 R10 of the level
//	R12 coefInner    AX rows of out; ahead, with also in R14
#define OUTER_OF(HEIGHT, NAME, ROWS_OF) \
	BODY((bodies_outer+8*(HEIGHT-1)), NAME); \
	MOVQ o+0(FP), DI; \
	OUTER_REGISTERS; \
	MOVQ outer_coefOut(DI), BX; \
	LEAQ (BX)(BX*2), R8; \
	OUTER_STRIDES; \
	IN3(outer_srcStride, R11, outer_coefInner, R12, outer_out, R13); \
	IN2(outer_outStride, R14, outer_cols, R15); \
next: /* for columns left > 0 { */ \
	SRC_OF_TILE(fetch, fetched); \
	MOVQ outer_coef(DI), DX; \
	OUTER_ONE; \
	TILE(ROWS_OF, COLS1, VECTOR, zero1, loaded1, fetching1, loop1, sums1, update1); \
	OUTER_TWO; \
	TILE(ROWS_OF, COLS2, (2*VECTOR), zero2, loaded2, fetching2, loop2, sums2, update2); \
	OUTER_THREE; \
	TILE(ROWS_OF, THREE_COLS, (3*VECTOR), zero3, loaded3, fetching3, loop3, sums3, update3); \
done: /* } */ \
	VZEROUPPER; \
	RET
