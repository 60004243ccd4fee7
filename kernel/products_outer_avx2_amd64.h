// OUTER for one height. The file that includes this one defines, for this use,
//
//	BODY      the function
//	ROWS_OF   applies an operation to so many rows

TEXT BODY(SB), NOSPLIT|NOFRAME, $0-8
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

#define COLS COLS1
#define WIDTH 32
#define FETCHING fetching1
#define LOOP loop1
#define SUMS sums1
#define STEP_TILE update1
#define ZERO zero1
#define LOADED loaded1
#include "products_tile_amd64.h"

partTwo:
	ADDQ $32, R10
	JMP  two

fullTwo:
	LEAQ -32(R9), R10

two:
	VMOVU (R10), Y0

#define COLS COLS2
#define WIDTH 64
#define FETCHING fetching2
#define LOOP loop2
#define SUMS sums2
#define STEP_TILE update2
#define ZERO zero2
#define LOADED loaded2
#include "products_tile_amd64.h"

three:

#define COLS WHOLE3
#define WIDTH 96
#define FETCHING fetching3
#define LOOP loop3
#define SUMS sums3
#define STEP_TILE update3
#define ZERO zero3
#define LOADED loaded3
#include "products_tile_amd64.h"

done: // }
	VZEROUPPER
	RET

#undef BODY
#undef ROWS_OF
