//go:build !purego

// AVX-512 bodies. The macros here are common to both precisions; the functions are
// in avx512_matrix, _pass, _augmented, _masked and _reduce_amd64.h, which are included once for float64
// and once for float32 with the instructions of that precision.
//
// A loop that several functions or sizes have is a file of its own, avx512_*_cols, _outer,
// _tile and _extremum, that is included at each use with the names of its labels and
// operations: the assembler puts all of a macro on the line of its use, but a file has
// lines, and a profile shows them.

#include "go_asm.h"
#include "textflag.h"

// The order in which FOLD8 leaves the sums: those of A, those of B.
DATA order64<>+0(SB)/8, $0x0705030106040200
GLOBL order64<>(SB), RODATA|NOPTR, $8
DATA order32<>+0(SB)/8, $0x0E0A06020C080400
DATA order32<>+8(SB)/8, $0x0E0A06020C080400
GLOBL order32<>(SB), RODATA|NOPTR, $16

// PART_LOAD and PART_STORE move the elements of K1 only; others load as zero.
#define LOAD(P, R) VMOVU P, R
#define STORE(R, P) VMOVU R, P
#define PART_LOAD(P, R) VMOVU.Z P, K1, R
#define PART_STORE(R, P) VMOVU R, K1, P

// Contraction. G_ROWS1 to G_ROWS6 apply OP to the rows of G in the panel: the
// address of the row at the column reached, and the accumulators of that row
// with each of the four rows of X.
#define G_ROWS1(OP) OP((DX), Z0, Z1, Z2, Z3)
#define G_ROWS2(OP) G_ROWS1(OP); OP((DX)(BX*1), Z4, Z5, Z6, Z7)
#define G_ROWS3(OP) G_ROWS2(OP); OP((DX)(BX*2), Z8, Z9, Z10, Z11)
#define G_ROWS4(OP) G_ROWS3(OP); OP((DX)(R11*1), Z12, Z13, Z14, Z15)
#define G_ROWS5(OP) G_ROWS4(OP); OP((DX)(BX*4), Z16, Z17, Z18, Z19)
#define G_ROWS6(OP) G_ROWS5(OP); OP((DX)(R12*1), Z20, Z21, Z22, Z23)

// One vector of a row of G times those of the rows of X, and the same for the
// last columns: zeros must be multiplied too, as a lane may hold -0.
#define G_FMA(G, A0, A1, A2, A3) \
	VMOVU G, Z28; \
	G_FMA4(A0, A1, A2, A3)
#define G_PART(G, A0, A1, A2, A3) \
	VMOVU.Z G, K1, Z28; \
	G_FMA4(A0, A1, A2, A3)
#define G_FMA4(A0, A1, A2, A3) \
	VFMA Z28, Z24, A0; \
	VFMA Z28, Z25, A1; \
	VFMA Z28, Z26, A2; \
	VFMA Z28, Z27, A3

// Add the lanes of four accumulators pairwise. The four sums are the 128-bit
// parts of Z30, each repeated in all elements of its part.
//	128-bit parts of A0..A3:  Z28 = A0[0]+A0[2] A0[1]+A0[3] A1[0]+A1[2] A1[1]+A1[3]
//	                          Z29 = the same of A2, A3
//	                          Z30 = one part of each of A0 A1 A2 A3
#define FOLD4(A0, A1, A2, A3) \
	VSHUFF64X2 $0x44, A1, A0, Z28; \
	VSHUFF64X2 $0xEE, A1, A0, Z29; \
	VSHUFF64X2 $0x44, A3, A2, Z30; \
	VSHUFF64X2 $0xEE, A3, A2, Z31; \
	VADD       Z29, Z28, Z28; \
	VADD       Z31, Z30, Z29; \
	VSHUFF64X2 $0x88, Z29, Z28, Z30; \
	VSHUFF64X2 $0xDD, Z29, Z28, Z31; \
	VADD       Z31, Z30, Z30; \
	FOLD_PART

// Add the lanes of eight accumulators, those of two rows of G, pairwise: half the
// elements to be added are in their place already, a blend of two accumulators
// instead of a second shuffle, which only one port can do. K5 names the upper half
// of a vector and K6 the upper half of its 128-bit parts, in 64-bit elements. Of
// the sums in Z30, in the order of Z29, the lower rows are those of A.
//	128-bit parts of A0..A3:  A0 = A0[0]+A0[2] A0[1]+A0[3] A1[0]+A1[2] A1[1]+A1[3]
//	                          A2 = the same of A2, A3
//	                          A0 = one part of each of A0 A1 A2 A3
//	and of B0..B3; then       A0 = in each part the lower half of A and that of B
#define FOLD_HALVES(A0, A1, T) \
	VSHUFF64X2 $0x4E, A1, A0, T; \
	VBLENDMPD  A1, A0, K5, A0; \
	VADD       T, A0, A0
#define FOLD_QUARTERS(A0, A2, T, U) \
	VSHUFF64X2 $0x88, A2, A0, T; \
	VSHUFF64X2 $0xDD, A2, A0, U; \
	VADD       U, T, A0
