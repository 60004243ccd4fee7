// OUTER for one height. The file that includes this one defines, for this use,
//
//	BODY      the function
//	ROWS_OF   applies an operation to so many rows

TEXT BODY(SB), NOSPLIT|NOFRAME, $0-8
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

#define LOADS OUT_LOAD1
#define SRC SRC1
#define FMAS OUT_FMA1
#define STORES OUT_STORE1
#define STEPS OUT_STEP1
#define MOV MOVE
#define WIDTH SIZE
#define LOOP loop
#define STEP_TILE update
#include "products_tile_arm64.h"

width4:

#define LOADS OUT_LOAD4
#define SRC SRC4
#define FMAS OUT_FMA4
#define STORES OUT_STORE4
#define STEPS OUT_STEP4
#define MOV FMOVQ
#define WIDTH 64
#define LOOP loop4
#define STEP_TILE update4
#include "products_tile_arm64.h"

width2:

#define LOADS OUT_LOAD2
#define SRC SRC2
#define FMAS OUT_FMA2
#define STORES OUT_STORE2
#define STEPS OUT_STEP2
#define MOV FMOVQ
#define WIDTH 32
#define LOOP loop2
#define STEP_TILE update2
#include "products_tile_arm64.h"

width1:

#define LOADS OUT_LOAD1
#define SRC SRC1
#define FMAS OUT_FMA1
#define STORES OUT_STORE1
#define STEPS OUT_STEP1
#define MOV FMOVQ
#define WIDTH 16
#define LOOP loop1
#define STEP_TILE update1
#include "products_tile_arm64.h"

	// }

#undef BODY
#undef ROWS_OF
