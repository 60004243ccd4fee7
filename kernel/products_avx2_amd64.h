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

// The lanes of a row: from zero, from c.lanes, and back there.
#define G_ZERO(G, L, X0, A0, A1, A2, A3) LANES4(LANE_ZERO, L, R15, A0, A1, A2, A3)
#define G_RESUME(G, L, X0, A0, A1, A2, A3) LANES4(LANE_LOAD, L, R15, A0, A1, A2, A3)
#define G_SUSPEND(G, L, X0, A0, A1, A2, A3) LANES4(LANE_SAVE, L, R15, A0, A1, A2, A3)

// The sums of a row, for one row of X or for two, and on to the next row of A.
#define G_FOLD(G, L, X0, A0, A1, A2, A3) \
	FOLD2(A0, A1, A2, A3); \
	VMOVS        X0, (SI); \
	CMPQ         AX, $1; \
	JEQ          3(PC); \
	VEXTRACTF128 $1, A0, X12; \
	VMOVS        X12, SIZE(SI); \
	ADDQ         DX, SI

// func contract(c *contraction): contractGeneric, from c.lanes with resume
//
// Rows of X are taken two at a time; where one is left, it stands in for the
// missing one, whose sums are not stored. With resume, lanes start from c.lanes,
// else from zero; with suspend they are put there instead of being added up.
// cols must then be a multiple of the lanes.
// Preconditions: rows, cols >= 1; 1 <= height <= 3.
//
// Each height is a function of its own, so that its labels are.
//
//	Y0-Y11   lanes: Y(4k+i) lower, Y(4k+i+2) upper half for g[k], x[i]
//	Y12 Y13  one half of x[0], x[1]   Y14 of g[k]   Y15 mask
//	AX rows left     R13 &a[0][i]     R14 &x[i][0]    R15 lanes
//	SI x[i], column reached    R8  from there to x[i+1]
//	DX g[0], column reached    BX  stride of G
//	R9 masks of the last columns
BODY(bodies_contract, contractAVX2<>)
	MOVQ c+0(FP), DI
	MOVQ contraction_height(DI), CX
	OF_SIZE(3, contractAVX2of3<>)
	OF_SIZE(2, contractAVX2of2<>)
	JMP  contractAVX2of1<>(SB)

TEXT contractAVX2of1<>(SB), NOSPLIT|NOFRAME, $0-8
#define G_ROWS G_ROWS1
#include "products_contract_avx2_amd64.h"

TEXT contractAVX2of2<>(SB), NOSPLIT|NOFRAME, $0-8
#define G_ROWS G_ROWS2
#include "products_contract_avx2_amd64.h"

TEXT contractAVX2of3<>(SB), NOSPLIT|NOFRAME, $0-8
#define G_ROWS G_ROWS3
#include "products_contract_avx2_amd64.h"

// Outer products. A tile of three vectors has no mask.
//
//	Y0-Y11   out[a]: Y(3a) to Y(3a+2)
//	Y12-Y14  src[b]
//	Y15      coefficient
//	Y0       mask, in tiles of two vectors or one
//	R9 R10   masks
#define OUTER_MORE
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