#define FOLD8(A0, A1, A2, A3, B0, B1, B2, B3) \
	FOLD_HALVES(A0, A1, Z24); \
	FOLD_HALVES(A2, A3, Z25); \
	FOLD_HALVES(B0, B1, Z26); \
	FOLD_HALVES(B2, B3, Z27); \
	FOLD_QUARTERS(A0, A2, Z24, Z25); \
	FOLD_QUARTERS(B0, B2, Z26, Z27); \
	VSHUFPD   $0x55, B0, A0, Z24; \
	VBLENDMPD B0, A0, K6, A0; \
	VADD      Z24, A0, A0; \
	FOLD_EIGHTH(A0); \
	FOLD_ORDER(A0, Z30)

// FOLD8 of two rows of G, or of the last one, and on to the next rows of A, unless
// they were the last.
#define FOLD_ROWS(A0, A1, A2, A3, B0, B1, B2, B3) \
	FOLD8(A0, A1, A2, A3, B0, B1, B2, B3); \
	STORE4((SI)); \
	DECQ CX; \
	JEQ  folded; \
	STORE_UPPER4((SI)(DX*1)); \
	LEAQ (SI)(DX*2), SI; \
	DECQ CX; \
	JEQ  folded

#define LANES4(OP, AT, P, A0, A1, A2, A3) \
	OP((AT+0)(P), A0); \
	OP((AT+64)(P), A1); \
	OP((AT+128)(P), A2); \
	OP((AT+192)(P), A3)
#define LANES(OP) \
	LANES4(OP, 0, R15, Z0, Z1, Z2, Z3); \
	LANES4(OP, 256, R15, Z4, Z5, Z6, Z7); \
	LANES4(OP, 512, R15, Z8, Z9, Z10, Z11); \
	LANES4(OP, 768, R15, Z12, Z13, Z14, Z15); \
	LANES4(OP, 1024, R15, Z16, Z17, Z18, Z19); \
	LANES4(OP, 1280, R15, Z20, Z21, Z22, Z23)
#define LANE_SAVE(P, R) VMOVU R, P
#define LANE_LOAD(P, R) VMOVU P, R
#define LANE_ZERO(P, R) VPXORQ R, R, R

// OF_HEIGHT goes on in the body for a height, if it is that of CX.
#define OF_HEIGHT(N, BODY) \
	CMPQ CX, $N; \
	JNE  2(PC); \
	JMP  BODY(SB)

// Outer products. OUT_ROWS1 to OUT_ROWS8 apply OP to the rows of the output
// tile: the address of the coefficient and three accumulators, of which a tile
// of two vectors uses the last two and one of one vector the last.
#define OUT_ROWS1(OP) OP((DX), Z0, Z1, Z2)
#define OUT_ROWS2(OP) OUT_ROWS1(OP); OP((DX)(BX*1), Z3, Z4, Z5)
#define OUT_ROWS3(OP) OUT_ROWS2(OP); OP((DX)(BX*2), Z6, Z7, Z8)
#define OUT_ROWS4(OP) OUT_ROWS3(OP); OP((DX)(R8*1), Z9, Z10, Z11)
#define OUT_ROWS5(OP) OUT_ROWS4(OP); OP((DX)(BX*4), Z12, Z13, Z14)
#define OUT_ROWS6(OP) OUT_ROWS5(OP); OP((DX)(R9*1), Z15, Z16, Z17)
#define OUT_ROWS7(OP) OUT_ROWS6(OP); OP((DX)(R8*2), Z18, Z19, Z20)
#define OUT_ROWS8(OP) OUT_ROWS7(OP); OP((DX)(R10*1), Z21, Z22, Z23)

#define OUT_LOAD3(C, A0, A1, A2) \
	VMOVU   (AX), A0; \
	VMOVU   64(AX), A1; \
	VMOVU.Z 128(AX), K1, A2; \
	ADDQ    R14, AX
#define OUT_LOAD2(C, A0, A1, A2) \
	VMOVU   (AX), A1; \
	VMOVU.Z 64(AX), K1, A2; \
	ADDQ    R14, AX
#define OUT_LOAD1(C, A0, A1, A2) \
	VMOVU.Z (AX), K1, A2; \
	ADDQ    R14, AX
#define OUT_ZERO(C, A0, A1, A2) \
	VPXORQ A0, A0, A0; \
	VPXORQ A1, A1, A1; \
	VPXORQ A2, A2, A2

#define OUT_FMA3(C, A0, A1, A2) \
	VBCST C, Z27; \
	VFMA  Z24, Z27, A0; \
	VFMA  Z25, Z27, A1; \
	VFMA  Z26, Z27, A2
#define OUT_FMA2(C, A0, A1, A2) \
	VBCST C, Z27; \
	VFMA  Z25, Z27, A1; \
	VFMA  Z26, Z27, A2
#define OUT_FMA1(C, A0, A1, A2) \
	VBCST C, Z27; \
	VFMA  Z26, Z27, A2

