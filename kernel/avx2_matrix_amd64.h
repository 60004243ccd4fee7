// The AVX2 bodies of one precision: matrix products. The file that includes
// this one defines the names and the instructions:
//
//	SIZE, LANES_LOG       bytes of an element, log2 of the elements of a vector
//	VMOVU VFMA VFNMA ...  the instructions of the precision
//	MOVI ADDI             an element as an integer
//	FOLD_PART             adds up the elements of each 128-bit part
//
// Requires: AVX2, FMA, POPCNT. All are ABI0 leaf functions without a frame that
// take one pointer to their arguments, and clean the upper halves of the vector
// registers. 64 bytes of lanes are two registers, lower and upper half.

// func CONTRACT(c *contraction)
//
//	for k := range height {
//		for i := range rows {
//			a[k][i] = lane sum of x[i][j] g[k][j] over j, 64 bytes of lanes
//		}
//	}
//
// Rows of X are taken two at a time; where one is left, it stands in for the
// missing one, whose sums are not stored. With resume, lanes start from c.lanes,
// else from zero; with suspend they are put there instead of being added up.
// cols must then be a multiple of the lanes.
// Preconditions: rows, cols >= 1; 1 <= height <= 3.
//
//	Y0-Y11   lanes: Y(4k+i) lower, Y(4k+i+2) upper half for g[k], x[i]
//	Y12 Y13  one half of x[0], x[1]   Y14 of g[k]   Y15 mask
//	AX rows left     R13 &a[0][i]     R14 &x[i][0]    R15 lanes
//	SI x[i], column reached    R8  from there to x[i+1]
//	DX g[0], column reached    BX  stride of G
//	R9 masks of the last columns
TEXT CONTRACT(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ c+0(FP), DI
	MOVQ contraction_cols(DI), CX
	ANDQ $(64/SIZE-1), CX
	MASKS(R9)
	MOVQ contraction_gStride(DI), BX
	MOVQ contraction_a(DI), R13
	MOVQ contraction_x(DI), R14
	MOVQ contraction_lanes(DI), R15
	MOVQ contraction_rows(DI), AX

group: // for rows left > 0 {
	MOVQ contraction_xStride(DI), R8
	CMPQ AX, $2
	JGE  rows
	XORL R8, R8

rows:
	CMPQ contraction_resume(DI), $0
	JNE  resume
	LANES(LANE_ZERO)
	JMP  columns

resume:
	LANES(LANE_LOAD)

columns:
	MOVQ R14, SI
	MOVQ contraction_g(DI), DX
	MOVQ contraction_cols(DI), CX
	SHRQ $(LANES_LOG+1), CX
	CMPQ contraction_height(DI), $3
	JEQ  start3
	CMPQ contraction_height(DI), $2
	JEQ  start2

#define G_ROWS G_ROWS1
#define START start1
#define LOOP loop1
#define PART part1
#include "avx2_contract_cols_amd64.h"

#define G_ROWS G_ROWS2
#define START start2
#define LOOP loop2
#define PART part2
#include "avx2_contract_cols_amd64.h"

#define G_ROWS G_ROWS3
#define START start3
#define LOOP loop3
#define PART part3
#include "avx2_contract_cols_amd64.h"

lanes:
	CMPQ contraction_suspend(DI), $0
	JEQ  fold
	LANES(LANE_SAVE)
	JMP  folded

fold: // for k < height { a[k][i:i+2] = sums of the lanes of k }
	MOVQ R13, SI
	MOVQ contraction_aStride(DI), DX
	MOVQ contraction_height(DI), CX
	FOLD_ROW(Y0, Y1, Y2, Y3, X0, one0)
	FOLD_ROW(Y4, Y5, Y6, Y7, X4, one1)
	FOLD_ROW(Y8, Y9, Y10, Y11, X8, one2)

folded:
	ADDQ $(2*SIZE), R13
	MOVQ contraction_xStride(DI), R8
	LEAQ (R14)(R8*2), R14
	ADDQ $const_lanesAVX2, R15
	SUBQ $2, AX
	JGT  group             // }
	VZEROUPPER
	RET

// func OUTER(o *outer)
//
//	for a := range height {
//		for j := range cols {
//			for b := range inner {
//				out[a][j] = fma(coef[a*coefOut + b*coefInner], src[b][j], out[a][j])
//			}
//		}
//	}
//
// Columns are taken three vectors at a time while they are full, four vectors
// as twice two; the last vector of a tile of two or one is masked. With keep = 0
// out starts from zero, else keep is -1. If m is not nil the sums are P, formed
// from zero, and instead of their being stored
//
//	out[a][j] = step(out[a][j], m[a][j], p[a][j], mu)
//
// and the tile of m, and that of out in the rows behind, are fetched meanwhile. If m is
// nil, each row of src fetches the lines that are ahead and also bytes from it, unless
// ahead = 0.
// Preconditions: cols, inner >= 1; 1 <= height <= 4; keep = 0 if m is not nil; ahead = 0
// if m is not nil.
//
// Each height is a function of its own, so that its labels are.
//
//	Y0-Y11   out[a]: Y(3a) to Y(3a+2)
//	Y12-Y14  src[b]
//	Y15      coefficient; keep
//	Y0       mask, in tiles of two vectors or one
//	R13 &out[0][j]   R14 stride of out   R15 columns left
//	SI src[b]        R11 its stride      CX  rows of src left
//	DX coefficient of a = 0    BX R8  1, 3 times coefOut
//	R12 coefInner    AX rows of out; ahead, with also in R14    R9 R10 masks
TEXT OUTER(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ o+0(FP), DI
	MOVQ outer_height(DI), CX
	OF_HEIGHT(4, OUTER4)
	OF_HEIGHT(3, OUTER3)
	OF_HEIGHT(2, OUTER2)
	JMP  OUTER1(SB)

#define BODY OUTER1
#define ROWS_OF OUT_ROWS1
#include "avx2_outer_amd64.h"

#define BODY OUTER2
#define ROWS_OF OUT_ROWS2
#include "avx2_outer_amd64.h"

#define BODY OUTER3
#define ROWS_OF OUT_ROWS3
#include "avx2_outer_amd64.h"

#define BODY OUTER4
#define ROWS_OF OUT_ROWS4
#include "avx2_outer_amd64.h"
