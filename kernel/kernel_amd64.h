// The vocabulary that AVX2 and AVX-512 share. A file of a level and precision defines before it the name of its table of
// bodies and the instructions, and the vocabulary of the level the rest:
//
//	SIZE, LANES_LOG        bytes of an element, log2 of the elements of a vector
//	VMOVU VFMA VFNMA ...   the instructions of the precision
//	MOVI ADDI              an element as an integer
//	FRACTION, VPADD ...    the bits of a fraction, arithmetic of bits
//	AT_LEVEL(AVX2, AVX512) the name of a function at the level
//	VECTOR, W0 to W12      bytes of a vector; vectors
//	WP WM WN, WMU WNU WNIL p, m, n; µ, a second factor, zero; WS and WT are scratch beside these
//	LAST_MASK(N)           sets the mask of PART_LOAD from the count in N, which is CX; changes AX, CX
//	PART_ELSE(P, L, R)     R = the elements of the mask at P, else those of L
//	PART_FMA, _FNMA, _MUL  arithmetic with the elements of the mask at P; may change vector 13
//	PROJECT(R, INV, NUL, S) R = R > 0 ? R * INV : +0, with zero in NUL; changes S
//	NIL(R)                 R = zeros
//	BELOW(T, R)            AX = the elements of R that are less than T, as bits
//	SEEN(P), PART_SEEN(P)  find which columns are seen at AX, in the row at P of a mask
//	ABOVE(T, R)            takes the elements of R that are greater than T for those that are seen
//	ONLY_SEEN(R)           R = its elements that are seen, else +0
//	TAKE_SEEN(N, R)        R = the elements of N that are seen, else its own
//	LINE(OP, LD, ST)       applies OP to the vectors of 64 bytes of columns: offset, and two registers for lanes
//	LINE_LOG               log2 of these columns
//	LINE_MASKS             finds the masks of the last columns from their count in CX; may set R10
//	LINE_PART(OP)          applies OP to the last columns with these masks
//	S0 S1 S2, COEF, MU, ZEROS   src[b] in a tile, a coefficient, µ and zero, which may be in S2 and COEF
//	TILE_LOAD, _STORE      move the elements of the last vector only
//	FETCH_LINES(P)         prefetches a row of a tile
//
// All are ABI0 leaf functions without a frame that take one pointer to their arguments, and clean the upper halves
// of the vector registers.
//
// A function for several operations or sizes is a macro, and so is a loop with several uses in one function, whose last
// arguments are its labels; a profile puts all of it on the line of the use.

// The table of bodies. BODY puts a body into its field and begins the function; the assembler wants bodies in the
// order of the fields.
GLOBL TABLE(SB), RODATA|NOPTR, $bodies__size
#define BODY(FIELD, NAME) DATA TABLE+FIELD(SB)/8, $NAME(SB); TEXT NAME(SB), NOSPLIT|NOFRAME, $0-8

#define LOAD(P, R) VMOVU P, R
#define STORE(R, P) VMOVU R, P
#define NO_STORE(R, P)
#define NOTHING
#define LANE_SAVE(P, R) VMOVU R, P
#define LANE_ZERO(P, R) NIL(R)
#define SUM_OF(X, Y, TO) VADD X, Y, TO
#define LANES_FROM(LD, ST, AT, L, U) LD(AT(R12), L)
#define LANES_BACK(LD, ST, AT, L, U) ST(L, AT(R12))
#define LANES4(OP, AT, P, A0, A1, A2, A3) \
	OP((AT+0)(P), A0); \
	OP((AT+VECTOR)(P), A1); \
	OP((AT+2*VECTOR)(P), A2); \
	OP((AT+3*VECTOR)(P), A3)

// IN2 to IN4 load fields of the arguments at DI.
#define IN2(F, A, G, B) MOVQ F(DI), A; MOVQ G(DI), B
#define IN3(F, A, G, B, H, C) IN2(F, A, G, B); MOVQ H(DI), C
#define IN4(F, A, G, B, H, C, I, D) IN2(F, A, G, B); IN2(H, C, I, D)

// OUT4 stores four of them.
#define OUT4(A, F, B, G, C, H, D, I) MOVQ A, F(DI); MOVQ B, G(DI); MOVQ C, H(DI); MOVQ D, I(DI)

// NEXT4 adds N bytes to four registers, FETCH4 prefetches four addresses, BCST4 broadcasts four elements at P.
#define NEXT4(N, A, B, C, D) ADDQ $N, A; ADDQ $N, B; ADDQ $N, C; ADDQ $N, D
#define FETCH4(A, B, C, D) PREFETCHT1 A; PREFETCHT1 B; PREFETCHT1 C; PREFETCHT1 D
#define BCST4(P, A, B, C, D) VBCST (P), A; VBCST SIZE(P), B; VBCST (2*SIZE)(P), C; VBCST (3*SIZE)(P), D

// VECS1 to VECS8 apply OP to the vectors of a panel of columns, their offset and register, and a second
// register, which AVX2 lacks; but LAST to the last one, which the mask is for.
#define VECS1(OP, LAST) LAST(0, W0, U0)
#define VECS2(OP, LAST) VECS1(OP, OP); LAST(VECTOR, W1, U1)
#define VECS3(OP, LAST) VECS2(OP, OP); LAST((2*VECTOR), W2, U2)
#define VECS4(OP, LAST) VECS3(OP, OP); LAST((3*VECTOR), W3, U3)
#define VECS5(OP, LAST) VECS4(OP, OP); LAST((4*VECTOR), W4, U4)
#define VECS6(OP, LAST) VECS5(OP, OP); LAST((5*VECTOR), W5, U5)
#define VECS7(OP, LAST) VECS6(OP, OP); LAST((6*VECTOR), W6, U6)
#define VECS8(OP, LAST) VECS7(OP, OP); LAST((7*VECTOR), W7, U7)