#define SRC3 VMOVU (SI), Z24; VMOVU 64(SI), Z25; VMOVU.Z 128(SI), K1, Z26
#define SRC2 VMOVU (SI), Z25; VMOVU.Z 64(SI), K1, Z26
#define SRC1 VMOVU.Z (SI), K1, Z26

#define OUT_STORE3(C, A0, A1, A2) \
	VMOVU A0, (AX); \
	VMOVU A1, 64(AX); \
	VMOVU A2, K1, 128(AX); \
	ADDQ  R14, AX
#define OUT_STORE2(C, A0, A1, A2) \
	VMOVU A1, (AX); \
	VMOVU A2, K1, 64(AX); \
	ADDQ  R14, AX
#define OUT_STORE1(C, A0, A1, A2) \
	VMOVU A2, K1, (AX); \
	ADDQ  R14, AX

// The epilogue of UpdateMultiplierProduct: the tile is P, and N, at AX, is
// updated by it. M is at CX, with stride SI; µ in Z28, zero in Z29.
#define OUT_STEP(LD, ST, AT, P) \
	LD(AT(CX), Z24); \
	VMAX Z29, Z24, Z24; \
	VSUB P, Z24, P; \
	LD(AT(AX), Z25); \
	VFMA P, Z28, Z25; \
	VMIN Z24, Z25, Z25; \
	ST(Z25, AT(AX))
#define OUT_STEP3(C, A0, A1, A2) \
	OUT_STEP(LOAD, STORE, 0, A0); \
	OUT_STEP(LOAD, STORE, 64, A1); \
	OUT_STEP(PART_LOAD, PART_STORE, 128, A2); \
	OUT_STEP_ROW
#define OUT_STEP2(C, A0, A1, A2) \
	OUT_STEP(LOAD, STORE, 0, A1); \
	OUT_STEP(PART_LOAD, PART_STORE, 64, A2); \
	OUT_STEP_ROW
#define OUT_STEP1(C, A0, A1, A2) \
	OUT_STEP(PART_LOAD, PART_STORE, 0, A2); \
	OUT_STEP_ROW
#define OUT_STEP_ROW \
	ADDQ R14, AX; \
	ADDQ SI, CX

// Sweep. VECS1 to VECS8 apply OP to the vectors of a panel of columns: their
// offset and register. The last one is the one of K1.
#define VECS1(OP, LAST) LAST(0, Z0)
#define VECS2(OP, LAST) OP(0, Z0); LAST(64, Z1)
#define VECS3(OP, LAST) OP(0, Z0); OP(64, Z1); LAST(128, Z2)
#define VECS4(OP, LAST) OP(0, Z0); OP(64, Z1); OP(128, Z2); LAST(192, Z3)
#define VECS5(OP, LAST) OP(0, Z0); OP(64, Z1); OP(128, Z2); OP(192, Z3); LAST(256, Z4)
#define VECS6(OP, LAST) OP(0, Z0); OP(64, Z1); OP(128, Z2); OP(192, Z3); OP(256, Z4); LAST(320, Z5)
#define VECS7(OP, LAST) OP(0, Z0); OP(64, Z1); OP(128, Z2); OP(192, Z3); OP(256, Z4); OP(320, Z5); LAST(384, Z6)
#define VECS8(OP, LAST) OP(0, Z0); OP(64, Z1); OP(128, Z2); OP(192, Z3); OP(256, Z4); OP(320, Z5); OP(384, Z6); LAST(448, Z7)

#define T_LOAD(AT, T) VMOVU AT(SI), T
#define T_LOAD_PART(AT, T) VMOVU.Z AT(SI), K1, T
#define T_FMA(AT, T) VFNMA AT(SI), Z8, T
#define T_FMA_PART(AT, T) VFNMA AT(SI), Z8, K1, T
#define T_PROJECT(AT, T) VSUB Z10, T, T; VCMP $0x1E, Z9, T, K2; VMUL.Z Z11, T, K2, T
#define T_MASK(AT, T) VMUL AT(DX), T, T
#define T_MASK_PART(AT, T) VMUL AT(DX), T, K1, T
#define T_STORE(AT, T) VMOVU T, AT(SI)
#define T_STORE_PART(AT, T) VMOVU T, K1, AT(SI)

// The projected multiplier update of one vector: N at its address, p in Z5, m
// in Z6, µ in Z20, zero in Z21. Leaves the new n in Z7.
//	m⁺ = m > 0 ? m : +0;  n = fma(µ, m⁺-p, n);  n = n < m⁺ ? n : m⁺
#define STEP(LD, ST, N) \
	VMAX Z21, Z6, Z6; \
	VSUB Z5, Z6, Z5; \
	LD(N, Z7); \
	VFMA Z5, Z20, Z7; \
	VMIN Z6, Z7, Z7; \
	ST(Z7, N)

// The same with p = v w, v in V, w in Z4.
#define RANK_STEP(LD, ST, N, M, V) \
	VMUL Z4, V, Z5; \
	LD(M, Z6); \
	STEP(LD, ST, N)

