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
TEXT CONTRACT(SB), NOSPLIT|NOFRAME, $0-8
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
	ADD  $contraction_copies, R0, R20
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
// Columns are taken four vectors at a time; what is left as two vectors, one, and
// single elements. The upper elements of a register loaded with one are never stored.
// With keep = 0 out starts from zero and is not read. If m is not nil the sums are P,
// formed from zero, and instead of their being stored
//
//	out[a][j] = step(out[a][j], m[a][j], p[a][j], mu)
//
// behind, ahead and also are not used.
// Preconditions: cols, inner >= 1; 1 <= height <= 6; keep = 0 if m is not nil.
//
// Each height is a function of its own, so that its labels are.
//
//	V0-V23   out[a]: V(4a) to V(4a+3)
//	V24-V27  src[b]; then µ, scratch, m, n
//	V28      coefficient; then scratch
//	R1 &out[0][j]   R2 stride of out     R12 bytes of columns left   R16 height
//	R3 src[b]       R4 its stride        R13 rows of src left
//	R5 coefficient of a = 0              R6-R10 1 to 5 times coefOut   R11 coefInner
//	R14 R15 walk over the rows of out, or stay at zero   R17 keep
TEXT OUTER(SB), NOSPLIT|NOFRAME, $0-8
	MOVD o+0(FP), R0
	MOVD outer_height(R0), R16
	OF_HEIGHT(6, OUTER6)
	OF_HEIGHT(5, OUTER5)
	OF_HEIGHT(4, OUTER4)
	OF_HEIGHT(3, OUTER3)
	OF_HEIGHT(2, OUTER2)
	B    OUTER1(SB)

#define BODY OUTER1
#define ROWS_OF OUT_ROWS1
#include "outer_arm64.h"

#define BODY OUTER2
#define ROWS_OF OUT_ROWS2
#include "outer_arm64.h"

#define BODY OUTER3
#define ROWS_OF OUT_ROWS3
#include "outer_arm64.h"

#define BODY OUTER4
#define ROWS_OF OUT_ROWS4
#include "outer_arm64.h"

#define BODY OUTER5
#define ROWS_OF OUT_ROWS5
#include "outer_arm64.h"

#define BODY OUTER6
#define ROWS_OF OUT_ROWS6
#include "outer_arm64.h"
