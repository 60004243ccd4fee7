// The AVX-512 bodies of one precision: matrix products. The file that includes
// this one defines the names and the instructions:
//
//	SIZE, LANES_LOG       bytes of an element, log2 of the elements of a vector
//	VMOVU VFMA VFNMA ...  the instructions of the precision
//	MOVI ADDI             an element as an integer
//	FOLD_EIGHTH           adds up the two elements of each 64-bit element, if there are two
//	FOLD_ORDER            brings sums into the order of Z29, which LOAD_ORDER loads
//	STORE4, STORE_UPPER4  store the four low elements of Z30 that K2 names, and the next four
//
// Requires: AVX-512 F, DQ, BW, VL; POPCNT. All are ABI0 leaf functions without
// a frame that take one pointer to their arguments, and clean the upper halves
// of the vector registers.

// func CONTRACT(c *contraction)
//
//	for k := range height {
//		for i := range rows {
//			a[k][i] = lane sum of x[i][j] g[k][j] over j, 64 bytes of lanes
//		}
//	}
//
// Rows of X are taken four at a time; where fewer are left, row 0 of the group
// stands in for the missing ones, and K2 keeps their sums out of A. With
// resume, lanes start from c.lanes, else from zero; with suspend they are put
// there instead of being added up. cols must then be a multiple of the lanes.
// What is c.fetch bytes from row 0 of each group is fetched, unless that is 0.
// Preconditions: rows, cols >= 1; 1 <= height <= 6.
//
//	Z0-Z23   lanes: Z(4k+i) belongs to g[k], x[i]
//	Z24-Z27  one vector of each row of X
//	Z28      one vector of g[k]
//	Z29      the order of sums that are folded
//	AX rows left     R13 &a[0][i]        R14 &x[i][0]    R15 lanes
//	SI x[i], column reached    R8 R9 R10  from there to x[i+1], x[i+2], x[i+3]
//	DX g[0], column reached    BX R11 R12 1, 3, 5 strides of G
//	K1 last columns  K2 rows of the group  K5 K6 of FOLD8
//	K4 AX, while AX is c.fetch
TEXT CONTRACT(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ c+0(FP), DI
	MOVQ contraction_gStride(DI), BX
	LEAQ (BX)(BX*2), R11
	LEAQ (BX)(BX*4), R12
	MOVQ contraction_a(DI), R13
	MOVQ contraction_x(DI), R14
	MOVQ contraction_lanes(DI), R15
	MOVQ contraction_cols(DI), CX
	ANDQ $(64/SIZE-1), CX
	MOVL $1, AX
	SHLL CX, AX
	DECL AX
	KMOVW AX, K1              // no columns: empty
	MOVL $0xF0, AX
	KMOVW AX, K5
	MOVL $0xAA, AX
	KMOVW AX, K6
	LOAD_ORDER(ORDER, Z29)
	MOVQ contraction_rows(DI), AX

group: // for rows left > 0 {
	MOVQ contraction_xStride(DI), R8
	LEAQ (R8)(R8*1), R9
	LEAQ (R8)(R8*2), R10
	MOVL $15, CX
	CMPQ AX, $4
	JGE  rows
	XORL R10, R10
	MOVL $7, CX
	CMPQ AX, $3
	JEQ  rows
	XORL R9, R9
	MOVL $3, CX
	CMPQ AX, $2
	JEQ  rows
	XORL R8, R8
	MOVL $1, CX

rows:
	KMOVW CX, K2
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
	SHRQ $LANES_LOG, CX
	CMPQ contraction_height(DI), $6
	JEQ  start6
	CMPQ contraction_height(DI), $5
	JEQ  start5
	CMPQ contraction_height(DI), $4
	JEQ  start4
	CMPQ contraction_height(DI), $3
	JEQ  start3
	CMPQ contraction_height(DI), $2
	JEQ  start2

#define G_ROWS G_ROWS1
#define START start1
#define LOOP loop1
#define PART part1
#define FETCHING fetching1
#include "avx512_contract_cols_amd64.h"

#define G_ROWS G_ROWS2
#define START start2
#define LOOP loop2
#define PART part2
#define FETCHING fetching2
#include "avx512_contract_cols_amd64.h"

#define G_ROWS G_ROWS3
#define START start3
#define LOOP loop3
#define PART part3
#define FETCHING fetching3
#include "avx512_contract_cols_amd64.h"

#define G_ROWS G_ROWS4
#define START start4
#define LOOP loop4
#define PART part4
#define FETCHING fetching4
#include "avx512_contract_cols_amd64.h"

#define G_ROWS G_ROWS5
#define START start5
#define LOOP loop5
#define PART part5
#define FETCHING fetching5
#include "avx512_contract_cols_amd64.h"

#define G_ROWS G_ROWS6
#define START start6
#define LOOP loop6
#define PART part6
#define FETCHING fetching6
#include "avx512_contract_cols_amd64.h"

lanes:
	CMPQ contraction_suspend(DI), $0
	JEQ  fold
	LANES(LANE_SAVE)
	JMP  folded

fold: // for k < height { a[k][i:i+4] = sums of the lanes of k }
	MOVQ R13, SI
	MOVQ contraction_aStride(DI), DX
	MOVQ contraction_height(DI), CX
	FOLD_ROWS(Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7)
	FOLD_ROWS(Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15)
	FOLD_ROWS(Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23)

folded:
	ADDQ $(4*SIZE), R13
	MOVQ contraction_xStride(DI), R8
	LEAQ (R14)(R8*4), R14
	ADDQ $const_lanesAVX512, R15
	SUBQ $4, AX
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
// Columns are taken three vectors at a time, four vectors at the end as twice
// two; K1 masks the last vector of a tile. With keep = 0 out starts from zero
// and is not read, else keep is -1. If m is not nil the sums are P, formed from
// zero, and instead of their being stored
//
//	out[a][j] = step(out[a][j], m[a][j], p[a][j], mu)
//
// and the tile of m, and that of out behind bytes further on, are fetched meanwhile
// unless behind = 0. If m is nil, each row of src fetches the lines that are ahead and
// also bytes from it, unless ahead = 0.
// Preconditions: cols, inner >= 1; 1 <= height <= 8; keep = 0 if m is not nil; ahead = 0
// if m is not nil.
//
// Each height is a function of its own, so that its labels are.
//
//	Z0-Z23   out[a]: Z(3a) to Z(3a+2)
//	Z24-Z26  src[b]
//	Z27      coefficient
//	Z28 Z29  µ, zero
//	R13 &out[0][j]   R14 stride of out   R15 columns left
//	SI src[b]        R11 its stride      CX  rows of src left
//	DX coefficient of a = 0    BX R8 R9 R10  1, 3, 5, 7 times coefOut
//	R12 coefInner    AX rows of out; ahead, with also in R14
//	K1 columns of the last vector of the tile
TEXT OUTER(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ o+0(FP), DI
	MOVQ outer_height(DI), CX
	OF_HEIGHT(8, OUTER8)
	OF_HEIGHT(7, OUTER7)
	OF_HEIGHT(6, OUTER6)
	OF_HEIGHT(5, OUTER5)
	OF_HEIGHT(4, OUTER4)
	OF_HEIGHT(3, OUTER3)
	OF_HEIGHT(2, OUTER2)
	JMP OUTER1(SB)

#define BODY OUTER1
#define ROWS_OF OUT_ROWS1
#include "avx512_outer_amd64.h"

#define BODY OUTER2
#define ROWS_OF OUT_ROWS2
#include "avx512_outer_amd64.h"

#define BODY OUTER3
#define ROWS_OF OUT_ROWS3
#include "avx512_outer_amd64.h"

#define BODY OUTER4
#define ROWS_OF OUT_ROWS4
#include "avx512_outer_amd64.h"

#define BODY OUTER5
#define ROWS_OF OUT_ROWS5
#include "avx512_outer_amd64.h"

#define BODY OUTER6
#define ROWS_OF OUT_ROWS6
#include "avx512_outer_amd64.h"

#define BODY OUTER7
#define ROWS_OF OUT_ROWS7
#include "avx512_outer_amd64.h"

#define BODY OUTER8
#define ROWS_OF OUT_ROWS8
#include "avx512_outer_amd64.h"