// Rank one: v of a group from the sums of its lanes in Z30, as FOLD4 leaves
// them: sum > 0 ? sum * inv : +0.
#define PROJECT VCMP $0x1E, Z21, Z30, K4; VMUL.Z Z23, Z30, K4, Z30

// Stores v of a group, or if inv = 0 goes on with the v of the previous pass.
#define KEEP_V(old) \
	MOVI      rankOne_inv(DI), CX; \
	ADDI      CX, CX; \
	JEQ       old; \
	VCOMPRESS Z30, K3, Z30; \
	STORE4((R14))

// The bodies, for four rows (R4), two (R2) or one (R1). DOT has n at SI and the
// lanes from Z0 on; ADD has n at AX and v from Z16 on; the update has m at R10
// and takes the v from Z24 on in DOT.
#define DOT_R4(LD, ST) \
	DOT_R2(LD, ST); \
	DOT_ROW(LD, (SI)(R8*2), Z2); \
	DOT_ROW(LD, (SI)(R9*1), Z3)
#define DOT_R2(LD, ST) \
	DOT_R1(LD, ST); \
	DOT_ROW(LD, (SI)(R8*1), Z1)
#define DOT_R1(LD, ST) \
	LD((BX), Z4); \
	DOT_ROW(LD, (SI), Z0)
#define DOT_ROW(LD, N, A) LD(N, Z7); VFMA Z7, Z4, A

#define STEP_DOT_R2(LD, ST) \
	STEP_DOT_R1(LD, ST); \
	STEP_DOT_ROW(LD, ST, (SI)(R8*1), (R10)(R11*1), Z25, Z1)
#define STEP_DOT_R1(LD, ST) \
	LD((BX), Z4); \
	STEP_DOT_ROW(LD, ST, (SI), (R10), Z24, Z0)
#define STEP_DOT_ROW(LD, ST, N, M, V, A) RANK_STEP(LD, ST, N, M, V); VFMA Z7, Z4, A

#define ADD_R4(LD, ST) \
	LD((R13), Z8); \
	ADD_ROW(LD, (AX), Z16); \
	ADD_ROW(LD, (AX)(R8*1), Z17); \
	ADD_ROW(LD, (AX)(R8*2), Z18); \
	ADD_ROW(LD, (AX)(R9*1), Z19); \
	ST(Z8, (R13))
#define ADD_R2(LD, ST) \
	LD((R13), Z8); \
	ADD_ROW(LD, (AX), Z16); \
	ADD_ROW(LD, (AX)(R8*1), Z17); \
	ST(Z8, (R13))
#define ADD_R1(LD, ST) \
	LD((R13), Z8); \
	ADD_ROW(LD, (AX), Z16); \
	ST(Z8, (R13))
#define ADD_ROW(LD, N, V) LD(N, Z7); VFMA Z7, V, Z8

#define STEP_ADD_R2(LD, ST) \
	LD((BX), Z4); \
	LD((R13), Z8); \
	STEP_ADD_ROW(LD, ST, (AX), (R10), Z16); \
	STEP_ADD_ROW(LD, ST, (AX)(R8*1), (R10)(R11*1), Z17); \
	ST(Z8, (R13))
#define STEP_ADD_R1(LD, ST) \
	LD((BX), Z4); \
	LD((R13), Z8); \
	STEP_ADD_ROW(LD, ST, (AX), (R10), Z16); \
	ST(Z8, (R13))
#define STEP_ADD_ROW(LD, ST, N, M, V) RANK_STEP(LD, ST, N, M, V); VFMA Z7, V, Z8

// The sums of one group and the products of the next, while those after it are
// fetched: four rows with R11, R12 = 5, 7 strides of N, or two with R9 = 5 strides
// of N and R12 = 5 of M.
#define ADD_DOT_R4(LD, ST) \
	PREFETCHT1 (SI)(R8*4); \
	PREFETCHT1 (SI)(R11*1); \
	PREFETCHT1 (SI)(R9*2); \
	PREFETCHT1 (SI)(R12*1); \
	ADD_R4(LD, ST); \
	DOT_R4(LD, ST)
#define FETCH_R2 \
	PREFETCHT1 (SI)(R8*4); \
	PREFETCHT1 (SI)(R9*1); \
	PREFETCHT1 (R10)(R11*4); \
	PREFETCHT1 (R10)(R12*1)
#define ADD_STEP_DOT_R2(LD, ST) \
	FETCH_R2; \
	ADD_R2(LD, ST); \
	STEP_DOT_R2(LD, ST)
#define STEP_ADD_DOT_R2(LD, ST) \
	FETCH_R2; \
	STEP_ADD_R2(LD, ST); \
	DOT_R2(LD, ST)

