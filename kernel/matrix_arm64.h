// NEON bodies of Contract, Gram, Product, AddProduct, UpdateMultiplierProduct and
// Accumulate.
// Included by kernel_arm64.s once for each precision, with the macros of that one.

// func CONTRACT(c *contraction)
//
//	for k := range height {
//		for i := range rows {
//			a[k][i] = lane sum of x[i][j] g[k][j] over j, 64 bytes of lanes
//		}
//	}
//
// Rows of X are taken two at a time. With resume, lanes start from c.lanes, else
// from zero; with suspend they are put there instead of being added up, and cols
// must be a multiple of the lanes.
//
//	for rows left > 0 {
//		for whole groups of columns { lanes = fma(x, g, lanes) }
//		the same once more for copies of the last columns, completed with zeros
//		a = folded lanes, or c.lanes = lanes
//	}
//
// Preconditions: rows, cols >= 1; 1 <= height <= 3.
//
//	V0-V23   lanes: V(8k+4i) to V(8k+4i+3) belong to g[k], x[i]
//	V24-V27  two quarters of a group of x[0], x[1]
//	V28-V31  two quarters of g[k]
//	R1 R2  x[i], x[i+1], column reached     R3 R4 R5  g[0], g[1], g[2]
//	R6 groups left     R7 rows left     R8 &a[0][i]     R9 &x[i][0]
//	R10 R11  strides of X, G            R13 bytes of the last group   R14 lanes
//	R15 whole groups   R16 height       R20 copies: G, X   R22 R13 until it is done
TEXT CONTRACT(SB), NOSPLIT, $320-8
	NO_LOCAL_POINTERS
	MOVD c+0(FP), R0
	MOVD contraction_xStride(R0), R10
	MOVD contraction_gStride(R0), R11
	MOVD contraction_rows(R0), R7
	MOVD contraction_a(R0), R8
	MOVD contraction_x(R0), R9
	MOVD contraction_lanes(R0), R14
	MOVD contraction_height(R0), R16
	MOVD contraction_cols(R0), R15
	LSL  $SIZE_LOG, R15
	AND  $63, R15, R13
	LSR  $6, R15
	MOVD $copies-320(SP), R20
	CBZ  R13, group
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	MOVD R20, R1
	MOVD $10, R2

clear:
	FSTPQ.P (F0, F1), 32(R1)
	SUBS    $1, R2
	BNE     clear
	MOVD    contraction_g(R0), R3
	ADD     R15<<6, R3
	MOVD    R20, R4
	MOVD    R16, R5

copy: // for k < height { last columns of g[k] }
	MOVD R3, R1
	MOVD R4, R2
	COPY(R1, R2, R13)
	ADD  R11, R3
	ADD  $64, R4
	SUBS $1, R5
	BNE  copy

group: // for rows left > 0 {
	MOVD contraction_resume(R0), R1
	CBNZ R1, resume
	LANES_ZERO(V0, V1, V2, V3)
	LANES_ZERO(V4, V5, V6, V7)
	LANES_ZERO(V8, V9, V10, V11)
	LANES_ZERO(V12, V13, V14, V15)
	LANES_ZERO(V16, V17, V18, V19)
	LANES_ZERO(V20, V21, V22, V23)
	B    columns

resume:
	ALL_LANES(LANES_LOAD, R14)

columns:
	MOVD R9, R1
	ADD  R10, R1, R2
	MOVD contraction_g(R0), R3
	ADD  R11, R3, R4
	ADD  R11, R4, R5
	MOVD R15, R6
	MOVD R13, R22
	CBNZ R6, choose

tail: // if columns are left { the same with copies }
	CBZ  R22, lanes
	ADD  $192, R20, R3
	COPY(R1, R3, R22)
	CMP  $2, R7
	BLT  copied
	ADD  $256, R20, R3
	COPY(R2, R3, R22)

