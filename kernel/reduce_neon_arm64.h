// The NEON bodies of reduce.go. kernel_neon_arm64.h has what the rooms share.

// COPY_LAST moves B < 128 bytes.
#define COPY_LAST(S, D, B) \
	TBZ     $6, B, 5(PC); \
	FLDPQ.P 32(S), (F27, F28); \
	FSTPQ.P (F27, F28), 32(D); \
	FLDPQ.P 32(S), (F27, F28); \
	FSTPQ.P (F27, F28), 32(D); \
	COPY(S, D, B)

// The operations of a fold, a = op(x, a), by number and name.
#define SUM_OF(x, X, a, A) FADD(x, a, a)
#define MAX_OF(x, X, a, A) FCMGT(a, x, 24); VBIT V24.B16, X.B16, A.B16
#define MIN_OF(x, X, a, A) FCMGT(x, a, 24); VBIT V24.B16, X.B16, A.B16

#define DOT_PAIR(A, B) \
	FLDPQ.P 32(R1), (F16, F17); \
	FLDPQ.P 32(R2), (F18, F19); \
	FMA(V16, V18, A); \
	FMA(V17, V19, B)
#define DOT_GROUP DOT_PAIR(V0, V1); DOT_PAIR(V2, V3); DOT_PAIR(V4, V5); DOT_PAIR(V6, V7)

#define EXTREMUM_PAIR(OP, a, A, b, B) \
	FLDPQ.P 32(R1), (F16, F17); \
	OP(16, V16, a, A); \
	OP(17, V17, b, B)
#define EXTREMUM_GROUP(OP) \
	EXTREMUM_PAIR(OP, 0, V0, 1, V1); \
	EXTREMUM_PAIR(OP, 2, V2, 3, V3); \
	EXTREMUM_PAIR(OP, 4, V4, 5, V5); \
	EXTREMUM_PAIR(OP, 6, V6, 7, V7)
#define MAX_GROUP EXTREMUM_GROUP(MAX_OF)
#define MIN_GROUP EXTREMUM_GROUP(MIN_OF)

// Copies of the last elements, which R1 and R2 lead to: for dot they are completed with zeros, for max and min with the
// lanes, since a lane without an element meets itself.
#define DOT_COPIES \
	CLEAR(R4, 8, R7, R8, clear); \
	MOVD R4, R7; \
	COPY_LAST(R1, R7, R6); \
	ADD  $128, R4, R7; \
	COPY_LAST(R2, R7, R6); \
	ADD  $128, R4, R2
#define EXTREMUM_COPY LANES8(LANES_SAVE, R7); COPY_LAST(R1, R7, R6)

// dot, max and min but for their names: GROUP is the step of a group, COPIES sets the copies, OP is the operation of the
// fold. The last call leaves the result in the first lane.
#define REDUCE(GROUP, COPIES, OP) \
	MOVD r+0(FP), R0; \
	IN4(reduction_x, R1, reduction_y, R2, reduction_lanes, R3, reduction_n, R5); \
	LANES8(LANES_LOAD, R3); \
	LSL  $SIZE_LOG, R5; \
	AND  $127, R5, R6; \
	LSR  $7, R5; \
	CBNZ R5, loop; \
tail: /* if elements are left { the same with copies } */ \
	CBZ  R6, out; \
	ADD  $reduction_copies, R0, R4; \
	MOVD R4, R7; \
	COPIES; \
	MOVD R4, R1; \
	MOVD $1, R5; \
	MOVD $0, R6; \
loop: /* for whole groups { */ \
	GROUP; \
	SUBS $1, R5; \
	BNE  loop; /* } */ \
	B    tail; \
out: \
	MOVD reduction_last(R0), R2; \
	CBZ  R2, suspend; \
	OP(4, V4, 0, V0); \
	OP(5, V5, 1, V1); \
	OP(6, V6, 2, V2); \
	OP(7, V7, 3, V3); \
	OP(2, V2, 0, V0); \
	OP(3, V3, 1, V1); \
	OP(1, V1, 0, V0); \
	FOLD_VECTOR(OP); \
	MOVE F0, (R3); \
	RET; \
suspend: \
	LANES8(LANES_SAVE, R3); \
	RET

// func dot(r *reduction): dotGeneric, from r.lanes
//
// Preconditions: n >= 1; unless last, n is a multiple of the lanes.
//
//	V0-V7 lanes   V16 V17 x   V18 V19 y   V24 comparison
//	R1 x   R2 y   R3 lanes   R4 copies   R5 groups left   R6 bytes of the last group   R7 R8 scratch
BODY(bodies_dot, dotNEON<>)
	REDUCE(DOT_GROUP, DOT_COPIES, SUM_OF)

// func max(r *reduction): maxGeneric, from r.lanes; y is not used
BODY(bodies_max, maxNEON<>)
	REDUCE(MAX_GROUP, EXTREMUM_COPY, MAX_OF)

// func min(r *reduction): minGeneric, from r.lanes
BODY(bodies_min, minNEON<>)
	REDUCE(MIN_GROUP, EXTREMUM_COPY, MIN_OF)

// func countLess(c *counting): countLessGeneric
//
// The last columns are copied and completed with t, which is not below itself.
// Preconditions: n >= 1; n < 2³².
//
//	V0 t   V4-V7 counts   V16-V19 x, and whether it is below t
//	R1 x   R5 groups left   R6 bytes of the last group
BODY(bodies_countLess, countLessNEON<>)
	MOVD c+0(FP), R0
	ADD  $counting_t, R0, R1
	SPREAD(R1, V0)
	LANES_ZERO(V4, V5, V6, V7)
	IN2(counting_x, R1, counting_n, R5)
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