// The augmented Lagrangian. AUG_STEP is the update of one vector: G at its address, p
// in Z5, m in Z6, 1/(1+ρ) in Z20, zero in Z21. Leaves m⁺ in Z6 and the new g in Z7.
//	m⁺ = m > 0 ? m : +0;  y = g + (m⁺-p)
//	g = fma(1/(1+ρ), y > 0 ? y : +0, y < 0 ? y : +0)
#define AUG_STEP(LD, ST, G) \
	VMAX Z21, Z6, Z6; \
	VSUB Z5, Z6, Z5; \
	LD(G, Z7); \
	VADD Z5, Z7, Z5; \
	VMIN Z21, Z5, Z7; \
	VMAX Z21, Z5, Z5; \
	VFMA Z5, Z20, Z7; \
	ST(Z7, G)

// The target of m⁺ in Z6 and g in Z7, left in Z7; 1-ρ in Z9. Changes Z6, Z10.
//	s = m⁺+g;  t = fma(1-ρ, g, m⁺);  n = t < s ? t : s
#define AUG_TARGET \
	VADD Z6, Z7, Z10; \
	VFMA Z9, Z7, Z6; \
	VMIN Z10, Z6, Z7

// The target of m in Z6 and g in Z7, of Target: a and b in Z20 and Z9. Changes Z5, Z6.
#define TARGET_OF \
	VMAX  Z21, Z6, Z6; \
	VMOVU Z6, Z5; \
	VFMA  Z20, Z7, Z5; \
	VFMA  Z9, Z7, Z6; \
	VMIN  Z5, Z6, Z7

// One row of a rank-one pass up to its target, with the update for v in V and w in Z4,
// and without. The bodies are those of RankOne otherwise; of two groups, R10 is at m of
// the later one; R12 and DX are -1 and 5 strides of M.
#define AUG_UPDATED(LD, ST, G, M, V) \
	VMUL Z4, V, Z5; \
	LD(M, Z6); \
	AUG_STEP(LD, ST, G); \
	AUG_TARGET
#define AUG_READ(LD, G, M) \
	LD(M, Z6); \
	VMAX Z21, Z6, Z6; \
	LD(G, Z7); \
	AUG_TARGET

#define AUG_PRODUCTS2(LD, ST) \
	AUG_PRODUCTS1(LD, ST); \
	AUG_READ(LD, (SI)(R8*1), (R10)(R11*1)); \
	VFMA Z7, Z4, Z1
#define AUG_PRODUCTS1(LD, ST) \
	LD((BX), Z4); \
	AUG_READ(LD, (SI), (R10)); \
	VFMA Z7, Z4, Z0
#define AUG_BEFORE2(LD, ST) \
	AUG_BEFORE1(LD, ST); \
	AUG_UPDATED(LD, ST, (SI)(R8*1), (R10)(R11*1), Z25); \
	VFMA Z7, Z4, Z1
#define AUG_BEFORE1(LD, ST) \
	LD((BX), Z4); \
	AUG_UPDATED(LD, ST, (SI), (R10), Z24); \
	VFMA Z7, Z4, Z0
#define AUG_SUMS2(LD, ST) AUG_SUMS_OF2(LD, ST, (R10), (R10)(R11*1))
#define AUG_SUMS_OF2(LD, ST, M0, M1) \
	LD((R13), Z8); \
	AUG_READ(LD, (AX), M0); \
	VFMA Z7, Z16, Z8; \
	AUG_READ(LD, (AX)(R8*1), M1); \
	VFMA Z7, Z17, Z8; \
	ST(Z8, (R13))
#define AUG_SUMS1(LD, ST) \
	LD((R13), Z8); \
	AUG_READ(LD, (AX), (R10)); \
	VFMA Z7, Z16, Z8; \
	ST(Z8, (R13))
#define AUG_AFTER2(LD, ST) AUG_AFTER_OF2(LD, ST, (R10), (R10)(R11*1))
#define AUG_AFTER_OF2(LD, ST, M0, M1) \
	LD((BX), Z4); \
	LD((R13), Z8); \
	AUG_UPDATED(LD, ST, (AX), M0, Z16); \
	VFMA Z7, Z16, Z8; \
	AUG_UPDATED(LD, ST, (AX)(R8*1), M1, Z17); \
	VFMA Z7, Z17, Z8; \
	ST(Z8, (R13))
#define AUG_AFTER1(LD, ST) \
	LD((BX), Z4); \
	LD((R13), Z8); \
	AUG_UPDATED(LD, ST, (AX), (R10), Z16); \
	VFMA Z7, Z16, Z8; \
	ST(Z8, (R13))
#define AUG_FETCH2 \
	PREFETCHT1 (SI)(R8*4); \
	PREFETCHT1 (SI)(R9*1); \
	PREFETCHT1 (R10)(R11*4); \
	PREFETCHT1 (R10)(DX*1)
#define AUG_SUMS_BEFORE2(LD, ST) \
	AUG_FETCH2; \
	AUG_SUMS_OF2(LD, ST, (R10)(R12*2), (R10)(R12*1)); \
	AUG_BEFORE2(LD, ST)
#define AUG_AFTER_PRODUCTS2(LD, ST) \
	AUG_FETCH2; \
	AUG_AFTER_OF2(LD, ST, (R10)(R12*2), (R10)(R12*1)); \
	AUG_PRODUCTS2(LD, ST)

