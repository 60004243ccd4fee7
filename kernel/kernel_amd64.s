//go:build !purego

// AVX2 bodies. The macros here are common to both precisions; the functions are
// in avx2_matrix, _pass, _augmented, _masked and _reduce_amd64.h, which are included once for float64
// and once for float32 with the instructions of that precision.
//
// A loop that several functions or sizes have is a file of its own, avx2_*_cols, _outer,
// _tile and _extremum, that is included at each use with the names of its labels and
// operations: the assembler puts all of a macro on the line of its use, but a file has
// lines, and a profile shows them.

#include "go_asm.h"
#include "textflag.h"

// func call(args unsafe.Pointer, body uintptr)
//
// goes on in the body, which returns to the caller.
TEXT ·call(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ body+8(FP), AX
	JMP  AX

// 128 bytes of ones, 128 of zeros: the masks of a group of n bytes begin n bytes
// before the middle.
DATA masks<>+0x00(SB)/8, $-1
DATA masks<>+0x08(SB)/8, $-1
DATA masks<>+0x10(SB)/8, $-1
DATA masks<>+0x18(SB)/8, $-1
DATA masks<>+0x20(SB)/8, $-1
DATA masks<>+0x28(SB)/8, $-1
DATA masks<>+0x30(SB)/8, $-1
DATA masks<>+0x38(SB)/8, $-1
DATA masks<>+0x40(SB)/8, $-1
DATA masks<>+0x48(SB)/8, $-1
DATA masks<>+0x50(SB)/8, $-1
DATA masks<>+0x58(SB)/8, $-1
DATA masks<>+0x60(SB)/8, $-1
DATA masks<>+0x68(SB)/8, $-1
DATA masks<>+0x70(SB)/8, $-1
DATA masks<>+0x78(SB)/8, $-1
DATA masks<>+0x80(SB)/8, $0
DATA masks<>+0x88(SB)/8, $0
DATA masks<>+0x90(SB)/8, $0
DATA masks<>+0x98(SB)/8, $0
DATA masks<>+0xA0(SB)/8, $0
DATA masks<>+0xA8(SB)/8, $0
DATA masks<>+0xB0(SB)/8, $0
DATA masks<>+0xB8(SB)/8, $0
DATA masks<>+0xC0(SB)/8, $0
DATA masks<>+0xC8(SB)/8, $0
DATA masks<>+0xD0(SB)/8, $0
DATA masks<>+0xD8(SB)/8, $0
DATA masks<>+0xE0(SB)/8, $0
DATA masks<>+0xE8(SB)/8, $0
DATA masks<>+0xF0(SB)/8, $0
DATA masks<>+0xF8(SB)/8, $0
GLOBL masks<>(SB), RODATA|NOPTR, $256

// The bit of each lane, of a byte of a mask.
DATA bits64<>+0x00(SB)/8, $1
DATA bits64<>+0x08(SB)/8, $2
DATA bits64<>+0x10(SB)/8, $4
DATA bits64<>+0x18(SB)/8, $8
DATA bits64<>+0x20(SB)/8, $16
DATA bits64<>+0x28(SB)/8, $32
DATA bits64<>+0x30(SB)/8, $64
DATA bits64<>+0x38(SB)/8, $128
GLOBL bits64<>(SB), RODATA|NOPTR, $64
DATA bits32<>+0x00(SB)/8, $0x0000000200000001
DATA bits32<>+0x08(SB)/8, $0x0000000800000004
DATA bits32<>+0x10(SB)/8, $0x0000002000000010
DATA bits32<>+0x18(SB)/8, $0x0000008000000040
GLOBL bits32<>(SB), RODATA|NOPTR, $32

// MASKS sets P, which must not be R15 nor CX, to the masks of the n elements in
// CX, and changes CX.
#define MASKS(P) \
	LEAQ masks<>+128(SB), P; \
	IMULQ $SIZE, CX; \
	SUBQ CX, P

// PART_LOAD and PART_STORE move the elements of the mask Y15 only; others load
// as zero.
#define LOAD(P, R) VMOVU P, R
#define STORE(R, P) VMOVU R, P
#define PART_LOAD(P, R) VMASKMOV P, Y15, R
#define PART_STORE(R, P) VMASKMOV R, Y15, P

// Contraction. G_ROWS1 to G_ROWS3 apply OP to the rows of G in the panel: the
// address of the row at the column reached, and the lanes of that row with x[0]
// and x[1], lower halves, then upper halves.
#define G_ROWS1(OP, AT) OP(AT(DX), Y0, Y1, Y2, Y3)
#define G_ROWS2(OP, AT) G_ROWS1(OP, AT); OP(AT(DX)(BX*1), Y4, Y5, Y6, Y7)
#define G_ROWS3(OP, AT) G_ROWS2(OP, AT); OP(AT(DX)(BX*2), Y8, Y9, Y10, Y11)

#define G_LOWER(G, A0, A1, A2, A3) \
	VMOVU G, Y14; \
	VFMA  Y14, Y12, A0; \
	VFMA  Y14, Y13, A1
#define G_UPPER(G, A0, A1, A2, A3) \
	VMOVU G, Y14; \
	VFMA  Y14, Y12, A2; \
	VFMA  Y14, Y13, A3
#define G_LOWER_PART(G, A0, A1, A2, A3) \
	PART_LOAD(G, Y14); \
	VFMA Y14, Y12, A0; \
	VFMA Y14, Y13, A1
#define G_UPPER_PART(G, A0, A1, A2, A3) \
	PART_LOAD(G, Y14); \
	VFMA Y14, Y12, A2; \
	VFMA Y14, Y13, A3

// Add the lanes of two rows pairwise, lower halves in A and B, upper ones in C
// and D. The sums are the 128-bit parts of A, each repeated in all elements of
// its part. Changes B, C.
#define FOLD2(A, B, C, D) \
	VADD       C, A, A; \
	VADD       D, B, B; \
	VPERM2F128 $0x31, B, A, C; \
	VPERM2F128 $0x20, B, A, A; \
	VADD       C, A, A; \
	FOLD_PART(A, C)

// FOLD2 of one row of G, and on to the next row of A, unless it was the last.
#define FOLD_ROW(A0, A1, A2, A3, X0, one) \
	FOLD2(A0, A1, A2, A3); \
	VMOVS        X0, (SI); \
	CMPQ         AX, $1; \
	JEQ          one; \
	VEXTRACTF128 $1, A0, X12; \
	VMOVS        X12, SIZE(SI); \
one: \
	ADDQ         DX, SI; \
	DECQ         CX; \
	JEQ          folded

#define LANES(OP) \
	OP((R15), Y0); \
	OP(32(R15), Y1); \
	OP(64(R15), Y2); \
	OP(96(R15), Y3); \
	OP(128(R15), Y4); \
	OP(160(R15), Y5); \
	OP(192(R15), Y6); \
	OP(224(R15), Y7); \
	OP(256(R15), Y8); \
	OP(288(R15), Y9); \
	OP(320(R15), Y10); \
	OP(352(R15), Y11)
#define LANE_SAVE(P, R) VMOVU R, P
#define LANE_LOAD(P, R) VMOVU P, R
#define LANE_ZERO(P, R) VPXOR R, R, R

// OF_HEIGHT goes on in the body for a height, if it is that of CX.
#define OF_HEIGHT(N, BODY) \
	CMPQ CX, $N; \
	JNE  2(PC); \
	JMP  BODY(SB)

// Outer products. OUT_ROWS1 to OUT_ROWS4 apply OP to the rows of the output
// tile: the address of the coefficient and three accumulators, of which a tile
// of two vectors uses the last two and one of one vector the last.
#define OUT_ROWS1(OP) OP((DX), Y0, Y1, Y2)
#define OUT_ROWS2(OP) OUT_ROWS1(OP); OP((DX)(BX*1), Y3, Y4, Y5)
#define OUT_ROWS3(OP) OUT_ROWS2(OP); OP((DX)(BX*2), Y6, Y7, Y8)
#define OUT_ROWS4(OP) OUT_ROWS3(OP); OP((DX)(R8*1), Y9, Y10, Y11)

// Y15 is keep: all ones, or zeros to start from zero. Y0, unused by the narrow
// tiles, is the mask of their last vector.
#define OUT_LOAD3(C, A0, A1, A2) \
	VAND (AX), Y15, A0; \
	VAND 32(AX), Y15, A1; \
	VAND 64(AX), Y15, A2; \
	ADDQ R14, AX
#define OUT_LOAD2(C, A0, A1, A2) \
	VAND     (AX), Y15, A1; \
	VMASKMOV 32(AX), Y0, A2; \
	VAND     A2, Y15, A2; \
	ADDQ     R14, AX
#define OUT_LOAD1(C, A0, A1, A2) \
	VMASKMOV (AX), Y0, A2; \
	VAND     A2, Y15, A2; \
	ADDQ     R14, AX

#define OUT_FMA3(C, A0, A1, A2) \
	VBCST C, Y15; \
	VFMA  Y12, Y15, A0; \
	VFMA  Y13, Y15, A1; \
	VFMA  Y14, Y15, A2
#define OUT_FMA2(C, A0, A1, A2) \
	VBCST C, Y15; \
	VFMA  Y13, Y15, A1; \
	VFMA  Y14, Y15, A2
#define OUT_FMA1(C, A0, A1, A2) \
	VBCST C, Y15; \
	VFMA  Y14, Y15, A2

#define SRC3 VMOVU (SI), Y12; VMOVU 32(SI), Y13; VMOVU 64(SI), Y14
#define SRC2 VMOVU (SI), Y13; VMASKMOV 32(SI), Y0, Y14
#define SRC1 VMASKMOV (SI), Y0, Y14

#define OUT_STORE3(C, A0, A1, A2) \
	VMOVU A0, (AX); \
	VMOVU A1, 32(AX); \
	VMOVU A2, 64(AX); \
	ADDQ  R14, AX
#define OUT_STORE2(C, A0, A1, A2) \
	VMOVU    A1, (AX); \
	VMASKMOV A2, Y0, 32(AX); \
	ADDQ     R14, AX
#define OUT_STORE1(C, A0, A1, A2) \
	VMASKMOV A2, Y0, (AX); \
	ADDQ     R14, AX

// The epilogue of UpdateMultiplierProduct: the tile is P, and N, at AX, is
// updated by it. M is at CX, with stride SI; µ in Y14, zero in Y15.
#define OUT_STEP(LD, ST, AT, P) \
	LD(AT(CX), Y12); \
	VMAX Y15, Y12, Y12; \
	VSUB P, Y12, P; \
	LD(AT(AX), Y13); \
	VFMA P, Y14, Y13; \
	VMIN Y12, Y13, Y13; \
	ST(Y13, AT(AX))
#define OUT_STEP3(C, A0, A1, A2) \
	OUT_STEP(LOAD, STORE, 0, A0); \
	OUT_STEP(LOAD, STORE, 32, A1); \
	OUT_STEP(LOAD, STORE, 64, A2); \
	OUT_STEP_ROW
#define OUT_STEP2(C, A0, A1, A2) \
	OUT_STEP(LOAD, STORE, 0, A1); \
	OUT_STEP(OUT_PART_LOAD, OUT_PART_STORE, 32, A2); \
	OUT_STEP_ROW
#define OUT_STEP1(C, A0, A1, A2) \
	OUT_STEP(OUT_PART_LOAD, OUT_PART_STORE, 0, A2); \
	OUT_STEP_ROW
#define OUT_PART_LOAD(P, R) VMASKMOV P, Y0, R
#define OUT_PART_STORE(R, P) VMASKMOV R, Y0, P
#define OUT_STEP_ROW \
	ADDQ R14, AX; \
	ADDQ SI, CX

// Sweep. VECS1 to VECS8 apply OP to the vectors of a panel of columns, their
// offset and register, but LAST to the last one, of mask Y15.
#define VECS1(OP, LAST) LAST(0, Y0)
#define VECS2(OP, LAST) OP(0, Y0); LAST(32, Y1)
#define VECS3(OP, LAST) OP(0, Y0); OP(32, Y1); LAST(64, Y2)
#define VECS4(OP, LAST) OP(0, Y0); OP(32, Y1); OP(64, Y2); LAST(96, Y3)
#define VECS5(OP, LAST) OP(0, Y0); OP(32, Y1); OP(64, Y2); OP(96, Y3); LAST(128, Y4)
#define VECS6(OP, LAST) OP(0, Y0); OP(32, Y1); OP(64, Y2); OP(96, Y3); OP(128, Y4); LAST(160, Y5)
#define VECS7(OP, LAST) OP(0, Y0); OP(32, Y1); OP(64, Y2); OP(96, Y3); OP(128, Y4); OP(160, Y5); LAST(192, Y6)
#define VECS8(OP, LAST) OP(0, Y0); OP(32, Y1); OP(64, Y2); OP(96, Y3); OP(128, Y4); OP(160, Y5); OP(192, Y6); LAST(224, Y7)

#define T_LOAD(AT, T) VMOVU AT(SI), T
#define T_LOAD_PART(AT, T) PART_LOAD(AT(SI), T)
#define T_FMA(AT, T) VFNMA AT(SI), Y8, T
#define T_FMA_PART(AT, T) PART_LOAD(AT(SI), Y13); VFNMA Y13, Y8, T
#define T_PROJECT(AT, T) VSUB Y10, T, T; VCMP $0x1E, Y9, T, Y13; VMUL Y11, T, T; VAND Y13, T, T
#define T_MASK(AT, T) VMUL AT(DX), T, T
#define T_MASK_PART(AT, T) PART_LOAD(AT(DX), Y13); VMUL Y13, T, T
#define T_STORE(AT, T) VMOVU T, AT(SI)
#define T_STORE_PART(AT, T) PART_STORE(T, AT(SI))

// The projected multiplier update of one vector: N at its address, p in Y9, m
// in Y10, µ in Y12, zero in Y13. Leaves the new n in Y11.
//	m⁺ = m > 0 ? m : +0;  n = fma(µ, m⁺-p, n);  n = n < m⁺ ? n : m⁺
#define STEP(LD, ST, N) \
	VMAX Y13, Y10, Y10; \
	VSUB Y9, Y10, Y9; \
	LD(N, Y11); \
	VFMA Y9, Y12, Y11; \
	VMIN Y10, Y11, Y11; \
	ST(Y11, N)

// The same with p = v w, v in V, w in Y8.
#define RANK_STEP(LD, ST, N, M, V) \
	VMUL Y8, V, Y9; \
	LD(M, Y10); \
	STEP(LD, ST, N)

#define LANES2(OP) \
	OP((R13), Y0); \
	OP(32(R13), Y4); \
	OP(64(R13), Y1); \
	OP(96(R13), Y5)
#define LANES4(OP) \
	LANES2(OP); \
	OP(128(R13), Y2); \
	OP(160(R13), Y6); \
	OP(192(R13), Y3); \
	OP(224(R13), Y7)

// v = sum > 0 ? sum * inv : +0, of sums in S and inv in Y8; zero in Y13.
#define PROJECT(S, T) VCMP $0x1E, Y13, S, T; VMUL Y8, S, S; VAND T, S, S

// vv += v*v of the v at AT; vv in X8.
#define SQUARE(AT) VMOVS AT(R14), X9; VFMAS X9, X9, X8

// The bodies, for four rows (R4), two (R2) or one (R1), at AT bytes from the
// column reached. DOT has n at SI and the lanes in A0-A3. ADD has n at DX, and of
// four rows acc in Y9 and v in Y10, Y12-Y14, else acc in Y2 and v in Y6, Y7. The
// update has m at R10 and takes the v of Y3, Y14 in DOT.
#define DOT_R4(LD, ST, AT, A0, A1, A2, A3) \
	DOT_R2(LD, ST, AT, A0, A1, A2, A3); \
	DOT_ROW(LD, AT(SI)(R8*2), A2); \
	DOT_ROW(LD, AT(SI)(R9*1), A3)
#define DOT_R2(LD, ST, AT, A0, A1, A2, A3) \
	DOT_R1(LD, ST, AT, A0, A1, A2, A3); \
	DOT_ROW(LD, AT(SI)(R8*1), A1)
#define DOT_R1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(BX), Y8); \
	DOT_ROW(LD, AT(SI), A0)
#define DOT_ROW(LD, N, A) LD(N, Y11); VFMA Y11, Y8, A

#define STEP_DOT_R2(LD, ST, AT, A0, A1, A2, A3) \
	STEP_DOT_R1(LD, ST, AT, A0, A1, A2, A3); \
	STEP_DOT_ROW(LD, ST, AT(SI)(R8*1), AT(R10)(R11*1), Y14, A1)
#define STEP_DOT_R1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(BX), Y8); \
	STEP_DOT_ROW(LD, ST, AT(SI), AT(R10), Y3, A0)
#define STEP_DOT_ROW(LD, ST, N, M, V, A) RANK_STEP(LD, ST, N, M, V); VFMA Y11, Y8, A

#define ADD_R4(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(R13), Y9); \
	ADD_ROW(LD, AT(DX), Y10, Y9); \
	ADD_ROW(LD, AT(DX)(R8*1), Y12, Y9); \
	ADD_ROW(LD, AT(DX)(R8*2), Y13, Y9); \
	ADD_ROW(LD, AT(DX)(R9*1), Y14, Y9); \
	ST(Y9, AT(R13))
#define ADD_R2(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(R13), Y2); \
	ADD_ROW(LD, AT(DX), Y6, Y2); \
	ADD_ROW(LD, AT(DX)(R8*1), Y7, Y2); \
	ST(Y2, AT(R13))
#define ADD_R1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(R13), Y2); \
	ADD_ROW(LD, AT(DX), Y6, Y2); \
	ST(Y2, AT(R13))
#define ADD_ROW(LD, N, V, ACC) LD(N, Y11); VFMA Y11, V, ACC

#define STEP_ADD_R2(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(BX), Y8); \
	LD(AT(R13), Y2); \
	STEP_ADD_ROW(LD, ST, AT(DX), AT(R10), Y6); \
	STEP_ADD_ROW(LD, ST, AT(DX)(R8*1), AT(R10)(R11*1), Y7); \
	ST(Y2, AT(R13))
#define STEP_ADD_R1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(BX), Y8); \
	LD(AT(R13), Y2); \
	STEP_ADD_ROW(LD, ST, AT(DX), AT(R10), Y6); \
	ST(Y2, AT(R13))
#define STEP_ADD_ROW(LD, ST, N, M, V) RANK_STEP(LD, ST, N, M, V); VFMA Y11, V, Y2

// The sums of one group and the products of the next.
#define ADD_DOT_R4(LD, ST, AT, A0, A1, A2, A3) \
	ADD_R4(LD, ST, AT, A0, A1, A2, A3); \
	DOT_R4(LD, ST, AT, A0, A1, A2, A3)
#define ADD_STEP_DOT_R2(LD, ST, AT, A0, A1, A2, A3) \
	ADD_R2(LD, ST, AT, A0, A1, A2, A3); \
	STEP_DOT_R2(LD, ST, AT, A0, A1, A2, A3)
#define STEP_ADD_DOT_R2(LD, ST, AT, A0, A1, A2, A3) \
	STEP_ADD_R2(LD, ST, AT, A0, A1, A2, A3); \
	DOT_R2(LD, ST, AT, A0, A1, A2, A3)

// The groups that come next are fetched meanwhile: four rows with R11, R12 = 5,
// 7 strides of N, or two with R9 = 5 strides of N and R12 = 5 of M.
#define FETCH_R4 \
	PREFETCHT1 (SI)(R8*4); \
	PREFETCHT1 (SI)(R11*1); \
	PREFETCHT1 (SI)(R9*2); \
	PREFETCHT1 (SI)(R12*1)
#define FETCH_R2 \
	PREFETCHT1 (SI)(R8*4); \
	PREFETCHT1 (SI)(R9*1); \
	PREFETCHT1 (R10)(R11*4); \
	PREFETCHT1 (R10)(R12*1)
#define NOTHING

// The augmented Lagrangian. AUG_STEP is the update of one vector: G at its address, p
// in Y9, m in Y10, 1/(1+ρ) in Y12, zero in Y13. Leaves m⁺ in Y10 and the new g in Y11.
//	m⁺ = m > 0 ? m : +0;  y = g + (m⁺-p)
//	g = fma(1/(1+ρ), y > 0 ? y : +0, y < 0 ? y : +0)
#define AUG_STEP(LD, ST, G) \
	VMAX Y13, Y10, Y10; \
	VSUB Y9, Y10, Y9; \
	LD(G, Y11); \
	VADD Y9, Y11, Y9; \
	VMIN Y13, Y9, Y11; \
	VMAX Y13, Y9, Y9; \
	VFMA Y9, Y12, Y11; \
	ST(Y11, G)

// The target of m⁺ in Y10 and g in Y11, left in Y11; 1-ρ in PART. Changes Y9, Y10.
//	s = m⁺+g;  t = fma(1-ρ, g, m⁺);  n = t < s ? t : s
#define AUG_TARGET(PART) \
	VADD Y10, Y11, Y9; \
	VFMA PART, Y11, Y10; \
	VMIN Y9, Y10, Y11

// The target of m in Y10 and g in Y11, of Target: a and b in Y12 and Y8. Changes Y9, Y10.
#define TARGET_OF \
	VMAX  Y13, Y10, Y10; \
	VMOVU Y10, Y9; \
	VFMA  Y12, Y11, Y9; \
	VFMA  Y8, Y11, Y10; \
	VMIN  Y9, Y10, Y11

// One row of a rank-one pass up to its target, with the update for v in V and w in Y8,
// and without. The bodies are those of RankOne otherwise; of two groups, R10 is at m of
// the later one, and R12 is -1 stride of M.
#define AUG_UPDATED(LD, ST, G, M, V) \
	VMUL Y8, V, Y9; \
	LD(M, Y10); \
	AUG_STEP(LD, ST, G); \
	AUG_TARGET(rankOne_part(DI))
#define AUG_READ(LD, G, M) \
	LD(M, Y10); \
	VMAX Y13, Y10, Y10; \
	LD(G, Y11); \
	AUG_TARGET(rankOne_part(DI))

#define AUG_PRODUCTS2(LD, ST, AT, A0, A1, A2, A3) \
	AUG_PRODUCTS1(LD, ST, AT, A0, A1, A2, A3); \
	AUG_READ(LD, AT(SI)(R8*1), AT(R10)(R11*1)); \
	VFMA Y11, Y8, A1
#define AUG_PRODUCTS1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(BX), Y8); \
	AUG_READ(LD, AT(SI), AT(R10)); \
	VFMA Y11, Y8, A0
#define AUG_BEFORE2(LD, ST, AT, A0, A1, A2, A3) \
	AUG_BEFORE1(LD, ST, AT, A0, A1, A2, A3); \
	AUG_UPDATED(LD, ST, AT(SI)(R8*1), AT(R10)(R11*1), Y14); \
	VFMA Y11, Y8, A1
#define AUG_BEFORE1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(BX), Y8); \
	AUG_UPDATED(LD, ST, AT(SI), AT(R10), Y3); \
	VFMA Y11, Y8, A0
#define AUG_SUMS2(LD, ST, AT, A0, A1, A2, A3) AUG_SUMS_OF2(LD, ST, AT, AT(R10), AT(R10)(R11*1))
#define AUG_SUMS_OF2(LD, ST, AT, M0, M1) \
	LD(AT(R13), Y2); \
	AUG_READ(LD, AT(DX), M0); \
	VFMA Y11, Y6, Y2; \
	AUG_READ(LD, AT(DX)(R8*1), M1); \
	VFMA Y11, Y7, Y2; \
	ST(Y2, AT(R13))
#define AUG_SUMS1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(R13), Y2); \
	AUG_READ(LD, AT(DX), AT(R10)); \
	VFMA Y11, Y6, Y2; \
	ST(Y2, AT(R13))
#define AUG_AFTER2(LD, ST, AT, A0, A1, A2, A3) AUG_AFTER_OF2(LD, ST, AT, AT(R10), AT(R10)(R11*1))
#define AUG_AFTER_OF2(LD, ST, AT, M0, M1) \
	LD(AT(BX), Y8); \
	LD(AT(R13), Y2); \
	AUG_UPDATED(LD, ST, AT(DX), M0, Y6); \
	VFMA Y11, Y6, Y2; \
	AUG_UPDATED(LD, ST, AT(DX)(R8*1), M1, Y7); \
	VFMA Y11, Y7, Y2; \
	ST(Y2, AT(R13))
#define AUG_AFTER1(LD, ST, AT, A0, A1, A2, A3) \
	LD(AT(BX), Y8); \
	LD(AT(R13), Y2); \
	AUG_UPDATED(LD, ST, AT(DX), AT(R10), Y6); \
	VFMA Y11, Y6, Y2; \
	ST(Y2, AT(R13))
#define AUG_FETCH2 \
	PREFETCHT1 (SI)(R8*4); \
	PREFETCHT1 (SI)(R9*1); \
	PREFETCHT1 (R10)(R11*4)
#define AUG_SUMS_BEFORE2(LD, ST, AT, A0, A1, A2, A3) \
	AUG_SUMS_OF2(LD, ST, AT, AT(R10)(R12*2), AT(R10)(R12*1)); \
	AUG_BEFORE2(LD, ST, AT, A0, A1, A2, A3)
#define AUG_AFTER_PRODUCTS2(LD, ST, AT, A0, A1, A2, A3) \
	AUG_AFTER_OF2(LD, ST, AT, AT(R10)(R12*2), AT(R10)(R12*1)); \
	AUG_PRODUCTS2(LD, ST, AT, A0, A1, A2, A3)

// Masks. SEEN_OF sets Y7 to the mask of a vector of columns whose byte is at P; BITS are
// those of its lanes. SEEN finds both from AX, the column in bytes, in the row at R15 and
// in the table at R12, and changes R14.
#define SEEN_OF(P, BITS) \
	VPBROADCASTB P, Y7; \
	VPAND        BITS, Y7, Y7; \
	VPCMPEQ      BITS, Y7, Y7
#define SEEN \
	MOVQ         AX, R14; \
	SHRQ         $(8-LANES_LOG), R14; \
	VPBROADCASTB (R15)(R14*1), Y7; \
	MOVQ         AX, R14; \
	ANDQ         $(8*SIZE-32), R14; \
	VPAND        (R12)(R14*1), Y7, Y7; \
	VPCMPEQ      (R12)(R14*1), Y7, Y7
#define NO_STORE(R, P)

// The masked rank-one pass: the update and the products of one row, and the sums of four
// (R4) or one (R1). MASKED_ROW begins a row.
#define MASKED_ROW \
	MOVQ R9, SI; \
	MOVQ R11, DX; \
	MOVQ R13, BX; \
	MOVQ rankOne_w(DI), R14
#define MASKED_STEP(LD, ST, AT, A, B, BITS) \
	SEEN_OF((BX), BITS); \
	LD(AT(R14), Y8); \
	VMUL    Y8, Y0, Y9; \
	LD(AT(DX), Y10); \
	STEP_OF(LD, NO_STORE, AT(SI)); \
	LD(AT(SI), Y6); \
	VBLENDV Y7, Y11, Y6, Y6; \
	ST(Y6, AT(SI))
#define MASKED_DOT(LD, ST, AT, PRODUCTS, SQUARES, BITS) \
	SEEN_OF((BX), BITS); \
	LD(AT(R14), Y8); \
	READ(LD, AT(SI), AT(DX)); \
	VAND Y7, Y11, Y11; \
	VFMA Y11, Y8, PRODUCTS; \
	VAND Y7, Y8, Y6; \
	VFMA Y6, Y6, SQUARES
#define MASKED_FETCH \
	PREFETCHT1 (SI)(R8*4); \
	PREFETCHT1 (SI)(R9*2); \
	PREFETCHT1 (DX)(R10*4); \
	PREFETCHT1 (DX)(R11*2)
#define MASKED_ADD_R4(LD, ST, AT, A, B, BITS) \
	LD((R15), Y2); \
	LD((AX), Y3); \
	MASKED_ADD_ROW(LD, AT(SI), AT(DX), (BX), Y0, BITS); \
	MASKED_ADD_ROW(LD, AT(SI)(R8*1), AT(DX)(R10*1), (BX)(R12*1), Y1, BITS); \
	MASKED_ADD_ROW(LD, AT(SI)(R8*2), AT(DX)(R10*2), (BX)(R12*2), Y6, BITS); \
	MASKED_ADD_ROW(LD, AT(SI)(R9*1), AT(DX)(R11*1), (BX)(R13*1), Y14, BITS); \
	MASKED_ADDED(ST)
#define MASKED_ADD_R1(LD, ST, AT, A, B, BITS) \
	LD((R15), Y2); \
	LD((AX), Y3); \
	MASKED_ADD_ROW(LD, AT(SI), AT(DX), (BX), Y0, BITS); \
	MASKED_ADDED(ST)
#define MASKED_ADD_ROW(LD, N, M, O, V, BITS) \
	SEEN_OF(O, BITS); \
	READ(LD, N, M); \
	VAND Y7, Y11, Y11; \
	VFMA Y11, V, Y2; \
	VAND Y7, V, Y8; \
	VFMA Y8, Y8, Y3
#define MASKED_ADDED(ST) \
	ST(Y2, (R15)); \
	ST(Y3, (AX)); \
	ADDQ $32, R15; \
	ADDQ $32, AX

// The lanes of a row at AX.
#define MASKED_LANES(OP) \
	OP((AX), Y0); \
	OP(32(AX), Y1); \
	OP(64(AX), Y2); \
	OP(96(AX), Y3)

// Reductions.
#define REDUCE_IN \
	MOVQ  reduction_x(DI), SI; \
	MOVQ  reduction_y(DI), DX; \
	MOVQ  reduction_lanes(DI), R8; \
	VMOVU (R8), Y0; \
	VMOVU 32(R8), Y1; \
	VMOVU 64(R8), Y2; \
	VMOVU 96(R8), Y3; \
	MOVQ  reduction_n(DI), CX; \
	SHRQ  $(LANES_LOG+2), CX

// Folds by OP(later, earlier, to).
#define REDUCE_FOLD(OP) \
	OP(Y2, Y0, Y0); \
	OP(Y3, Y1, Y1); \
	OP(Y1, Y0, Y0); \
	VEXTRACTF128 $1, Y0, X1; \
	OP(Y1, Y0, Y0); \
	REDUCE_FOLD_PART(OP)

#define REDUCE_OUT \
	VMOVU Y0, (R8); \
	VMOVU Y1, 32(R8); \
	VMOVU Y2, 64(R8); \
	VMOVU Y3, 96(R8)

#define SUM_OF(X, Y, TO) VADD X, Y, TO
#define MAX_OF(X, Y, TO) VMAX Y, X, TO
#define MIN_OF(X, Y, TO) VMIN Y, X, TO

#define DOT_PART(AT, L) \
	VMOVU AT(R9), Y15; \
	PART_LOAD(AT(SI), Y4); \
	PART_LOAD(AT(DX), Y5); \
	VFMA  Y5, Y4, L

// In the last group a lane without an element meets itself.
#define EXTREMUM_PART(OP, AT, L) \
	VMOVU  AT(R9), Y15; \
	PART_LOAD(AT(SI), Y4); \
	VBLENDV Y15, Y4, L, Y4; \
	OP(Y4, L, L)

// A vector of Extrapolate.
#define EXTRAPOLATE_STEP(LD, ST, AT, L) \
	LD(AT(SI)(AX*1), Y3); \
	LD(AT(DX)(AX*1), Y4); \
	ST(Y3, AT(DX)(AX*1)); \
	VSUB Y4, Y3, Y4; \
	VFMA Y4, Y4, L; \
	VFMA Y4, Y2, Y3; \
	VMAX Y13, Y3, Y3; \
	ST(Y3, AT(SI)(AX*1))

// float64
#define TABLE ·avx2F64
#define CONTRACT ·contractAVX2F64
#define OUTER ·outerAVX2F64
#define OUTER1 outerAVX2F64of1<>
#define OUTER2 outerAVX2F64of2<>
#define OUTER3 outerAVX2F64of3<>
#define OUTER4 outerAVX2F64of4<>
#define SWEEP ·sweepAVX2F64
#define UPDATE ·updateAVX2F64
#define ADDITION ·addAVX2F64
#define EXTRAPOLATE ·extrapolateAVX2F64
#define RANK_ONE ·rankOneAVX2F64
#define AUGMENT ·augmentAVX2F64
#define TARGET ·targetAVX2F64
#define AUG_RANK_ONE ·augRankOneAVX2F64
#define KEEP ·keepAVX2F64
#define IMPUTE ·imputeAVX2F64
#define WEIGH ·weighAVX2F64
#define MASKED_UPDATE ·maskedUpdateAVX2F64
#define MASKED_AUGMENT ·maskedAugmentAVX2F64
#define MASKED_TARGET ·maskedTargetAVX2F64
#define MASKED_RANK_ONE ·maskedRankOneAVX2F64
#define MASKED_AUG_RANK ·maskedAugRankAVX2F64
#define DOT ·dotAVX2F64
#define MAX ·maxAVX2F64
#define MIN ·minAVX2F64
#define COUNT ·countLessAVX2F64
#define RATIO ·ratioAVX2F64
#define DOTLOG ·dotLogAVX2F64
#define DERIVE ·logDerivativesAVX2F64
#define PANEL ·panelAVX2F64
#define ADD_SCALED ·addScaledAVX2F64
#define SCALE ·scaleAVX2F64
#define SIZE 8
#define LANES_LOG 2
#define VMOVU VMOVUPD
#define VMASKMOV VMASKMOVPD
#define VBLENDV VBLENDVPD
#define VFMA VFMADD231PD
#define VFNMA VFNMADD231PD
#define VADD VADDPD
#define VSUB VSUBPD
#define VMUL VMULPD
#define VDIV VDIVPD
#define VMAX VMAXPD
#define VMIN VMINPD
#define VAND VANDPD
#define VCMP VCMPPD
#define VMOVMSK VMOVMSKPD
#define VBCST VBROADCASTSD
#define VMOVS VMOVSD
#define VFMAS VFMADD231SD
#define MOVI MOVQ
#define VPCMPEQ VPCMPEQQ
#define BIT_OF_LANE bits64<>(SB)
#define HALF_BYTES 0
#define ADDI ADDQ
#define FOLD_PART(A, T) VPERMILPD $0x5, A, T; VADDPD T, A, A
#define REDUCE_FOLD_PART(OP) VPERMILPD $0x5, Y0, Y1; OP(Y1, Y0, Y0)
#include "avx2_matrix_amd64.h"
#include "avx2_pass_amd64.h"
#include "avx2_augmented_amd64.h"
#include "avx2_masked_amd64.h"
#include "avx2_reduce_amd64.h"
#include "avx2_extrapolate_amd64.h"
#include "bodies.h"
#undef TABLE
#undef RATIO
#undef DOTLOG
#undef DERIVE
#undef PANEL
#undef ADD_SCALED
#undef SCALE
#undef CONTRACT
#undef OUTER
#undef OUTER1
#undef OUTER2
#undef OUTER3
#undef OUTER4
#undef SWEEP
#undef UPDATE
#undef ADDITION
#undef EXTRAPOLATE
#undef RANK_ONE
#undef AUGMENT
#undef TARGET
#undef AUG_RANK_ONE
#undef KEEP
#undef IMPUTE
#undef WEIGH
#undef MASKED_UPDATE
#undef MASKED_AUGMENT
#undef MASKED_TARGET
#undef MASKED_RANK_ONE
#undef MASKED_AUG_RANK
#undef DOT
#undef MAX
#undef MIN
#undef COUNT
#undef SIZE
#undef LANES_LOG
#undef VMOVU
#undef VMASKMOV
#undef VBLENDV
#undef VFMA
#undef VFNMA
#undef VADD
#undef VSUB
#undef VMUL
#undef VDIV
#undef VMAX
#undef VMIN
#undef VAND
#undef VCMP
#undef VMOVMSK
#undef VBCST
#undef VMOVS
#undef VFMAS
#undef MOVI
#undef VPCMPEQ
#undef BIT_OF_LANE
#undef HALF_BYTES
#undef ADDI
#undef FOLD_PART
#undef REDUCE_FOLD_PART

// float32
#define TABLE ·avx2F32
#define CONTRACT ·contractAVX2F32
#define OUTER ·outerAVX2F32
#define OUTER1 outerAVX2F32of1<>
#define OUTER2 outerAVX2F32of2<>
#define OUTER3 outerAVX2F32of3<>
#define OUTER4 outerAVX2F32of4<>
#define SWEEP ·sweepAVX2F32
#define UPDATE ·updateAVX2F32
#define ADDITION ·addAVX2F32
#define EXTRAPOLATE ·extrapolateAVX2F32
#define RANK_ONE ·rankOneAVX2F32
#define AUGMENT ·augmentAVX2F32
#define TARGET ·targetAVX2F32
#define AUG_RANK_ONE ·augRankOneAVX2F32
#define KEEP ·keepAVX2F32
#define IMPUTE ·imputeAVX2F32
#define WEIGH ·weighAVX2F32
#define MASKED_UPDATE ·maskedUpdateAVX2F32
#define MASKED_AUGMENT ·maskedAugmentAVX2F32
#define MASKED_TARGET ·maskedTargetAVX2F32
#define MASKED_RANK_ONE ·maskedRankOneAVX2F32
#define MASKED_AUG_RANK ·maskedAugRankAVX2F32
#define DOT ·dotAVX2F32
#define MAX ·maxAVX2F32
#define MIN ·minAVX2F32
#define COUNT ·countLessAVX2F32
#define RATIO ·ratioAVX2F32
#define DOTLOG ·dotLogAVX2F32
#define DERIVE ·logDerivativesAVX2F32
#define PANEL ·panelAVX2F32
#define ADD_SCALED ·addScaledAVX2F32
#define SCALE ·scaleAVX2F32
#define SIZE 4
#define LANES_LOG 3
#define VMOVU VMOVUPS
#define VMASKMOV VMASKMOVPS
#define VBLENDV VBLENDVPS
#define VFMA VFMADD231PS
#define VFNMA VFNMADD231PS
#define VADD VADDPS
#define VSUB VSUBPS
#define VMUL VMULPS
#define VDIV VDIVPS
#define VMAX VMAXPS
#define VMIN VMINPS
#define VAND VANDPS
#define VCMP VCMPPS
#define VMOVMSK VMOVMSKPS
#define VBCST VBROADCASTSS
#define VMOVS VMOVSS
#define VFMAS VFMADD231SS
#define MOVI MOVL
#define VPCMPEQ VPCMPEQD
#define BIT_OF_LANE bits32<>(SB)
#define HALF_BYTES 1
#define ADDI ADDL
#define FOLD_PART(A, T) VPERMILPS $0x4E, A, T; VADDPS T, A, A; VPERMILPS $0xB1, A, T; VADDPS T, A, A
#define REDUCE_FOLD_PART(OP) VPERMILPS $0x4E, Y0, Y1; OP(Y1, Y0, Y0); VPERMILPS $0xB1, Y0, Y1; OP(Y1, Y0, Y0)
#include "avx2_matrix_amd64.h"
#include "avx2_pass_amd64.h"
#include "avx2_augmented_amd64.h"
#include "avx2_masked_amd64.h"
#include "avx2_reduce_amd64.h"
#include "avx2_extrapolate_amd64.h"
#include "bodies.h"