copied:
	MOVD R20, R3
	ADD  $64, R20, R4
	ADD  $128, R20, R5
	ADD  $192, R20, R1
	ADD  $256, R20, R2
	MOVD $1, R6
	MOVD $0, R22

choose:
	CMP $2, R7
	BLT one
	CMP $2, R16
	BGT loop32
	BEQ loop22
	B   loop12

one:
	CMP $2, R16
	BGT loop31
	BEQ loop21
	B   loop11

#define UPPER UPPER1
#define LOWER LOWER1
#define PAIR X1_PAIR
#define MUL X1_FMA
#define LOOP loop11
#include "contract_cols_arm64.h"

#define UPPER UPPER2
#define LOWER LOWER2
#define PAIR X1_PAIR
#define MUL X1_FMA
#define LOOP loop21
#include "contract_cols_arm64.h"

#define UPPER UPPER3
#define LOWER LOWER3
#define PAIR X1_PAIR
#define MUL X1_FMA
#define LOOP loop31
#include "contract_cols_arm64.h"

#define UPPER UPPER1
#define LOWER LOWER1
#define PAIR X2_PAIR
#define MUL X2_FMA
#define LOOP loop12
#include "contract_cols_arm64.h"

#define UPPER UPPER2
#define LOWER LOWER2
#define PAIR X2_PAIR
#define MUL X2_FMA
#define LOOP loop22
#include "contract_cols_arm64.h"

#define UPPER UPPER3
#define LOWER LOWER3
#define PAIR X2_PAIR
#define MUL X2_FMA
#define LOOP loop32
#include "contract_cols_arm64.h"

lanes:
	MOVD contraction_suspend(R0), R1
	CBZ  R1, fold
	ALL_LANES(LANES_SAVE, R14)
	B    folded

fold: // for k < height { a[k][i:i+2] = sums of the lanes of k }
	MOVD R8, R1
	MOVD contraction_aStride(R0), R2
	MOVD R16, R3
	FOLD_ROW(0, 1, 2, 3, 4, 5, 6, 7)
	FOLD_ROW(8, 9, 10, 11, 12, 13, 14, 15)
	FOLD_ROW(16, 17, 18, 19, 20, 21, 22, 23)

folded:
	ADD  $(2*SIZE), R8
	ADD  R10<<1, R9
	ADD  $const_lanesNEON, R14
	SUBS $2, R7
	BGT  group                // }
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
// Columns are taken four vectors at a time; what is left, at most once each as
// two vectors, one, 8 bytes, 4 bytes. The upper elements of a register loaded
// with 8 or 4 bytes are never stored. With keep = 0 out starts from zero and is
// not read. If m is not nil the sums are P, formed from zero, and instead of their
// being stored
//
//	out[a][j] = step(out[a][j], m[a][j], p[a][j], mu)
//
// Preconditions: cols, inner >= 1; 1 <= height <= 6; keep = 0 if m is not nil.
//
//	V0-V23   out[a]: V(4a) to V(4a+3)
//	V24-V27  src[b]; then µ, scratch, m, n
//	V28      coefficient; then scratch
//	R1 &out[0][j]   R2 stride of out     R12 bytes of columns left   R16 height
//	R3 src[b]       R4 its stride        R13 rows of src left
//	R5 coefficient of a = 0              R6-R10 1 to 5 times coefOut   R11 coefInner
//	R14 R15 walk over the rows of out, or stay at zero   R17 keep
TEXT OUTER(SB), NOSPLIT, $0-8
	MOVD o+0(FP), R0
	MOVD outer_out(R0), R1
	MOVD outer_outStride(R0), R2
	MOVD outer_srcStride(R0), R4
	MOVD outer_coefOut(R0), R6
	ADD  R6, R6, R7
	ADD  R6, R7, R8
	ADD  R6, R8, R9
	ADD  R6, R9, R10
	MOVD outer_coefInner(R0), R11
	MOVD outer_cols(R0), R12
	LSL  $SIZE_LOG, R12
	MOVD outer_height(R0), R16
	MOVD outer_keep(R0), R17