// Masks. SEEN_AT sets K2 to the bits of a vector of columns, at P in the mask, and
// PART_SEEN_AT to those of the last columns, K1, of which P has the bytes K3; it changes
// CX and X0. SEEN and PART_SEEN find them from AX, the column in bytes, in the row at P,
// and change R14.
#define SEEN_AT(P) KMOV_SEEN P, K2
#define PART_SEEN_AT(P) PART_KMOV(P); KANDW K1, K2, K2
#define SEEN(P) MOVQ AX, R14; SHRQ $(9-LANES_LOG), R14; SEEN_AT(P(R14*1))
#define PART_SEEN(P) MOVQ AX, R14; SHRQ $(9-LANES_LOG), R14; PART_SEEN_AT(P(R14*1))
#define SEEN_LOAD(P, R) VMOVU.Z P, K2, R
#define SEEN_STORE(R, P) VMOVU R, K2, P
#define NO_STORE(R, P)

// BYTES_OF sets K3 to the bytes that have a bit of the first elements of A, 16 at most:
// 1 if there is one, and 2 more if there are more than eight. Changes A and T.
#define BYTES_OF(A, T) \
	ANDL  $0x101, A; \
	MOVL  A, T; \
	SHRL  $7, T; \
	ORL   T, A; \
	KMOVB A, K3

// The masked rank-one pass, for four rows (R4) or one (R1).
#define MASKED_STEP(LD, SEEN_IN) \
	SEEN_IN((BX)); \
	LD((R14), Z4); \
	VMUL Z4, Z16, Z5; \
	SEEN_LOAD((DX), Z6); \
	STEP_OF(SEEN_LOAD, SEEN_STORE, (SI))

#define MASKED_DOT_R4(LD, ST, SEEN_IN) \
	MASKED_DOT_R1(LD, ST, SEEN_IN); \
	MASKED_DOT_ROW(SEEN_IN, (SI)(R8*1), (DX)(R10*1), (BX)(R12*1), Z25, Z13); \
	MASKED_DOT_ROW(SEEN_IN, (SI)(R8*2), (DX)(R10*2), (BX)(R12*2), Z26, Z14); \
	MASKED_DOT_ROW(SEEN_IN, (SI)(R9*1), (DX)(R11*1), (BX)(R13*1), Z27, Z15)
#define MASKED_DOT_R1(LD, ST, SEEN_IN) \
	LD((R14), Z4); \
	MASKED_DOT_ROW(SEEN_IN, (SI), (DX), (BX), Z24, Z12)
#define MASKED_DOT_ROW(SEEN_IN, N, M, O, PRODUCTS, SQUARES) \
	SEEN_IN(O); \
	READ(N, M); \
	VFMA Z7, Z4, PRODUCTS; \
	VFMA Z4, Z4, K2, SQUARES

#define MASKED_ADD_R4(LD, ST, SEEN_IN) \
	PREFETCHT1 (SI)(R8*4); \
	PREFETCHT1 (SI)(R9*2); \
	PREFETCHT1 (DX)(R10*4); \
	PREFETCHT1 (DX)(R11*2); \
	LD((R15), Z8); \
	LD((AX), Z11); \
	MASKED_ADD_ROW(SEEN_IN, (SI), (DX), (BX), Z16); \
	MASKED_ADD_ROW(SEEN_IN, (SI)(R8*1), (DX)(R10*1), (BX)(R12*1), Z17); \
	MASKED_ADD_ROW(SEEN_IN, (SI)(R8*2), (DX)(R10*2), (BX)(R12*2), Z18); \
	MASKED_ADD_ROW(SEEN_IN, (SI)(R9*1), (DX)(R11*1), (BX)(R13*1), Z19); \
	ST(Z8, (R15)); \
	ST(Z11, (AX))
#define MASKED_ADD_R1(LD, ST, SEEN_IN) \
	LD((R15), Z8); \
	LD((AX), Z11); \
	MASKED_ADD_ROW(SEEN_IN, (SI), (DX), (BX), Z16); \
	ST(Z8, (R15)); \
	ST(Z11, (AX))
#define MASKED_ADD_ROW(SEEN_IN, N, M, O, V) \
	SEEN_IN(O); \
	READ(N, M); \
	VFMA    Z7, V, Z8; \
	VMOVU.Z V, K2, Z5; \
	VFMA    Z5, Z5, Z11

#define MASKED_LANES(OP, P) \
	LANES4(OP, 0, P, Z24, Z25, Z26, Z27); \
	LANES4(OP, 256, P, Z12, Z13, Z14, Z15)

// MASKED_GROUP begins the columns of a group of rows.
#define MASKED_GROUP \
	MOVQ rankOne_nRow(DI), SI; \
	MOVQ rankOne_mRow(DI), DX; \
	MOVQ rankOne_seenRow(DI), BX; \
	MOVQ rankOne_w(DI), R14; \
	LEAQ (R8)(R8*2), R9; \
	LEAQ (R10)(R10*2), R11; \
	LEAQ (R12)(R12*2), R13

