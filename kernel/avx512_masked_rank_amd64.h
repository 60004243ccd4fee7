// A masked rank-one pass, and the return. MASKED_RANK_ONE lists the registers. The file
// that includes this one defines, for this use,
//
//	READ     loads n where it is seen, at N and M, into Z7, zero elsewhere
//	STEP_OF  the update

	MOVQ   r+0(FP), DI
	MOVQ   rankOne_cols(DI), CX
	ANDQ   $(64/SIZE-1), CX
	MOVL   $1, AX
	SHLL   CX, AX
	DECL   AX
	KMOVW  AX, K1
	BYTES_OF(AX, R14)
	VPXORQ Z21, Z21, Z21
	VBCST  rankOne_mu(DI), Z20
	VBCST  rankOne_part(DI), Z9
	MOVQ   rankOne_nStride(DI), R8
	MOVQ   rankOne_mStride(DI), R10
	MOVQ   rankOne_seenStride(DI), R12
	TESTL  $(const_updateDot|const_updateAdd), rankOne_steps(DI)
	JEQ    pass

	// The update, a row at a time: R9 n[i], R11 m[i], R13 seen[i], R15 &v[i].
	MOVQ rankOne_n(DI), R9
	MOVQ rankOne_m(DI), R11
	MOVQ rankOne_seen(DI), R13
	MOVQ rankOne_v(DI), R15
	MOVQ rankOne_rows(DI), CX
	MOVQ CX, rankOne_left(DI)

update: // for rows left > 0 {
	VBCST (R15), Z16
	MOVQ  R9, SI
	MOVQ  R11, DX
	MOVQ  R13, BX
	MOVQ  rankOne_w(DI), R14
	MOVQ  rankOne_cols(DI), CX
	SHRQ  $LANES_LOG, CX
	JEQ   updatePart

updateLoop:
	MASKED_STEP(LOAD, SEEN_AT)
	ADDQ $64, SI
	ADDQ $64, DX
	ADDQ $64, R14
	ADDQ $(8/SIZE), BX
	DECQ CX
	JNE  updateLoop

updatePart:
	KORTESTW K1, K1
	JEQ      updated
	MASKED_STEP(PART_LOAD, PART_SEEN_AT)

updated:
	ADDQ R8, R9
	ADDQ R10, R11
	ADDQ R12, R13
	ADDQ $SIZE, R15
	DECQ rankOne_left(DI)
	JNE  update              // }

pass:
	MOVQ  rankOne_n(DI), SI
	MOVQ  rankOne_m(DI), DX
	MOVQ  rankOne_seen(DI), BX
	MOVQ  rankOne_w(DI), R14
	LEAQ  (R8)(R8*2), R9
	LEAQ  (R10)(R10*2), R11
	LEAQ  (R12)(R12*2), R13
	TESTL $const_stepDot, rankOne_steps(DI)
	JEQ   sums
	MOVQ  rankOne_lanes(DI), CX
	CMPQ  rankOne_rows(DI), $1
	JEQ   dot1
	MASKED_LANES4(LANE_LOAD, CX)

#define BODY MASKED_DOT_R4
#define LOOP dotLoop4
#define PART dotPart4
#define END dotted4
#include "avx512_masked_cols_amd64.h"

dotted4:
	MOVQ rankOne_lanes(DI), CX
	MASKED_LANES4(LANE_SAVE, CX)
	JMP  done

dot1:
	MASKED_LANES1(LANE_LOAD, CX)

#define BODY MASKED_DOT_R1
#define LOOP dotLoop1
#define PART dotPart1
#define END dotted1
#include "avx512_masked_cols_amd64.h"

dotted1:
	MOVQ rankOne_lanes(DI), CX
	MASKED_LANES1(LANE_SAVE, CX)
	JMP  done

sums:
	MOVQ  rankOne_acc(DI), R15
	MOVQ  rankOne_den(DI), AX
	MOVQ  rankOne_v(DI), CX
	VBCST (CX), Z16
	CMPQ  rankOne_rows(DI), $1
	JEQ   add1
	VBCST SIZE(CX), Z17
	VBCST (2*SIZE)(CX), Z18
	VBCST (3*SIZE)(CX), Z19

#define BODY MASKED_ADD_R4
#define LOOP addLoop4
#define PART addPart4
#define END done
#include "avx512_masked_cols_amd64.h"

add1:
#define BODY MASKED_ADD_R1
#define LOOP addLoop1
#define PART addPart1
#define END done
#include "avx512_masked_cols_amd64.h"

done:
	VZEROUPPER
	RET

#undef READ
#undef STEP_OF
