// The tiles of outer products, for AVX2 and AVX-512. kernel_amd64.h has their rows and columns.

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

// The function for one height: ROWS_OF applies an operation to so many rows.
#define OUTER_OF(NAME, ROWS_OF) \
	TEXT NAME(SB), NOSPLIT|NOFRAME, $0-8; \
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
OUTER_OF(AT_LEVEL(outerAVX2of1<>, outerAVX512of1<>), OUT_ROWS1)
OUTER_OF(AT_LEVEL(outerAVX2of2<>, outerAVX512of2<>), OUT_ROWS2)
OUTER_OF(AT_LEVEL(outerAVX2of3<>, outerAVX512of3<>), OUT_ROWS3)
OUTER_OF(AT_LEVEL(outerAVX2of4<>, outerAVX512of4<>), OUT_ROWS4)

// func outer(o *outer): addProductGeneric, or accumulateGeneric: coefOut and coefInner are the strides of V
//
// Columns are taken three vectors at a time, four vectors at the end as twice two; the last vector of a tile
// is masked. With keep = 0 out starts from zero and is not read, else keep is -1. If m is not nil the
// sums are P, formed from zero, and instead of being stored they update out by m, as updateProductGeneric. The tile
// of m, and that of out behind bytes further on, are fetched meanwhile unless behind = 0. If m is nil, each row of src
// fetches the lines that are ahead and also bytes from it, unless ahead = 0.
// Preconditions: cols, inner >= 1; 1 <= height <= that of the level; keep = 0 if m is not nil; ahead = 0
// if m is not nil.
//
// OUTER_MORE goes on in the functions for more than four rows.
//
//	R13 &out[0][j]   R14 stride of out   R15 columns left
//	SI src[b]        R11 its stride      CX  rows of src left
//	DX coefficient of a = 0    BX R8  1, 3 times coefOut    R9 R10 of the level
//	R12 coefInner    AX rows of out; ahead, with also in R14
BODY(bodies_outer, AT_LEVEL(outerAVX2<>, outerAVX512<>))
	MOVQ o+0(FP), DI
	MOVQ outer_height(DI), CX
	OUTER_MORE
	OF_SIZE(4, AT_LEVEL(outerAVX2of4<>, outerAVX512of4<>))
	OF_SIZE(3, AT_LEVEL(outerAVX2of3<>, outerAVX512of3<>))
	OF_SIZE(2, AT_LEVEL(outerAVX2of2<>, outerAVX512of2<>))
	JMP  AT_LEVEL(outerAVX2of1<>, outerAVX512of1<>)(SB)
