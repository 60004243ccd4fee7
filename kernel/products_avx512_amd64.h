// The AVX-512 bodies of products.go. kernel_avx512_amd64.h has what the rooms share.

// Contraction. G_ROWS1 to G_ROWS6 apply OP to the rows of G in the panel: the
// address of the row at the column reached, that of its lanes, and these with each
// of the four rows of X.
#define G_ROWS1(OP, AT) OP((DX), 0, X0, Z0, Z1, Z2, Z3)
#define G_ROWS2(OP, AT) G_ROWS1(OP, AT); OP((DX)(BX*1), 256, X4, Z4, Z5, Z6, Z7)
#define G_ROWS3(OP, AT) G_ROWS2(OP, AT); OP((DX)(BX*2), 512, X8, Z8, Z9, Z10, Z11)
#define G_ROWS4(OP, AT) G_ROWS3(OP, AT); OP((DX)(R11*1), 768, X12, Z12, Z13, Z14, Z15)
#define G_ROWS5(OP, AT) G_ROWS4(OP, AT); OP((DX)(BX*4), 1024, X16, Z16, Z17, Z18, Z19)
#define G_ROWS6(OP, AT) G_ROWS5(OP, AT); OP((DX)(R12*1), 1280, X20, Z20, Z21, Z22, Z23)

// One vector of each row of X, and on to the next.
#define X_COLS(LD) \
	LD((SI), Z24); \
	LD((SI)(R8*1), Z25); \
	LD((SI)(R9*1), Z26); \
	LD((SI)(R10*1), Z27)
#define G_NEXT(loop) \
	ADDQ $64, SI; \
	ADDQ $64, DX; \
	DECQ CX; \
	JNE  loop

// One vector of a row of G times those of the rows of X, and the same for the
// last columns: zeros must be multiplied too, as a lane may hold -0.
#define G_FMA(G, L, X, A0, A1, A2, A3) G_FMA4(LOAD, G, A0, A1, A2, A3)
#define G_PART(G, L, X, A0, A1, A2, A3) G_FMA4(PART_LOAD, G, A0, A1, A2, A3)
#define G_FMA4(LD, G, A0, A1, A2, A3) \
	LD(G, Z28); \
	VFMA Z28, Z24, A0; \
	VFMA Z28, Z25, A1; \
	VFMA Z28, Z26, A2; \
	VFMA Z28, Z27, A3

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

// FOLD8 of two rows of G, and on to the next rows of A; or of the last row, with
// what is in Z28 for the second one. G_FOLDS1 to G_FOLDS6 are for a height.
#define FOLD_ROWS(A0, A1, A2, A3, B0, B1, B2, B3) \
	FOLD8(A0, A1, A2, A3, B0, B1, B2, B3); \
	STORE4((SI)); \
	STORE_UPPER4((SI)(DX*1)); \
	LEAQ (SI)(DX*2), SI
#define FOLD_ROW(A0, A1, A2, A3) \
	FOLD8(A0, A1, A2, A3, Z28, Z28, Z28, Z28); \
	STORE4((SI))
#define G_FOLDS1 FOLD_ROW(Z0, Z1, Z2, Z3)
#define G_FOLDS2 FOLD_ROWS(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
#define G_FOLDS3 G_FOLDS2; FOLD_ROW(Z8, Z9, Z10, Z11)
#define G_FOLDS4 G_FOLDS2; FOLD_ROWS(Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)
#define G_FOLDS5 G_FOLDS4; FOLD_ROW(Z16, Z17, Z18, Z19)
#define G_FOLDS6 G_FOLDS4; FOLD_ROWS(Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23)

#define CONTRACT_ROWS 4
#define CONTRACT_LANES const_lanesAVX512
#define CONTRACT_BEGIN \
	LAST_MASK(CX); /* no columns: empty */ \
	MOVQ contraction_gStride(DI), BX; \
	LEAQ (BX)(BX*2), R11; \
	LEAQ (BX)(BX*4), R12; \
	MOVL $0xF0, AX; \
	KMOVW AX, K5; \
	MOVL $0xAA, AX; \
	KMOVW AX, K6; \
	LOAD_ORDER(ORDER, Z29)
#define X_STRIDES \
	MOVQ contraction_xStride(DI), R8; \
	LEAQ (R8)(R8*1), R9; \
	LEAQ (R8)(R8*2), R10; \
	MOVL $15, CX; \
	CMPQ AX, $4; \
	JGE  rows; \
	XORL R10, R10; \
	MOVL $7, CX; \
	CMPQ AX, $3; \
	JEQ  rows; \
	XORL R9, R9; \
	MOVL $3, CX; \
	CMPQ AX, $2; \
	JEQ  rows; \
	XORL R8, R8; \
	MOVL $1, CX; \