// OUT_ROWS1 to OUT_ROWS4, and more at a level with registers for them, apply OP to the rows of a tile: COLS, the
// address of the coefficient and three accumulators, of which a tile of two vectors uses the last two and one of one
// vector the last.
#define OUT_ROWS1(OP, COLS) OP(COLS, (DX), W0, W1, W2)
#define OUT_ROWS2(OP, COLS) OUT_ROWS1(OP, COLS); OP(COLS, (DX)(BX*1), W3, W4, W5)
#define OUT_ROWS3(OP, COLS) OUT_ROWS2(OP, COLS); OP(COLS, (DX)(BX*2), W6, W7, W8)
#define OUT_ROWS4(OP, COLS) OUT_ROWS3(OP, COLS); OP(COLS, (DX)(R8*1), W9, W10, W11)

// COLS1 to COLS3 apply OP to the vectors of a row, but LAST to the last: offset, accumulator, vector of
// src. WHOLE3 has no last one.
#define COLS3(OP, LAST, A0, A1, A2) OP(0, A0, S0); OP(VECTOR, A1, S1); LAST((2*VECTOR), A2, S2)
#define COLS2(OP, LAST, A0, A1, A2) OP(0, A1, S1); LAST(VECTOR, A2, S2)
#define COLS1(OP, LAST, A0, A1, A2) LAST(0, A2, S2)
#define WHOLE3(OP, LAST, A0, A1, A2) COLS3(OP, OP, A0, A1, A2)

// The operations on a row, and on a vector of it. COLS is that of the width.
#define OUT_LOAD(COLS, C, A0, A1, A2) COLS(LOAD_OF, LOAD_PART_OF, A0, A1, A2); ADDQ R14, AX
#define LOAD_OF(AT, A, S) VMOVU AT(AX), A
#define LOAD_PART_OF(AT, A, S) TILE_LOAD(AT(AX), A)

#define OUT_ZERO(COLS, C, A0, A1, A2) COLS(ZERO_OF, ZERO_OF, A0, A1, A2)
#define ZERO_OF(AT, A, S) NIL(A)

#define OUT_SRC(COLS) COLS(SRC_OF, SRC_PART_OF, S0, S1, S2)
#define SRC_OF(AT, A, S) VMOVU AT(SI), S
#define SRC_PART_OF(AT, A, S) TILE_LOAD(AT(SI), S)

#define OUT_FMA(COLS, C, A0, A1, A2) VBCST C, COEF; COLS(FMA_OF, FMA_OF, A0, A1, A2)
#define FMA_OF(AT, A, S) VFMA S, COEF, A

#define OUT_STORE(COLS, C, A0, A1, A2) COLS(STORE_OF, STORE_PART_OF, A0, A1, A2); ADDQ R14, AX
#define STORE_OF(AT, A, S) VMOVU A, AT(AX)
#define STORE_PART_OF(AT, A, S) TILE_STORE(A, AT(AX))

// The projected multiplier update of one vector: N at its address, p in WP, m
// in WM, µ in WMU, zero in WNIL. Leaves the new n in WN.
//	m⁺ = m > 0 ? m : +0;  n = fma(µ, m⁺-p, n);  n = n < m⁺ ? n : m⁺
#define STEP(LD, ST, N) \
	VMAX WNIL, WM, WM; \
	VSUB WP, WM, WP; \
	LD(N, WN); \
	VFMA WP, WMU, WN; \
	VMIN WM, WN, WN; \
	ST(WN, N)

// The augmented Lagrangian. AUG_STEP is the update of one vector: G at its address, p
// in WP, m in WM, 1/(1+ρ) in WMU, zero in WNIL. Leaves m⁺ in WM and the new g in WN.
//	m⁺ = m > 0 ? m : +0;  y = g + (m⁺-p)
//	g = fma(1/(1+ρ), y > 0 ? y : +0, y < 0 ? y : +0)
#define AUG_STEP(LD, ST, G) \
	VMAX WNIL, WM, WM; \
	VSUB WP, WM, WP; \
	LD(G, WN); \
	VADD WP, WN, WP; \
	VMIN WNIL, WP, WN; \
	VMAX WNIL, WP, WP; \
	VFMA WP, WMU, WN; \
	ST(WN, G)

// The target of m⁺ in WM and g in WN, left in WN; 1-ρ in PART. Changes WP, WM.
//	s = m⁺+g;  t = fma(1-ρ, g, m⁺);  n = t < s ? t : s
#define AUG_TARGET(PART) \
	VADD WM, WN, WP; \
	VFMA PART, WN, WM; \
	VMIN WP, WM, WN

// The target of m in WM and g in WN, of Target: a and b in WMU and WNU. Changes WP, WM.
#define TARGET_OF \
	VMAX  WNIL, WM, WM; \
	VMOVU WM, WP; \
	VFMA  WMU, WN, WP; \
	VFMA  WNU, WN, WM; \
	VMIN  WP, WM, WN
