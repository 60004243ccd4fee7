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
TEXT CONTRACT(SB), NOSPLIT, $0-8
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
// and the tile of m, and that of out in the rows behind, are fetched meanwhile.
// Preconditions: cols, inner >= 1; 1 <= height <= 4; keep = 0 if m is not nil.
//
//	Y0-Y11   out[a]: Y(3a) to Y(3a+2)
//	Y12-Y14  src[b]
//	Y15      coefficient; keep
//	Y0       mask, in tiles of two vectors or one
//	R13 &out[0][j]   R14 stride of out   R15 columns left
//	SI src[b]        R11 its stride      CX  rows of src left
//	DX coefficient of a = 0    BX R8  1, 3 times coefOut
//	R12 coefInner    AX rows of out      R9 R10 masks
TEXT OUTER(SB), NOSPLIT, $0-8
	MOVQ o+0(FP), DI
	LEAQ masks<>+128(SB), R9
	MOVQ outer_coefOut(DI), BX
	LEAQ (BX)(BX*2), R8
	MOVQ outer_srcStride(DI), R11
	MOVQ outer_coefInner(DI), R12
	MOVQ outer_out(DI), R13
	MOVQ outer_outStride(DI), R14
	MOVQ outer_cols(DI), R15

next: // for columns left > 0 {
	MOVQ  outer_m(DI), SI
	TESTQ SI, SI
	JEQ   fetched
	ADDQ  R13, SI
	SUBQ  outer_out(DI), SI
	MOVQ  outer_height(DI), CX
	MOVQ  CX, AX
	IMULQ R14, AX
	ADDQ  R13, AX

fetch:
	PREFETCHT1 (SI)
	PREFETCHT1 64(SI)
	PREFETCHT1 (AX)
	PREFETCHT1 64(AX)
	ADDQ outer_mStride(DI), SI
	ADDQ R14, AX
	DECQ CX
	JNE  fetch

fetched:
	MOVQ  outer_src(DI), SI
	ADDQ  R13, SI
	SUBQ  outer_out(DI), SI
	MOVQ  outer_coef(DI), DX
	MOVQ  outer_inner(DI), CX
	VBROADCASTSD outer_keep(DI), Y15
	LEAQ  -32(R9), R10     // a full vector
	CMPQ  R15, $(4*32/SIZE)
	JGT   three
	CMPQ  R15, $(3*32/SIZE)
	JEQ   three
	JGT   two
	MOVQ  R15, AX
	IMULQ $SIZE, AX
	MOVQ  R9, R10
	SUBQ  AX, R10          // masks of the columns left
	CMPQ  R15, $(2*32/SIZE)
	JGT   fullTwo
	CMPQ  R15, $(32/SIZE)
	JGT   partTwo
	VMOVU (R10), Y0
	CMPQ  outer_height(DI), $4
	JEQ   tile41
	CMPQ  outer_height(DI), $3
	JEQ   tile31
	CMPQ  outer_height(DI), $2
	JEQ   tile21
	JMP   tile11

partTwo:
	ADDQ $32, R10
	JMP  two

fullTwo:
	LEAQ -32(R9), R10

two:
	VMOVU (R10), Y0
	CMPQ  outer_height(DI), $4
	JEQ   tile42
	CMPQ  outer_height(DI), $3
	JEQ   tile32
	CMPQ  outer_height(DI), $2
	JEQ   tile22
	JMP   tile12

three:
	CMPQ outer_height(DI), $4
	JEQ  tile43
	CMPQ outer_height(DI), $3
	JEQ  tile33
	CMPQ outer_height(DI), $2
	JEQ  tile23
	JMP  tile13

#define ROWS_OF OUT_ROWS1
#define TILE3 tile13
#define LOOP3 loop13
#define STEP_TILE3 update13
#define TILE2 tile12
#define LOOP2 loop12
#define STEP_TILE2 update12
#define TILE1 tile11
#define LOOP1 loop11
#define STEP_TILE1 update11
#include "avx2_out_tiles_amd64.h"

#define ROWS_OF OUT_ROWS2
#define TILE3 tile23
#define LOOP3 loop23
#define STEP_TILE3 update23
#define TILE2 tile22
#define LOOP2 loop22
#define STEP_TILE2 update22
#define TILE1 tile21
#define LOOP1 loop21
#define STEP_TILE1 update21
#include "avx2_out_tiles_amd64.h"

#define ROWS_OF OUT_ROWS3
#define TILE3 tile33
#define LOOP3 loop33
#define STEP_TILE3 update33
#define TILE2 tile32
#define LOOP2 loop32
#define STEP_TILE2 update32
#define TILE1 tile31
#define LOOP1 loop31
#define STEP_TILE1 update31
#include "avx2_out_tiles_amd64.h"

#define ROWS_OF OUT_ROWS4
#define TILE3 tile43
#define LOOP3 loop43
#define STEP_TILE3 update43
#define TILE2 tile42
#define LOOP2 loop42
#define STEP_TILE2 update42
#define TILE1 tile41
#define LOOP1 loop41
#define STEP_TILE1 update41
#include "avx2_out_tiles_amd64.h"

done: // }
	VZEROUPPER
	RET