rows: \
	KMOVW CX, K2
#define CONTRACT_COLS(G_ROWS) \
	KMOVQ AX, K4; \
	MOVQ  contraction_fetch(DI), AX; \
	TESTQ AX, AX; \
	JEQ   loop; \
fetching: /* the same, while a line is fetched for each vector { */ \
	PREFETCHT1 (SI)(AX*1); \
	X_COLS(LOAD); \
	G_ROWS(G_FMA, 0); \
	G_NEXT(fetching); /* } */ \
	KMOVQ K4, AX; \
	JMP   part; \
loop: /* for columns left > 0 { */ \
	X_COLS(LOAD); \
	G_ROWS(G_FMA, 0); \
	G_NEXT(loop); /* } */ \
	KMOVQ K4, AX
#define CONTRACT_PART(G_ROWS) X_COLS(PART_LOAD); G_ROWS(G_PART, 0)

// contract in AVX-512: where fewer than four rows of X are left, row 0 of the group stands in for the missing ones, and
// K2 keeps their sums out of A. What is c.fetch bytes from row 0 of each group is fetched, unless that is 0.
//
//	Z0-Z23   lanes: Z(4k+i) belongs to g[k], x[i]
//	Z24-Z27  one vector of each row of X
//	Z28      one vector of g[k]
//	Z29      the order of sums that are folded
//	R8 R9 R10  from x[i] to x[i+1], x[i+2], x[i+3]   BX R11 R12 1, 3, 5 strides of G
//	K1 last columns  K2 rows of the group  K4 AX, while AX is c.fetch  K5 K6 of FOLD8

// Outer products. K1 names the columns of the last vector of a tile.
//
//	Z0-Z23   out[a]: Z(3a) to Z(3a+2)
//	Z24-Z26  src[b]
//	Z27      coefficient
//	Z28 Z29  µ, zero
//	R9 R10   5, 7 times coefOut
#define OUTER_REGISTERS
#define OUTER_STRIDES LEAQ (BX)(BX*4), R9; LEAQ (R8)(BX*4), R10

// A tile of one vector, of two or of three, by the columns left; four vectors as two twice.
#define OUTER_ONE \
	MOVL  $(-1), AX; \
	CMPQ  R15, $(4*64/SIZE); \
	JGT   three; \
	CMPQ  R15, $(3*64/SIZE); \
	JGT   two; \
	MOVQ  R15, CX; \
	SUBQ  $(2*64/SIZE), CX; \
	JGT   part3; \
	ADDQ  $(64/SIZE), CX; \
	JGT   part2; \
	ADDQ  $(64/SIZE), CX; \
	LAST_MASK(CX); \
	MOVQ  outer_inner(DI), CX
#define OUTER_TWO OUTER_PART(part2, two)
#define OUTER_THREE OUTER_PART(part3, three)
#define OUTER_PART(part, whole) \
part: \
	MOVL  $1, AX; \
	SHLL  CX, AX; \
	DECL  AX; \
whole: \
	KMOVW AX, K1; \
	MOVQ  outer_inner(DI), CX
#define THREE_COLS COLS3

#include "products_amd64.h"

CONTRACT_OF(1, contractAVX512of1<>, G_ROWS1, G_FOLDS1)
CONTRACT_OF(2, contractAVX512of2<>, G_ROWS2, G_FOLDS2)
CONTRACT_OF(3, contractAVX512of3<>, G_ROWS3, G_FOLDS3)
CONTRACT_OF(4, contractAVX512of4<>, G_ROWS4, G_FOLDS4)
CONTRACT_OF(5, contractAVX512of5<>, G_ROWS5, G_FOLDS5)
CONTRACT_OF(6, contractAVX512of6<>, G_ROWS6, G_FOLDS6)
OUTER_OF(1, outerAVX512of1<>, OUT_ROWS1)
OUTER_OF(2, outerAVX512of2<>, OUT_ROWS2)
OUTER_OF(3, outerAVX512of3<>, OUT_ROWS3)
OUTER_OF(4, outerAVX512of4<>, OUT_ROWS4)
OUTER_OF(5, outerAVX512of5<>, OUT_ROWS5)
OUTER_OF(6, outerAVX512of6<>, OUT_ROWS6)
OUTER_OF(7, outerAVX512of7<>, OUT_ROWS7)
OUTER_OF(8, outerAVX512of8<>, OUT_ROWS8)
