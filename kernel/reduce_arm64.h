// NEON bodies of Dot, Max, Min and CountLess.
// Included by kernel_arm64.s once for each precision, with the macros of that one.

// func DOT(r *reduction)
//
//	for j := range n { lane[j%lanes] = fma(x[j], y[j], lane[j%lanes]) }
//	if last { lane[0] = folded lanes }
//
// The last columns are copied and completed with zeros.
// Preconditions: n >= 1; unless last, n is a multiple of the lanes.
//
//	V0-V7 lanes   V16 V17 x   V18 V19 y
//	R1 x   R2 y   R3 lanes   R5 groups left   R6 bytes of the last group
TEXT DOT(SB), NOSPLIT|NOFRAME, $0-8
	MOVD r+0(FP), R0
	REDUCE_IN
	MOVD reduction_y(R0), R2
	CBNZ R5, loop

tail:
	CBZ     R6, out
	ADD     $reduction_copies, R0, R4
	VEOR    V16.B16, V16.B16, V16.B16
	VEOR    V17.B16, V17.B16, V17.B16
	MOVD    R4, R7
	MOVD    $8, R8

clear:
	FSTPQ.P (F16, F17), 32(R7)
	SUBS    $1, R8
	BNE     clear
	MOVD    R4, R7
	COPY_LAST(R1, R7, R6)
	ADD     $128, R4, R7
	COPY_LAST(R2, R7, R6)
	MOVD    R4, R1
	ADD     $128, R4, R2
	MOVD    $1, R5
	MOVD    $0, R6

loop:
	DOT_PAIR(V0, V1)
	DOT_PAIR(V2, V3)
	DOT_PAIR(V4, V5)
	DOT_PAIR(V6, V7)
	SUBS $1, R5
	BNE  loop
	B    tail

out:
	REDUCE_OUT(SUM_OF, suspend)

// func MAX(r *reduction)
//
//	for j := range n { if x[j] > lane[j%lanes] { lane[j%lanes] = x[j] } }
//	if last { lane[0] = folded lanes }
//
// Preconditions: as for DOT; y is not used.
//
//	V0-V7 lanes   V16 V17 x   V24 comparison
//	R1 x   R3 lanes   R5 groups left   R6 bytes of the last group
TEXT MAX(SB), NOSPLIT|NOFRAME, $0-8

#define OP MAX_OF
#include "extremum_arm64.h"

// func MIN(r *reduction) is MAX with < for >.
TEXT MIN(SB), NOSPLIT|NOFRAME, $0-8

#define OP MIN_OF
#include "extremum_arm64.h"

// func COUNT(c *counting)
//
//	count = 0
//	for j := range n { if x[j] < t { count++ } }
//
// The last columns are copied and completed with t, which is not below itself.
// Preconditions: n >= 1; n < 2³².
//
//	V0 t   V4-V7 counts   V16-V19 x, and whether it is below t
//	R1 x   R5 groups left   R6 bytes of the last group
TEXT COUNT(SB), NOSPLIT|NOFRAME, $0-8
	MOVD c+0(FP), R0
	ADD  $counting_t, R0, R1
	SPREAD(R1, V0)
	LANES_ZERO(V4, V5, V6, V7)
	MOVD counting_x(R0), R1
	MOVD counting_n(R0), R5
	LSL  $SIZE_LOG, R5
	AND  $63, R5, R6
	LSR  $6, R5
	CBNZ R5, loop

tail:
	CBZ   R6, out
	ADD   $counting_copies, R0, R2
	MOVD  R2, R4
	VMOV  V0.B16, V1.B16
	FSTPQ (F0, F1), (R4)
	FSTPQ (F0, F1), 32(R4)
	COPY(R1, R4, R6)
	MOVD  R2, R1
	MOVD  $1, R5
	MOVD  $0, R6

loop:
	FLDPQ.P 32(R1), (F16, F17)
	FLDPQ.P 32(R1), (F18, F19)
	FCMGT(16, 0, 16)
	FCMGT(17, 0, 17)
	FCMGT(18, 0, 18)
	FCMGT(19, 0, 19)
	COUNT_UP(V16, V4)
	COUNT_UP(V17, V5)
	COUNT_UP(V18, V6)
	COUNT_UP(V19, V7)
	SUBS    $1, R5
	BNE     loop
	B       tail

out:
	COUNT_ADD(V5, V4)
	COUNT_ADD(V7, V6)
	COUNT_ADD(V6, V4)
	COUNT_SUM
	MOVD R2, counting_count(R0)
	RET