next: // for columns left > 0 {
	MOVD outer_out(R0), R14
	SUB  R14, R1, R14
	MOVD outer_src(R0), R3
	ADD  R14, R3
	MOVD outer_coef(R0), R5
	MOVD outer_inner(R0), R13
	MOVD R1, R14
	MOVD R2, R15
	CBNZ R17, width
	MOVD $zero<>(SB), R14
	MOVD $0, R15

width:
	CMP $64, R12
	BGE width4
	CMP $32, R12
	BGE width2
	CMP $16, R12
	BGE width1
	SINGLE(OUT_SHORT(widthS))
	OUT_HEIGHT(tile1D, tile2D, tile3D, tile4D, tile5D, tile6D)

width4:
	OUT_HEIGHT(tile14, tile24, tile34, tile44, tile54, tile64)

width2:
	OUT_HEIGHT(tile12, tile22, tile32, tile42, tile52, tile62)

width1:
	OUT_HEIGHT(tile11, tile21, tile31, tile41, tile51, tile61)

	// }

#define ROWS_OF OUT_ROWS1
#define TILE4 tile14
#define LOOP4 loop14
#define STEP_TILE4 update14
#define TILE2 tile12
#define LOOP2 loop12
#define STEP_TILE2 update12
#define TILE1 tile11
#define LOOP1 loop11
#define STEP_TILE1 update11
#define TILED tile1D
#define LOOPD loop1D
#define STEP_TILED update1D
#include "out_tiles_arm64.h"

#define ROWS_OF OUT_ROWS2
#define TILE4 tile24
#define LOOP4 loop24
#define STEP_TILE4 update24
#define TILE2 tile22
#define LOOP2 loop22
#define STEP_TILE2 update22
#define TILE1 tile21
#define LOOP1 loop21
#define STEP_TILE1 update21
#define TILED tile2D
#define LOOPD loop2D
#define STEP_TILED update2D
#include "out_tiles_arm64.h"

#define ROWS_OF OUT_ROWS3
#define TILE4 tile34
#define LOOP4 loop34
#define STEP_TILE4 update34
#define TILE2 tile32
#define LOOP2 loop32
#define STEP_TILE2 update32
#define TILE1 tile31
#define LOOP1 loop31
#define STEP_TILE1 update31
#define TILED tile3D
#define LOOPD loop3D
#define STEP_TILED update3D
#include "out_tiles_arm64.h"

#define ROWS_OF OUT_ROWS4
#define TILE4 tile44
#define LOOP4 loop44
#define STEP_TILE4 update44
#define TILE2 tile42
#define LOOP2 loop42
#define STEP_TILE2 update42
#define TILE1 tile41
#define LOOP1 loop41
#define STEP_TILE1 update41
#define TILED tile4D
#define LOOPD loop4D
#define STEP_TILED update4D
#include "out_tiles_arm64.h"

#define ROWS_OF OUT_ROWS5
#define TILE4 tile54
#define LOOP4 loop54
#define STEP_TILE4 update54
#define TILE2 tile52
#define LOOP2 loop52
#define STEP_TILE2 update52
#define TILE1 tile51
#define LOOP1 loop51
#define STEP_TILE1 update51
#define TILED tile5D
#define LOOPD loop5D
#define STEP_TILED update5D
#include "out_tiles_arm64.h"

#define ROWS_OF OUT_ROWS6
#define TILE4 tile64
#define LOOP4 loop64
#define STEP_TILE4 update64
#define TILE2 tile62
#define LOOP2 loop62
#define STEP_TILE2 update62
#define TILE1 tile61
#define LOOP1 loop61
#define STEP_TILE1 update61
#define TILED tile6D
#define LOOPD loop6D
#define STEP_TILED update6D
#include "out_tiles_arm64.h"
