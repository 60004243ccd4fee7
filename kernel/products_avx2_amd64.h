// The AVX2 bodies of products.go. kernel_avx2_amd64.h has what the rooms share.

// Contraction. G_ROWS1 to G_ROWS3 apply OP to the rows of G in the panel: the
// address of the row at the column reached, that of its lanes, and these with x[0]
// and x[1], lower halves, then upper halves, of which X0 is the first in part.
#define G_ROWS1(OP, AT) OP(AT(DX), 0, X0, Y0, Y1, Y2, Y3)
#define G_ROWS2(OP, AT) G_ROWS1(OP, AT); OP(AT(DX)(BX*1), 128, X4, Y4, Y5, Y6, Y7)
#define G_ROWS3(OP, AT) G_ROWS2(OP, AT); OP(AT(DX)(BX*2), 256, X8, Y8, Y9, Y10, Y11)

#define G_LOWER(G, L, X0, A0, A1, A2, A3) G_HALF(LOAD, G, A0, A1)
#define G_UPPER(G, L, X0, A0, A1, A2, A3) G_HALF(LOAD, G, A2, A3)
#define G_LOWER_PART(G, L, X0, A0, A1, A2, A3) G_HALF(PART_LOAD, G, A0, A1)
#define G_UPPER_PART(G, L, X0, A0, A1, A2, A3) G_HALF(PART_LOAD, G, A2, A3)
#define G_HALF(LD, G, A0, A1) \
	LD(G, Y14); \
	VFMA Y14, Y12, A0; \
	VFMA Y14, Y13, A1

// The sums of a row, for one row of X or for two, and on to the next row of A.
#define G_FOLD(G, L, X0, A0, A1, A2, A3) \
	FOLD2(A0, A1, A2, A3); \
	VMOVS        X0, (SI); \
	CMPQ         AX, $1; \
	JEQ          3(PC); \
	VEXTRACTF128 $1, A0, X12; \
	VMOVS        X12, SIZE(SI); \
	ADDQ         DX, SI

#define CONTRACT_ROWS 2
#define CONTRACT_LANES const_lanesAVX2
#define CONTRACT_BEGIN \
	MASKS(R9); \
	MOVQ contraction_gStride(DI), BX
#define X_STRIDES \
	MOVQ contraction_xStride(DI), R8; \
	CMPQ AX, $2; \
	JGE  rows; \
	XORL R8, R8; \
rows:
#define CONTRACT_COLS(G_ROWS) \
loop: /* for columns left > 0 { */ \
	VMOVU (SI), Y12; \
	VMOVU (SI)(R8*1), Y13; \
	G_ROWS(G_LOWER, 0); \
	VMOVU 32(SI), Y12; \
	VMOVU 32(SI)(R8*1), Y13; \
	G_ROWS(G_UPPER, 32); \
	ADDQ  $64, SI; \
	ADDQ  $64, DX; \
	DECQ  CX; \
	JNE   loop /* } */
#define CONTRACT_PART(G_ROWS) \
	VMOVU (R9), Y15; \
	PART_LOAD((SI), Y12); \
	PART_LOAD((SI)(R8*1), Y13); \
	G_ROWS(G_LOWER_PART, 0); \
	VMOVU 32(R9), Y15; \
	PART_LOAD(32(SI), Y12); \
	PART_LOAD(32(SI)(R8*1), Y13); \
	G_ROWS(G_UPPER_PART, 32)

// contract in AVX2: where one row of X is left, it stands in for the missing one, whose sums are not stored.
//
//	Y0-Y11   lanes: Y(4k+i) lower, Y(4k+i+2) upper half for g[k], x[i]
//	Y12 Y13  one half of x[0], x[1]   Y14 of g[k]   Y15 mask
//	R8  from x[i] to x[i+1]   BX  stride of G   R9 masks of the last columns
#define G_FOLDS1 G_ROWS1(G_FOLD, 0)
#define G_FOLDS2 G_ROWS2(G_FOLD, 0)
#define G_FOLDS3 G_ROWS3(G_FOLD, 0)

// Outer products. A tile of three vectors has no mask.
//
//	Y0-Y11   out[a]: Y(3a) to Y(3a+2)
//	Y12-Y14  src[b]
//	Y15      coefficient
//	Y0       mask, in tiles of two vectors or one
//	R9 R10   masks
#define OUTER_REGISTERS LEAQ masks<>+128(SB), R9
#define OUTER_STRIDES

// A tile of one vector, of two or of three, by the columns left.
#define OUTER_ONE \
	MOVQ  outer_inner(DI), CX; \
	LEAQ  -32(R9), R10; /* a full vector */ \
	CMPQ  R15, $(4*32/SIZE); \
	JGT   three; \
	CMPQ  R15, $(3*32/SIZE); \
	JEQ   three; \
	JGT   two; \
	MOVQ  R15, AX; \
	IMULQ $SIZE, AX; \
	MOVQ  R9, R10; \
	SUBQ  AX, R10; /* masks of the columns left */ \
	CMPQ  R15, $(2*32/SIZE); \
	JGT   fullTwo; \
	CMPQ  R15, $(32/SIZE); \
	JGT   partTwo; \
	VMOVU (R10), Y0
#define OUTER_TWO \
partTwo: \
	ADDQ  $32, R10; \
	JMP   two; \
fullTwo: \
	LEAQ  -32(R9), R10; \
two: \
	VMOVU (R10), Y0
#define OUTER_THREE \
three:
#define THREE_COLS WHOLE3

#include "products_amd64.h"

CONTRACT_OF(1, contractAVX2of1<>, G_ROWS1, G_FOLDS1)
CONTRACT_OF(2, contractAVX2of2<>, G_ROWS2, G_FOLDS2)
CONTRACT_OF(3, contractAVX2of3<>, G_ROWS3, G_FOLDS3)
OUTER_OF(1, outerAVX2of1<>, OUT_ROWS1)
OUTER_OF(2, outerAVX2of2<>, OUT_ROWS2)
OUTER_OF(3, outerAVX2of3<>, OUT_ROWS3)
OUTER_OF(4, outerAVX2of4<>, OUT_ROWS4)