// Reductions.
#define REDUCE_IN \
	MOVQ  reduction_x(DI), SI; \
	MOVQ  reduction_y(DI), DX; \
	MOVQ  reduction_lanes(DI), R8; \
	VMOVU (R8), Z0; \
	VMOVU 64(R8), Z1; \
	MOVQ  reduction_n(DI), CX; \
	SHRQ  $(LANES_LOG+1), CX

#define REDUCE_MASKS \
	MOVQ  reduction_n(DI), CX; \
	ANDQ  $(128/SIZE-1), CX; \
	MOVL  $1, AX; \
	SHLQ  CX, AX; \
	DECQ  AX; \
	KMOVW AX, K1; \
	SHRQ  $(64/SIZE), AX; \
	KMOVW AX, K2

// Folds by OP(later, earlier, to).
#define REDUCE_FOLD(OP) \
	OP(Z1, Z0, Z0); \
	VSHUFF64X2 $0xEE, Z0, Z0, Z1; \
	OP(Z1, Z0, Z0); \
	VSHUFF64X2 $0x55, Z0, Z0, Z1; \
	OP(Z1, Z0, Z0); \
	REDUCE_FOLD_PART(OP)

#define REDUCE_OUT \
	VMOVU Z0, (R8); \
	VMOVU Z1, 64(R8)

#define SUM_OF(X, Y, TO) VADD X, Y, TO
#define MAX_OF(X, Y, TO) VMAX Y, X, TO
#define MIN_OF(X, Y, TO) VMIN Y, X, TO

// A vector of Extrapolate.
#define EXTRAPOLATE_STEP \
	VSUB Z4, Z3, Z4; \
	VFMA Z4, Z4, Z0; \
	VFMA Z4, Z2, Z3; \
	VMAX Z1, Z3, Z3

// float64
#define TABLE ·avx512F64
#define CONTRACT ·contractAVX512F64
#define OUTER ·outerAVX512F64
#define OUTER1 outerAVX512F64of1<>
#define OUTER2 outerAVX512F64of2<>
#define OUTER3 outerAVX512F64of3<>
#define OUTER4 outerAVX512F64of4<>
#define OUTER5 outerAVX512F64of5<>
#define OUTER6 outerAVX512F64of6<>
#define OUTER7 outerAVX512F64of7<>
#define OUTER8 outerAVX512F64of8<>
#define SWEEP ·sweepAVX512F64
#define UPDATE ·updateAVX512F64
#define ADDITION ·addAVX512F64
#define EXTRAPOLATE ·extrapolateAVX512F64
#define RANK_ONE ·rankOneAVX512F64
#define AUGMENT ·augmentAVX512F64
#define TARGET ·targetAVX512F64
#define AUG_RANK_ONE ·augRankOneAVX512F64
#define KEEP ·keepAVX512F64
#define IMPUTE ·imputeAVX512F64
#define WEIGH ·weighAVX512F64
#define MASKED_UPDATE ·maskedUpdateAVX512F64
#define MASKED_AUGMENT ·maskedAugmentAVX512F64
#define MASKED_TARGET ·maskedTargetAVX512F64
#define MASKED_RANK_ONE ·maskedRankOneAVX512F64
#define MASKED_AUG_RANK ·maskedAugRankAVX512F64
#define DOT ·dotAVX512F64
#define MAX ·maxAVX512F64
#define MIN ·minAVX512F64
#define COUNT ·countLessAVX512F64
#define RATIO ·ratioAVX512F64
#define DOTLOG ·dotLogAVX512F64
#define DERIVE ·logDerivativesAVX512F64
#define PANEL ·panelAVX512F64
#define ADD_SCALED ·addScaledAVX512F64
#define SCALE ·scaleAVX512F64
#define SIZE 8
#define LANES_LOG 3
#define VMOVU VMOVUPD
#define VFMA VFMADD231PD
#define VFNMA VFNMADD231PD
#define VADD VADDPD
#define VSUB VSUBPD
#define VMUL VMULPD
#define VDIV VDIVPD
#define VMAX VMAXPD
#define VMIN VMINPD
#define VCMP VCMPPD
#define VCOMPRESS VCOMPRESSPD
#define VBCST VBROADCASTSD
#define VMOVS VMOVSD
#define VFMAS VFMADD231SD
#define MOVI MOVQ
#define KMOV_SEEN KMOVB
#define PART_KMOV(P) KMOVB P, K2
#define ADDI ADDQ
#define FOLD_MASK 0x55
#define FOLD_PART VPERMILPD $0x55, Z30, Z31; VADDPD Z31, Z30, Z30
#define STORE4(P) VMOVUPD Y30, K2, P
#define STORE_UPPER4(P) VEXTRACTF64X4 $1, Z30, Y30; STORE4(P)
#define FOLD_EIGHTH(A)
#define FOLD_ORDER(A, TO) VPERMPD A, Z29, TO
#define LOAD_ORDER(P, TO) VPMOVSXBQ P, TO
#define ORDER order64<>(SB)
#define REDUCE_FOLD_PART(OP) VPERMILPD $0x55, Z0, Z1; OP(Z1, Z0, Z0)
#include "avx512_matrix_amd64.h"
#include "avx512_pass_amd64.h"
#include "avx512_augmented_amd64.h"
#include "avx512_masked_amd64.h"
#include "avx512_reduce_amd64.h"
#include "avx512_extrapolate_amd64.h"
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
#undef OUTER5
#undef OUTER6
#undef OUTER7
#undef OUTER8
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
#undef VFMA
#undef VFNMA
#undef VADD
#undef VSUB
#undef VMUL
#undef VDIV
#undef VMAX
#undef VMIN
#undef VCMP
#undef VCOMPRESS
#undef VBCST
#undef VMOVS
#undef VFMAS
#undef MOVI
#undef KMOV_SEEN
#undef PART_KMOV
#undef ADDI
#undef FOLD_MASK
#undef FOLD_PART
#undef STORE4
#undef STORE_UPPER4
#undef FOLD_EIGHTH
#undef FOLD_ORDER
#undef LOAD_ORDER
#undef ORDER
#undef REDUCE_FOLD_PART

// float32
#define TABLE ·avx512F32
#define CONTRACT ·contractAVX512F32
#define OUTER ·outerAVX512F32
#define OUTER1 outerAVX512F32of1<>
#define OUTER2 outerAVX512F32of2<>
#define OUTER3 outerAVX512F32of3<>
#define OUTER4 outerAVX512F32of4<>
#define OUTER5 outerAVX512F32of5<>
#define OUTER6 outerAVX512F32of6<>
#define OUTER7 outerAVX512F32of7<>
#define OUTER8 outerAVX512F32of8<>
#define SWEEP ·sweepAVX512F32
#define UPDATE ·updateAVX512F32
#define ADDITION ·addAVX512F32
#define EXTRAPOLATE ·extrapolateAVX512F32
#define RANK_ONE ·rankOneAVX512F32
#define AUGMENT ·augmentAVX512F32
#define TARGET ·targetAVX512F32
#define AUG_RANK_ONE ·augRankOneAVX512F32
#define KEEP ·keepAVX512F32
#define IMPUTE ·imputeAVX512F32
#define WEIGH ·weighAVX512F32
#define MASKED_UPDATE ·maskedUpdateAVX512F32
#define MASKED_AUGMENT ·maskedAugmentAVX512F32
#define MASKED_TARGET ·maskedTargetAVX512F32
#define MASKED_RANK_ONE ·maskedRankOneAVX512F32
#define MASKED_AUG_RANK ·maskedAugRankAVX512F32
#define DOT ·dotAVX512F32
#define MAX ·maxAVX512F32
#define MIN ·minAVX512F32
#define COUNT ·countLessAVX512F32
#define RATIO ·ratioAVX512F32
#define DOTLOG ·dotLogAVX512F32
#define DERIVE ·logDerivativesAVX512F32
#define PANEL ·panelAVX512F32
#define ADD_SCALED ·addScaledAVX512F32
#define SCALE ·scaleAVX512F32
#define SIZE 4
#define LANES_LOG 4
#define VMOVU VMOVUPS
#define VFMA VFMADD231PS
#define VFNMA VFNMADD231PS
#define VADD VADDPS
#define VSUB VSUBPS
#define VMUL VMULPS
#define VDIV VDIVPS
#define VMAX VMAXPS
#define VMIN VMINPS
#define VCMP VCMPPS
#define VCOMPRESS VCOMPRESSPS
#define VBCST VBROADCASTSS
#define VMOVS VMOVSS
#define VFMAS VFMADD231SS
#define MOVI MOVL
#define KMOV_SEEN KMOVW
#define PART_KMOV(P) VMOVDQU8.Z P, K3, X0; VMOVD X0, CX; KMOVW CX, K2
#define ADDI ADDL
#define FOLD_MASK 0x1111
#define FOLD_PART VPERMILPS $0x4E, Z30, Z31; VADDPS Z31, Z30, Z30; VPERMILPS $0xB1, Z30, Z31; VADDPS Z31, Z30, Z30
#define STORE4(P) VMOVUPS X30, K2, P
#define STORE_UPPER4(P) VEXTRACTF32X4 $1, Z30, X30; STORE4(P)
#define FOLD_EIGHTH(A) VPERMILPS $0xB1, A, Z24; VADDPS Z24, A, A
#define FOLD_ORDER(A, TO) VPERMPS A, Z29, TO
#define LOAD_ORDER(P, TO) VPMOVSXBD P, TO
#define ORDER order32<>(SB)
#define REDUCE_FOLD_PART(OP) VPERMILPS $0x4E, Z0, Z1; OP(Z1, Z0, Z0); VPERMILPS $0xB1, Z0, Z1; OP(Z1, Z0, Z0)
#include "avx512_matrix_amd64.h"
#include "avx512_pass_amd64.h"
#include "avx512_augmented_amd64.h"
#include "avx512_masked_amd64.h"
#include "avx512_reduce_amd64.h"
#include "avx512_extrapolate_amd64.h"
#include "bodies.h"
